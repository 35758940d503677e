"""What one line of INDEX.md or the map says of an episode: its words, its marks, what replaced it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from memshelf import model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memshelf.model import Entry, Episode

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
NOTHING = frozenset({"", "none", "n/a", "нет"})
UNDATED = "undated"
squeeze = model.squeeze


class Line(NamedTuple):
    """One episode or draft as the map shows it, before anything is clipped.

    `day` is its ISO date or empty; `successor` the name of what replaced it; `label` is empty for plain
    accepted text. `rank` is 2 for what is pinned, 1 where something is open, else 0, as for what was
    replaced.
    """

    name: str
    shelf: str
    title: str
    words: str
    day: str
    pinned: bool
    opened: bool
    superseded: bool
    successor: str
    label: str
    rank: int


class Listing(NamedTuple):
    """The lines of the shelves `names` that match a filter, and what else is on the shelves, in numbers.

    `lines(start, count)` gives `count` of them from number `start`: pinned and open threads first, then
    newest. `months` counts them by month (`YYYY-MM`, empty: undated), `total` all lines without the
    filter. `empty` are the shelves that hold nothing. `unreadable` files and `damaged` drafts are no lines.
    """

    names: Sequence[str]
    lines: Callable[[int, int], Sequence[Line]]
    months: Counter[str]
    total: int
    empty: Sequence[str] = ()
    archived: int = 0
    unreadable: int = 0
    damaged: int = 0

    @property
    def matching(self) -> int:
        """The number of lines."""
        return self.months.total()


def title(episode: Episode) -> str:
    """Return the title as one line, or the id where there is none."""
    return squeeze(episode.title) or squeeze(episode.id)


def words(episode: Episode, markers: tuple[str, ...] = ()) -> str:
    """Return the index's words: the summary, else the digest's headline; empty when it has neither."""
    from memshelf.markers import headline  # noqa: PLC0415 # patterns that a line already made never needs

    return squeeze(episode.summary or headline(episode.digest, markers))


def has_open_threads(episode: Episode) -> bool:
    """Say whether something is open: "None.", «Нет.» and an empty section are not."""
    return episode.section("Open threads").strip(" \t\n.*_-–—").casefold() not in NOTHING


def is_pinned(episode: Episode) -> bool:
    """Say whether a person pinned it."""
    return episode.pinned.casefold() == "true"


def day(episode: Episode) -> str:
    """Return the ISO date of the episode, empty when neither its date nor its id has one."""
    found = DAY.match(episode.date) or DAY.match(episode.id)
    return found[0] if found else ""


def successors(entries: Iterable[Entry]) -> dict[str, str]:
    """Return replaced id -> the name of the newest entry that replaces it."""
    return {old: new for new, old in sorted((e.name, old) for e in entries for old in e.episode.supersedes)}


def by_month(episodes: Iterable[Episode]) -> list[tuple[str, int]]:
    """Return (`YYYY-MM`, number of episodes), newest first; what has no date comes last."""
    counts = Counter(day(episode)[:7] for episode in episodes)
    return [(month or UNDATED, count) for month, count in sorted(counts.items(), reverse=True)]
