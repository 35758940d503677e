"""One order of two: what the words say of an episode and what its meaning says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from memshelf.search.semantic import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memshelf.search.candidates import Score
    from memshelf.search.passages import Passage
    from memshelf.search.query import Query
    from memshelf.search.semantic import Near

MEANING = 0.6
"""What a cosine of 1 is worth beside the best words."""

FEW = 0.5
"""The share of the query, weighed by rareness, under which what an episode holds of it is few words."""


def fused(ranked: Sequence[Passage], near: Mapping[int, Near], query: Query, total: int) -> list[Passage]:
    """Return passages ranked by words in the order of words and meaning, with the pieces that mean the most.

    `total` is the number of episodes. Words weigh less the less of the query any episode holds: of a query in
    another language they are chance. Scores stay on the scale of words. An episode that holds few words of
    the query is shown by its nearest piece.
    """
    most = max((one.score for one in ranked), default=0.0) or 1.0
    held = {one.candidate.number: _held(one, query, total) for one in reversed(ranked)}
    share = max((held[one.candidate.number] for one in ranked), default=0.0)
    made = []
    best: dict[int, Passage] = {}
    for one in ranked:
        number = one.candidate.number
        cosine = near[number].cosine if number in near else 0.0
        scored = one._replace(score=share**2 * one.score + MEANING * most * cosine)
        best.setdefault(number, scored)
        made.append(scored)
    made += _nearest_pieces(best, near, held)
    return sorted(made, key=lambda one: -one.score)


def joined(found: Sequence[Score], near: Mapping[int, Near], depth: int) -> list[Score]:
    """Return the `depth` episodes that match best by words, then those that are near in meaning."""
    scores, first = dict(found), found[:depth]
    known = dict(first)
    return [*first, *((number, scores.get(number, 0.0)) for number in near if number not in known)]


def _nearest_pieces(
    best: Mapping[int, Passage], near: Mapping[int, Near], held: Mapping[int, float]
) -> Iterator[Passage]:
    for number, one in best.items():
        if number not in near or near[number].piece < 0 or held[number] >= FEW:
            continue
        found = list(pieces(one.candidate.entry.episode))
        if near[number].piece < len(found):
            part, spans, at = found[near[number].piece]
            yield one._replace(part=part, spans=spans, at=at, score=math.nextafter(one.score, math.inf))


def _held(one: Passage, query: Query, total: int) -> float:
    """Return the share of the query that section and names hold; a word that is nowhere weighs most."""
    rarest = math.log(1 + (total + 0.5) / 0.5)
    weights = [concept.weight or rarest for concept in query.concepts]
    return sum(weights[at] for at in one.near) / (sum(weights) or 1.0)
