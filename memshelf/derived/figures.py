"""What a shelf holds against what it costs to carry, by week: the figures of stats.svg and `memshelf stats`.

Tokens are characters / 4 for ever, as in the ledger: a better estimate would make every chart out of date.
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from memshelf.derived import index_file
from memshelf.derived.ledger import CHARACTERS_PER_TOKEN, source_tokens
from memshelf.lines import UNDATED, day, has_open_threads
from memshelf.model import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memshelf.derived.index_file import Row
    from memshelf.model import Episode, Shelf

WEEKS = 53
"""Up to a year goes by weeks; what is longer by the first unit of which MOST are enough."""

MOST = 60
DEAREST = 4000
"""What the map costs at most when a session reads it, in characters / 4: its budget is in better tokens."""

DAYS_OF_WEEK = 7
MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
"""Unit -> its months."""


@dataclass(frozen=True, slots=True)
class Period:
    """A shelf at the end of a week, month, quarter...: `name` is its first day, month, quarter or year.

    `added` counts the period's episodes, `open` those of them that have open threads today. `episodes`,
    `shelved` and `standing` are what there is by its end: episodes of every committed state, tokens in
    them, and tokens of index that every session pays.
    """

    name: str
    added: int
    open: int
    episodes: int
    shelved: int
    standing: int


@dataclass(frozen=True, slots=True)
class Figures:
    """A shelf in numbers: `now`, and `periods` of one `unit`, oldest first, without gaps.

    `source` is the weight, in tokens, of the sessions that `known` of the episodes came from.
    `undated` episodes are counted from the first period on.
    """

    shelf: str
    unit: str
    now: Period
    periods: tuple[Period, ...]
    source: int
    known: int
    undated: int


class Change(NamedTuple):
    """What happens in one period: episodes, open ones, characters shelved, characters of the index."""

    added: int
    open: int
    shelved: int
    line: int


def figures(shelf: Shelf, listing: Sequence[Row]) -> Figures:
    """Add up the shelf's committed episodes; `listing` is what `index_file.listing` says of them."""
    days = [_date(row.entry.episode) for row in listing]
    unit, first, count = _unit([found for found in days if found])
    places = [_number(found, unit) - first if found else 0 for found in days]
    changes = _changes(listing, places, count, _replaced(listing, places))
    frame = len(index_file.render(shelf, listing)) - sum(len(row.line) for row in listing)
    names = [_name(first + at, unit) if any(days) else UNDATED * bool(listing) for at in range(count)]
    totals = list(itertools.accumulate(changes, _sum))
    periods = [_period(*each, frame) for each in zip(names, changes, totals, strict=True)]
    now = _period(names[-1], totals[-1], totals[-1], frame)
    every = [source_tokens(row.entry.episode) for row in listing]
    kept = tuple(periods) if listing else ()
    return Figures(shelf.name, unit, now, kept, sum(every), sum(map(bool, every)), days.count(None))


def _changes(
    listing: Sequence[Row], places: Sequence[int], count: int, replaced: Mapping[str, int]
) -> list[Change]:
    """Return what happens in each of `count` periods; `places` says in which each episode comes.

    A line of the index stands in full until another episode replaces it.
    """
    added, opened, shelved, line = ([0] * count for _ in Change._fields)
    for row, place in zip(listing, places, strict=True):
        episode = row.entry.episode
        added[place] += 1
        opened[place] += row.entry.state is State.ACCEPTED and has_open_threads(episode)
        shelved[place] += _characters(episode)
        line[place] += row.full
        line[max(place, replaced.get(episode.id, place))] += len(row.line) - row.full
    return list(map(Change, added, opened, shelved, line))


def _replaced(listing: Sequence[Row], places: Sequence[int]) -> dict[str, int]:
    """Return id -> the period in which the first episode that replaces it comes."""
    found: dict[str, int] = {}
    for row, place in zip(listing, places, strict=True):
        for old in row.entry.episode.supersedes:
            found[old] = min(found.get(old, place), place)
    return found


def _characters(episode: Episode) -> int:
    return len(episode.preamble) + sum(len(part.body) for part in episode.sections)


def _date(episode: Episode) -> date | None:
    try:
        return date.fromisoformat(day(episode))
    except ValueError:
        return None


def _unit(days: Sequence[date]) -> tuple[str, int, int]:
    """Return the unit that spans the days in few periods, the number of the first one, and how many."""
    if not days:
        return "week", 0, 1
    for unit, most in (("week", WEEKS), *dict.fromkeys(MONTHS, MOST).items()):
        first, last = _number(min(days), unit), _number(max(days), unit)
        if last - first < most:
            break
    return unit, first, last - first + 1


def _number(found: date, unit: str) -> int:
    """Return which period of all time a day lies in; weeks begin on Monday, as 0001-01-01 was one."""
    if unit == "week":
        return (found.toordinal() - 1) // DAYS_OF_WEEK
    return (found.year * 12 + found.month - 1) // MONTHS[unit]


def _name(number: int, unit: str) -> str:
    if unit == "week":
        return date.fromordinal(number * DAYS_OF_WEEK + 1).isoformat()
    year, month = divmod(number * MONTHS[unit], 12)
    return f"{year:04}" + {"month": f"-{month + 1:02}", "quarter": f"-Q{month // 3 + 1}"}.get(unit, "")


def _period(name: str, change: Change, total: Change, frame: int) -> Period:
    """Return a period with `change` in it and `total` by its end; `frame` is the index without its lines."""
    shelved = total.shelved // CHARACTERS_PER_TOKEN
    return Period(name, change.added, change.open, total.added, shelved, _standing(frame + total.line))


def _standing(characters: int) -> int:
    """Return the tokens of an index; the map never takes more than its budget."""
    return min(characters // CHARACTERS_PER_TOKEN, DEAREST)


def _sum(one: Change, other: Change) -> Change:
    return Change(*map(operator.add, one, other))
