"""What became of drafts on the host: merged, merged with edits, closed. Asked by sync; no verb itself."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memshelf.commands.drafts import all_drafts
from memshelf.errors import MemShelfError
from memshelf.model import REV_LENGTH
from memshelf.store import drafts, published, remote, snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memshelf.model import Entry
    from memshelf.store.library import Library
    from memshelf.store.remote import Link, There

MERGED = "merged"
EDITED = "merged with edits"
CLOSED = "closed on the host"
BATCH = "batch-"
"""How the name of a branch with several drafts begins; it has no shelf in it."""

TRAILER = "Memshelf-Draft: "


class Settled(NamedTuple):
    """A draft that was decided on at the host, as `shelf/id`, and how."""

    name: str
    how: str

    def __str__(self) -> str:
        """Return one line; what was not merged as it is stays readable."""
        kept = "" if self.how == MERGED else f": `memshelf review show {self.name} --rejected` has your text"
        return f"{self.name}  {self.how}{kept}"


class Facts(NamedTuple):
    """What the decisions rest on, each by `shelf/id`.

    `kept` are the revs that the remote's branch has of it, `proposed` the rev of its published text as
    this clone knows it, `there` what is still published.
    """

    kept: Mapping[str, set[str]]
    proposed: Mapping[str, str]
    there: Mapping[str, str]


def settle(library: Library, link: Link, there: There) -> tuple[Settled, ...]:
    """Settle every draft that the host has decided on, as of `there`. One that was amended since stays.

    A text that was merged as it is goes, with its branch on the remote; any other stays among the rejected.
    """
    known = published.commits(library)
    proposed = {name: one.rev for name, one in published.drafts(library).items()}
    facts = Facts(_kept(library, there.tip), proposed, there.published)
    mine = {f"{entry.shelf}/{entry.episode.id}": entry for entry in all_drafts(library).readable}
    done = {name: how for name, entry in mine.items() if (how := _decided(library, entry, facts, there.tip))}
    waiting = mine.keys() - done.keys()  # that a draft was amended since is told from what was published
    known = {name: commit for name, commit in known.items() if name not in waiting}
    done |= dict.fromkeys(_tidied(library, link, facts, known), MERGED)
    for name in known.keys() - there.published.keys():
        remote.forget(library, name, known[name])
    return tuple(Settled(name, how) for name, how in sorted(done.items()))


def _kept(library: Library, tip: str) -> dict[str, set[str]]:
    """Return `shelf/id` -> the revs that a commit has of it, in the archive too."""
    found: dict[str, set[str]] = {}
    for blob in library.git.blobs(tip, snapshot.folder_of(library)) if tip else ():
        path = blob.path.removeprefix(library.prefix)
        if library.is_episode(path):
            name = f"{library.inside(path)[0]}/{PurePosixPath(path).stem}"
            found.setdefault(name, set()).add(blob.sha[:REV_LENGTH])
    return found


def _decided(library: Library, entry: Entry, facts: Facts, tip: str) -> str:
    """Settle one draft of this clone and return how; empty: it waits on."""
    how = _outcome(library, entry, facts, tip)
    try:
        if how == MERGED:
            drafts.forget(library, entry)
        elif how:
            drafts.reject(library, entry, how)
    except drafts.Taken:  # amended at this very moment
        return ""
    return how


def _outcome(library: Library, entry: Entry, facts: Facts, tip: str) -> str:
    """Return how the host decided on a draft of this clone, empty: not yet."""
    name = f"{entry.shelf}/{entry.episode.id}"
    kept = facts.kept.get(name, set())
    if entry.rev in kept:
        return MERGED
    if not kept and name not in facts.proposed:
        return ""
    proposed = facts.proposed.get(name, "")
    if proposed not in ("", entry.rev):
        return ""
    note = drafts.read_note(library.git, entry.commit)
    if note.uuid and _in_history(library, note.uuid, tip):
        return EDITED
    if name in facts.there or not proposed:
        return ""
    return EDITED if kept and note.base not in kept else CLOSED


def _in_history(library: Library, uuid: str, tip: str) -> bool:
    """Tell whether a commit of the remote's branch names the draft."""
    return bool(library.git.ask("log", "-1", "-F", f"--grep={TRAILER}{uuid}", "--format=%H", tip, "--"))


def _tidied(library: Library, link: Link, facts: Facts, known: Mapping[str, str]) -> list[str]:
    """Remove the branches on the remote whose texts the library has as they are; return their names.

    A remote that does not let us is left as it is.
    """
    done = [
        name
        for name, commit in known.items()
        if facts.there.get(name) == commit and _is_merged(library, link, facts, name, commit)
    ]
    if not done:
        return []
    branches = {f"{remote.HEADS}{name}": known[name] for name in done}
    try:
        remote.push(library, link, [f":{branch}" for branch in branches], branches)
    except MemShelfError:
        return []
    return [name for name in done if name in facts.proposed]


def _is_merged(library: Library, link: Link, facts: Facts, name: str, commit: str) -> bool:
    """Tell whether the remote's branch has the draft as it is, or all of a batch of drafts."""
    if not name.startswith(BATCH):
        return facts.proposed.get(name) in facts.kept.get(name, ())
    base = library.git.ask("merge-base", link.tracking, commit)
    texts = library.git.changed(base, commit, ".") if base else []
    read = library.git.read([f"{link.tracking}:{blob.path}" for blob in texts], most=0)
    return bool(base) and [sha for sha, _ in read] == [blob.sha for blob in texts]
