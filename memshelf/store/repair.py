"""Repair: finish or undo what a killed landing left. Call it while nobody else of ours can be alive."""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING, NamedTuple

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
LINK, SUBMODULE, FOLDER = "120000", "160000", "040000"
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
"""`post-index-change` would run with our private index; the other hooks do run."""


class Side(NamedTuple):
    """A file as git sees it: its mode, and its text or the target of the link."""

    mode: str
    text: bytes


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
        if moved:  # a git that was killed while it committed the transaction moves the branch first
            for ref, commit in left.drafts.items():
                library.git.ask("update-ref", "-d", ref, commit)
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
    _put_back(git, left, follower)
    switch(git, follower, left.old, left.new if moved else left.old)
    follower.copy.replace(follower.index_file)
    follower.unlock()


def _put_back(git: Git, left: Journal, follower: Follower) -> None:
    """Put each file back to what it was (None: no file); what is neither old nor new moves aside."""
    old, new = _modes(git, left.old, left.paths), _modes(git, left.new, left.paths)
    submodules = {path for path in left.paths if SUBMODULE in (old.get(path), new.get(path))}
    absent = _sparse(git, left.paths) | submodules
    lacking = []
    for path in left.paths:
        if path in absent:
            continue
        was = Side(old[path], _text(git, left.old, path)) if path in old else None
        will = Side(new[path], _text(git, left.new, path)) if path in new else None
        if _clears(follower.folder / path, was, will) and was:
            lacking.append(f"{path}\0")
    private = {"GIT_INDEX_FILE": str(follower.copy)}
    names = "".join(lacking).encode("utf-8", "surrogateescape")
    git.run(*NO_HOOKS, "checkout-index", "--force", "-z", "--stdin", data=names, extra=private)


def _clears(file: Path, old: Side | None, new: Side | None) -> bool:
    """Take away what is not the old file; tell whether it was not. Foreign text moves aside."""
    there = _on_disk(file)
    if there == old:
        return False
    if there and not any(side and side.text.startswith(there.text) for side in (old, new)):
        file.replace(file.with_name(f"{file.name}.yours"))
    elif there:
        file.unlink()
    return True


def _on_disk(file: Path) -> Side | None:
    """Return what lies there, None for nothing or a folder; a link is never followed."""
    if file.is_symlink():
        return Side(LINK, os.fsencode(file.readlink()))
    text = disk.read_bytes(file) if not file.is_dir() else None
    return text if text is None else Side("100755" if file.stat().st_mode & 0o100 else "100644", text)


def _modes(git: Git, commit: str, paths: tuple[str, ...]) -> dict[str, str]:
    """Return path -> mode of those that are there in `commit` (empty: none is)."""
    if not (commit and paths):
        return {}
    listing = git.run("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", *paths)
    entries = (
        line.partition("\t") for line in listing.decode("utf-8", "surrogateescape").split("\0") if line
    )
    modes = {path: facts.split(" ")[0] for facts, _, path in entries}
    return {path: mode for path, mode in modes.items() if mode != FOLDER}


def _text(git: Git, commit: str, path: str) -> bytes:
    """Return the file's text in `commit`, as a checkout would write it."""
    return git.run("cat-file", "--filters", f"{commit}:{path}")


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
