"""Index: the map of what is kept, one line an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands.paging import budget_of, start_of
from memshelf.commands.scope import shelves_to_read
from memshelf.derived.map import BUDGET, render_map
from memshelf.formats import envelope
from memshelf.requests import require_days
from memshelf.store import catalogue

if TYPE_CHECKING:
    from memshelf.requests import Caller, IndexRequest
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library


FRAME = 60
"""Tokens of the envelope and of the lines below it."""


class Map(NamedTuple):
    """The map's text; `next` is the cursor of what is not shown, empty at the end.

    `damaged` counts the drafts that cannot be read; `remark` says when not all could be looked at yet.
    """

    shelves: tuple[str, ...]
    text: str
    next: str
    damaged: int = 0
    remark: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "shelves": list(self.shelves),
            "text": self.text,
            "next": self.next,
            "damaged": self.damaged,
            "remark": self.remark,
        }

    def as_text(self) -> str:
        """Return the map in its envelope."""
        parts = [envelope.wrap("index", self.text)]
        parts += [f"next page: cursor {self.next}"] if self.next else []
        parts += [f"{self.damaged} of the drafts cannot be read: memshelf review says which"] * bool(
            self.damaged
        )
        return "\n".join([*parts, self.remark] if self.remark else parts)


def index(library: Library, request: IndexRequest, caller: Caller) -> Map:
    """Render the map of the shelves in scope: accepted episodes and drafts, newest first.

    Raises MemShelfError for an unknown shelf or a cursor that no answer gave, UsageError for a date that
    is no day.
    """
    require_days(since=request.since)
    budget, start = budget_of(request.budget, BUDGET), start_of(request.cursor)

    def answer(kept: Catalogue) -> Map:
        names = shelves_to_read(kept, request.shelf, caller)
        listing = kept.listing(names, request.tag or "", request.since or "")
        text, following = render_map(listing, budget - FRAME, start)
        after = str(following) if following >= 0 else ""
        return Map(tuple(names), text, after, listing.damaged, kept.remark)

    return catalogue.consult(library, answer)
