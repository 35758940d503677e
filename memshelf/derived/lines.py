"""What one line of INDEX.md or the map says of an episode: its words, its marks, what replaced it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memshelf import model
from memshelf.markers import headline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Entry, Episode

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
NOTHING = frozenset({"", "none", "n/a", "нет"})
UNDATED = "undated"
squeeze = model.squeeze


def title(episode: Episode) -> str:
    """Return the title as one line, or the id where there is none."""
    return squeeze(episode.title) or squeeze(episode.id)


def words(episode: Episode, markers: tuple[str, ...] = ()) -> str:
    """Return the index's words: the summary, else the digest's headline; empty when it has neither."""
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
