"""Near misses: the known names and words most like one that does not exist. It alone knows rapidfuzz."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CUTOFF = 60
DATE = re.compile(r"(\d{4}-\d{2}-\d{2})-?")
SLUG_SHARE = 0.8
PART_SHARE = 0.9
"""What a slug that only shares whole words with the wanted one may score at most."""


def nearest(wanted: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """Return up to `limit` names of `known` (ids or shelf names) most like `wanted`, the best first.

    Case does not count; an id's slug counts four times its date, and alone where one of them has no date.
    """
    scored = sorted(
        ((_likeness(wanted.casefold(), name.casefold()), name) for name in set(known)), reverse=True
    )
    return [name for score, name in scored[:limit] if score >= CUTOFF]


def nearest_words(wanted: str, known: Mapping[str, int], slips: int, limit: int = 3) -> tuple[str, ...]:
    """Return up to `limit` of the words fewest slips away, at most `slips`: those in most episodes first.

    `known` maps a word to its episodes; a slip is a letter too much, missing, another one, or two swapped.
    """
    near = process.extract(wanted, known.keys(), scorer=OSA.distance, score_cutoff=slips, limit=None)
    fewest = min((distance for _, distance, _ in near), default=0)
    best = sorted((-known[word], word) for word, distance, _ in near if distance == fewest)
    return tuple(word for _, word in best[:limit])


def _likeness(wanted: str, name: str) -> float:
    """Return 0 to 100."""
    (date, slug), (other_date, other) = _split(wanted), _split(name)
    words, other_words = slug.replace("-", " "), other.replace("-", " ")
    likeness = max(fuzz.ratio(slug, other), PART_SHARE * fuzz.token_set_ratio(words, other_words))
    if not (date and other_date):
        return likeness
    return SLUG_SHARE * likeness + (1 - SLUG_SHARE) * fuzz.ratio(date, other_date)


def _split(name: str) -> tuple[str, str]:
    """Return (date or empty, the rest)."""
    found = DATE.match(name)
    return (found[1], name[found.end() :]) if found else ("", name)
