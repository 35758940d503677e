"""The order of the answer: which episode stands above which, and which line is shown next."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memshelf.lines import day

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memshelf.search.passages import Passage

LESS = 0.5
"""What each passage of a section takes off the next one's score."""

TIE = 0.98
"""The share of a score from which on the newer episode stands first."""


def leads(ranked: Iterable[Passage]) -> list[Passage]:
    """Return each episode's best passage in the order of the episodes.

    Within a tie the newest stands first; what was superseded stands below what superseded it. No score is
    higher than the one before.
    """
    best: dict[int, Passage] = {}
    for one in ranked:
        best.setdefault(one.candidate.number, one)
    made: list[Passage] = []
    for group in _ties(sorted(best.values(), key=lambda one: -one.score)):
        made += sorted(
            group, key=lambda one: (day(one.candidate.entry.episode), one.candidate.entry.name), reverse=True
        )
    return falling(_below_successors(made))


def evidence(shown: Iterable[Passage], heads: Iterable[Passage]) -> list[Passage]:
    """Return the passages `shown`, best first as they came, in the order in which they add the most.

    None stands above its episode's head, and each further one of a section tells a little less.
    """
    place = {one.candidate.number: (at, one.score) for at, one in enumerate(heads)}
    before: Counter[tuple[int, str]] = Counter()
    made = []
    for order, one in enumerate(shown):
        at, limit = place[one.candidate.number]
        section = (one.candidate.number, one.part.heading)
        score = min(one.score, limit) - LESS * before[section]
        before[section] += 1
        made.append((-score, at, order, one))
    return [one._replace(score=-score) for score, _, _, one in sorted(made, key=lambda each: each[:3])]


def _ties(ordered: Sequence[Passage]) -> list[list[Passage]]:
    groups: list[list[Passage]] = []
    for one in ordered:
        if groups and one.score >= TIE * groups[-1][0].score:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _below_successors(ordered: list[Passage]) -> list[Passage]:
    """Move each episode down to the place after the last one that supersedes it."""
    made: list[Passage] = []
    waiting = list(ordered)
    while waiting:
        free = next((one for one in waiting if not _supersedes_any(waiting, one)), waiting[0])
        waiting.remove(free)
        made.append(free)
    return made


def _supersedes_any(waiting: Sequence[Passage], one: Passage) -> bool:
    mine = one.candidate.entry
    return any(
        mine.episode.id in other.candidate.entry.episode.supersedes
        and other.candidate.entry.shelf == mine.shelf
        for other in waiting
        if other is not one
    )


def falling(ordered: Iterable[Passage]) -> list[Passage]:
    """Return the passages with no score higher than the one before."""
    made: list[Passage] = []
    for one in ordered:
        made.append(one._replace(score=min(one.score, made[-1].score)) if made else one)
    return made
