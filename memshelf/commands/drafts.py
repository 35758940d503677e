"""The drafts that a reviewer names, and who may decide on them. Asked by the verbs; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memshelf.commands.scope import nearest
from memshelf.errors import MemShelfError
from memshelf.formats import address
from memshelf.model import Entry, State
from memshelf.store import catalogue, published, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memshelf.formats.address import Address
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library
    from memshelf.store.published import Published

HOSTS = {"CLAUDECODE": "claude-code", "CODEX_": "codex", "GEMINI_CLI": "gemini-cli"}
"""Variable (or its beginning) that an agent host sets -> the client's name."""


def find_drafts(library: Library, wanted: Iterable[str | Entry]) -> list[Entry]:
    """Return the drafts in the order they were named, each once.

    An Entry is a draft that was looked at: it must still be that very one. Raises MemShelfError when it
    is not, with the nearest ids when a name is no draft, or when one lies on several shelves.
    """
    drafts = all_drafts(library)
    return list(dict.fromkeys(pick(drafts, each) for each in wanted))


class Drafts(NamedTuple):
    """The drafts that can be read, oldest id first, and (shelf, id) of those whose text git has lost.

    `kept` is (shelf, id) -> rev of the episodes that are accepted.
    """

    readable: tuple[Entry, ...]
    damaged: tuple[tuple[str, str], ...]
    kept: Mapping[tuple[str, str], str]


def all_drafts(library: Library, shelf: str = "") -> Drafts:
    """Return every draft, or those of one shelf."""
    views = catalogue.consult(library, lambda kept: kept.drafts(shelf))
    found = [entry for view in views for entry in view.drafts]
    return Drafts(
        tuple(sorted(found, key=lambda entry: (entry.episode.id, entry.shelf))),
        tuple((view.name, episode_id) for view in views for episode_id in view.damaged),
        {(view.name, entry.episode.id): entry.rev for view in views for entry in view.entries},
    )


def others(library: Library, shelf: str = "") -> tuple[Published, ...]:
    """Return the published drafts that are neither drafts here nor accepted, of one shelf or of all."""
    there = published.drafts(library)
    if not there:
        return ()

    def answer(kept: Catalogue) -> tuple[Published, ...]:
        here = set(kept.rows("SELECT shelf || '/' || draft, '' FROM file WHERE draft != ''", ()))
        here |= set(kept.rows("SELECT shelf || '/' || id, rev FROM file WHERE draft = ''", ()))
        new = (one for name, one in sorted(there.items()) if not here & {(name, ""), (name, one.rev)})
        return tuple(one for one in new if shelf in ("", one.name.partition("/")[0]))

    return catalogue.consult(library, answer)


def find_published(library: Library, wanted: Address) -> Entry:
    """Return the published draft of that name as an entry.

    Raises MemShelfError when there is none, when it lies on several shelves, or cannot be read.
    """
    there = published.drafts(library)
    found = [
        one
        for name, one in there.items()
        if name.endswith(f"/{wanted.id}") and wanted.shelf in ("", name.partition("/")[0])
    ]
    if len(found) > 1:
        raise MemShelfError(f"several shelves have it: read {' or '.join(one.address for one in found)}")
    if not found:
        raise MemShelfError(
            f"no such draft on the remote: {len(there)} were there at the last `memshelf sync`"
        )
    document = published.document(library, found[0])
    if document.episode is None:
        raise MemShelfError(f"{found[0].address} cannot be read: {document.fault or 'it is over the limit'}")
    shelf = found[0].name.partition("/")[0]
    return Entry(shelf, document.path, found[0].rev, State.DRAFT, document.episode, found[0].commit)


def count_drafts(library: Library) -> int:
    """Return how many drafts wait, without reading any."""
    return len(library.git.refs(snapshot.DRAFTS))


def refuse_agent(variables: Mapping[str, str], *, as_person: bool) -> None:
    """Raise MemShelfError inside an agent host unless `as_person`: deciding on drafts is a person's."""
    host = agent_host(variables)
    if host and not as_person:
        raise MemShelfError(
            f"{host} is set, so an agent may be asking: a person decides, or passes --as-person"
        )


def agent_host(variables: Mapping[str, str]) -> str:
    """Return the variable that tells of an agent host, or an empty string."""
    return next((name for name in sorted(variables) if name.startswith(tuple(HOSTS))), "")


def host_client(variables: Mapping[str, str]) -> str:
    """Return the name of the agent host that runs this, or an empty string."""
    host = agent_host(variables)
    return next((name for mark, name in HOSTS.items() if host.startswith(mark)), "")


def pick(drafts: Drafts, wanted: str | Entry) -> Entry:
    """Return the one draft that is meant; raises as `find_drafts` does."""
    if isinstance(wanted, str):
        return _named(drafts, wanted)
    entry = _named(drafts, wanted.address)
    if entry.commit != wanted.commit:
        raise MemShelfError(f"{wanted.address} changed meanwhile: look at it again")
    return entry


def _named(drafts: Drafts, name: str) -> Entry:
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
