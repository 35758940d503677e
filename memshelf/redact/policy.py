"""What one shelf asks of redaction: its patterns, the rules that are off, what becomes of personal data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memshelf.screening import Screening

if TYPE_CHECKING:
    from memshelf.model import Conventions


SHORTEST = 7
"""Digits of a number that is told by its digits alone."""


class Policy(NamedTuple):
    """The `(kind, regex)` pairs of one shelf, as `parse_patterns` returns them, and its `redact` settings.

    `lifted` are the kinds that a person let stand in the text at hand; unless `known` is None, only values
    that stand in `known`, what the person saw.
    """

    patterns: tuple[tuple[str, str], ...] = ()
    screening: Screening = Screening()
    lifted: frozenset[str] = frozenset()
    known: str | None = None

    def with_patterns(self, patterns: tuple[tuple[str, str], ...]) -> Policy:
        """Return the policy with more patterns."""
        return self._replace(patterns=self.patterns + patterns)

    def at(self, place: str, allow: tuple[str, ...], known: str | None = None) -> Policy:
        """Return the policy for a field or section, where a person lifted some kinds.

        `allow` are an episode's entries `KIND PLACE why`; a place has `_` for its spaces.
        """
        here = place.replace(" ", "_").casefold()
        entries = [parts for entry in allow if len(parts := entry.split(maxsplit=2)) == 3]
        lifted = frozenset(kind for kind, where, _ in entries if where.casefold() == here)
        return self._replace(lifted=lifted, known=known) if lifted else self

    def lifts(self, kind: str, value: str) -> bool:
        """Tell whether a person let a value of this kind stand."""
        return kind in self.lifted and (self.known is None or value in self.known)

    def applies(self, rule: str, kind: str) -> bool:
        """Tell whether a rule of the pack, named by its id or by its kind, is in force on the shelf."""
        off = self.screening.off
        return rule not in off and kind not in off and self.screening.personal.get(kind) != "keep"

    def refuses(self, kind: str) -> bool:
        """Tell whether a text that holds this kind of personal data is refused instead of masked."""
        return self.screening.personal.get(kind) == "refuse"

    def lets(self, value: str) -> bool:
        """Tell whether the shelf lets a piece of personal data stay: named whole, or by its `@domain`."""
        folded = value.lower()
        return any(
            folded.endswith(each) if each.startswith("@") else _alike(folded, each)
            for each in map(str.lower, self.screening.allow)
        )


def _alike(value: str, allowed: str) -> bool:
    """Tell whether both are the same address, or the same number however its digits are grouped."""
    if value == allowed:
        return True
    numbers = ["".join(filter(str.isdecimal, each)) for each in (value, allowed)]
    return numbers[0] == numbers[1] and len(numbers[0]) >= SHORTEST and not any(map(str.isalpha, allowed))


def policy_of(conventions: Conventions) -> Policy:
    """Return the policy in what a shelf asks of its episodes."""
    return Policy(conventions.patterns, conventions.screening)
