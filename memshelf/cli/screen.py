"""A person's terminal: folded and coloured lines, pages, one key or one line of input."""

from __future__ import annotations

import itertools
import os
import re
import select
import shutil
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memshelf.cli.terminal import BOLD, DIM, clever, coloured

try:
    import termios
    import tty
except ImportError:  # not on Windows: plain line input
    TERMINAL_KEYS = False
else:
    TERMINAL_KEYS = True

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

WIDEST = 100
"""Columns: longer lines of prose are hard to read."""

JOINERS = "\u200c\u200d"
EMOJI = "\ufe0f"
SKINS = ("\U0001f3fb", "\U0001f3ff")
END = b"\x04"
ESCAPE = b"\x1b"
ESCAPE_SECONDS = 0.05

LAYOUT = str.maketrans("фукыйтнлв\n\r ", "aersqnykdnnn")
"""A key of the Russian layout -> the key at its place of the Latin one; Enter and space -> n(ext), n(o)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line before it is folded.

    `style` and the styles of `accents`, (start, end, style), are SGR numbers; continuation lines are
    indented by `hang`.
    """

    text: str = ""
    style: str = ""
    accents: tuple[tuple[int, int, str], ...] = ()
    hang: int = 0


def visible(text: str) -> str:
    """Return `text` with tabs as spaces, and every character that could act on the terminal or hide named."""
    return "".join(char if _is_plain(char) else _named(char) for char in text.replace("\t", "    "))


def size() -> os.terminal_size:
    """Return (columns, lines) of this moment."""
    return shutil.get_terminal_size()


def fold(line: Line, width: int, *, colour: bool, whole: bool = False) -> list[str]:
    """Return the rows of at most `width` columns that show the line, cut at spaces where there are any.

    `whole` leaves an id, a path or an address that is wider in one piece, so that it can be copied.
    """
    rows: list[str] = []
    start = 0
    while True:
        indent = line.hang if rows else 0
        end = _cut(line.text, start, max(8, width - indent), whole=whole)
        part = line.text[start:end]
        rows.append(" " * indent + (_paint(line, start, end) if colour else part).rstrip(" "))
        start = end
        while line.text.startswith(" ", start):
            start += 1
        if start >= len(line.text):
            return rows


class Screen:
    """Standard output and input of a person at a terminal."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        """Ask the environment for colour (NO_COLOR, TERM) and the terminal for single keys."""
        self.colour = coloured(sys.stdout, variables)
        self.keys = clever(variables) and TERMINAL_KEYS

    def show(self, lines: Iterable[Line]) -> None:
        """Print the lines, folded to the width of this moment."""
        for row in self._rows(lines):
            print(row)
        sys.stdout.flush()

    def say(self, text: str, style: str = "") -> None:
        """Print a message as it is: a command or a path in it can be copied, which a folded one cannot."""
        for part in map(visible, text.split("\n")):
            print(_paint(Line(part, style), 0, len(part)) if self.colour else part)
        sys.stdout.flush()

    def page(self, lines: Sequence[Line]) -> None:
        """Print the lines a screenful at a time; the person may stop before the end."""
        rows = list(self._rows(lines))
        room = max(4, size().lines - 3)
        for done in range(0, len(rows), room):
            print("\n".join(rows[done : done + room]))
            left = len(rows) - done - room
            if left > 0 and self.choose(f"{left} more lines:", ("[n]ext page", "[d]ecide now")) == "d":
                return

    def choose(self, question: str, labels: Sequence[str]) -> str:
        """Ask until one of the keys in brackets is pressed, or typed, and return it.

        Raises EOFError at the end of input.
        """
        words = {label[label.index("[") + 1]: re.sub(r"[\[\]]", "", label) for label in labels}
        prompt = " ".join([*([question] if question else []), *labels]) + ":"
        while True:
            key = self._press(prompt, words) if self.keys else self._type(prompt, words)
            if key:
                return key
            self.say(f"no such key: it is one of {', '.join(words)}", DIM)

    def ask(self, question: str) -> str:
        """Return one typed line, stripped. Raises EOFError at the end of input."""
        self._prompt(question)
        typed = input().encode("utf-8", "surrogateescape")
        return typed.decode("utf-8", "replace").strip()

    def _type(self, prompt: str, words: Mapping[str, str]) -> str:
        typed = self.ask(prompt).lower()
        typed = typed.translate(LAYOUT) if len(typed) == 1 else typed or "n"
        return next((key for key, word in words.items() if typed in (key, word)), "")

    def _press(self, prompt: str, words: Mapping[str, str]) -> str:
        """Read one key press, empty for none of ours; what was typed before the question is thrown away."""
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
        tty.setcbreak(descriptor)
        try:
            self._prompt(prompt)
            key = _key(descriptor, words)
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        print(words.get(key, ""))
        return key

    def _prompt(self, text: str) -> None:
        *rows, last = self._rows([Line(text, BOLD)])
        print(*rows, f"{last} ", sep="\n", end="", flush=True)

    def _rows(self, lines: Iterable[Line]) -> Iterator[str]:
        width = min(size().columns, WIDEST)
        return itertools.chain.from_iterable(fold(line, width, colour=self.colour) for line in lines)


def _key(descriptor: int, words: Mapping[str, str]) -> str:
    """Return the one key that was pressed, empty for another one; arrows and pasted text are none."""
    pressed = os.read(descriptor, 64)
    while pressed.startswith(ESCAPE) and select.select([descriptor], [], [], ESCAPE_SECONDS)[0]:
        pressed += os.read(descriptor, 64)
    if pressed in (b"", END):
        print()
        raise EOFError
    key = pressed.decode("utf-8", "replace").lower().translate(LAYOUT)
    return key if key in words else ""


def _is_plain(char: str) -> bool:
    return char in JOINERS or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _named(char: str) -> str:
    return f"<U+{ord(char):04X}>"


@cache
def _cells(char: str) -> int:
    """Return the columns of a character, never fewer than a terminal takes for it.

    Terminals differ on joined emoji, so their parts are counted: a row may end early, none breaks.
    """
    if char == EMOJI:  # asks for the wide form of a narrow character
        return 1
    if unicodedata.category(char)[0] == "M" or char in JOINERS or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _cut(text: str, start: int, room: int, *, whole: bool) -> int:
    """Return where a row that begins at `start` ends."""
    end, used = start, 0
    while end < len(text) and (used := used + _cells(text[end])) <= room:
        end += 1
    if end == len(text) or text[end] == " ":
        return end
    space = text.rfind(" ", start, end)
    if space > start and text[start : space + 1].strip():
        return space
    after = text.find(" ", end)
    word = text[start : after if after > 0 else len(text)]
    if whole and word.isascii():
        return start + len(word)
    while end > start + 1 and _joined(text, end):
        end -= 1
    return max(end, start + 1)


def _joined(text: str, place: int) -> bool:
    """Tell whether a cut at `place` parts what is one character to the eye."""
    char = text[place]
    marks = unicodedata.category(char)[0] == "M" or char in JOINERS or SKINS[0] <= char <= SKINS[1]
    return marks or text[place - 1] in JOINERS


def _paint(line: Line, start: int, end: int) -> str:
    styles = [line.style] * (end - start)
    for first, last, style in line.accents:
        for place in range(max(first, start), min(last, end)):
            styles[place - start] = ";".join(filter(None, (line.style, style)))
    painted, place = [], start
    for style, group in itertools.groupby(styles):
        length = len(list(group))
        part = line.text[place : place + length]
        painted.append(f"\x1b[{style}m{part}\x1b[0m" if style else part)
        place += length
    return "".join(painted)
