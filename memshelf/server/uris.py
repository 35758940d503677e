"""Resources' URIs: `memshelf://<shelf>/index` and `memshelf://<shelf>/<id>[#<section>]`, percent-encoded."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote

SCHEME = "memshelf://"
INDEX = "index"
PARTS = 2
INDEX_TEMPLATE = f"{SCHEME}{{shelf}}/{INDEX}"
EPISODE_TEMPLATE = f"{SCHEME}{{shelf}}/{{id}}"
SECTION_TEMPLATE = f"{SCHEME}{{shelf}}/{{id}}{{#section}}"


@dataclass(frozen=True, slots=True)
class Target:
    """What a URI names: a shelf's index where `id` is empty, else an episode, or one section of it."""

    shelf: str
    id: str = ""
    section: str = ""


def spell(target: Target) -> str:
    """Return the URI; every character beside letters, digits and `_.-~@` of a part is percent-encoded."""
    end = f"#{quote(target.section, safe='')}" if target.section else ""
    return f"{SCHEME}{quote(target.shelf, safe='')}/{quote(target.id or INDEX, safe='@')}{end}"


def parse(uri: str) -> Target | None:
    """Return what a URI names, None when it is none of ours. Scheme: any case; not encoded text is read."""
    if uri[: len(SCHEME)].casefold() != SCHEME:
        return None
    place, _, section = uri[len(SCHEME) :].partition("#")
    parts = [unquote(part) for part in place.split("/")]
    if len(parts) != PARTS or not all(parts) or any("\N{REPLACEMENT CHARACTER}" in part for part in parts):
        return None
    shelf, name = parts
    return Target(shelf) if name == INDEX and not section else Target(shelf, name, unquote(section))
