"""A merge, rebase, pick or revert that git could not end: its sides, what is unmerged, and its answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memshelf.store import disk, journal
from memshelf.store.git import Git

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memshelf.store.library import Library

NOTHING = ""
SIDES = (1, 2, 3)
HEADS = {
    "REBASE_HEAD": "rebase",  # first: a rebase may leave CHERRY_PICK_HEAD too
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}
MARKED = "^<<<<<<<<* "


class Going(NamedTuple):
    """What git is in the middle of, in the checkout of the library.

    `verb` is merge, rebase, cherry-pick or revert; empty: none, though files may be unmerged all the same.
    `trees` are path -> blob id in the common past, on our side and on theirs, all three empty without a
    verb. `staged` is path -> blob id of what git has merged, `unmerged` path -> blob ids of the three sides,
    empty: not there. Paths are from the library's folder; `others` lie outside of it, from the repository's
    top.
    """

    verb: str
    trees: tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]
    staged: Mapping[str, str]
    unmerged: Mapping[str, tuple[str, str, str]]
    others: tuple[str, ...]

    @property
    def upstream(self) -> Mapping[str, str]:
        """The side that comes from elsewhere: a rebase replays our commits on it."""
        return self.trees[2 if self.verb == "merge" else 1]


def look(library: Library) -> Going:
    """Look at the checkout of the library. Raises GitError."""
    git = library.git
    top = Git(Path(git.line("rev-parse", "--show-toplevel")), git.keep)
    head, verb = next(((name, HEADS[name]) for name in HEADS if _is_going(git, name)), ("", ""))
    staged, unmerged, others = dict[str, str](), dict[str, list[str]](), set[str]()
    for line in top.run("ls-files", "--stage", "-z").decode("utf-8", "surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        _, sha, stage = facts.split(" ")
        within = path.removeprefix(library.prefix)
        if not path.startswith(library.prefix):
            others |= {path} if stage != "0" else set()
        elif stage == "0":
            staged[within] = sha
        else:
            unmerged.setdefault(within, [NOTHING] * 3)[int(stage) - 1] = sha
    sides = {path: (one, two, three) for path, (one, two, three) in unmerged.items()}
    return Going(verb, _trees(library, head), staged, sides, tuple(sorted(others)))


def marked(library: Library) -> list[str]:
    """Return the tracked files below the library's folder in which a merge left its marks, on disk."""
    said = library.git.ask("grep", "--full-name", "-z", "--files-with-matches", "-e", MARKED, "--", ".")
    return [path.removeprefix(library.prefix) for path in said.split("\0") if path]


def texts(library: Library, ids: Iterable[str]) -> dict[str, bytes]:
    """Return blob id -> bytes of every one that git has."""
    wanted = sorted({sha for sha in ids if sha})
    return {name: raw for name, (sha, raw) in zip(wanted, library.git.read(wanted), strict=True) if sha}


def settle(library: Library, files: Mapping[str, bytes | None]) -> None:
    """Write the files (None: remove) to the checkout and put them into the index as merged.

    `files` are paths from the library's folder. What is killed between the two is settled when it is asked
    for again. Raises MemShelfError when git does not take a path.
    """
    for path, content in files.items():
        if content is None:
            (library.root / path).unlink(missing_ok=True)
        else:
            disk.write_bytes(library.root / path, content, library.common / journal.FOLDER)
    options = ("--add", "--remove", "--replace", "-z", "--stdin")
    data = "".join(f"{path}\0" for path in files).encode("utf-8", "surrogateescape")
    library.git.run("update-index", *options, data=data)


def _is_going(git: Git, name: str) -> bool:
    return bool(git.ask("rev-parse", "--quiet", "--verify", name))


def _trees(library: Library, head: str) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    git = library.git
    if not head:
        return {}, {}, {}
    before = git.commit_of(f"{head}^")
    base = git.ask("merge-base", "HEAD", head) if head == "MERGE_HEAD" else before
    commits = (head, "HEAD", before) if head == "REVERT_HEAD" else (base, "HEAD", head)
    one, two, three = (
        {
            blob.path.removeprefix(library.prefix): blob.sha
            for blob in git.blobs(commit, library.prefix or ".")
        }
        if commit
        else {}
        for commit in commits
    )
    return one, two, three
