"""A frozen view of the library: the committed tree of its branch and the drafts, or the work tree."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memshelf.formats import manifest
from memshelf.formats.episode import read_document
from memshelf.model import MAX_EPISODE_BYTES, REV_LENGTH, Document, Entry, Shelf, State
from memshelf.store import landing
from memshelf.store.git import Blob
from memshelf.store.library import SHELVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memshelf.store.library import Library

DRAFTS = "refs/memshelf/draft/"
SYMLINK = "120000"
LINK_FAULT = "a symbolic link, which is not followed: put the file itself here"
FOLDER_FAULT = "a symbolic link, which is not followed: put the folder itself here"
KIND_FAULT = "not a regular file: move it away, or put the episode's text here"
LOST_FAULT = "git has lost its text: `git fsck` tells what else is gone"


class Draft(NamedTuple):
    """A draft's ref and commit, before anything of it is read."""

    shelf: str
    id: str
    commit: str


class Snapshot(NamedTuple):
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
        episodes = self.library.layout.episodes
        kept = [(shelf, _stem(path)) for shelf, path in inside if shelf and episodes.fullmatch(path)]
        return kept + [(draft.shelf, draft.id) for draft in self.drafts]

    def load(self, names: Iterable[str]) -> list[Shelf]:
        """Read the named shelves: every episode on the branch and every draft."""
        wanted, episodes = list(names), self.library.layout.episodes
        inside = [(blob, *self._inside(blob.path)) for blob in self.blobs]
        files = [
            (blob, shelf) for blob, shelf, path in inside if shelf in wanted and episodes.fullmatch(path)
        ]
        drafts = [draft for draft in self.drafts if draft.shelf in wanted]
        texts = self.library.git.read(
            [blob.sha for blob, _ in files] + [f"{draft.commit}:{draft.id}.md" for draft in drafts],
            MAX_EPISODE_BYTES + 1,
        )
        documents = [
            (shelf, blob.sha, self._document(blob, sha, raw))
            for (blob, shelf), (sha, raw) in zip(files, texts, strict=False)
        ]
        proposed = [
            (draft, sha, read_document(draft.id, raw))
            for draft, (sha, raw) in zip(drafts, texts[len(files) :], strict=True)
        ]
        return [_shelf(self.library, name, documents, proposed) for name in wanted]

    def _document(self, blob: Blob, sha: str, raw: bytes) -> Document:
        path = blob.path.removeprefix(self.library.prefix)
        fault = LINK_FAULT if blob.mode == SYMLINK else "" if sha else LOST_FAULT
        return Document(path, b"", fault=fault) if fault else read_document(path, raw)

    def _inside(self, path: str) -> tuple[str, str]:
        """Return (shelf, path inside the shelf) of a path from the repository's top."""
        return self.library.inside(path.removeprefix(self.library.prefix))


def take(library: Library) -> Snapshot:
    """Look at the branch and the drafts once; everything the snapshot answers is from that moment.

    A landing that was killed is finished or undone first.
    """
    landing.settle(library)
    drafts = drafts_of(library.git.listing(DRAFTS))
    tip = library.git.commit_of(library.branch)
    blobs = library.git.blobs(tip, folder_of(library)) if tip else []
    return Snapshot(library, tip, tuple(blobs), tuple(drafts))


def broken_branch(library: Library, tip: str) -> str:
    """Say what is wrong with the branch's ref, empty when it points at a commit or was never there."""
    if library.git.commit_of(library.branch) if tip else not (library.common / library.branch).exists():
        return ""
    name = library.branch.removeprefix("refs/heads/")
    return (
        f"the branch {name} is damaged, its ref points at no commit: `git reflog {name}` or `git fsck` finds "
        f"the last one, `git update-ref {library.branch} COMMIT` puts it back"
    )


def drafts_of(listing: str) -> list[Draft]:
    """Return the drafts that a listing of their refs names."""
    found = []
    for line in listing.split("\n"):
        commit, _, name = line.partition(" ")
        shelf, _, episode_id = name.removeprefix(DRAFTS).partition("/")
        found += [Draft(shelf, episode_id, commit)] if commit else []
    return found


def folder_of(library: Library) -> str:
    """Return the folder that holds every shelf, from the repository's top; `.` where it is the top."""
    return library.prefix + ("" if library.alone else f"{SHELVES}/") or "."


def worktree_files(library: Library, shelf: str) -> list[Path]:
    """Return the shelf's episode files as they lie on disk, sorted; linked folders are not followed."""
    found = (path for place in places(library, shelf) for path in (library.root / place).rglob("*.md"))
    return sorted(path for path in found if library.is_episode(path.relative_to(library.root).as_posix()))


def places(library: Library, shelf: str) -> list[str]:
    """Return the folders for the shelf's episodes, from the library's folder; links are not followed."""
    return [place for place in _places(library, shelf) if not _link_to(library, place)]


def linked_folders(library: Library) -> dict[str, str]:
    """Return shelf -> the first symbolic link, from the library's folder, for a folder of its files."""
    found = {name: next(_links(library, name), "") for name in _names_on_disk(library)}
    return {name: link for name, link in found.items() if link}


def damage(shelf: str, episode_id: str) -> str:
    """Say what is wrong with a damaged draft, and the way out."""
    return f"the draft cannot be read: `git update-ref -d {DRAFTS}{shelf}/{episode_id}` frees its id"


def read_file(path: Path, name: str) -> Document:
    """Read one episode file from disk under the path `name`; links, pipes and devices are faults.

    Raises OSError where the system cannot read it, as for a folder.
    """
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return Document(name, b"", fault=LINK_FAULT)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return Document(name, b"", fault=KIND_FAULT)
    with path.open("rb") as file:
        raw = file.read(MAX_EPISODE_BYTES + 1)
        size = os.fstat(file.fileno()).st_size
    return read_document(name, raw)._replace(unread=size if size > MAX_EPISODE_BYTES else 0)


def worktree_shelf(library: Library, name: str) -> Shelf:
    """Return the shelf as it lies on disk, uncommitted edits included, without drafts."""
    files = worktree_files(library, name)
    return assembled(
        library, name, [read_file(path, path.relative_to(library.root).as_posix()) for path in files]
    )


def assembled(library: Library, name: str, documents: Iterable[Document]) -> Shelf:
    """Return the shelf that the files make, without drafts."""
    return _shelf(library, name, [(name, "", document) for document in documents], [])


def worktree_names(library: Library) -> list[str]:
    """Return the names of the shelves on disk; a link is not followed to one."""
    names = _names_on_disk(library)
    return [name for name in names if not _link_to(library, library.home(name))]


def with_accepted(shelf: Shelf, entries: Sequence[Entry]) -> Shelf:
    """Return the shelf as it will be when `entries` are accepted."""
    new = {entry.episode.id for entry in entries}
    kept = [entry for entry in shelf.entries if entry.episode.id not in new]
    accepted = [entry._replace(state=State.ACCEPTED, commit="", amends=False) for entry in entries]
    return shelf._replace(entries=_superseded([*kept, *accepted]))


def _names_on_disk(library: Library) -> list[str]:
    if library.alone:
        return [library.alone.name]
    return sorted(path.parent.name for path in (library.root / SHELVES).glob(f"*/{manifest.NAME}"))


def _places(library: Library, shelf: str) -> list[str]:
    """Return the folders that hold the shelf's episodes, as paths from the library's folder."""
    home, docs = library.home(shelf), library.layout.docs_root
    return [f"{home}{docs}", f"{home}archive/{docs}"]


def _links(library: Library, shelf: str) -> Iterator[str]:
    for place in _places(library, shelf):
        link = _link_to(library, place)
        if link:
            yield link
            continue
        for folder, names, _ in os.walk(library.root / place):
            paths = (Path(folder, name) for name in sorted(names))
            yield from (path.relative_to(library.root).as_posix() for path in paths if path.is_symlink())


def _link_to(library: Library, path: str) -> str:
    """Return the first symbolic link on the way to a path from the library's folder, empty: none."""
    way = [part.as_posix() for part in (PurePosixPath(path), *PurePosixPath(path).parents)]
    return next((part for part in reversed(way) if part != "." and (library.root / part).is_symlink()), "")


def _shelf(
    library: Library,
    name: str,
    documents: Sequence[tuple[str, str, Document]],
    drafts: Sequence[tuple[Draft, str, Document]],
) -> Shelf:
    entries, unreadable = [], []
    for shelf, sha, document in documents:
        if shelf != name:
            continue
        if document.episode is None:
            unreadable.append(document)
            continue
        archived = document.path.startswith(f"{library.home(name)}archive/")
        state = State.ARCHIVED if archived else State.ACCEPTED
        entries.append(Entry(name, document.path, sha[:REV_LENGTH], state, document.episode))
    known = {entry.episode.id for entry in entries}
    mine = [(draft, sha, document.episode) for draft, sha, document in drafts if draft.shelf == name]
    proposed = [
        Entry(
            name,
            library.episode_path(name, read),
            sha[:REV_LENGTH],
            State.DRAFT,
            read,
            draft.commit,
            draft.id in known,
        )
        for draft, sha, read in mine
        if read and read.id == draft.id
    ]
    damaged = tuple(draft.id for draft, _, read in mine if not read or read.id != draft.id)
    return Shelf(name, _superseded(entries), tuple(proposed), tuple(unreadable), damaged)


def _stem(path: str) -> str:
    return unicodedata.normalize("NFC", PurePosixPath(path).stem)


def _superseded(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    gone = {old for entry in entries for old in entry.episode.supersedes}
    return tuple(
        entry
        if entry.state is State.ARCHIVED
        else entry._replace(state=State.SUPERSEDED if entry.episode.id in gone else State.ACCEPTED)
        for entry in entries
    )
