"""What `doctor --fix` does: what is mechanical and loses no text. Asked by doctor; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.store import commits, disk, health, journal, landing, snapshot
from memshelf.store.repair import STALE_LOCK, break_lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memshelf.rules.facts import Derived
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

SUBJECT = "render"
SHOWN = 12
"""Digits of a commit."""


def unlock(library: Library) -> list[str]:
    """Remove the locks that a killed git left on drafts, and say which."""
    done = []
    for lock in health.left_locks(library):
        break_lock(lock, STALE_LOCK)
        if not lock.exists():
            done.append(f"{lock.relative_to(library.common).as_posix()}: removed")
    return done


def commit_derived(seen: Snapshot, stale: Iterable[Derived], label: str) -> list[str]:
    """Commit the derived files that are out of date on the branch, rendered from what is committed.

    Only they are in the commit; nothing is done where a checkout is not clean on them.
    """
    wanted = {
        file.path.removeprefix(label): file.fresh
        for file in stale
        if file.on_branch and not file.rendered and file.fresh == file.committed
    }
    if not wanted:
        return []
    try:
        commit = _commit(seen, wanted)
    except MemShelfError as error:
        return [f"{path}: not rendered: {error}" for path in wanted]
    return [f"{path}: rendered, commit {commit[:SHOWN]}" for path in wanted]


def _commit(seen: Snapshot, wanted: Mapping[str, bytes]) -> str:
    commits.require_person(seen.library)
    with landing.exclusive(seen.library) as library:
        now = snapshot.take(library)
        if now.tip != seen.tip:
            raise MemShelfError(landing.MOVED)
        paths = sorted(library.prefix + path for path in wanted)
        landing.check_clean(library, paths)
        commit = commits.build(library, now.tip, wanted, f"{SUBJECT}: derived files\n", None)
        landing.land(library, now.tip, commit, paths, {})
    return commit


def write_derived(library: Library, stale: Iterable[Derived], label: str) -> list[str]:
    """Write the derived files that are out of date on disk, from the episodes beside them."""
    wanted = [file for file in stale if not file.path.startswith(label)]
    if not wanted:
        return []
    done = []
    try:
        with landing.exclusive(library):
            for file in wanted:
                path = library.root / file.path
                if disk.read_bytes(path) == file.found:
                    disk.write_bytes(path, file.fresh, library.common / journal.FOLDER)
                    done.append(f"{file.path}: rendered: look at it, then commit it")
    except MemShelfError as error:
        return [*done, f"not rendered: {error}"]
    return done
