"""Landing: the library's branch moves to a commit built beside it, and every checkout of it follows.

While a checkout follows, we hold its `index.lock`, so the user's own git waits its turn. Paths that are
not changed are never looked at; staged and edited files elsewhere stay as they are. A journal makes a
landing repairable: whatever kills it, the next command finishes or undoes it.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.formats import manifest
from memshelf.store import journal
from memshelf.store.git import Git, GitError
from memshelf.store.journal import Follower, Journal
from memshelf.store.repair import STALE_LOCK, break_lock, repair, switch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memshelf.store.library import Library

LOCK_PATIENCE = 20.0
SETTLE_PATIENCE = 1.0
INDEX_PATIENCE = 1.0
BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
EVERY_FILE = ("--untracked-files=all", "--ignored=matching")
MOVED = "the branch moved meanwhile: try again"


class Moved(MemShelfError):
    """The branch moved while the commit was built: build it again."""


@contextlib.contextmanager
def exclusive(library: Library, patience: float = LOCK_PATIENCE) -> Iterator[Library]:
    """Hold the library's lock, over all work trees and processes, and repair what a killed command left.

    The library that is yielded hands the lock to every git it starts: when this process dies and its
    git lives on, the lock lives until that git has ended. Raises MemShelfError after `patience` seconds,
    and where the Git directory cannot be written.
    """
    import portalocker  # noqa: PLC0415 # 90 ms, which only commands that change the branch pay

    folder = library.common / journal.FOLDER
    lock = portalocker.Lock(folder / journal.LOCK, "ab", timeout=patience, check_interval=0.05)
    try:
        folder.mkdir(exist_ok=True)
        file = lock.acquire()
    except portalocker.LockException:
        raise MemShelfError("another memshelf command is changing this library: try again") from None
    except OSError as error:
        raise MemShelfError(
            f"{library.common} cannot be written ({error.strerror}): make it yours, or use your own clone"
        ) from None
    try:
        keep = () if os.name == "nt" else (file.fileno(),)
        held = library._replace(git=library.git._replace(keep=keep))
        repair(held)
        yield held
    finally:
        lock.release()


def settle(library: Library) -> None:
    """Repair a landing that was killed; where another command holds the lock, it is at work on it.

    A landing that is under way is waited for: what is read afterwards is either before or after it.
    """
    if not journal.leftovers(library.common):
        return
    patience = SETTLE_PATIENCE if journal.path_of(library.common).exists() else 0
    with contextlib.suppress(MemShelfError), exclusive(library, patience):
        pass


def check_clean(library: Library, paths: Sequence[str]) -> None:
    """Raise MemShelfError when a checkout of the branch is busy or not clean on `paths`."""
    for folder in checkouts(library):
        git = Git(folder)
        for name in BUSY:
            if Path(git.line("rev-parse", "--path-format=absolute", "--git-path", name)).exists():
                raise MemShelfError(
                    f"{folder}: a merge, rebase or pick is in progress: finish it, then try again"
                )
        if not paths:
            continue
        status = git.run("--literal-pathspecs", "status", "--porcelain", "-z", *EVERY_FILE, "--", *paths)
        dirty = [line[3:] for line in status.decode("utf-8", "surrogateescape").split("\0") if line]
        if dirty:
            raise MemShelfError(f"{folder / dirty[0]} {_way_out(library, dirty[0])}, then try again")
        _check_hidden(git, paths)


def _way_out(library: Library, path: str) -> str:
    """Return what to do about a changed file: a commit of a derived one would be written over."""
    if PurePosixPath(path).name in (library.layout.index_file, library.layout.ledger, manifest.STATS):
        return "is derived and has changes of its own: put them into an episode, `git restore` the file"
    return "has changes of its own: commit or move them"


def _check_hidden(git: Git, paths: Sequence[str]) -> None:
    """Raise MemShelfError for what `git status` hides: links for folders, files it must not look at."""
    for path in paths:
        for part in PurePosixPath(path).parents[:-1]:
            if (git.folder / part).is_symlink() or (git.folder / part).is_file():
                raise MemShelfError(f"{git.folder / part} is no folder: move it, then try again")
    listing = git.run("--literal-pathspecs", "ls-files", "-v", "-z", "--full-name", "--", *paths)
    for entry in listing.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        file = git.folder / entry[2:]
        if (entry[0] == "S" or entry[0].islower()) and file.exists():
            raise MemShelfError(
                f"git is told not to look at {file}: `git update-index --no-assume-unchanged "
                "--no-skip-worktree FILE` undoes it, then try again"
            )


def checkouts(library: Library) -> list[Path]:
    """Return every work tree that has the library's branch checked out."""
    listing = library.git.run("worktree", "list", "--porcelain", "-z").decode("utf-8", "surrogateescape")
    found = []
    for block in listing.split("\0\0"):
        facts = dict(line.partition(" ")[::2] for line in block.split("\0") if line)
        if facts.get("branch") == library.branch and "prunable" not in facts and "bare" not in facts:
            found.append(Path(facts["worktree"]))
    return found


def land(
    library: Library, old: str, new: str, paths: Sequence[str], drafts: Mapping[str, str], why: str = "accept"
) -> None:
    """Move the branch from `old` (empty: unborn) to `new`, delete the drafts, bring every checkout along.

    `paths` are the changed files, from the repository's top; `drafts` are refs and the commit each must
    still have; `why` goes into the reflog. All of it happens or nothing. Call it inside `exclusive` and
    after `check_clean`. Raises Moved when the branch is not what the commit was built on.
    """
    for ref in drafts:
        break_lock(library.common / f"{ref}.lock", STALE_LOCK)
    followers = tuple(_follower(library, Git(folder)) for folder in checkouts(library))
    journal.write(library.common, Journal(library.branch, old, new, tuple(paths), drafts, followers))
    try:
        for follower in followers:
            _take(follower)
        if library.git.commit_of(library.branch) != old:
            raise Moved(MOVED)
        for follower in followers:
            if follower.index_file.exists():
                follower.copy.write_bytes(follower.index_file.read_bytes())
            switch(Git(follower.folder, library.git.keep), follower, old, new)
        _move_refs(library, old, new, drafts, why)
    except (MemShelfError, OSError):
        repair(library)
        raise
    for follower in followers:
        follower.copy.replace(follower.index_file)
        follower.unlock()
    journal.remove(library.common)


def _follower(library: Library, git: Git) -> Follower:
    index = git.line("rev-parse", "--path-format=absolute", "--git-path", "index")
    return Follower(git.folder, Path(index), journal.fresh(library.common))


def _take(follower: Follower) -> None:
    """Take the checkout's index lock, under a second name that proves it is ours."""
    follower.hold.touch(exist_ok=False)
    deadline = time.monotonic() + INDEX_PATIENCE
    while True:
        try:
            os.link(follower.hold, follower.lock)
        except FileExistsError:
            if time.monotonic() > deadline:
                raise MemShelfError(
                    f"{follower.lock} is held by another git: wait for it, or remove the file if none runs"
                ) from None
            time.sleep(0.02)
        else:
            return


def _move_refs(library: Library, old: str, new: str, drafts: Mapping[str, str], why: str) -> None:
    lines = ["start", f"update {library.branch} {new} {old or '0' * len(new)}"]
    lines += [f"delete {ref} {commit}" for ref, commit in drafts.items()]
    script = "\n".join([*lines, "prepare", "commit", ""]).encode()
    try:
        library.git.run("update-ref", "-m", f"memshelf: {why}", "--stdin", data=script, durable=True)
    except GitError:
        if library.git.commit_of(library.branch) != old:
            raise Moved(MOVED) from None
        for ref, commit in drafts.items():
            if library.git.commit_of(ref) != commit:
                name = ref.split("/", 3)[3]
                raise MemShelfError(f"{name} changed meanwhile: look at it again") from None
        raise
