"""Which kept episodes say what a new one says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from memshelf.search.query import any_of
from memshelf.search.stop_words import stop_terms
from memshelf.terms import columns, terms

if TYPE_CHECKING:
    from memshelf.model import Entry, Episode
    from memshelf.store.catalogue import Catalogue

ALIKE = 0.5
"""The share of what its names and its digest say, weighed by rareness, that is in another's as well."""

RAREST = 8
"""Terms by which likely episodes are found."""

FEW = 3

LEAST = 4
"""Terms that title and digest must have to tell a likeness: of fewer, one common word would do."""


def alike(kept: Catalogue, shelf: str, episode: Episode) -> list[Entry]:
    """Return up to three episodes of the shelf whose names and digests say at least ALIKE of this one's."""
    said = _said(episode)
    if len({*terms(episode.title), *terms(episode.digest)} - stop_terms()) < LEAST:
        return []
    known = kept.episodes_with([shelf], said)
    total = 1 + kept.readable(shelf)
    weights = {term: math.log(1 + total / (1 + known.get(term, 0))) for term in said}
    rarest = sorted(known, key=lambda term: (known[term], term))[:RAREST]
    if not rarest:
        return []
    found = kept.ranked(any_of(rarest), [shelf], "", (), 2 * FEW)
    entries = kept.entries([number for number, _ in found])
    both = {
        number: sum(weights[term] for term in said & _said(one.episode)) for number, one in entries.items()
    }
    like = [number for number, mass in both.items() if mass >= ALIKE * sum(weights.values())]
    return [entries[number] for number in sorted(like, key=lambda number: -both[number])[:FEW]]


def _said(episode: Episode) -> set[str]:
    named, digest, _ = columns(episode)
    return {*named.split(), *digest.split()} - stop_terms() - set(episode.id[:10].split("-"))
