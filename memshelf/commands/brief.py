"""Brief: the text that a host's hook puts before the model, from the shelves in scope."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.commands.drafts import count_drafts
from memshelf.commands.scope import shelves_to_tell
from memshelf.derived.map import render_map
from memshelf.formats import envelope
from memshelf.store import catalogue

if TYPE_CHECKING:
    from memshelf.requests import Caller
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

MAX_CHARACTERS = 9500
"""A host replaces a longer text (over 10,000) by a preview."""

BUDGETS = {"start": 2600, "compact": 500, "agent": 400}
"""Moment -> tokens of the map; one is counted for at most 3.2 characters."""

PATIENCE = 1.0
"""Seconds that a session's start may wait for a catalogue that is not complete."""

RECALL = (
    "MemShelf keeps what was decided, rejected and left open here. Before work on a topic below, open it: "
    "`read_episode` with its id.\n"
    "For one that is not below, `search`; for the rest of the map, `read_index`. "
    "When a topic is closed, keep it with `write_episode`."
)
CHECK = (
    "Background, after a compaction: the conversation above was shortened, the memory was not. "
    "What is needed again: `read_index`, `search`, `read_episode`. Continue the current task."
)
AGENT = "Background: the memory of this project. What you find out by research is kept with `write_episode`."
ABOVE = {"start": RECALL, "compact": CHECK, "agent": AGENT}


def brief(library: Library, moment: str, caller: Caller) -> str:
    """Return the text of a moment, `start`, `compact` or `agent`, of at most MAX_CHARACTERS.

    The shelves are the project's own and `shared`, of which nobody need be asked. Empty where they hold
    nothing. Raises MemShelfError for a bound shelf that is not there.
    """

    def answer(kept: Catalogue) -> str:
        listing = kept.listing(shelves_to_tell(kept, caller), "", "")
        return render_map(listing, BUDGETS[moment])[0] if listing.total else ""

    text = catalogue.consult(library._replace(patience=PATIENCE), answer)
    if not text:
        return ""
    waiting = count_drafts(library)
    drafts = [f"Drafts that wait for a person's `memshelf review`: {waiting}"] if waiting else []
    made = "\n".join([ABOVE[moment], envelope.wrap("index", text), *drafts])
    return made if len(made) <= MAX_CHARACTERS else ABOVE[moment]
