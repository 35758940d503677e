"""Repair: finish or undo what a killed landing left. Call it while nobody else of ours can be alive."""

from __future__ import annotations

import contextlib
import re
import time
from typing import TYPE_CHECKING

from memshelf.store import clock, disk, journal
from memshelf.store.git import Git, GitError

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.store.journal import Follower, Journal
    from memshelf.store.library import Library

STALE_AFTER = 2.0
"""Seconds; a lock of git's that is older and holds nothing foreign was left by a killed git."""

STALE_LOCK = 10.0
"""The same for a draft's lock that no journal speaks of; a living git holds it for milliseconds."""

OURS = re.compile(rb"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?\n?)?|ref: [^\n]*\n?|# pack-refs[^\0]*")
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
"""`post-index-change` would run with our private index; the other hooks do run."""


def repair(library: Library) -> None:
    """Bring refs and checkouts to where the landing was going, else back to where it began.

    The branch decides: once it has moved, every checkout follows; before that, all go back. A file that
    is neither the old nor the new text is kept beside as `<name>.yours`.
    """
    left = journal.read(library.common)
    if left:
        for lock in _ref_locks(library, left):
            break_lock(lock)
        for follower in left.followers:
            follower.copy.with_suffix(".index.lock").unlink(missing_ok=True)  # a killed git's, of ours alone
        tip = library.git.commit_of(left.branch)
        moved = tip == left.new or (bool(tip) and _descends(library.git, left.new, tip))
        for follower in left.followers:
            _mend(library, left, follower, moved=moved)
        journal.remove(library.common)
    for leftover in journal.leftovers(library.common):
        leftover.unlink(missing_ok=True)


def break_lock(lock: Path, after: float = STALE_AFTER) -> None:
    """Wait until the lock is gone, or `after` seconds old and nothing foreign in it: then remove it."""
    while (age := _age(lock)) is not None:
        if abs(age) > after:
            content = disk.read_bytes(lock)
            if content is not None and OURS.fullmatch(content):
                lock.unlink(missing_ok=True)
            return
        time.sleep(0.1)


def switch(git: Git, follower: Follower, old: str, new: str) -> None:
    """Bring the checkout's files and the copied index from commit `old` to `new` (empty: no files)."""
    private = {"GIT_INDEX_FILE": str(follower.copy)}
    with contextlib.suppress(GitError):
        git.run(*NO_HOOKS, "update-index", "-q", "--refresh", extra=private)
    nothing = "" if old and new else git.line("hash-object", "-w", "-t", "tree", "--stdin")
    git.run(*NO_HOOKS, "read-tree", "-m", "-u", old or nothing, new or nothing, extra=private)


def _mend(library: Library, left: Journal, follower: Follower, *, moved: bool) -> None:
    if not follower.owns_lock() or (moved and not follower.copy.exists()):
        # Not begun, or its index is in place already: only the lock may be left.
        follower.unlock()
        return
    git = Git(follower.folder, library.git.keep)
    if follower.index_file.exists():
        follower.copy.write_bytes(follower.index_file.read_bytes())
    else:
        git.run("read-tree", "--empty", extra={"GIT_INDEX_FILE": str(follower.copy)})
    absent = _sparse(git, left.paths)
    for path in left.paths:
        if path not in absent:
            texts = _text(git, left.old, path), _text(git, left.new, path)
            _put_back(follower.folder / path, *texts, follower.ours.parent)
    switch(git, follower, left.old, left.new if moved else left.old)
    follower.copy.replace(follower.index_file)
    follower.unlock()


def _put_back(file: Path, old: bytes | None, new: bytes | None, workshop: Path) -> None:
    """Put the file back to its old text (None: no file); what is neither old nor new moves aside."""
    there = disk.read_bytes(file)
    if there == old:
        return
    if there is not None and not any(text is not None and text.startswith(there) for text in (old, new)):
        file.replace(file.with_name(f"{file.name}.yours"))
    if old is None:
        file.unlink(missing_ok=True)
    else:
        disk.write_bytes(file, old, workshop)


def _text(git: Git, commit: str, path: str) -> bytes | None:
    """Return the file's text in `commit`, as a checkout would write it."""
    try:
        return git.run("cat-file", "--filters", f"{commit}:{path}") if commit else None
    except GitError:
        return None


def _sparse(git: Git, paths: tuple[str, ...]) -> set[str]:
    """Return the paths that a sparse checkout leaves out on purpose."""
    listing = git.run("--literal-pathspecs", "ls-files", "-t", "-z", "--full-name", "--", *paths)
    entries = listing.decode("utf-8", "surrogateescape").split("\0")
    return {entry[2:] for entry in entries if entry.startswith("S ")}


def _ref_locks(library: Library, left: Journal) -> list[Path]:
    """Return the locks that a killed `update-ref` may have left."""
    names = [f"{name}.lock" for name in (left.branch, *left.drafts)]
    names += ["packed-refs.new", "packed-refs.lock"]  # git writes the one while it holds the other
    heads = [follower.index_file.with_name("HEAD.lock") for follower in left.followers]
    return [library.common / name for name in names] + heads


def _descends(git: Git, ancestor: str, commit: str) -> bool:
    try:
        git.run("merge-base", "--is-ancestor", ancestor, commit)
    except GitError:
        return False
    return True


def _age(lock: Path) -> float | None:
    """Return how many seconds ago the lock was written, None when it is gone."""
    try:
        return clock.seconds_since(lock.stat().st_mtime)
    except FileNotFoundError:
        return None
