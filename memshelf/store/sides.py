"""A shelf's files on both sides, on disk and on the branch: each text is read and parsed once.

What is over the limit is never read whole: its bytes are hashed as git does, and that is all.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.formats.episode import read_document
from memshelf.model import MAX_EPISODE_BYTES, Document
from memshelf.store import catalogue, snapshot

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.model import Episode
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

CLOSED = "the folder cannot be listed: `chmod u+rx` it"
NOT_THERE = (FileNotFoundError, NotADirectoryError)
CHUNK = 1 << 20
SHA1_DIGITS = 40


@dataclass(frozen=True, slots=True)
class Sides:
    """Path from the library's folder -> episode file, on disk and on the branch.

    A text that is the same on both sides is the same Document. `unread` are (path, why) of the files and
    folders that the system does not let us read; `revs` is path -> blob id of what is committed.
    """

    disk: dict[str, Document]
    branch: dict[str, Document]
    unread: tuple[tuple[str, str], ...]
    revs: dict[str, str]


@dataclass(frozen=True)
class Committed:
    """The files of the library on the branch: path from the library's folder -> (mode, blob id).

    `parsed` is blob id -> episode, where the catalogue has it.
    """

    seen: Snapshot
    files: dict[str, tuple[str, str]]
    parsed: dict[str, Episode]

    @classmethod
    def of(cls, seen: Snapshot) -> Committed:
        """List the branch's files, those at the library's top not among them."""
        prefix = seen.library.prefix
        files = {blob.path.removeprefix(prefix): (blob.mode, blob.sha) for blob in seen.blobs}
        parsed: dict[str, Episode] = {}
        with contextlib.suppress(MemShelfError):
            parsed = catalogue.consult(seen.library, lambda kept: kept.parsed())
        return cls(seen, files, parsed)

    @cached_property
    def lost(self) -> frozenset[str]:
        """The blob ids whose content git has not got: the disk may have the file all the same."""
        ids = sorted({sha for _, sha in self.files.values()})
        read = self.seen.library.git.read(ids, most=0)
        return frozenset(sha for sha, (found, _) in zip(ids, read, strict=True) if not found)

    def document(self, path: str, sha: str, raw: bytes) -> Document:
        """Return the episode file of these bytes, whose blob id is `sha`."""
        episode = self.parsed.get(sha)
        return Document(path, raw, episode) if episode else read_document(path, raw)

    def bytes_of(self, path: str, here: bytes | None) -> bytes | None:
        """Return the committed bytes, None when the branch has no such file; `here` is what the disk has.

        Git is asked only where the two differ.
        """
        _, sha = self.files.get(path, ("", ""))
        if here is not None and sha and blob_id(here, sha) == sha:
            return here
        name = sha or f"{self.seen.tip}:{self.seen.library.prefix}{path}"
        found, raw = self.seen.library.git.read([name])[0]
        return raw if found else None


def blob_id(raw: bytes, like: str) -> str:
    """Return the id that git gives to these bytes, by the algorithm of the id `like`."""
    made = _hasher(len(raw), like)
    made.update(raw)
    return made.hexdigest()


def both_sides(committed: Committed, shelf: str) -> Sides:
    """Read the shelf's episode files on both sides."""
    library = committed.seen.library
    found, unread = _listed(library, shelf)
    disk: dict[str, Document] = {}
    hashed: dict[str, str] = {}
    revs = {
        path: sha
        for path, (_, sha) in committed.files.items()
        if library.is_episode(path) and library.inside(path)[0] == shelf
    }
    for path in found:
        try:
            disk[path], hashed[path] = _read(committed, path, revs.get(path, ""))
        except OSError as error:
            unread.append((path, f"cannot be read: {error.strerror}: mend its permissions"))
    branch = {path: disk[path] for path, sha in revs.items() if sha == hashed.get(path)}
    branch |= _from_git(committed, {path: revs[path] for path in revs if path not in branch}, disk)
    lost = committed.lost
    branch |= {path: Document(path, b"", fault=snapshot.LOST_FAULT) for path in revs if revs[path] in lost}
    return Sides(disk, {path: branch[path] for path in revs}, tuple(unread), revs)


def _listed(library: Library, shelf: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the paths of the shelf's episode files on disk, sorted, and the folders that are closed."""
    found: list[str] = []
    closed: list[OSError] = []
    start = len(str(library.root)) + 1
    for place in snapshot.places(library, shelf):
        for folder, folders, names in os.walk(library.root / place, onerror=closed.append):
            within = folder[start:].replace(os.sep, "/")
            found += [path for name in (*names, *folders) if library.is_episode(path := f"{within}/{name}")]
    barred = [str(error.filename)[start:] for error in closed if not isinstance(error, NOT_THERE)]
    return sorted(found), [(path.replace(os.sep, "/"), CLOSED) for path in barred]


def _read(committed: Committed, path: str, like: str) -> tuple[Document, str]:
    """Return the file and its blob id, the id empty where there is nothing to compare it with."""
    file = committed.seen.library.root / path
    facts = file.lstat()
    if not stat.S_ISREG(facts.st_mode):
        return snapshot.read_file(file, path), ""
    if facts.st_size <= MAX_EPISODE_BYTES:
        raw = file.read_bytes()
        sha = blob_id(raw, like) if like else ""
        return committed.document(path, sha, raw), sha
    return Document(path, b"", unread=facts.st_size), _hashed(file, facts.st_size, like) if like else ""


def _from_git(committed: Committed, wanted: dict[str, str], disk: dict[str, Document]) -> dict[str, Document]:
    """Read what the disk does not have; a text that differs in its line ends alone is the disk's."""
    git = committed.seen.library.git
    sizes = _sizes(committed, list(wanted.values()))
    small = [path for path, sha in wanted.items() if sizes.get(sha, 0) <= MAX_EPISODE_BYTES]
    found = {
        path: Document(path, b"", unread=sizes[sha]) for path, sha in wanted.items() if path not in set(small)
    }
    for path, (sha, raw) in zip(small, git.read([wanted[path] for path in small]), strict=True):
        if committed.files[path][0] == snapshot.SYMLINK:
            found[path] = Document(path, b"", fault=snapshot.LINK_FAULT)
        elif not sha:
            found[path] = Document(path, b"", fault=snapshot.LOST_FAULT)
        elif path in disk and _text(disk[path].raw) == _text(raw):
            found[path] = disk[path]._replace(raw=raw)
        else:
            found[path] = committed.document(path, sha, raw)
    return found


def _sizes(committed: Committed, ids: list[str]) -> dict[str, int]:
    """Return blob id -> bytes; one that git has lost is left out."""
    if not ids:
        return {}
    asked = "".join(f"{sha}\n" for sha in ids).encode()
    said = committed.seen.library.git.run("cat-file", "--batch-check=%(objectname) %(objectsize)", data=asked)
    pairs = (line.split(" ") for line in said.decode().splitlines())
    return {sha: int(size) for sha, size in pairs if size.isdigit()}


def _hashed(file: Path, size: int, like: str) -> str:
    made = _hasher(size, like)
    with file.open("rb") as content:
        while part := content.read(CHUNK):
            made.update(part)
    return made.hexdigest()


def _hasher(size: int, like: str) -> hashlib._Hash:
    algorithm = hashlib.sha1 if len(like) == SHA1_DIGITS else hashlib.sha256
    return algorithm(b"blob %d\0" % size, usedforsecurity=False)


def _text(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n")
