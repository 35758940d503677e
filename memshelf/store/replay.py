"""Replay: a commit of the branch made anew on another tip, in a private index; no ref, no checkout moves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import MemShelfError
from memshelf.store import commits, journal
from memshelf.store.git import Blob, GitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memshelf.store.git import Git
    from memshelf.store.library import Library

PERSON = re.compile(rb"^(author|committer) (.*?) ?<([^>\n]*)> (-?\d+ [+-]\d{4})$", re.MULTILINE)
ENCODING = re.compile(rb"^encoding ([\w.:-]+)$", re.MULTILINE)
FILES = ("100644", "100755")
GONE = "0"
"""The mode by which git's index takes a file out."""


class Original(NamedTuple):
    """A commit to replay, and its first parent (empty: it is a root); `empty` when it changes no file."""

    commit: str
    parent: str
    empty: bool


class Sides(NamedTuple):
    """What two sides have made of `base`: path from the repository's top -> file, without mode: removed."""

    base: str
    ours: Mapping[str, Blob]
    theirs: Mapping[str, Blob]


def originals(git: Git, tip: str, there: str) -> list[Original]:
    """Return what is on the first-parent line of `tip` and not on `there`, the oldest first."""
    said = git.line(
        *("log", "--first-parent", "--reverse", "--topo-order", "--no-show-signature"),
        *("--format=%H %T %P", f"{there}..{tip}", "--"),
    )
    rows = [line.split(" ") for line in said.split("\n") if line]
    trees = {commit: tree for commit, tree, *_ in rows}
    found = []
    for commit, tree, *parents in rows:
        parent = parents[0] if parents else ""
        before = (trees.get(parent) or git.line("rev-parse", f"{parent}^{{tree}}")) if parent else ""
        found.append(Original(commit, parent, tree == before))
    return found


def sides(git: Git, original: Original, ours: str) -> Sides:
    """Compare the commit `ours` and the original with what the original was made from."""
    base = original.parent or git.line("hash-object", "-t", "tree", "--stdin")
    made = [{blob.path: blob for blob in git.changed(base, side, ".")} for side in (ours, original.commit)]
    return Sides(base, *made)


def contents(git: Git, names: Iterable[str]) -> list[bytes | None]:
    """Return the bytes of each `commit:path`, None where there is no such file."""
    return [raw if sha else None for sha, raw in git.read(names)]


def merge_lines(library: Library, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return the text with the lines that each side changed; None: both changed the same, or it is binary."""
    places = [journal.fresh(library.common) for _ in range(3)]
    try:
        for place, raw in zip(places, (ours, base, theirs), strict=True):
            place.write_bytes(raw)
        return library.git.run("merge-file", "--stdout", "--quiet", *map(str, places))
    except GitError:
        return None
    finally:
        for place in places:
            place.unlink(missing_ok=True)


def tree_of(library: Library, commit: str, changes: Mapping[str, Blob]) -> tuple[str, dict[str, Blob]]:
    """Return the tree of `commit` with `changes`, and what in it is then another file than before.

    A change without a mode removes. Raises MemShelfError when git does not take one of them.
    """
    git = library.git
    index = journal.fresh(library.common).with_suffix(".index")
    private = {"GIT_INDEX_FILE": str(index)}
    zero = "0" * len(commit)
    lines = (f"{blob.mode or GONE} {blob.sha or zero}\t{path}\0" for path, blob in changes.items())
    try:
        git.run("read-tree", commit, extra=private)
        script = "".join(lines).encode("utf-8", "surrogateescape")
        git.run("update-index", "-z", "--index-info", data=script, extra=private)
        tree = git.run("write-tree", extra=private, durable=True).decode().strip()
    finally:
        index.unlink(missing_ok=True)
        index.with_name(f"{index.name}.lock").unlink(missing_ok=True)
    made = {blob.path: blob for blob in git.changed(commit, tree, ".")}
    for path, blob in made.items():
        if changes.get(path, blob) != blob:
            raise MemShelfError(f"git did not take {path} as it was committed: give it another name")
    return tree, made


def commit_again(library: Library, original: Original, tree: str, parent: str) -> str:
    """Commit `tree` on `parent` with the original's author, committer, dates and message."""
    head, _, message = library.git.run("cat-file", "commit", original.commit).partition(b"\n\n")
    encoding = ENCODING.search(head)
    if encoding:
        message = _as_utf8(message, encoding[1].decode())
    people = dict[str, str]()
    for role, name, mail, date in PERSON.findall(head):
        start = f"GIT_{role.decode().upper()}"
        people |= {
            f"{start}_NAME": (name or mail or b"nobody").decode("utf-8", "surrogateescape"),
            f"{start}_EMAIL": mail.decode("utf-8", "surrogateescape"),
            f"{start}_DATE": f"@{date.decode()}",
        }
    return commits.seal(library.git, tree, parent, message, people)


def _as_utf8(message: bytes, encoding: str) -> bytes:
    try:
        return message.decode(encoding).encode()
    except (LookupError, UnicodeError):
        return message
