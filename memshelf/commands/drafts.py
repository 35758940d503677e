"""Find the drafts that a reviewer names. Asked by the verbs; no verb itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.commands.scope import nearest
from memshelf.errors import MemShelfError
from memshelf.formats import address
from memshelf.store import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Entry
    from memshelf.store.library import Library


def find_drafts(library: Library, ids: Iterable[str]) -> list[Entry]:
    """Return the drafts in the order they were named, each once.

    Raises MemShelfError with the nearest ids when one is no draft, or lies on several shelves.
    """
    drafts = all_drafts(library)
    return list(dict.fromkeys(_find(drafts, name) for name in ids))


@dataclass(frozen=True, slots=True)
class Drafts:
    """The drafts that can be read, oldest id first, and (shelf, id) of those whose text git has lost."""

    readable: tuple[Entry, ...]
    damaged: tuple[tuple[str, str], ...]


def all_drafts(library: Library, shelf: str = "") -> Drafts:
    """Return every draft, or those of one shelf."""
    seen = snapshot.take(library)
    names = {draft.shelf for draft in seen.drafts if shelf in ("", draft.shelf)}
    views = seen.load(sorted(names))
    found = [entry for view in views for entry in view.drafts]
    return Drafts(
        tuple(sorted(found, key=lambda entry: (entry.episode.id, entry.shelf))),
        tuple((view.name, episode_id) for view in views for episode_id in view.damaged),
    )


def _find(drafts: Drafts, name: str) -> Entry:
    wanted, waiting = address.parse(name), drafts.readable
    found = [
        entry for entry in waiting if entry.episode.id == wanted.id and wanted.shelf in ("", entry.shelf)
    ]
    if len(found) == 1:
        return found[0]
    for shelf, episode_id in drafts.damaged:
        if episode_id == wanted.id and wanted.shelf in ("", shelf):
            raise MemShelfError(snapshot.damage(shelf, episode_id))
    if found:
        raise MemShelfError(
            f"several drafts have this id: name one of {', '.join(entry.address for entry in found)}"
        )
    near = nearest(wanted.id, [entry.episode.id for entry in waiting])
    hint = (
        f"did you mean {' or '.join(near)}?"
        if near
        else f"{len(waiting) or 'no'} draft{'s' * (len(waiting) > 1)} waiting: `memshelf review` lists them"
    )
    raise MemShelfError(f"no such draft: {hint}")
