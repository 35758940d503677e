"""What doctor judges: the facts of a library on a day, from disk and Git. Asked by doctor; no verb itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.commands.shelving import derived_files
from memshelf.errors import FormatError
from memshelf.formats import manifest
from memshelf.formats.episode import decode, read_document
from memshelf.rules import RULES
from memshelf.rules.facts import Broken, Derived, Named, Raw, Ref
from memshelf.rules.keys import ID
from memshelf.store import health, snapshot
from memshelf.store.disk import read_bytes
from memshelf.store.library import SHELVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memshelf.model import Document, Shelf
    from memshelf.store.health import Proposed
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

DERIVED = ("derived-out-of-date", "derived-pending", "derived-edited")


@dataclass(frozen=True, slots=True)
class Unknown:
    """What could not be looked at: the rules that were to judge it, where, and why not."""

    rules: tuple[str, ...]
    path: str
    why: str

    def __str__(self) -> str:
        """Return `path: unknown: why`."""
        return f"{self.path}: unknown: {self.why}" if self.path else f"unknown: {self.why}"


@dataclass(frozen=True, slots=True)
class Files:
    """One shelf's episode files, path -> file, on disk and on the branch; `view` is the branch's shelf."""

    view: Shelf
    disk: dict[str, Document]
    branch: dict[str, Document]

    @property
    def differing(self) -> list[Document]:
        """The committed files that are not the same on disk, line ends aside."""
        return [
            document
            for path, document in self.branch.items()
            if path not in self.disk or _text(self.disk[path].raw) != _text(document.raw)
        ]

    @property
    def ids(self) -> set[str]:
        """Every id of the shelf, committed or not."""
        return {each.id for files in (self.disk, self.branch) for each in map(named, files.values())}


@dataclass(frozen=True, slots=True)
class Patient:
    """The library that is looked at, on a day, with what Git says of it once."""

    library: Library
    seen: Snapshot
    today: str
    changes: dict[str, str]
    proposals: tuple[Proposed, ...]

    @property
    def label(self) -> str:
        """What stands before the path of a committed file."""
        return f"{self.library.branch.removeprefix('refs/heads/')}:{self.library.prefix}"

    def texts(self, path: str) -> Iterator[Raw]:
        """Yield the file's text on disk, and the committed one where it is another."""
        here, there = read_bytes(self.library.root / path), health.committed_bytes(self.seen, path)
        if here is not None:
            yield Raw(path, here.decode("utf-8", "replace"))
        if there is not None and there != here:
            yield Raw(self.label + path, there.decode("utf-8", "replace"))


def derived(patient: Patient, files: Files) -> Iterator[Derived | Unknown]:
    """Yield every derived file on disk, and the committed one where it is another.

    What another tool renders is its own affair.
    """
    if patient.library.foreign:
        return
    library, name, seen = patient.library, files.view.name, patient.seen
    bot = library.settings.derived == "bot"
    committed = derived_files(library, files.view, patient.today)
    if name not in snapshot.worktree_names(library):  # a sparse checkout leaves the shelf out
        for path, text in committed.items():
            yield Derived(patient.label + path, health.committed_bytes(seen, path), text, text, bot=bot)
        return
    try:
        fresh = derived_files(library, snapshot.worktree_shelf(library, name), patient.today)
        here = {path: read_bytes(library.root / path) for path in fresh}
    except OSError as error:
        yield Unknown(
            DERIVED, library.home(name), f"an episode cannot be read: {error.strerror}: mend that first"
        )
        return
    for path, text in fresh.items():
        there = health.committed_bytes(seen, path)
        both = [Derived(path, here[path], text, committed[path], bot=bot)]
        if seen.tip and there != here[path]:
            both.append(Derived(patient.label + path, there, committed[path], committed[path], bot=bot))
        for file in both:
            yield _dated(patient, name, path, file) if file.state == "edited" else file


def _dated(patient: Patient, name: str, path: str, file: Derived) -> Derived | Unknown:
    """Tell an older rendering from an edit: render the shelf as it was when the file was last changed."""
    then = health.when_last_changed(patient.seen, path)
    if then:
        old = derived_files(patient.library, then.load([name])[0], patient.today)
        file = file._replace(earlier=old[path])
    if file.state == "edited" and health.is_shallow(patient.library):
        why = "the clone is shallow, so an edit looks like an old rendering: `git fetch --unshallow`"
        return Unknown(DERIVED, file.path, why)
    return file


def files_of(patient: Patient, name: str) -> tuple[Files, list[Unknown]]:
    """Return a shelf's episode files, and those that cannot be read."""
    library, every = patient.library, tuple(RULES)
    unread = [
        Unknown(every, path, "the folder cannot be listed: `chmod u+rx` it")
        for path in health.closed_folders(library, name)
    ]
    disk = {}
    for path in snapshot.worktree_files(library, name):
        place = path.relative_to(library.root).as_posix()
        try:
            disk[place] = snapshot.read_file(path, place)
        except OSError as error:
            unread.append(Unknown(every, place, f"cannot be read: {error.strerror}: mend its permissions"))
    view = patient.seen.load([name])[0]
    return Files(view, disk, health.committed(patient.seen, view)), unread


def named(document: Document) -> Named:
    """Return what the rules about ids need; a file that is no readable episode has the id of its name."""
    stem = document.path.rpartition("/")[2].removesuffix(".md")
    if document.episode is None:
        return Named(document.path, stem)
    return Named(document.path, document.episode.id or stem, document.episode.supersedes)


def ref(one: Proposed, names: list[str], ids: set[tuple[str, str]]) -> Ref:
    """Return a draft's ref and its fault; `ids` are (shelf, id) of what is there, of whatever shape."""
    if one.file:
        return Ref(one.ref, "broken", one.file)
    if not one.id or "/" in one.id or not (ID.fullmatch(one.id) or (one.shelf, one.id) in ids):
        return Ref(one.ref, "name")
    if one.shelf not in names:
        return Ref(one.ref, "shelf")
    if one.raw is None:
        return Ref(one.ref, "lost")
    episode = read_document(one.ref, one.raw).episode
    return Ref(one.ref, "" if episode and episode.id == one.id else "alien")


def proposed(proposals: Iterable[Proposed]) -> Iterator[Raw]:
    """Yield the texts of drafts."""
    for one in proposals:
        if one.raw is not None:
            way_out = f"drop it with `git update-ref -d {one.ref}`"
            yield Raw(one.ref, one.raw.decode("utf-8", "replace"), way_out)


def broken_manifest(library: Library, path: str) -> list[Broken]:
    """Return what is wrong with a manifest."""
    raw = read_bytes(library.root / path)
    try:
        if raw is not None:
            manifest.parse(decode(raw))
    except FormatError as error:
        return [Broken(path, error.line, str(error))]
    return []


def without_manifest(library: Library, names: list[str]) -> Iterator[Broken]:
    """Yield what looks like a shelf and is none."""
    for folder in sorted((library.root / SHELVES).glob("*/")) if not library.alone else ():
        if folder.name not in names and snapshot.worktree_files(library, folder.name):
            way_out = f"`memshelf init {library.root} --shelf {folder.name}` adds it"
            yield Broken(
                f"{SHELVES}/{folder.name}/{manifest.NAME}",
                0,
                f"is not there, so nothing here is read: {way_out}",
            )


def _text(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n")
