"""Ranking: full-text search in memory over stems. The only module that knows SQLite."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.model import MAX_ANSWER_TOKENS, Section
from memshelf.requests import offset
from memshelf.search.answer import Answer, Hit, Outcome, Searched
from memshelf.search.query import day, parse, passing
from memshelf.search.snippet import snippet
from memshelf.text import clip, stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Entry, Episode, Shelf
    from memshelf.requests import SearchRequest

LIMIT = 10
BUDGET = 2000
MAX_WHY = 60
TABLE = (
    """CREATE VIRTUAL TABLE part USING fts5(names, body, content='', tokenize="ascii tokenchars '-._/:@+'")"""
)
MATCHES = "SELECT rowid, -bm25(part, 3.0, 1.0), -bm25(part, 0.0, 1.0) FROM part WHERE part MATCH ?"
NO_WORDS = "The query has no word to search by: name a thing, a decision or an identifier."
NO_SHELF = "No shelf is in scope: name one."
BAD_CURSOR = "The cursor is not one that search gave: leave it out."
NOT_SEMANTIC = "Search by meaning is not installed: words were used."


@dataclass(frozen=True, slots=True)
class Found:
    """One episode that matches: its score, and the heading and body of its section that matches best."""

    score: float
    entry: Entry
    heading: str
    body: str


def search(in_scope: Sequence[Shelf], out_of_scope: Sequence[Shelf], request: SearchRequest) -> Answer:
    """Rank the episodes of `in_scope` by the words of the query; never raises for what was asked.

    Shelves out of scope are looked at only when nothing in scope matches, and only their names are told.
    """
    query = parse(request.query)
    entries = [entry for shelf in in_scope for entry in passing(shelf, request)]
    searched = Searched(tuple(shelf.name for shelf in in_scope), len(entries))
    if not in_scope or not query:
        return Answer(Outcome.COULD_NOT, searched, note=NO_WORDS if in_scope else NO_SHELF)
    found = _rank(entries, query)
    if not found:
        elsewhere = [shelf.name for shelf in out_of_scope if _rank([*passing(shelf, request)], query)]
        outcome = Outcome.WRONG_SCOPE if elsewhere else Outcome.NOTHING
        hint = f"Another shelf has it, {', '.join(elsewhere)}: name that shelf." if elsewhere else ""
        return Answer(outcome, searched, note=hint or _note(in_scope, request))
    start = offset(request.cursor)
    if not 0 <= start < len(found):
        return Answer(Outcome.COULD_NOT, searched, note=BAD_CURSOR)
    end = start + max(1, request.limit or LIMIT)
    hits = tuple(_hit(one, query) for one in found[start:end])
    left = len(found) - start - len(hits)
    answer = Answer(
        Outcome.FOUND, searched, {}, hits, left, str(end) if left else "", _note(in_scope, request)
    )
    return answer.within(min(request.budget or BUDGET, MAX_ANSWER_TOKENS), start)


def _rank(entries: Sequence[Entry], query: dict[str, list[str]]) -> list[Found]:
    """Return each matching episode with its best section, best first, among equals the newest first.

    A row is one section beside the episode's title; an episode scores as its best row, and shows the
    section whose own text scores best.
    """
    rows = [(entry, part) for entry in entries for part in entry.episode.sections or (Section("", ""),)]
    terms = dict.fromkeys(stem for found in query.values() for stem in found)
    asked = " OR ".join('"{}"'.format(term.replace('"', '""')) for term in terms)
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(TABLE)
        texts = ((at, _names(row.episode), " ".join(stems(part.body))) for at, (row, part) in enumerate(rows))
        index.executemany("INSERT INTO part(rowid, names, body) VALUES (?, ?, ?)", texts)
        matches = index.execute(MATCHES, (asked,)).fetchall()
    scores: dict[str, float] = {}
    places: dict[str, tuple[float, int]] = {}
    for at, score, own in matches:
        address = rows[at][0].address
        scores[address] = max(score, scores.get(address, score))
        places[address] = max((own, -at), places.get(address, (own, -at)))
    found = []
    for address, (_, at) in sorted(places.items(), reverse=True):
        entry, part = rows[-at]
        found.append(Found(scores[address], entry, part.heading, part.body))
    return sorted(found, key=lambda one: one.score, reverse=True)


def _names(episode: Episode) -> str:
    return " ".join(stems(" ".join((episode.title, episode.id, episode.summary, *episode.tags))))


def _hit(found: Found, query: dict[str, list[str]]) -> Hit:
    episode = found.entry.episode
    here = {*stems(found.body), *_names(episode).split(" ")}
    why = tuple(clip(word, MAX_WHY) for word, terms in query.items() if here.intersection(terms))
    text = snippet(found.body, {stem for terms in query.values() for stem in terms})
    score, state = round(found.score, 6), found.entry.state
    return Hit(
        found.entry.name,
        found.entry.shelf,
        episode.title,
        day(episode),
        found.heading,
        text,
        score,
        why,
        state,
    )


def _note(shelves: Sequence[Shelf], request: SearchRequest) -> str:
    unread = sum(len(shelf.unreadable) for shelf in shelves)
    files = f"Files that could not be read and were not searched: {unread}; memshelf check names them."
    return " ".join([files] * bool(unread) + [NOT_SEMANTIC] * bool(request.semantic))
