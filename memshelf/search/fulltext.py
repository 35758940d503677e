"""Search by words: from a query to the few lines that answer, or to an honest word that there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.lines import day
from memshelf.model import MAX_ANSWER_TOKENS, State
from memshelf.requests import offset
from memshelf.search.answer import Answer, Hit, Outcome, Searched
from memshelf.search.candidates import DEPTH, candidates, scores
from memshelf.search.order import evidence, falling, leads
from memshelf.search.passages import Candidate, passages, without_echoes
from memshelf.search.query import ROUND, any_of, conditions, split, understand, wider
from memshelf.search.window import window
from memshelf.terms import occurrences, roots
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memshelf.model import Entry, Section
    from memshelf.requests import SearchRequest
    from memshelf.search.candidates import Score
    from memshelf.search.passages import Passage
    from memshelf.search.query import Query
    from memshelf.search.semantic import Door, Near
    from memshelf.store.catalogue import Catalogue

LIMIT = 10
BUDGET = 1000
BUDGET_OF_A_HIT = 100
MAX_WHY = 60
NO_WORDS = "The query has no word to search by: name a thing, a decision or an identifier."
NO_SHELF = "No shelf is in scope: name one."
BAD_CURSOR = "The cursor is not one that search gave: leave it out."


def search(kept: Catalogue, names: Sequence[str], request: SearchRequest, by: Door | None = None) -> Answer:
    """Rank the lines of the shelves' episodes by the words of the query; never raises for what was asked.

    Where there is a way to search by meaning, what means the same counts too.

    With a limit each episode has one hit, its best; else the budget is filled with the lines that hold the
    most, several of an episode if need be. Other shelves are looked at only when nothing in scope matches,
    and only their names are told.
    """
    words = split(request.query)
    searched = Searched(tuple(names), _count(kept, names, request))
    if not names or not words:
        return Answer(Outcome.COULD_NOT, searched, note=NO_WORDS if names else NO_SHELF)
    query = understand(kept, names, words)
    found = scores(kept, names, query, request)
    near = _near(kept, names, request, by, found)
    if not found and not near:
        return _nothing(kept, searched, words, request, by)
    start, count = offset(request.cursor), request.limit or 0
    end = max(0, start) + count if count else 0
    order, total = _fused(kept, found, near, query, end) if near else _order(kept, found, query, end)
    if not 0 <= start < total:
        return Answer(Outcome.COULD_NOT, searched, note=BAD_CURSOR)
    budget = min(request.budget or max(BUDGET, BUDGET_OF_A_HIT * count), MAX_ANSWER_TOKENS)
    hits = (_hit(kept, one, query) for one in order[start : start + count if count else None])
    corrected = {
        word.strip(ROUND): [_as_written(term, order) for term in found]
        for word, found in query.corrected.items()
    }
    answer = Answer(Outcome.FOUND, searched, corrected, note=_note(kept, names, by))
    return answer.filled(hits, budget, start, total)


def _order(kept: Catalogue, found: Sequence[Score], query: Query, end: int) -> tuple[list[Passage], int]:
    """Return the order of the hits and how many there are: of episodes up to `end`, of passages for 0."""
    ranked = passages(candidates(kept, found[:DEPTH]), query)
    heads = leads(ranked)
    if not end:
        order = list(_apart(evidence(without_echoes(ranked, query), heads)))
        return order, len(order)
    rest = leads(passages(candidates(kept, found[DEPTH:]), query)) if end > DEPTH else []
    return falling([*heads, *rest]), len(found)


def _near(
    kept: Catalogue, names: Sequence[str], request: SearchRequest, by: Door | None, found: Sequence[Score]
) -> dict[int, Near]:
    """Return what is near the query in meaning, nothing where there is no way to tell."""
    if by is None or by.meaning is None:
        return {}
    from memshelf.search.semantic import nearest  # noqa: PLC0415 # the extra's

    return nearest(kept, names, request, by.meaning, [number for number, _ in found[:DEPTH]])


def _fused(
    kept: Catalogue, found: Sequence[Score], near: Mapping[int, Near], query: Query, end: int
) -> tuple[list[Passage], int]:
    """Return what `_order` does, by words and meaning."""
    from memshelf.search.fusion import fused, joined  # noqa: PLC0415 # the extra's

    ranked = without_echoes(passages(candidates(kept, joined(found, near, DEPTH)), query), query)
    both = fused(ranked, near, query, sum(map(kept.readable, kept.names)))
    heads = leads(both)
    order = heads if end else list(_apart(evidence(both, heads)))
    return order, len(order)


def _count(kept: Catalogue, names: Sequence[str], request: SearchRequest) -> int:
    filters, values = conditions(request)
    if not filters:
        return sum(kept.readable(name) for name in names)
    return sum(kept.count(f"shelf = ? AND fault = '' AND {filters}", (name, *values)) for name in names)


def excerpts(kept: Catalogue, entry: Entry, text: str) -> list[tuple[Section, str]]:
    """Return (section, exact lines) of an episode that answer the query, the best first."""
    query = understand(kept, [entry.shelf], split(text))
    ranked = [one for one in passages([Candidate(0, 0.0, entry)], query) if one.found]
    return [(one.part, _shown(one)) for one in _apart(evidence(without_echoes(ranked, query), ranked[:1]))]


def _as_written(term: str, order: Sequence[Passage]) -> str:
    """Return a term as the first of the passages that has it writes it."""
    wanted = roots([term])
    for part in dict.fromkeys(one.part for one in order):
        for start, end, found in occurrences(part.body, wanted):
            if term in found:
                return part.body[start:end]
    return term


def _apart(order: Iterable[Passage]) -> Iterator[Passage]:
    """Leave out lines that an earlier window shows."""
    shown: dict[tuple[int, str], set[int]] = {}
    for one in order:
        before = shown.setdefault((one.candidate.number, one.part.heading), set())
        if one.at not in before:
            fresh = one if one.at + 1 not in before else one._replace(spans=one.spans[: one.at + 1])
            before.update(window(one.part.body, fresh.spans, one.at))
            yield fresh


def _hit(kept: Catalogue, one: Passage, query: Query) -> Hit:
    entry = one.candidate.entry
    words = dict.fromkeys(concept.word for at, concept in enumerate(query.concepts) if at in one.near)
    return Hit(
        entry.name,
        entry.shelf,
        entry.episode.title,
        day(entry.episode),
        one.part.heading,
        _shown(one),
        round(one.score, 6),
        tuple(clip(word, MAX_WHY) for word in words),
        entry.state,
        kept.successor(one.candidate.number) if entry.state is State.SUPERSEDED else "",
    )


def _shown(one: Passage) -> str:
    spans = [one.spans[at] for at in window(one.part.body, one.spans, one.at)]
    return one.part.body[spans[0][0] : spans[-1][1]] if spans else ""


def _nothing(
    kept: Catalogue,
    searched: Searched,
    words: Sequence[tuple[str, list[str]]],
    request: SearchRequest,
    by: Door | None,
) -> Answer:
    """Say that nothing was found, or on which other shelf."""
    filters, values = conditions(request)
    others = [name for name in kept.names if name not in searched.shelves]
    lone = wider(kept, others, words)
    asked = any_of({form for _, found in words for term in found for form in lone.get(term, (term,))})
    elsewhere = [name for name in others if kept.ranked(asked, [name], filters, values, 1)]
    if elsewhere:
        hint = f"Another shelf has it, {', '.join(elsewhere)}: name that shelf."
        return Answer(Outcome.WRONG_SCOPE, searched, note=hint)
    return Answer(Outcome.NOTHING, searched, note=_note(kept, searched.shelves, by))


def _note(kept: Catalogue, names: Sequence[str], by: Door | None) -> str:
    unread = sum(kept.count("shelf = ? AND fault != '' AND draft = ''", (name,)) for name in names)
    files = f"Files that could not be read and were not searched: {unread}; memshelf doctor names them."
    said = {files: unread, kept.search_remark: kept.search_remark}
    if by:
        by_meaning = kept.meaning_remark if by.meaning else by.remark
        said[by_meaning] = by_meaning
    return " ".join(text for text, holds in said.items() if holds)
