"""Completion: shelves, ids and sections that a person may mean by what is typed so far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, CompleteResult, Completion, ResourceTemplateReference

from memshelf.commands.read import read
from memshelf.commands.scope import nearest
from memshelf.errors import MemShelfError
from memshelf.requests import ReadRequest
from memshelf.server import uris
from memshelf.server.answers import guarded
from memshelf.server.prompts import PROMPTS
from memshelf.store import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcp.types import CompleteRequestParams

    from memshelf.server.answers import Asked
    from memshelf.store.library import Library

MOST = 100
DATE = re.compile(r"\d{4}-\d{2}-\d{2}-")
TEMPLATES = {
    uris.INDEX_TEMPLATE: ("shelf",),
    uris.EPISODE_TEMPLATE: ("shelf", "id"),
    uris.SECTION_TEMPLATE: ("shelf", "id", "section"),
}


def complete(asked: Asked, params: CompleteRequestParams) -> CompleteResult:
    """Return up to 100 values, the likeliest first, and how many there are.

    Raises MCPError for a template, a prompt or an argument that there is not.
    """
    name, typed = params.argument.name, params.argument.value
    known = _arguments(params)
    if name not in known:
        has = f"it takes {', '.join(known)}" if known else "the lists of templates and prompts name them"
        raise MCPError(INVALID_PARAMS, f"nothing to complete there: {has}")
    chosen = (params.context.arguments if params.context else None) or {}
    found = guarded(lambda: _ranked(typed, _values(asked, name, chosen)))
    page = Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)
    return CompleteResult(completion=page)


def _arguments(params: CompleteRequestParams) -> tuple[str, ...]:
    if isinstance(params.ref, ResourceTemplateReference):
        return TEMPLATES.get(params.ref.uri, ())
    wanted = params.ref.name
    return next((tuple(prompt.arguments) for prompt in PROMPTS if prompt.name == wanted), ())


def _values(asked: Asked, name: str, chosen: dict[str, str]) -> list[str]:
    """Return everything the argument may be: shelves by name, ids newest first, sections in order."""
    if name == "topic":
        return []
    library = asked.open()
    if name == "section":
        return _headings(asked, library, chosen)
    seen = snapshot.take(library)
    if name == "shelf":
        return seen.names
    ids = {episode_id for shelf, episode_id in seen.ids() if chosen.get("shelf") in (None, "", shelf)}
    return sorted(ids, reverse=True)


def _headings(asked: Asked, library: Library, chosen: dict[str, str]) -> list[str]:
    shelf, episode_id = chosen.get("shelf", ""), chosen.get("id", "")
    if not episode_id:
        return []
    address = f"{shelf}/{episode_id}" if shelf else episode_id
    try:
        entry = read(library, ReadRequest(id=address), asked.caller).entry
    except MemShelfError:
        return []
    return [part.heading for part in entry.episode.sections]


def _ranked(typed: str, values: Iterable[str]) -> list[str]:
    """Return what begins as typed (with or without the date), then what holds it, else near misses."""
    start, every = typed.strip().casefold(), list(values)
    folded = {value: value.casefold() for value in every}
    begins = [
        value for value, plain in folded.items() if start in (plain[: len(start)], _slug(plain)[: len(start)])
    ]
    holds = [value for value, plain in folded.items() if start in plain and value not in set(begins)]
    return begins + holds or nearest(typed, every)


def _slug(plain: str) -> str:
    return DATE.sub("", plain, count=1)
