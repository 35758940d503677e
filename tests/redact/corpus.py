"""The corpus of redaction: templates of texts become rows, and what a redactor answered is judged.

`corpus_texts/*.txt`: `@ kind` opens a kind whose texts `%` lines divide, `@@ kind` one whose every line is
a text. ⟦…⟧ is what must go, ⟪…⟫ what may go with it. ‹name:argument› is filled at run time by the makers of
`corpus_values`, so that no file holds what looks like a key; ‹a=pw› names the value too, and ‹a› repeats it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from redact.corpus_values import Values

TEXTS = Path(__file__).with_name("corpus_texts")
_FILL = re.compile(r"‹(?:(\w+)=)?(\w+)(?::([^‹›]*))?›")
_SECRET = re.compile(r"⟦(.*?)⟧", re.DOTALL)
_FREE = re.compile(r"⟪(.*?)⟫", re.DOTALL)
_PEM_LINE = re.compile(r"-----(?:BEGIN|END) [A-Z0-9 ]+-----")
_FRAMED = ("secrets-tokens", "secrets-shell", "secrets-net")
_RUSSIAN = (
    "Вот что осталось в логе:\n\n```\n{}```\n\nПочистить до релиза.\n",
    "Проверил руками, сработало:\n{}Дальше — ротация.\n",
    "## Источники\n\n- Шаг 2, стенд\n\n{}\nОткрыто: кто это отзовёт.\n",
)
"""A text that is of no language stands alone, and once more among Russian sentences."""
_TRIM = " \t\r\n\"'`=:,;()[]{}<>|\\+-*#@/&?.$«»"


@dataclass(frozen=True)
class Row:
    """One text, the strings that must not survive in it and those that must."""

    id: str
    kind: str
    class_: str
    """secret, personal or benign."""
    text: str
    secrets: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        """`ru` for a text with a Cyrillic letter, else `en`."""
        return "ru" if re.search("[а-яё]", self.text.lower()) else "en"


@dataclass(frozen=True)
class Verdict:
    """What a redactor left of a row's secrets, and what else it broke."""

    row: Row
    answer: str
    left: tuple[str, ...]
    damaged: tuple[str, ...]

    @property
    def false_alarm(self) -> bool:
        """Whether a benign text was changed."""
        return self.row.class_ == "benign" and self.answer != self.row.text


def rows(seed: int = 1, folder: Path = TEXTS) -> list[Row]:
    """Return the whole corpus; the same seed gives the same texts."""
    made = []
    for path in sorted(folder.glob("*.txt")):
        class_ = path.stem.split("-")[0].removesuffix("s")
        for number, (kind, template) in enumerate(templates(path.read_text(encoding="utf-8")), 1):
            name = f"{path.stem}-{number:03}-{kind}"
            made.append(_row(name, kind, class_, template, seed))
            if path.stem in _FRAMED and made[-1].language == "en":
                frame = _RUSSIAN[number % len(_RUSSIAN)]
                made.append(_row(f"{name}-ru", kind, class_, frame.replace("{}", template), seed))
    return made


def templates(source: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, template) of each text in a file of `corpus_texts`."""
    for block in re.split(r"^(?=@@? )", source, flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        sign, kind = head.split(" ", 1)
        parts = body.splitlines() if sign == "@@" else re.split(r"^%\n", body, flags=re.MULTILINE)
        yield from ((kind, part.rstrip("\n") + "\n") for part in parts if part.strip())


def _row(name: str, kind: str, class_: str, template: str, seed: int) -> Row:
    values = Values(random.Random(f"{seed} {name}"))
    named: dict[str, str] = {}

    def fill(piece: re.Match[str]) -> str:
        name, maker, argument = piece.groups()
        if maker in named:
            return named[maker]
        value = values.make(maker, argument or "")
        if name:
            named[name] = value
        return value

    marked = _FILL.sub(fill, template)
    secrets = tuple(dict.fromkeys(_SECRET.findall(marked)))
    text = _FREE.sub(r"\1", _SECRET.sub(r"\1", marked))
    return Row(name, kind, class_, text, secrets, _kept(marked, secrets))


def _kept(marked: str, secrets: tuple[str, ...]) -> tuple[str, ...]:
    parts = _FREE.sub("\0", _SECRET.sub("\0", marked)).split("\0")
    lines = (line.strip(_TRIM) for part in parts for line in part.split("\n"))
    long = dict.fromkeys(line for line in lines if len(line) >= 3)
    return tuple(line for line in long if not any(line in secret for secret in secrets))


def judge(row: Row, answer: str) -> Verdict:
    """Return what `answer` shows of the row's secrets.

    A secret is gone when no piece of it is readable: of 12 characters for 24 and more, of 8 for 16 to 23, of
    4 for shorter ones; the first and last line of a PEM block aside, and what the text says elsewhere.
    """
    rest = row.text
    for secret in sorted(row.secrets, key=len, reverse=True):
        rest = rest.replace(secret, "\0")
    left = tuple(secret for secret in row.secrets if _readable(secret, answer, rest))
    return Verdict(row, answer, left, tuple(piece for piece in row.keep if piece not in answer))


def _readable(secret: str, answer: str, rest: str) -> bool:
    width = 12 if len(secret) >= 24 else 8 if len(secret) >= 16 else min(4, len(secret))
    body = _PEM_LINE.sub(lambda line: "\0" * len(line[0]), secret)
    pieces = (body[start : start + width] for start in range(len(secret) - width + 1))
    return any(
        piece in answer for piece in pieces if "\0" not in piece and piece.strip() and piece not in rest
    )


def judge_all(corpus: Iterable[Row], redact: Callable[[str], str]) -> list[Verdict]:
    """Return the verdict on every row, each redacted by itself."""
    return [judge(row, redact(row.text)) for row in corpus]
