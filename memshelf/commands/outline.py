"""Outline: the shelf in two lines, for what a client is told before it asks anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.commands.drafts import count_drafts
from memshelf.commands.scope import shelves_to_read
from memshelf.model import NAME
from memshelf.store import catalogue

if TYPE_CHECKING:
    from memshelf.lines import Line
    from memshelf.requests import Caller
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

SHOWN, LOOKED_AT = 5, 20
"""Ids of open threads that are named, and lines that are looked through for them."""

MOST_NAMES = 3


def outline(library: Library, caller: Caller) -> str:
    """Return two lines: how much is on the shelves in scope, and the newest ids with open threads.

    They hold numbers, names of shelves and ids alone, as a client takes them for our own words. Empty where
    there is no shelf or the catalogue is still being made: nobody waits for it. Raises MemShelfError where
    nothing can be read.
    """
    return catalogue.consult(library._replace(patience=0.0), lambda seen: _lines(seen, caller))


def _lines(seen: Catalogue, caller: Caller) -> str:
    names = shelves_to_read(seen, None, caller)
    if seen.unread or not names:
        return ""
    listing = seen.listing(names)
    on = " and ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} shelves"
    waiting = count_drafts(seen.library)
    drafts = f", drafts that wait for a person: {waiting}" if waiting else ""
    count = f"{listing.matching} episode{'' if listing.matching == 1 else 's'}"
    first = f"When this session began: {count} on {on}{drafts}."
    ids = [line.name for line in listing.lines(0, LOOKED_AT) if line.opened and _is_plain(line)]
    return f"{first}\nOpen threads: {', '.join(ids[:SHOWN])}." if ids else first


def _is_plain(line: Line) -> bool:
    """Say whether an id may stand among our own words: accepted by a person, and one word."""
    return not line.label and bool(NAME.fullmatch(line.name))
