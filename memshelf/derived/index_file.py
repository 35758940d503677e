"""INDEX.md: the shelf on one page, one line an episode, for people and for agents without our tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from memshelf.lines import by_month, has_open_threads, is_pinned, squeeze, successors, title, words
from memshelf.model import MAX_SUMMARY, State
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memshelf.model import Conventions, Entry, Shelf

LINE = 150
"""Characters of a line, its end included: 157 episodes then cost less than 6,000 tokens."""

LEAST_TEXT = 60
ABOUT = (
    "Derived from the episodes by `memshelf render`: edit those, not this file. "
    "Read one with `memshelf read ID`. ○ open threads, ★ pinned."
)
SPECIAL = re.compile(r"[\\`*\[\]<~]|(?<=\])\(|:(?=//)|(?<=www)\.|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
PLAIN_PATH = re.compile(r"[\w./-]+")


class Row(NamedTuple):
    """A committed episode as the index shows it: `line` is empty for an archived one.

    `full` is how many characters, line end included, its line has or had before another episode replaced
    it; 0 for an archived one that none replaced, of which nobody knows when it left the index.
    """

    entry: Entry
    line: str
    full: int


def listing(shelf: Shelf, conventions: Conventions) -> list[Row]:
    """Return a row for each committed episode, newest first; lines end in a line end."""
    kept = sorted(shelf.entries, key=lambda entry: (entry.episode.id, entry.path), reverse=True)
    replaced = successors(shelf.entries)
    return [_row(shelf, entry, conventions, replaced) for entry in kept if entry.state is not State.DRAFT]


def render(shelf: Shelf, rows: Sequence[Row]) -> str:
    """Return the page: accepted and superseded episodes newest first, then what is archived or unreadable."""
    archived = [row.entry.episode for row in rows if row.entry.state is State.ARCHIVED]
    lines = "".join(row.line for row in rows).rstrip("\n")
    blocks = [f"# {escape(squeeze(shelf.name))}", ABOUT, lines or "No episodes yet."]
    if archived:
        months = ", ".join(f"{month} ({count})" for month, count in by_month(archived))
        blocks.append(f"Archived, found by `memshelf search`: {months}.")
    if shelf.unreadable:
        paths = sorted(_inside(shelf, document.path) for document in shelf.unreadable)
        blocks += ["## Unreadable", "\n".join(f"- {_link(path.rpartition('/')[2], path)}" for path in paths)]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    """Return `text` so that Markdown shows it as it is: no link, emphasis, code or HTML comes of it."""
    return SPECIAL.sub(r"\\\g<0>", text)


def _row(shelf: Shelf, entry: Entry, conventions: Conventions, replaced: Mapping[str, str]) -> Row:
    successor = replaced.get(entry.episode.id, "")
    archived = entry.state is State.ARCHIVED
    line = "" if archived and not successor else _line(shelf, entry, conventions) + "\n"
    if entry.state is State.SUPERSEDED:
        return Row(entry, _struck(shelf, entry, successor) + "\n", len(line))
    return Row(entry, "" if archived else line, len(line))


def _line(shelf: Shelf, entry: Entry, conventions: Conventions) -> str:
    """Return title, words, marks and as many tags as the line has room for."""
    episode = entry.episode
    marks = (" ○" if has_open_threads(episode) else "") + (" ★" if is_pinned(episode) else "")
    said = words(episode, conventions.markers)
    room = max(LINE - len(f"- {_link('', _inside(shelf, entry.path))}: {marks}\n"), LEAST_TEXT)
    name = clip(title(episode), max(room // 3, room - len(said)))
    text = clip(said, min(room - len(name), MAX_SUMMARY))
    line = f"- {_link(name, _inside(shelf, entry.path))}" + (f": {escape(text)}" if text else "") + marks
    for tag in episode.tags:
        longer = f"{line} #{escape(squeeze(tag))}"
        line = longer if len(longer) < LINE else line
    return line


def _struck(shelf: Shelf, entry: Entry, successor: str) -> str:
    """Return the line of an episode that another one replaced: its title, and where to look instead."""
    link = _link(clip(title(entry.episode), LEAST_TEXT), _inside(shelf, entry.path))
    return f"- ~~{link}~~" + (f" → {escape(squeeze(successor))}" if successor else "")


def _link(text: str, path: str) -> str:
    target = path if PLAIN_PATH.fullmatch(path) else quote(path, errors="surrogatepass")
    return f"[{escape(squeeze(text))}]({target})"


def _inside(shelf: Shelf, path: str) -> str:
    """Return the path from the shelf's folder, whichever folder above it `path` starts from."""
    return f"/{path}".partition(f"/shelves/{shelf.name}/")[2] or path
