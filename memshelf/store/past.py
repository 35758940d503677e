"""Every version that was ever committed: which files the repository still holds, and where each began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.model import MAX_EPISODE_BYTES, REV_LENGTH
from memshelf.store.disk import text_of
from memshelf.store.snapshot import folder_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.store.library import Library

OURS = "refs/memshelf/"
AT_ONCE = 256
WALK = ("rev-list", "--full-history", "--objects", "--filter=object:type=blob", "--filter-provided-objects")


@dataclass(frozen=True, slots=True)
class Version:
    """One content a file has had: its blob id and a path under which it was committed, from the top."""

    blob: str
    path: str


def versions(library: Library) -> list[Version]:
    """Return every content of the library's files that a ref or a reflog still reaches, drafts included.

    Raises GitError where git cannot walk the history.
    """
    folder = folder_of(library)
    places = [] if folder == "." else ["--", f":(top,literal){folder}"]
    listed = library.git.run(*WALK, "--all", "--reflog", *places) + library.git.run(*WALK, f"--glob={OURS}*")
    pairs = (line.partition(" ") for line in listed.decode("utf-8", "surrogateescape").split("\n"))
    found = {blob: path for blob, _, path in pairs if path}
    return [Version(blob, path) for blob, path in found.items()]


def read(library: Library, wanted: Sequence[Version]) -> Iterator[tuple[Version, str]]:
    """Yield each version with its text, cut at the limit of an episode; what git has lost is left out."""
    for start in range(0, len(wanted), AT_ONCE):
        some = wanted[start : start + AT_ONCE]
        texts = library.git.read([one.blob for one in some], MAX_EPISODE_BYTES)
        for one, (sha, raw) in zip(some, texts, strict=True):
            if sha:
                yield one, text_of(raw) or raw.decode("utf-8", "replace")


def first_place(library: Library, one: Version) -> str:
    """Return `commit:path` of the oldest commit, abbreviated, that brought the version.

    Reflogs count too; where neither they nor a ref reach one, the blob's id stands in its place.
    """
    asked = ("--all", "--reflog", "--reverse", f"--find-object={one.blob}", "-m", "--no-renames")
    said = library.git.run("log", *asked, "--raw", "-z", "--format=%h").decode("utf-8", "surrogateescape")
    commit = ""
    fields = iter(said.split("\0"))
    for field in fields:
        if not field.lstrip("\n").startswith(":"):
            commit = field or commit
            continue
        path = next(fields)
        if path == one.path or path.startswith(f"{one.path}\n"):  # rev-list cuts a path there
            return f"{commit}:{path}"
    return f"{one.blob[:REV_LENGTH]}:{one.path}"
