"""What one shelf asks to be redacted beside the built-in rules: its POLICY.patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memshelf.errors import FormatError
from memshelf.redact.marks import KIND


@dataclass(frozen=True, slots=True)
class Policy:
    """One shelf's `(kind, regex)` pairs, and the rules or kinds of the pack that it turned off."""

    patterns: tuple[tuple[str, str], ...] = ()
    off: tuple[str, ...] = ()

    def applies(self, rule: str, kind: str) -> bool:
        """Tell whether a rule of the pack, or every rule of its kind, is in force on the shelf."""
        return rule not in self.off and kind not in self.off


def parse_patterns(text: str) -> tuple[tuple[str, str], ...]:
    """Return the `(kind, regex)` pairs of a POLICY.patterns file: `<kind> <regex>` a line, `#` comments.

    Raises FormatError with the line of the first bad pattern; its message never repeats the pattern.
    """
    lines = ((number, line.strip()) for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1))
    return tuple(_parse_line(line, number) for number, line in lines if line and not line.startswith("#"))


def _parse_line(line: str, number: int) -> tuple[str, str]:
    kind, _, regex = line.partition(" ")
    regex = regex.strip()
    if not re.fullmatch(KIND, kind):
        raise FormatError(f"line {number}: not `<kind> <regex>`: a kind is a-z, 0-9 and -, up to 40", number)
    try:
        pattern = re.compile(regex)
    except (re.error, OverflowError, RecursionError):
        raise FormatError(
            f"line {number}: no regular expression: mend it or put # before it", number
        ) from None
    if any(not found.group() for sample in ("", "a b") for found in pattern.finditer(sample)):
        raise FormatError(f"line {number}: matches the empty string: ask for at least one character", number)
    return kind, regex
