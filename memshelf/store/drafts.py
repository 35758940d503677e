"""Drafts: one commit each on `refs/memshelf/draft/<shelf>/<id>`, made by plumbing and compare-and-swap.

A draft's tree holds its own episode alone and its commit has no parent, so a write costs the same at
any size and never touches the checkout. Every step before the ref's move leaves only loose objects.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.model import REV_LENGTH
from memshelf.store.clock import seconds_since
from memshelf.store.git import Git, GitError
from memshelf.store.landing import exclusive
from memshelf.store.repair import STALE_LOCK, break_lock
from memshelf.store.snapshot import DRAFTS

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.model import Entry
    from memshelf.store.library import Library

REJECTED = "refs/memshelf/rejected/"
TRIES = 3
GC_PATIENCE = 5.0
LONGEST_GC = 600.0
"""Seconds after which `gc.pid` is that of a killed gc."""
DOMAIN = "memshelf.invalid"


class Taken(MemShelfError):
    """Another draft of this id came first, or the one that was read has changed."""


def _uuid() -> str:
    import uuid  # noqa: PLC0415 # slow to start, and only a new draft needs one

    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Note:
    """A draft's commit message, as values.

    `base` is the rev of the accepted text that an amend started from, empty for a new episode;
    `redactions` are lines `rule place` without any value; `date` is git's raw author date, set when read.
    """

    client: str
    base: str = ""
    date: str = ""
    redactions: tuple[str, ...] = ()
    uuid: str = field(default_factory=_uuid)

    def render(self, subject: str) -> str:
        """Write the message: subject and trailers; the date is git's to write."""
        lines = [f"Memshelf-Draft: {self.uuid}", f"Memshelf-Client: {self.client}"]
        lines += [f"Memshelf-Base: {self.base}"] if self.base else []
        lines += [f"Memshelf-Redacted: {line}" for line in dict.fromkeys(self.redactions)]
        return subject + "\n\n" + "\n".join(lines) + "\n"


def read_note(git: Git, commit: str) -> Note:
    """Read a draft's commit message."""
    shown = git.run("show", "--no-patch", "--date=raw", "--format=%ad%n%B", commit, "--").decode(
        "utf-8", "replace"
    )
    date, _, message = shown.partition("\n")
    trailers: dict[str, list[str]] = {}
    for line in message.split("\n"):
        name, colon, value = line.partition(": ")
        if colon and name.startswith("Memshelf-"):
            trailers.setdefault(name.removeprefix("Memshelf-").lower(), []).append(value)
    first = {name: values[0] for name, values in trailers.items()}
    return Note(
        client=first.get("client", "unknown"),
        base=first.get("base", ""),
        date=date,
        redactions=tuple(trailers.get("redacted", ())),
        uuid=first.get("draft", ""),
    )


@dataclass(frozen=True, slots=True)
class Saved:
    """What was stored: the draft's commit and the rev of its text."""

    commit: str
    rev: str


def ref_of(shelf: str, episode_id: str) -> str:
    """Return the name of the draft's ref."""
    return f"{DRAFTS}{shelf}/{episode_id}"


def save(library: Library, entry: Entry, text: str, note: Note) -> Saved:
    """Store `text` as the draft of `entry`'s shelf and id, replacing exactly `entry.commit` (empty: none).

    Raises Taken when the ref is not what the caller read, GitError when git refuses.
    """
    git, ref = library.git, ref_of(entry.shelf, entry.episode.id)
    for _ in range(TRIES):
        _wait_for_gc(library.common)
        blob = git.store(text.encode())
        commit = _commit(git, blob, entry.episode.id, note)
        _move(library, ref, commit, entry.commit)
        _wait_for_gc(library.common)
        if _is_whole(git, commit):
            return Saved(commit, blob[:REV_LENGTH])
        _move(library, ref, entry.commit, commit)
    raise MemShelfError(
        "git removed the draft's objects while they were written, three times: stop `git gc`, write again"
    )


def reject(library: Library, entry: Entry, reason: str) -> None:
    """Move the draft to `refs/memshelf/rejected/`, on top of earlier rejections of the id.

    The new commit, the person's own where git knows who that is, keeps the draft as its parent and says
    why. Raises Taken when the draft has changed.
    """
    git, ref = library.git, f"{REJECTED}{entry.shelf}/{entry.episode.id}"
    before = git.commit_of(ref)
    parents = [part for parent in (entry.commit, before) if parent for part in ("-p", parent)]
    tree = git.line("rev-parse", f"{entry.commit}^{{tree}}")
    message = f"reject: {entry.episode.id}\n\n{reason}\n"
    extra = {} if git.ask("var", "GIT_COMMITTER_IDENT") else identity_variables(*client_identity("memshelf"))
    commit = (
        git.run("commit-tree", tree, *parents, data=message.encode(), extra=extra, durable=True)
        .decode()
        .strip()
    )
    zero = "0" * len(commit)
    script = (
        f"start\nupdate {ref} {commit} {before or zero}\n"
        f"delete {ref_of(entry.shelf, entry.episode.id)} {entry.commit}\nprepare\ncommit\n"
    )
    for name in (ref, ref_of(entry.shelf, entry.episode.id)):
        _unlocked(library, library.common / f"{name}.lock")
    try:
        git.run("update-ref", "-m", "memshelf: reject", "--stdin", data=script.encode(), durable=True)
    except GitError as error:
        if git.commit_of(ref_of(entry.shelf, entry.episode.id)) != entry.commit:
            raise Taken(f"{entry.address} changed meanwhile: look at it again") from None
        raise error from None


def forget(library: Library, entry: Entry) -> None:
    """Remove a draft whose text is on the branch. Raises Taken when it has changed."""
    _move(library, ref_of(entry.shelf, entry.episode.id), "", entry.commit)


def identity_variables(name: str, mail: str) -> dict[str, str]:
    """Return the variables that make git use this author and committer."""
    return {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", name), ("EMAIL", mail))
    }


def client_identity(client: str) -> tuple[str, str]:
    """Return (name, e-mail) under which a client's drafts are written."""
    return client, f"{client}@{DOMAIN}"


def _commit(git: Git, blob: str, episode_id: str, note: Note) -> str:
    tree = git.line("mktree", data=f"100644 blob {blob}\t{episode_id}.md\n".encode(), durable=True)
    message = note.render(f"draft: {episode_id}").encode()
    extra = identity_variables(*client_identity(note.client))
    return git.run("commit-tree", tree, data=message, extra=extra, durable=True).decode().strip()


def _move(library: Library, ref: str, new: str, old: str) -> None:
    """Compare-and-swap the ref; an empty `old` demands that it does not exist, an empty `new` deletes it."""
    git, zero = library.git, "0" * len(new or old)
    while True:
        try:
            git.run("update-ref", ref, new or zero, old or zero, durable=True)
        except GitError as error:
            if git.commit_of(ref) != old:
                raise Taken("a draft of this id exists or has changed") from None
            if not _unlocked(library, library.common / f"{ref}.lock"):
                raise error from None
        else:
            return


def _unlocked(library: Library, lock: Path) -> bool:
    """Wait for the ref's lock, or remove it when a killed git left it; tell whether that helped."""
    if not lock.exists():
        return False
    with exclusive(library):
        break_lock(lock, STALE_LOCK)
    return not lock.exists()


def _is_whole(git: Git, commit: str) -> bool:
    """Tell whether every object of the draft is there: a `git gc` elsewhere may have removed one."""
    try:
        git.run("rev-list", "--objects", "--quiet", commit)
    except GitError:
        return False
    return True


def _wait_for_gc(common: Path) -> None:
    deadline = time.monotonic() + GC_PATIENCE
    while _gc_runs(common / "gc.pid") and time.monotonic() < deadline:
        time.sleep(0.05)


def _gc_runs(mark: Path) -> bool:
    try:
        return seconds_since(mark.stat().st_mtime) < LONGEST_GC
    except FileNotFoundError:
        return False
