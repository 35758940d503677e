"""The resources: every shelf's index is listed, every episode and section is read by its URI."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    TextResourceContents,
)

from memshelf.commands.index import index
from memshelf.commands.paging import start_of
from memshelf.commands.read import read
from memshelf.commands.scope import shelves_to_read
from memshelf.errors import MemShelfError
from memshelf.requests import IndexRequest, ReadRequest
from memshelf.server import uris
from memshelf.server.answers import guarded
from memshelf.store import snapshot, watch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.requests import Caller
    from memshelf.server.answers import Asked
    from memshelf.server.uris import Target
    from memshelf.store.library import Library
    from memshelf.store.watch import Stamp

MARKDOWN = "text/markdown"
PAGE = 100
NOT_FOUND = "no such resource: resources/list and resources/templates/list say which there are"


@dataclass(frozen=True, slots=True)
class Sight:
    """The shelves in scope and what some URIs' texts come to, as the library stood at `stamp`."""

    library: Library
    stamp: Stamp
    shelves: tuple[str, ...]
    prints: dict[str, str]

    @property
    def stands(self) -> bool:
        """Whether nothing has moved since."""
        return watch.stamp(self.library) == self.stamp


def list_resources(asked: Asked, cursor: str | None) -> tuple[ListResourcesResult, tuple[str, ...]]:
    """Return a page of the shelves' indexes, and the names of all shelves in scope."""

    def work() -> tuple[ListResourcesResult, tuple[str, ...]]:
        start = start_of(cursor)
        shelves = shelves_to_read(snapshot.take(asked.open()), None, asked.caller)
        following = str(start + PAGE) if start + PAGE < len(shelves) else None
        page = [_index_of(name) for name in shelves[start : start + PAGE]]
        return ListResourcesResult(resources=page, next_cursor=following), tuple(shelves)

    return guarded(work)


def read_resource(asked: Asked, uri: str, not_found: int) -> ReadResourceResult:
    """Read a resource. Raises MCPError of the code `not_found` where there is none."""
    target = uris.parse(uri)
    if target is None:
        raise MCPError(not_found, NOT_FOUND)
    library = guarded(asked.open)
    text = guarded(lambda: _text(library, target, asked.caller), not_found)
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)])


def check_uris(wanted: Iterable[str], limit: int) -> None:
    """Raise MCPError unless every URI is one of ours and there are at most `limit`."""
    every = list(wanted)
    if len(every) > limit:
        raise MCPError(INVALID_PARAMS, f"a session watches {limit} resources at most: unsubscribe from some")
    if not all(map(uris.parse, every)):
        raise MCPError(INVALID_PARAMS, NOT_FOUND)


def look(asked: Asked, wanted: tuple[str, ...], last: Sight | None) -> Sight | None:
    """Return how the library stands now; `last` itself when nothing moved, None when it cannot be opened."""
    if last and last.stands:
        new = {uri: _print(last.library, uri, asked.caller) for uri in wanted if uri not in last.prints}
        return replace(last, prints=last.prints | new) if new else last
    try:
        library = asked.open()
        stamp = watch.stamp(library)
        shelves = shelves_to_read(snapshot.take(library), None, asked.caller)
    except (MemShelfError, OSError):
        return None
    return Sight(library, stamp, tuple(shelves), {uri: _print(library, uri, asked.caller) for uri in wanted})


def _index_of(shelf: str) -> Resource:
    return Resource(
        uri=uris.spell(uris.Target(shelf)),
        name=f"{shelf}/{uris.INDEX}",
        title=f"Index of the shelf {shelf}",
        description="The map of the shelf: one line an episode, newest first.",
        mime_type=MARKDOWN,
    )


def _text(library: Library, target: Target, caller: Caller) -> str:
    if not target.id:
        return index(library, IndexRequest(shelf=target.shelf), caller).as_text()
    sections = (target.section,) if target.section else None
    wanted = ReadRequest(id=f"{target.shelf}/{target.id}", sections=sections)
    return read(library, wanted, caller).as_text()


def _print(library: Library, uri: str, caller: Caller) -> str:
    """Return what changes when the text of the URI does; empty where there is none."""
    target = uris.parse(uri)
    try:
        return sha256(_text(library, target, caller).encode("utf-8", "replace")).hexdigest() if target else ""
    except (MemShelfError, OSError):
        return ""
