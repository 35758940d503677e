"""Put episodes on the library's branch: one commit each, its derived files with it. No verb itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.commands.conventions import conventions_of
from memshelf.derived import files as derived
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.store import catalogue, commits, landing, snapshot
from memshelf.store.drafts import Taken, client_identity, ref_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Entry, Shelf
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.drafts import Note
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

TRIES = 8


@dataclass(frozen=True, slots=True)
class Proposal:
    """An episode that is to be accepted, and what its draft says of it.

    `entry.commit` is the draft's commit, empty when there is no draft.
    """

    entry: Entry
    note: Note


def shelve(library: Library, proposals: Sequence[Proposal], today: str) -> list[str]:
    """Commit each proposal to the branch, all of them or none, and return the commits.

    Raises MemShelfError when the accepted text is not what a proposal was made from, when a checkout is
    not clean on the paths that change, or when git or one of its hooks refuses.
    """
    commits.require_person(library)
    with landing.exclusive(library) as held:
        for _ in range(TRIES):
            try:
                return _shelve(held, proposals, today)
            except landing.Moved:
                continue
    raise MemShelfError("the branch kept moving: try again")


def _shelve(library: Library, proposals: Sequence[Proposal], today: str) -> list[str]:
    seen = snapshot.take(library)
    views = {view.name: view for view in _shelves(seen, {one.entry.shelf for one in proposals})}
    steps, paths = [], set[str]()
    for proposal in proposals:
        before = views[proposal.entry.shelf]
        changes = _changes(library, before, proposal, today)
        views[before.name] = snapshot.with_accepted(before, [proposal.entry])
        steps.append((proposal, changes))
        paths |= {library.prefix + path for path in changes}
    landing.check_clean(library, sorted(paths))
    made = [seen.tip]
    for proposal, changes in steps:
        made.append(commits.build(library, made[-1], changes, _message(proposal), _author(proposal.note)))
    drafts = {
        ref_of(proposal.entry.shelf, proposal.entry.episode.id): proposal.entry.commit
        for proposal in proposals
        if proposal.entry.commit
    }
    landing.land(library, seen.tip, made[-1], sorted(paths), drafts)
    return made[1:]


def _shelves(seen: Snapshot, names: set[str]) -> list[Shelf]:
    """Return the shelves of the snapshot, from the catalogue where it holds this very moment."""

    def answer(kept: Catalogue) -> list[Shelf]:
        whole = kept.tip == seen.tip and not kept.unread
        return [kept.shelf(name) for name in names] if whole else []

    return catalogue.consult(seen.library, answer) or seen.load(names)


def derived_files(library: Library, shelf: Shelf, today: str) -> dict[str, bytes]:
    """Return path from the library's folder -> content of each derived file of the shelf."""
    conventions = conventions_of(library, shelf.name, today)
    return {
        f"{library.home(shelf.name)}{name}": text.encode()
        for name, text in derived.render(shelf, conventions).items()
    }


def _changes(library: Library, before: Shelf, proposal: Proposal, today: str) -> dict[str, bytes | None]:
    entry, base = proposal.entry, proposal.note.base
    accepted = next((old for old in before.entries if old.episode.id == entry.episode.id), None)
    if (accepted.rev if accepted else "") != base:
        state = "was changed since" if base and accepted else "is gone" if base else "exists by now"
        if not entry.commit:
            raise Taken(f"{entry.shelf}/{entry.episode.id}: the episode {state}: read it, then amend it")
        if library.git.commit_of(ref_of(entry.shelf, entry.episode.id)) != entry.commit:
            raise MemShelfError(f"{entry.address} was decided on meanwhile: nothing to do")
        raise MemShelfError(
            f"{entry.address}: the accepted episode {state}: reject this draft, read the episode, write anew"
        )
    changes: dict[str, bytes | None] = {}
    if accepted and accepted.path != entry.path:
        changes[accepted.path] = None
    changes[entry.path] = episode_format.render(entry.episode).encode()
    if library.settings.derived == "local" and not library.foreign:
        changes |= derived_files(library, snapshot.with_accepted(before, [entry]), today)
    return changes


def _message(proposal: Proposal) -> str:
    return proposal.note.render(f"shelve: {proposal.entry.episode.id}")


def _author(note: Note) -> commits.Author:
    return commits.Author(*client_identity(note.client), date=note.date)
