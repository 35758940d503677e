"""Search: find episodes by words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.commands.scope import shelves_to_read
from memshelf.errors import UsageError
from memshelf.requests import require_days
from memshelf.search import fulltext
from memshelf.store import catalogue

if TYPE_CHECKING:
    from memshelf.requests import Caller, SearchRequest
    from memshelf.search.answer import Answer
    from memshelf.search.semantic import Door
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library


def search(library: Library, request: SearchRequest, caller: Caller) -> Answer:
    """Search the shelves in scope; a hit that lies only elsewhere is told as `wrong scope`.

    Raises MemShelfError for an unknown shelf or a cursor that no answer gave, UsageError for a date that
    is no day, and for days the wrong way round.
    """
    require_days(since=request.since, until=request.until)
    if request.since and request.until and request.since > request.until:
        raise UsageError("since: is after until, so no day lies between them: swap the two")
    by = _door() if request.semantic else None

    def answer(kept: Catalogue) -> Answer:
        return fulltext.search(kept, shelves_to_read(kept, request.shelf, caller), request, by)

    return catalogue.consult(library, answer, words=True, meaning=by.meaning if by else None)


def _door() -> Door:
    from memshelf.search import semantic  # noqa: PLC0415 # what is not asked for costs nothing

    return semantic.door()
