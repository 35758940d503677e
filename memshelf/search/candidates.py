"""The first stage: which episodes may answer, by BM25 over each as a whole."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from memshelf.search.passages import Candidate
from memshelf.search.query import conditions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.requests import SearchRequest
    from memshelf.search.query import Query
    from memshelf.store.catalogue import Catalogue

DEPTH = 20
"""Episodes whose lines are compared: the best as a whole."""

MOST = 100
"""Episodes that cursors lead to."""

WORK = 2000
"""Matches that are scored, more only where the rarest word alone has more: 1 ms for 1,000."""

Score = tuple[int, float]
"""The number of an episode's row, and how well it matches as a whole."""


def scores(kept: Catalogue, names: Sequence[str], query: Query, request: SearchRequest) -> list[Score]:
    """Return the MOST episodes that match best, the best first; before them what has an identifier whole."""
    if not query.terms_by_rarity():
        return []
    filters, values = conditions(request)
    exact = _any(query.exact)
    named = kept.ranked(exact, names, filters, values, DEPTH) if exact else []
    first = {number for number, _ in named}
    found = _matches(kept, names, query, request)
    return [*named, *(each for each in found if each[0] not in first)][:MOST]


def candidates(kept: Catalogue, found: Sequence[Score]) -> list[Candidate]:
    """Return the episodes of these rows."""
    entries = kept.entries([number for number, _ in found])
    return [Candidate(number, score, entries[number]) for number, score in found]


def _matches(kept: Catalogue, names: Sequence[str], query: Query, request: SearchRequest) -> list[Score]:
    """Return what has any of the words.

    Words so common that all they match cannot be scored in time only choose among what has a rarer one; they
    count by themselves where nothing else matches.
    """
    filters, values = conditions(request)
    terms = query.terms_by_rarity()
    few = max(1, sum(total <= WORK for total in accumulate(episodes for episodes, _ in terms)))
    rare, every = ([*query.phrases, *(term for _, term in some)] for some in (terms[:few], terms))
    tries = [(_any(rare), 1), (_any(every), 0)]
    if few == 1 and terms[0][0] > WORK and len(terms) > 1:
        both = f"({_any(rare)}) AND ({_any([term for _, term in terms[few:]])})"
        tries.insert(0, (both, DEPTH))
    for asked, least in tries:
        found = kept.ranked(asked, names, filters, values, MOST)
        if len(found) >= least:
            break
    return found


def _any(phrases: Sequence[str]) -> str:
    return " OR ".join(phrases)
