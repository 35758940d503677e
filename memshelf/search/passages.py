"""Which lines of the candidates answer a query: what BM25 over whole episodes cannot see."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from memshelf.model import DIGEST
from memshelf.search.window import units
from memshelf.terms import names, occurrences, parts, roots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from memshelf.model import Entry, Section
    from memshelf.search.query import Query
    from memshelf.search.window import Span

K1, B = 1.2, 0.4
"""Of BM25 over sections: how fast repetitions wear off, how much its length is held against a section."""

LESS = 0.5
"""What a word is worth on the line before, or a pair of words for standing side by side."""

_Looked = tuple[dict[str, int], frozenset[str]]
"""Term -> place of its concept, and the roots to look for."""

_Word = tuple[int, int, list[int]]
"""Where a word lies, and the places of the concepts that it stands for."""

GAP = "\n\n"
APART = 2
"""Characters between two words that stand side by side."""


class Candidate(NamedTuple):
    """An episode that may answer: the number of its row, and its score as a whole."""

    number: int
    score: float
    entry: Entry


class Passage(NamedTuple):
    """A line, or a sentence of a long one, that holds some of what was asked.

    `at` is its place among the section's `spans`; `found` are the places of the concepts in it, `near`
    those in its section and in the episode's names.
    """

    candidate: Candidate
    part: Section
    spans: list[Span]
    at: int
    score: float
    found: AbstractSet[int]
    near: AbstractSet[int]


class _Seen:
    """A section as a query sees it: which concepts it holds, how often, in which of its spans."""

    def __init__(self, part: Section, spans: list[Span]) -> None:
        self.part, self.spans = part, spans
        self.counts: dict[int, int] = {}
        self.lines: dict[int, set[int]] = {}
        self.pairs: set[tuple[int, int]] = set()
        self.verbatim: dict[int, float] = {}


def passages(candidates: Sequence[Candidate], query: Query) -> list[Passage]:
    """Return the lines of the candidates that hold a concept, the best first; of each at least one.

    A line scores as its episode, the episode's names, its section and its own words do, and by what only the
    line before it holds: an answer follows its question.
    """
    looked = _looked(query)
    seen = [(one, *_read(one, looked, query)) for one in candidates]
    every = [part for *_, found in seen for part in found]
    usual = sum(len(part.part.body) for part in every) / max(1, len(every))
    rare = _rareness(every, len(query.concepts))
    weights = query.weights
    made: list[Passage] = []
    for one, named, found in seen:
        base = one.score + _mass(named, weights) + _mass(named, rare)
        if not any(part.lines for part in found):
            found[0].spans, found[0].lines = units(found[0].part.body)[:1], {0: set()}
        for part in found:
            above = base + _bm25(part, usual, weights) + LESS * _adjacent(part, weights)
            near = named.union(part.counts)
            for line, here in part.lines.items():
                before = part.lines.get(line - 1, set()) - here
                score = above + _mass(here, rare) + LESS * _mass(before, rare) + part.verbatim.get(line, 0)
                made.append(Passage(one, part.part, part.spans, line, score, here, near))
    return sorted(made, key=lambda passage: -passage.score)


def without_echoes(ranked: Sequence[Passage], query: Query) -> list[Passage]:
    """Leave out what a digest says no better than a section: a digest tells what the sections hold."""
    best: dict[int, float] = {}
    for one in ranked:
        if one.part.heading != DIGEST:
            number = one.candidate.number
            best[number] = max(best.get(number, 0), _mass(one.found, query.weights))
    return [
        one
        for one in ranked
        if one.part.heading != DIGEST
        or _mass(one.found, query.weights) > best.get(one.candidate.number, -1.0)
    ]


def _looked(query: Query) -> _Looked:
    places = {term: at for at, concept in enumerate(query.concepts) for term in concept.terms}
    return places, roots(places)


def _read(one: Candidate, looked: _Looked, query: Query) -> tuple[set[int], list[_Seen]]:
    """Return the places of the concepts in the episode's names, and its sections as the query sees them."""
    sections = parts(one.entry.episode)
    texts = [names(one.entry.episode), *(part.body for part in sections)]
    begins = [0, *accumulate(len(text) + len(GAP) for text in texts)]
    places, wanted = looked
    held: list[list[_Word]] = [[] for _ in texts]
    for start, end, terms in occurrences(GAP.join(texts), wanted):
        here = [places[term] for term in terms if term in places]
        if here:
            at = bisect_right(begins, start) - 1
            held[at].append((start - begins[at], end - begins[at], here))
    named = {place for *_, here in held[0] for place in here}
    return named, [_see(part, found, query) for part, found in zip(sections, held[1:], strict=True)]


def _see(part: Section, found: list[_Word], query: Query) -> _Seen:
    if not found:
        return _Seen(part, [])
    seen = _Seen(part, units(part.body))
    starts = [start for start, _ in seen.spans]
    last, last_end = -1, -1
    for start, end, here in found:
        line = bisect_right(starts, start) - 1
        for place in here:
            seen.counts[place] = seen.counts.get(place, 0) + 1
            seen.lines.setdefault(line, set()).add(place)
            if start - last_end <= APART and (last, place) in query.neighbours:
                seen.pairs.add((last, place))
            last, last_end = place, end
    for identifier, worth in query.identifiers.items():
        for at in _verbatim(part.body.casefold(), identifier):
            line = bisect_right(starts, at) - 1
            seen.verbatim[line] = worth
            seen.lines.setdefault(line, set())
    return seen


def _verbatim(text: str, identifier: str) -> Iterator[int]:
    """Yield where the identifier stands, as no part of a longer word."""
    if identifier in text:
        for found in re.finditer(rf"(?<!\w){re.escape(identifier)}(?!\w)", text):
            yield found.start()


def _rareness(every: Sequence[_Seen], count: int) -> list[float]:
    """Return each concept's inverse frequency over the candidates' lines: even a name says who speaks."""
    total = sum(len(part.spans) for part in every)
    on = Counter(place for part in every for here in part.lines.values() for place in here)
    return [math.log(1 + (total - on[at] + 0.5) / (on[at] + 0.5)) for at in range(count)]


def _bm25(part: _Seen, usual: float, weights: Sequence[float]) -> float:
    worn = K1 * (1 - B + B * len(part.part.body) / max(1, usual))
    return sum(weights[at] * count * (K1 + 1) / (count + worn) for at, count in part.counts.items())


def _adjacent(part: _Seen, weights: Sequence[float]) -> float:
    return sum(min(weights[one], weights[other]) for one, other in part.pairs)


def _mass(found: Collection[int], weights: Sequence[float]) -> float:
    return sum(weights[at] for at in found)
