"""What was asked: the words of a query, its filters and its cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.search.stop_words import stop_stems
from memshelf.text import stems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Entry, Episode, Shelf
    from memshelf.requests import SearchRequest


def parse(text: str) -> dict[str, list[str]]:
    """Return each word of the query -> its stems; stop words and what is no word are left out."""
    words = {word: [stem for stem in stems(word) if stem not in stop_stems()] for word in text.split()}
    return {word: found for word, found in words.items() if found}


def passing(shelf: Shelf, request: SearchRequest) -> Iterator[Entry]:
    """Yield the entries of a shelf, drafts included, that no filter leaves out."""
    for entry in (*shelf.entries, *shelf.drafts):
        episode, date = entry.episode, day(entry.episode)
        wanted = (
            not request.kind or request.kind == episode.kind,
            not request.state or request.state == entry.state,
            not request.tag or request.tag in episode.tags,
            not request.since or request.since <= date,
            not request.until or request.until >= date,
        )
        if all(wanted):
            yield entry


def day(episode: Episode) -> str:
    """Return the ISO date of the episode."""
    return episode.date or episode.id[:10]
