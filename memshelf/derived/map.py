"""The map, read_index's answer: every episode and draft on a line, folded only when the budget forces it."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections import Counter
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from memshelf.lines import UNDATED, squeeze
from memshelf.model import MAX_ANSWER_TOKENS
from memshelf.text import clip, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.lines import Line, Listing

BUDGET = 5000
"""Tokens: 4,000 as characters / 4, as no token is counted for more than DENSITY characters."""

DENSITY = 3.2
"""Characters a token: plain words have more by the estimate, but not under every model's tokenizer."""

AT_ONCE = 16
"""Lines whose cost is estimated together: the estimate costs more than the line."""

LEAST_COST = 16
"""Tokens that hardly a line costs less than: it begins with an id. So many lines are looked at."""
WIDEST, NARROWEST = 110, 48
GROUPS = ("Nothing open:", "Open threads:", "Pinned:")
"""What stands above the lines of each rank."""

MONTHS = 12
"""How many months a fold names before it says "earlier"."""


class Page(NamedTuple):
    """What may be shown from line `start` on: `lines` are those that the budget can hold at most."""

    listing: Listing
    start: int
    lines: Sequence[Line]

    def text(self, count: int, width: int) -> str:
        """Return the whole answer with the first `count` lines, their text at most `width` characters."""
        shown = self.lines[:count]
        parts = [self._first_line(len(shown)), *self._body(shown, width), *_notes(self.listing)]
        end = self.start + count
        if end < self.listing.matching:
            parts.append(f"Folded: {_months(self._folded(shown))}. Next: cursor {end}")
        return "\n".join(parts)

    def _folded(self, shown: Sequence[Line]) -> Counter[str]:
        above = (*self.listing.lines(0, self.start), *shown)
        return self.listing.months - Counter(line.day[:7] for line in above)

    def _first_line(self, shown: int) -> str:
        total, matching = self.listing.total, self.listing.matching
        if not total:
            names = ", ".join(self.listing.names)
            return (
                f"No episodes yet on {names}: write_episode keeps the first"
                if names
                else "No shelf to show: name one"
            )
        some = "" if matching == total else f" that match, {total} in all"
        begin = f", from number {self.start + 1}" if self.start else ""
        order = (
            ": pinned and open threads first, then newest"
            if shown
            else ": widen the filter or drop the cursor"
        )
        return f"{shown} of {matching} episodes{some}{begin}{order}"

    def _body(self, shown: Sequence[Line], width: int) -> Iterator[str]:
        names = self.listing.names
        if len(names) <= 1:
            yield from _grouped(shown, width)
            return
        empty = self.listing.empty if self.listing.total else ()
        for name in names:
            mine = [line for line in shown if line.shelf == name]
            if mine:
                yield from (f"## {name}", *_grouped(mine, width))
            elif name in empty:
                yield f"## {name}: no episodes yet"


def _grouped(lines: Sequence[Line], width: int) -> Iterator[str]:
    """Yield the lines under what they have in common: a word once costs less than on every line."""
    for group, members in itertools.groupby(lines, key=lambda line: GROUPS[line.rank]):
        yield group
        yield from (_line(line, width) for line in members)


def _line(line: Line, width: int) -> str:
    """Return one line with at most `width` characters of title and words."""
    label = f" [{line.label}]" if line.label else ""
    if line.superseded:
        pointer = f" → {squeeze(line.successor)}" if line.successor else ""
        return f"~~{line.name} · {clip(line.title, width)}~~{pointer}{label}"
    text = clip(f"{line.title}: {line.words}" if line.words else line.title, width)
    opened = " [open]" if line.opened and line.pinned else ""
    return f"{line.name} · {text}{opened}{label}"


def render_map(listing: Listing, budget: int = BUDGET, start: int = 0) -> tuple[str, int]:
    """Return the map from line `start` within `budget` tokens, and the next start, -1 after the last line.

    Titles and words are clipped alike, no narrower than 48 characters; what then does not fit is folded
    into one line. At least one line is shown, whatever the budget. Names, titles and words are recalled
    text: the caller wraps them.
    """
    start, budget = max(start, 0), min(budget, MAX_ANSWER_TOKENS)
    page = Page(listing, start, listing.lines(start, budget // LEAST_COST + 1))
    left = listing.matching - start
    count = _affordable(page.lines, budget)
    if count >= left:
        widths = range(WIDEST, NARROWEST - 1, -1)
        best = bisect_left(widths, True, key=lambda width: _cost(page.text(left, width)) <= budget)
        if best < len(widths):
            return page.text(left, widths[best]), -1
    text = page.text(count, NARROWEST)
    while count > 1 and (over := _cost(text) - budget) > 0:
        count = max(1, count - max(1, over * count // (budget + over)))
        text = page.text(count, NARROWEST)
    return text, start + count if count < left else -1


def _cost(text: str) -> int:
    return max(tokens(text), ceil(len(text) / DENSITY))


def _affordable(lines: Sequence[Line], budget: int) -> int:
    """Return how many lines the budget holds at the narrowest, or a few more; the frame is not counted."""
    count = spent = 0
    while count < len(lines) and spent <= budget:
        some = lines[count : count + AT_ONCE]
        spent += _cost("\n".join(_line(line, NARROWEST) for line in some))
        count += len(some)
    return max(1, count)


def _months(counts: Counter[str]) -> str:
    months = [(month or UNDATED, count) for month, count in sorted(counts.items(), reverse=True)]
    named = [f"{month} {count}" for month, count in months[:MONTHS]]
    earlier = sum(count for _, count in months[MONTHS:])
    return ", ".join([*named, f"earlier {earlier}"] if earlier else named)


def _notes(listing: Listing) -> Iterator[str]:
    """Yield what is on the shelves and not among the lines."""
    if listing.archived:
        yield f"{listing.archived} archived: search finds them"
    for things, count in (("file", listing.unreadable), ("draft", listing.damaged)):
        if count:
            them = f"1 {things}" if count == 1 else f"{count} {things}s"
            yield f"{them} could not be read: memshelf doctor names {'it' if count == 1 else 'them'}"
