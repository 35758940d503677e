"""What one shelf asks of redaction: its patterns, the rules that are off, what becomes of personal data."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memshelf.screening import Screening

if TYPE_CHECKING:
    from memshelf.model import Conventions


class Policy(NamedTuple):
    """The `(kind, regex)` pairs of one shelf, as `parse_patterns` returns them, and its `redact` settings."""

    patterns: tuple[tuple[str, str], ...] = ()
    screening: Screening = Screening()

    def with_patterns(self, patterns: tuple[tuple[str, str], ...]) -> Policy:
        """Return the policy with more patterns."""
        return self._replace(patterns=self.patterns + patterns)

    def at(self, place: str, allow: tuple[str, ...]) -> Policy:
        """Return the policy for a field or section, without the kinds that a person lifted there.

        `allow` are an episode's entries `KIND PLACE why`; a place has `_` for its spaces.
        """
        here = place.replace(" ", "_").casefold()
        entries = [parts for entry in allow if len(parts := entry.split(maxsplit=2)) == 3]
        off = {kind: why for kind, where, why in entries if where.casefold() == here}
        if not off:
            return self
        return self._replace(screening=self.screening._replace(off={**self.screening.off, **off}))

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
            folded.endswith(each) if each.startswith("@") else folded == each
            for each in map(str.lower, self.screening.allow)
        )


def policy_of(conventions: Conventions) -> Policy:
    """Return the policy in what a shelf asks of its episodes."""
    return Policy(conventions.patterns, conventions.screening)
