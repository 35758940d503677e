"""Bench: how well search answers questions whose episodes a person named, beside plain ways to look."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from memshelf.commands.scope import shelves_to_read
from memshelf.errors import UsageError
from memshelf.formats.address import parse
from memshelf.formats.episode import render_body
from memshelf.model import MAX_ANSWER_TOKENS, MAX_ID, Finding, Level
from memshelf.requests import SearchRequest
from memshelf.search import fulltext
from memshelf.search.answer import Searched
from memshelf.search.judgement import (
    DEPTH,
    READ,
    Marks,
    Question,
    Ranking,
    by_matching_words,
    marks,
    read_lines,
)
from memshelf.store import catalogue
from memshelf.store.catalogue.baseline import by_whole_texts
from memshelf.terms import names as names_of
from memshelf.text import clip, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.model import Entry
    from memshelf.requests import Caller
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

FORM = "query<TAB>id"
COLUMNS = ("hit@1", "hit@5", "MRR", "nDCG@10", "tokens")
OURS, FTS5, GREP = "memshelf search", "plain FTS5", "grep"
UNITS = f"tokens: what the first {READ} hits cost to read; of plain FTS5 and grep these are whole episodes"
BATCH = 256


@dataclass(frozen=True, slots=True)
class Bench:
    """The figures of each way to search, none without a question; `findings` are the lines left out."""

    searched: Searched
    questions: int
    methods: dict[str, Marks]
    findings: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "searched": self.searched._asdict(),
            "questions": self.questions,
            "methods": {name: found._asdict() for name, found in self.methods.items()},
            "findings": [found._asdict() for found in self.findings],
        }

    def as_text(self) -> str:
        """Return the table, then a line for each line of the file that was left out."""
        where = f"{self.searched.episodes:,} episodes on {', '.join(self.searched.shelves)}"
        wide = max(map(len, (OURS, *self.methods)))
        head = f"{'':<{wide}}" + "".join(f"  {name:>7}" for name in COLUMNS)
        rows = [
            f"{name:<{wide}}"
            + "".join(f"  {figure:>7.3f}" for figure in each[:-1])
            + f"  {each.tokens:>7,.0f}"
            for name, each in self.methods.items()
        ]
        table = [head, *rows, UNITS] if rows else []
        return "\n".join([f"questions: {self.questions:,}; {where}", *table, *map(str, self.findings)])


def bench_search(library: Library, path: str, raw: bytes, shelf: str | None, caller: Caller) -> Bench:
    """Ask every query of the TSV file `raw`, called `path`, of the shelves in scope.

    A query on several lines has several right episodes. Raises MemShelfError for an unknown shelf, UsageError
    for a file without a line.
    """
    lines = read_lines(raw)
    if not lines:
        raise UsageError(f"{path} has no question: write `{FORM}` lines")

    def answer(kept: Catalogue) -> Bench:
        return _bench(kept, shelves_to_read(kept, shelf, caller), path, lines)

    return catalogue.consult(library, answer, words=True)


def _bench(kept: Catalogue, names: Sequence[str], path: str, lines: Sequence[tuple[int, str, str]]) -> Bench:
    questions, findings = _questions({name: set(kept.ids_of(name)) for name in names}, path, lines)
    searched = Searched(tuple(names), sum(kept.readable(name) for name in names))
    if not questions:
        return Bench(searched, 0, {}, findings)
    asked = [question.text for question in questions]
    rankings = {
        OURS: [_ours(kept, names, text) for text in asked],
        FTS5: [_whole(kept, found) for found in by_whole_texts(_texts(kept, names), asked, DEPTH)],
        GREP: [_whole(kept, found) for found in by_matching_words(_texts(kept, names), asked)],
    }
    return Bench(
        searched, len(questions), {name: marks(questions, each) for name, each in rankings.items()}, findings
    )


def _questions(
    known: dict[str, set[str]], path: str, lines: Sequence[tuple[int, str, str]]
) -> tuple[list[Question], tuple[Finding, ...]]:
    right: dict[str, set[str]] = {}
    findings = []
    fault = partial(Finding, "question", Level.ERROR, path=path)
    for number, query, name in lines:
        address = parse(name)
        found = {
            f"{shelf}/{address.id}"
            for shelf, ids in known.items()
            if address.shelf in ("", shelf) and address.id in ids
        }
        if not name:
            findings.append(fault(f"is not `{FORM}` in UTF-8: write one tab between the two", line=number))
        elif not found:
            said = f"no episode {clip(name, MAX_ID)} on {', '.join(known)}: `memshelf index` has the ids"
            findings.append(fault(said, line=number))
        else:
            right.setdefault(query, set()).update(found)
    return [Question(query, frozenset(found)) for query, found in right.items()], tuple(findings)


def _ours(kept: Catalogue, names: Sequence[str], text: str) -> Ranking:
    request = SearchRequest(query=text, limit=DEPTH, budget=MAX_ANSWER_TOKENS)
    answer = fulltext.search(kept, names, request)
    found = dict.fromkeys(f"{hit.shelf}/{hit.id}" for hit in answer.hits)
    shown = answer._replace(hits=answer.hits[:READ], left_out=0, next="")
    return Ranking(list(found), tokens(shown.as_text()))


def _whole(kept: Catalogue, numbers: Sequence[int]) -> Ranking:
    entries = kept.entries(numbers)
    found = dict.fromkeys(f"{entries[number].shelf}/{entries[number].name}" for number in numbers)
    return Ranking(list(found), sum(tokens(_text(entries[number])) for number in numbers[:READ]))


def _texts(kept: Catalogue, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield (number, whole text) of every episode and draft of the shelves."""
    query = "SELECT number FROM file WHERE shelf = ? AND fault = '' ORDER BY number"
    numbers = [number for name in names for (number,) in kept.rows(query, (name,))]
    for at in range(0, len(numbers), BATCH):
        entries = kept.entries(numbers[at : at + BATCH])
        yield from ((number, _text(entry)) for number, entry in entries.items())


def _text(entry: Entry) -> str:
    return f"{names_of(entry.episode)}\n{render_body(entry.episode)}"
