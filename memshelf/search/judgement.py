"""How well rankings answer questions whose right episodes are known."""

from __future__ import annotations

import heapq
import math
import re
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

DEPTH = 10
"""Places of a ranking that are looked at."""

READ = 5
"""Hits that a reader pays for."""

WORD = re.compile(r"\w+")


class Question(NamedTuple):
    """A query and the episodes that answer it, as `shelf/id`."""

    text: str
    right: frozenset[str]


class Ranking(NamedTuple):
    """What one way to search answers: `shelf/id`, the best first, and the tokens of its first READ hits."""

    found: Sequence[str]
    tokens: int


class Marks(NamedTuple):
    """Means over the questions: shares of 1, and of `tokens` the number."""

    hit_1: float
    hit_5: float
    mrr: float
    ndcg_10: float
    tokens: float


def read_lines(raw: bytes) -> list[tuple[int, str, str]]:
    """Return (1-based line, query, id) of each line of a TSV file that is not blank.

    A line that is not both, in UTF-8, comes with an empty id.
    """
    made = []
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        query, _, name = line.decode("utf-8", "replace").partition("\t")
        if line.strip():
            whole = query.strip() and "\t" not in name.strip() and "\ufffd" not in query + name
            made.append((number, query.strip(), name.strip() if whole else ""))
    return made


def marks(questions: Sequence[Question], rankings: Sequence[Ranking]) -> Marks:
    """Return how well the rankings answer the questions, one for each and at least one."""
    each = [_marks(question.right, ranking) for question, ranking in zip(questions, rankings, strict=True)]
    return Marks(*(fmean(figures) for figures in zip(*each, strict=True)))


def _marks(right: AbstractSet[str], ranking: Ranking) -> Marks:
    places = [at for at, one in enumerate(ranking.found[:DEPTH]) if one in right]
    first = places[0] if places else DEPTH
    best = sum(_gain(at) for at in range(min(DEPTH, len(right))))
    return Marks(
        float(first == 0),
        float(first < READ),
        1 / (first + 1) if places else 0.0,
        sum(map(_gain, places)) / best,
        ranking.tokens,
    )


def _gain(at: int) -> float:
    return 1 / math.log2(at + 2)


def by_matching_words(texts: Iterable[tuple[int, str]], queries: Sequence[str]) -> list[list[int]]:
    """Return for each query the DEPTH numbers whose texts hold the most of its words, as grep -ic does.

    Of equals the higher number stands first.
    """
    wanted = [set(WORD.findall(query.lower())) for query in queries]
    every = set().union(*wanted)
    best: list[list[tuple[int, int]]] = [[] for _ in queries]
    for number, text in texts:
        folded = text.lower()
        here = {word for word in every if word in folded}
        for at, words in enumerate(wanted):
            count = len(words & here)
            if count:
                heapq.heappush(best[at], (count, number))
                if len(best[at]) > DEPTH:
                    heapq.heappop(best[at])
    return [[number for _, number in sorted(found, reverse=True)] for found in best]
