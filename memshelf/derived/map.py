"""The map, read_index's answer: every episode and draft on a line, folded only when the budget forces it."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.derived.lines import (
    by_month,
    day,
    has_open_threads,
    is_pinned,
    squeeze,
    successors,
    title,
    words,
)
from memshelf.model import MAX_ANSWER_TOKENS, State
from memshelf.text import clip, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.model import Entry, Episode, Shelf

BUDGET = 4000
WIDEST, NARROWEST = 110, 60
MONTHS = 12
"""How many months a fold names before it says "earlier"."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the map before its text is clipped; `label` is empty for plain accepted text."""

    entry: Entry
    label: str = ""
    successor: str = ""

    @property
    def on_top(self) -> bool:
        """Pinned and open threads stand above the others; what was replaced never does."""
        episode = self.entry.episode
        replaced = self.entry.state is State.SUPERSEDED
        return not replaced and (is_pinned(episode) or has_open_threads(episode))

    def line(self, width: int) -> str:
        """Return the row with at most `width` characters of title and words."""
        episode = self.entry.episode
        label = f" [{self.label}]" if self.label else ""
        if self.entry.state is State.SUPERSEDED:
            pointer = f" → {squeeze(self.successor)}" if self.successor else ""
            return f"~~{self.entry.name} · {clip(title(episode), width)}~~{pointer}{label}"
        said = words(episode)
        text = clip(f"{title(episode)}: {said}" if said else title(episode), width)
        pinned = " [pinned]" if is_pinned(episode) else ""
        opened = " [open]" if has_open_threads(episode) else ""
        return f"{self.entry.name} · {text}{pinned}{opened}{label}"


@dataclass(frozen=True, slots=True)
class View:
    """The rows that match, in order, and where the page starts."""

    shelves: Sequence[Shelf]
    rows: Sequence[Row]
    total: int
    start: int

    def page(self, count: int, width: int) -> str:
        """Return the whole answer with `count` rows from the start."""
        shown = self.rows[self.start : self.start + count]
        parts = [self._first_line(len(shown)), *self._body(shown, width)]
        parts += _notes(self.shelves)
        folded = self.rows[self.start + count :]
        if folded:
            parts.append(
                f"Folded: {_months([row.entry.episode for row in folded])}. Next: cursor {self.start + count}"
            )
        return "\n".join(parts)

    def _first_line(self, shown: int) -> str:
        if not self.total:
            names = ", ".join(shelf.name for shelf in self.shelves)
            return (
                f"No episodes yet on {names}: write_episode keeps the first"
                if names
                else "No shelf to show: name one"
            )
        matching = "" if len(self.rows) == self.total else f" that match, {self.total} in all"
        begin = f", from number {self.start + 1}" if self.start else ""
        order = (
            ": pinned and open threads first, then newest"
            if shown
            else ": widen the filter or drop the cursor"
        )
        return f"{shown} of {len(self.rows)} episodes{matching}{begin}{order}"

    def _body(self, shown: Sequence[Row], width: int) -> Iterator[str]:
        if len(self.shelves) <= 1:
            yield from (row.line(width) for row in shown)
            return
        for shelf in self.shelves:
            lines = [row.line(width) for row in shown if row.entry.shelf == shelf.name]
            if lines:
                yield from (f"## {shelf.name}", *lines)
            elif self.total and not (shelf.entries or shelf.drafts):
                yield f"## {shelf.name}: no episodes yet"


def render_map(
    shelves: Sequence[Shelf], budget: int = BUDGET, start: int = 0, tag: str = "", since: str = ""
) -> tuple[str, int]:
    """Return the map from row `start` within `budget` tokens, and the next start, -1 after the last row.

    `tag` and `since` (ISO date) leave out what does not match. Titles and words are clipped alike, no
    narrower than 60 characters; what then does not fit is folded into one line. At least one row is
    shown, whatever the budget. Names, titles and words are recalled text: the caller wraps them.
    """
    every = [row for shelf in shelves for row in _rows(shelf)]
    rows = [row for row in every if _matches(row.entry.episode, tag, since)]
    rows.sort(key=lambda row: (row.on_top, row.entry.episode.id), reverse=True)
    view = View(shelves, rows, len(every), max(start, 0))
    budget = min(budget, MAX_ANSWER_TOKENS)
    left = len(rows) - view.start
    count = _affordable(rows[view.start :], budget)
    if count >= left:
        widths = range(WIDEST, NARROWEST - 1, -1)
        best = bisect_left(widths, True, key=lambda width: tokens(view.page(left, width)) <= budget)
        if best < len(widths):
            return view.page(left, widths[best]), -1
    while count > 1 and tokens(view.page(count, NARROWEST)) > budget:
        count -= 1
    return view.page(count, NARROWEST), view.start + count if count < left else -1


def _rows(shelf: Shelf) -> Iterator[Row]:
    """Yield accepted, superseded and drafted episodes; a pending amend is a label on what it amends."""
    listed = [entry for entry in shelf.entries if entry.state in (State.ACCEPTED, State.SUPERSEDED)]
    known = {entry.episode.id for entry in listed}
    drafted = {entry.episode.id for entry in shelf.drafts}
    replaced = successors(shelf.entries)
    for entry in listed:
        pending = "amend pending" if entry.episode.id in drafted else ""
        yield Row(entry, pending, replaced.get(entry.episode.id, ""))
    for entry in shelf.drafts:
        if entry.episode.id not in known:
            yield Row(entry, "amend pending" if entry.amends else "draft")


def _matches(episode: Episode, tag: str, since: str) -> bool:
    return (not tag or tag in episode.tags) and day(episode) >= since


def _affordable(rows: Sequence[Row], budget: int) -> int:
    """Return how many rows the budget may hold at the narrowest, at least one; the frame is not counted."""
    costs = itertools.accumulate(tokens(row.line(NARROWEST)) for row in rows)
    return max(1, sum(1 for _ in itertools.takewhile(lambda cost: cost <= budget, costs)))


def _months(episodes: Sequence[Episode]) -> str:
    months = by_month(episodes)
    named = [f"{month} {count}" for month, count in months[:MONTHS]]
    earlier = sum(count for _, count in months[MONTHS:])
    return ", ".join([*named, f"earlier {earlier}"] if earlier else named)


def _notes(shelves: Sequence[Shelf]) -> Iterator[str]:
    """Yield what is on the shelves and not among the rows."""
    archived = sum(entry.state is State.ARCHIVED for shelf in shelves for entry in shelf.entries)
    if archived:
        yield f"{archived} archived: search finds them"
    for things, count in (
        ("file", sum(len(shelf.unreadable) for shelf in shelves)),
        ("draft", sum(len(shelf.damaged) for shelf in shelves)),
    ):
        if count:
            them = f"1 {things}" if count == 1 else f"{count} {things}s"
            yield f"{them} could not be read: memshelf check names {'it' if count == 1 else 'them'}"
