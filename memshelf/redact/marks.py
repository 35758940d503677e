"""The marks that stand where a secret stood: their form, their numbering, and where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KIND = r"[a-z][a-z0-9-]{0,39}"
"""What a kind of secret may be called."""

OPENING = "«redacted:"
"""What a mark begins with; looking for it costs next to nothing where there is none."""

MARK = re.compile(rf"{OPENING}({KIND})(?:#([0-9]{{1,9}}))?»")


class Origin(NamedTuple):
    """Which rule of the pack took something out, and its class: `secret` or `personal`."""

    rule: str
    class_: str


class Redaction(NamedTuple):
    """One place where something was taken out; what it was is not kept.

    `rule` is the kind that the mark names, `origin` the rule of the pack behind it. `line` and `column` are
    1-based and say where `mark` stands in the redacted text.
    `place` is the field or heading of that text, empty when it was redacted on its own.
    """

    rule: str
    line: int
    column: int
    mark: str
    place: str = ""
    origin: Origin = Origin("", "secret")

    def __eq__(self, other: object) -> bool:
        """Tell whether both say the same of the text, whichever rule was behind it."""
        return isinstance(other, Redaction) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        """Tell the contrary."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same for equal ones."""
        return hash(self[:-1])


class Marks:
    """The numbering of one episode: equal values get equal numbers within their kind.

    It holds the values themselves, so it lives as long as one command and is never stored or shown.
    """

    def __init__(self) -> None:
        """Start every kind at 1."""
        self._highest: dict[str, int] = {}
        self._given: dict[tuple[str, str], tuple[str, Origin]] = {}

    @classmethod
    def after(cls, text: str) -> Marks:
        """Return a numbering that starts behind the highest numbers in `text`."""
        marks = cls()
        marks.reserve(text)
        return marks

    def reserve(self, text: str) -> None:
        """Never give out a number that a mark in `text` already carries."""
        for kind, number in MARK.findall(text) if OPENING in text else ():
            if len(number) < 7:
                self._highest[kind] = max(self._highest.get(kind, 0), int(number or 0))

    def give(self, kind: str, value: str, origin: Origin) -> str:
        """Return the mark for `value`: the one it has, or the next number of its kind."""
        if (kind, value) not in self._given:
            self._highest[kind] = self._highest.get(kind, 0) + 1
            self._given[kind, value] = f"«redacted:{kind}#{self._highest[kind]}»", origin
        return self._given[kind, value][0]

    def known(self) -> Iterator[tuple[str, str, Origin]]:
        """Yield kind, value and origin of everything that has a mark."""
        for (kind, value), (_, origin) in self._given.items():
            yield kind, value, origin


def blanked(text: str) -> str:
    """Return `text` with a NUL for each character of a mark."""
    return MARK.sub(lambda mark: "\0" * len(mark[0]), text) if OPENING in text else text


def report(text: str, given: Mapping[str, Origin]) -> tuple[Redaction, ...]:
    """Return where the `given` marks stand in `text`, in order, and where each came from."""
    found: list[Redaction] = []
    line, done = 1, 0
    for mark in MARK.finditer(text) if given else ():
        line, done = line + text.count("\n", done, mark.start()), mark.start()
        if mark[0] in given:
            column = done - text.rfind("\n", 0, done)
            found.append(Redaction(mark[1], line, column, mark[0], origin=given[mark[0]]))
    return tuple(found)
