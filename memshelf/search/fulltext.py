"""Ranking: full-text search over the stems that the catalogue keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.lines import day
from memshelf.model import MAX_ANSWER_TOKENS, Section
from memshelf.requests import offset
from memshelf.search.answer import Answer, Hit, Outcome, Searched
from memshelf.search.query import conditions, parse
from memshelf.search.snippet import snippet
from memshelf.store.catalogue import Terms
from memshelf.text import clip, stemmer, stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.model import Entry, Episode
    from memshelf.requests import SearchRequest
    from memshelf.store.catalogue import Catalogue

LIMIT = 10
BUDGET = 2000
MAX_WHY = 60
MATCHES = """
SELECT number, part.rowid & 4095, id, -bm25(part, 3.0, 1.0), -bm25(part, 0.0, 1.0)
FROM part JOIN file ON number = part.rowid >> 12 WHERE part MATCH ? AND """
NO_WORDS = "The query has no word to search by: name a thing, a decision or an identifier."
NO_SHELF = "No shelf is in scope: name one."
BAD_CURSOR = "The cursor is not one that search gave: leave it out."
NOT_SEMANTIC = "Search by meaning is not installed: words were used."


@dataclass(frozen=True, slots=True)
class Found:
    """One episode that matches: the number of its row, its score, its section that matches best."""

    number: int
    score: float
    section: int


def terms() -> Terms:
    """Return how an episode becomes searchable: a row a section, beside the episode's names."""

    def rows(episode: Episode) -> Iterator[tuple[str, str]]:
        names = _names(episode)
        for part in episode.sections or (Section("", ""),):
            yield names, " ".join(stems(part.body))

    return Terms(stemmer(), rows)


def search(kept: Catalogue, names: Sequence[str], request: SearchRequest) -> Answer:
    """Rank the episodes of the shelves by the words of the query; never raises for what was asked.

    Other shelves are looked at only when nothing in scope matches, and only their names are told.
    """
    query = parse(request.query)
    filters, values = conditions(request)
    episodes = sum(kept.count(f"shelf = ? AND {filters}", (name, *values)) for name in names)
    searched = Searched(tuple(names), episodes)
    if not names or not query:
        return Answer(Outcome.COULD_NOT, searched, note=NO_WORDS if names else NO_SHELF)
    found = _rank(kept, names, query, request)
    if not found:
        others = [name for name in kept.names if name not in names]
        elsewhere = [name for name in others if _rank(kept, [name], query, request)]
        outcome = Outcome.WRONG_SCOPE if elsewhere else Outcome.NOTHING
        hint = f"Another shelf has it, {', '.join(elsewhere)}: name that shelf." if elsewhere else ""
        return Answer(outcome, searched, note=hint or _note(kept, names, request))
    start = offset(request.cursor)
    if not 0 <= start < len(found):
        return Answer(Outcome.COULD_NOT, searched, note=BAD_CURSOR)
    end = start + max(1, request.limit or LIMIT)
    shown = found[start:end]
    entries = kept.entries([one.number for one in shown])
    hits = tuple(_hit(entries[one.number], one, query) for one in shown)
    left = len(found) - start - len(hits)
    note = _note(kept, names, request)
    answer = Answer(Outcome.FOUND, searched, {}, hits, left, str(end) if left else "", note)
    return answer.within(min(request.budget or BUDGET, MAX_ANSWER_TOKENS), start)


def _rank(
    kept: Catalogue, names: Sequence[str], query: dict[str, list[str]], request: SearchRequest
) -> list[Found]:
    """Return each matching episode with its best section, best first, among equals the newest first.

    An episode scores as its best row, and shows the section whose own text scores best.
    """
    wanted = dict.fromkeys(stem for found in query.values() for stem in found)
    asked = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in wanted)
    filters, values = conditions(request)
    on = f"shelf IN ({', '.join('?' * len(names))})"
    scores: dict[int, float] = {}
    best: dict[int, tuple[float, int, str]] = {}
    rows = kept.rows(f"{MATCHES}{on} AND {filters}", (asked, *names, *values))
    for number, section, episode_id, score, own in rows:
        scores[number] = max(score, scores.get(number, score))
        best[number] = max((own, -section, episode_id), best.get(number, (own, -section, episode_id)))
    order = sorted(best, key=lambda number: (scores[number], best[number][2]), reverse=True)
    return [Found(number, scores[number], -best[number][1]) for number in order]


def _names(episode: Episode) -> str:
    return " ".join(stems(" ".join((episode.title, episode.id, episode.summary, *episode.tags))))


def _hit(entry: Entry, found: Found, query: dict[str, list[str]]) -> Hit:
    episode = entry.episode
    part = episode.sections[found.section] if episode.sections else Section("", "")
    here = {*stems(part.body), *_names(episode).split(" ")}
    why = tuple(clip(word, MAX_WHY) for word, terms in query.items() if here.intersection(terms))
    text = snippet(part.body, {stem for terms in query.values() for stem in terms})
    return Hit(
        entry.name,
        entry.shelf,
        episode.title,
        day(episode),
        part.heading,
        text,
        round(found.score, 6),
        why,
        entry.state,
    )


def _note(kept: Catalogue, names: Sequence[str], request: SearchRequest) -> str:
    unread = sum(kept.count("shelf = ? AND fault != '' AND draft = ''", (name,)) for name in names)
    files = f"Files that could not be read and were not searched: {unread}; memshelf doctor names them."
    said = {files: unread, kept.search_remark: kept.search_remark, NOT_SEMANTIC: request.semantic}
    return " ".join(text for text, holds in said.items() if holds)
