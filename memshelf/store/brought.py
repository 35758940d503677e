"""What a range of commits brings to the library: every content of a file, every message, the sum of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import MemShelfError, UsageError
from memshelf.formats import settings
from memshelf.store import past
from memshelf.store.git import Blob
from memshelf.store.snapshot import Snapshot, folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.store.library import Library

WALK = ("diff-tree", "--stdin", "-r", "-c", "-z", "--root", "--no-renames")
SHOWN = 12
"""Digits of a commit."""


class Range(NamedTuple):
    """Where the commits lead and what they leave: `base` and `head` are commits, `fork` where they parted.

    `commits` are those that `head` has and `base` has not, oldest first.
    """

    base: str
    head: str
    fork: str
    commits: tuple[str, ...]


class Brought(NamedTuple):
    """A content that a commit gave to a file, its text cut at an episode's limit; a message has no path."""

    commit: str
    path: str
    blob: str
    text: str


def range_of(library: Library, words: str) -> Range:
    """Read `BASE..HEAD`. Raises UsageError for other words, MemShelfError for what this clone lacks."""
    base, dots, head = words.partition("..")
    if not (base and dots and head) or head.startswith("."):
        raise UsageError("--commits takes BASE..HEAD, such as origin/main..HEAD")
    old, new = (library.git.commit_of(name) for name in (base, head))
    if not (old and new):
        raise MemShelfError(f"{words}: no such commits in this clone: fetch them, a whole history (depth 0)")
    fork = library.git.ask("merge-base", old, new)
    if not fork:
        raise MemShelfError(f"{words}: no common history in this clone: `git fetch --unshallow`")
    commits = library.git.line("rev-list", "--reverse", f"{old}..{new}").split()
    return Range(old, new, fork, tuple(commits))


def at(library: Library, commit: str) -> Snapshot:
    """Return the library as it is in `commit`, without drafts."""
    return Snapshot(library, commit, tuple(library.git.blobs(commit, folder_of(library))), ())


def sum_of(library: Library, span: Range) -> list[Blob]:
    """Return what the commits change together, from the library's folder; what is gone has no blob id."""
    found = library.git.changed(span.fork, span.head, ".")
    return [blob._replace(path=path) for blob in found if (path := _inside(library, blob.path))]


def texts(library: Library, span: Range) -> Iterator[Brought]:
    """Yield every content that a commit gave to a file of the library, and those commits' messages.

    A content that comes twice is told once; links, binary files and what git has lost are left out.
    """
    found: dict[tuple[str, str], str] = {}
    for commit, blob in _steps(library, span):
        if (path := _inside(library, blob.path)) and blob.sha and blob.mode in ("100644", "100755"):
            found.setdefault((path, blob.sha), commit)
    commits = tuple(dict.fromkeys(found.values()))
    for commit, (_, raw) in zip(commits, library.git.read(commits), strict=True):
        yield Brought(commit, "", "", raw.partition(b"\n\n")[2].decode("utf-8", "replace"))
    versions = [past.Version(blob, path) for path, blob in found]
    for one, text in past.read(library, versions):
        yield Brought(found[one.path, one.blob], one.path, one.blob, text)


def _steps(library: Library, span: Range) -> Iterator[tuple[str, Blob]]:
    """Yield (commit, file as it is in it) of what each commit changes against all of its parents."""
    said = library.git.run(*WALK, data="".join(f"{one}\n" for one in span.commits).encode())
    commit = ""
    fields = iter(said.decode("utf-8", "surrogateescape").split("\0")[:-1])
    for field in fields:
        if not field.startswith(":"):
            commit = field
            continue
        parents = len(field) - len(field.lstrip(":"))
        facts = field[parents:].split(" ")
        gone = not facts[2 * parents + 1].strip("0")
        yield commit, Blob(facts[parents], "" if gone else facts[2 * parents + 1], next(fields))


def _inside(library: Library, path: str) -> str:
    """Return the path from the library's folder, empty for a file that is not the library's."""
    inside = path.removeprefix(library.prefix) if path.startswith(library.prefix) else ""
    folder = folder_of(library)
    ours = inside == settings.NAME or folder == "." or path.startswith(folder)
    return inside if ours else ""
