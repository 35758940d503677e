"""A frozen view of the library: the committed tree of its branch and the drafts, or the work tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memshelf.formats import manifest
from memshelf.formats.episode import read_document
from memshelf.model import Document, Entry, Shelf, State
from memshelf.store import landing
from memshelf.store.git import Blob
from memshelf.store.library import SHELVES, episode_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memshelf.store.library import Library

DRAFTS = "refs/memshelf/draft/"
REV_LENGTH = 12
SYMLINK = "120000"
EPISODE_PATH = re.compile(r"(archive/)?docs/(.+/)?[^/]+\.md")
LINK_FAULT = "a symbolic link, which is not followed: put the file itself here"
LOST_FAULT = "git has lost its text: `git fsck` tells what else is gone"


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft's ref and commit, before anything of it is read."""

    shelf: str
    id: str
    commit: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The library at one moment: branch tip (empty: no commit yet), the branch's files, the drafts."""

    library: Library
    tip: str
    blobs: tuple[Blob, ...]
    drafts: tuple[Draft, ...]

    @property
    def names(self) -> list[str]:
        """The shelves on the branch, sorted."""
        found = (self._inside(blob.path) for blob in self.blobs)
        return sorted(shelf for shelf, path in found if path == manifest.NAME)

    def ids(self) -> list[tuple[str, str]]:
        """Return (shelf, id) of every episode file and draft, without reading any."""
        inside = (self._inside(blob.path) for blob in self.blobs)
        kept = [(shelf, PurePosixPath(path).stem) for shelf, path in inside if EPISODE_PATH.fullmatch(path)]
        return kept + [(draft.shelf, draft.id) for draft in self.drafts]

    def load(self, names: Iterable[str]) -> list[Shelf]:
        """Read the named shelves: every episode on the branch and every draft."""
        wanted = list(names)
        inside = [(blob, *self._inside(blob.path)) for blob in self.blobs]
        files = [
            (blob, shelf) for blob, shelf, path in inside if shelf in wanted and EPISODE_PATH.fullmatch(path)
        ]
        drafts = [draft for draft in self.drafts if draft.shelf in wanted]
        texts = self.library.git.read(
            [blob.sha for blob, _ in files] + [f"{draft.commit}:{draft.id}.md" for draft in drafts]
        )
        documents = [
            (shelf, blob.sha, self._document(blob, sha, raw))
            for (blob, shelf), (sha, raw) in zip(files, texts, strict=False)
        ]
        proposed = [
            (draft, sha, read_document(draft.id, raw))
            for draft, (sha, raw) in zip(drafts, texts[len(files) :], strict=True)
        ]
        return [_shelf(name, documents, proposed) for name in wanted]

    def _document(self, blob: Blob, sha: str, raw: bytes) -> Document:
        path = blob.path.removeprefix(self.library.prefix)
        fault = LINK_FAULT if blob.mode == SYMLINK else "" if sha else LOST_FAULT
        return Document(path, b"", fault=fault) if fault else read_document(path, raw)

    def _inside(self, path: str) -> tuple[str, str]:
        """Return (shelf, path inside the shelf) of a path from the repository's top."""
        shelf, _, rest = path.removeprefix(f"{self.library.prefix}{SHELVES}/").partition("/")
        return shelf, rest


def take(library: Library) -> Snapshot:
    """Look at the branch and the drafts once; everything the snapshot answers is from that moment.

    A landing that was killed is finished or undone first.
    """
    landing.settle(library)
    refs = library.git.refs(DRAFTS)
    tip = library.git.commit_of(library.branch)
    blobs = library.git.blobs(tip, f"{library.prefix}{SHELVES}/") if tip else []
    drafts = []
    for name, commit in refs.items():
        shelf, _, episode_id = name.removeprefix(DRAFTS).partition("/")
        drafts.append(Draft(shelf, episode_id, commit))
    return Snapshot(library, tip, tuple(blobs), tuple(drafts))


def worktree_files(library: Library, shelf: str) -> list[Path]:
    """Return the shelf's episode files as they lie on disk, sorted."""
    folder = library.root / SHELVES / shelf
    found = (
        path for path in folder.rglob("*.md") if EPISODE_PATH.fullmatch(path.relative_to(folder).as_posix())
    )
    return sorted(found)


def damage(shelf: str, episode_id: str) -> str:
    """Say what is wrong with a damaged draft, and the way out."""
    return f"the draft cannot be read: `git update-ref -d {DRAFTS}{shelf}/{episode_id}` frees its id"


def is_episode(path: str) -> bool:
    """Tell whether `path`, from the library's folder, is where a shelf keeps an episode."""
    place = re.match(rf"{SHELVES}/[^/]+/", path)
    return place is not None and EPISODE_PATH.fullmatch(path, place.end()) is not None


def read_file(path: Path, name: str) -> Document:
    """Read one episode file from disk under the path `name`; a link is a fault, never followed."""
    if path.is_symlink():
        return Document(name, b"", fault=LINK_FAULT)
    return read_document(name, path.read_bytes())


def worktree_shelf(library: Library, name: str) -> Shelf:
    """Return the shelf as it lies on disk, uncommitted edits included, without drafts."""
    files = worktree_files(library, name)
    documents = [read_file(path, path.relative_to(library.root).as_posix()) for path in files]
    return _shelf(name, [(name, "", document) for document in documents], [])


def worktree_names(library: Library) -> list[str]:
    """Return the names of the shelves on disk."""
    return sorted(path.parent.name for path in (library.root / SHELVES).glob(f"*/{manifest.NAME}"))


def with_accepted(shelf: Shelf, entries: Sequence[Entry]) -> Shelf:
    """Return the shelf as it will be when `entries` are accepted."""
    new = {entry.episode.id for entry in entries}
    kept = [entry for entry in shelf.entries if entry.episode.id not in new]
    accepted = [replace(entry, state=State.ACCEPTED, commit="", amends=False) for entry in entries]
    return replace(shelf, entries=_superseded([*kept, *accepted]))


def _shelf(
    name: str, documents: Sequence[tuple[str, str, Document]], drafts: Sequence[tuple[Draft, str, Document]]
) -> Shelf:
    entries, unreadable = [], []
    for shelf, sha, document in documents:
        if shelf != name:
            continue
        if document.episode is None:
            unreadable.append(document)
            continue
        archived = f"/{shelf}/archive/" in f"/{document.path}"
        state = State.ARCHIVED if archived else State.ACCEPTED
        entries.append(Entry(name, document.path, sha[:REV_LENGTH], state, document.episode))
    known = {entry.episode.id for entry in entries}
    mine = [(draft, sha, document.episode) for draft, sha, document in drafts if draft.shelf == name]
    proposed = [
        Entry(
            name,
            episode_path(name, read),
            sha[:REV_LENGTH],
            State.DRAFT,
            read,
            draft.commit,
            draft.id in known,
        )
        for draft, sha, read in mine
        if read
    ]
    damaged = tuple(draft.id for draft, _, read in mine if not read)
    return Shelf(name, _superseded(entries), tuple(proposed), tuple(unreadable), damaged)


def _superseded(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    gone = {old for entry in entries for old in entry.episode.supersedes}
    return tuple(
        entry
        if entry.state is State.ARCHIVED
        else replace(entry, state=State.SUPERSEDED if entry.episode.id in gone else State.ACCEPTED)
        for entry in entries
    )
