"""What doctor judges: the facts of a library on a day, from disk and Git. Asked by doctor; no verb itself."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.commands.diagnosis import Unknown
from memshelf.errors import FormatError
from memshelf.formats import manifest, settings
from memshelf.formats.episode import decode, read_document
from memshelf.model import REV_LENGTH
from memshelf.redact.pack import built_in
from memshelf.rules import RULES
from memshelf.rules.facts import Broken, Ground, Named, Raw, Ref
from memshelf.rules.keys import ID
from memshelf.rules.shelf import SHELF_RULES
from memshelf.store import health, snapshot
from memshelf.store.disk import read_bytes
from memshelf.store.library import SHELF_NAME, SHELVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memshelf.model import Document
    from memshelf.screening import Screening
    from memshelf.store.catalogue.sound import Sound
    from memshelf.store.health import Proposed
    from memshelf.store.library import Library
    from memshelf.store.sides import Committed, Sides
    from memshelf.store.snapshot import Snapshot

OLDEST_GIT = (2, 36)
ALLOWED = re.compile(r"\A[^\s@*]*@[^\s@*]+\.[^\s@*.]+\Z|(?:\d\D*){4}")
"""What `allow` can let stay: an address, an `@domain`, or what has as many digits as a number of a person."""

STATE = re.compile(
    r"(?:.*/)?(?:[^/]+\.(?:sqlite3?(?:-(?:wal|shm|journal))?|lock|yours)|landing\.json|\.DS_Store|Thumbs\.db)"
)
"""What is one machine's alone: databases, locks, our journal, what a repair kept aside, a desktop's files."""


@dataclass(frozen=True, slots=True)
class Files:
    """One shelf's episode files on both sides."""

    name: str
    sides: Sides

    @property
    def differing(self) -> list[Document]:
        """The committed files that are not the same on disk, line ends aside."""
        disk = self.sides.disk
        return [
            document
            for path, document in self.sides.branch.items()
            if path not in disk or not _is_same(disk[path], document)
        ]

    @property
    def is_committed(self) -> bool:
        """Whether disk and branch hold the same episodes."""
        return self.sides.disk.keys() == self.sides.branch.keys() and not self.differing

    @property
    def too_large(self) -> list[str]:
        """The paths of the files that were not read for their size."""
        sides = (self.sides.disk, self.sides.branch)
        return sorted({path for side in sides for path, document in side.items() if document.unread})

    @property
    def ids(self) -> set[str]:
        """Every id of the shelf, committed or not."""
        return {
            each.id for side in (self.sides.disk, self.sides.branch) for each in map(named, side.values())
        }

    @property
    def revs(self) -> dict[tuple[str, str], str]:
        """(shelf, id) -> rev of every committed episode."""
        sides = self.sides
        return {
            (self.name, named(document).id): sides.revs[path][:REV_LENGTH]
            for path, document in sides.branch.items()
        }


@dataclass(frozen=True, slots=True)
class Patient:
    """The library that is looked at, on a day, with what Git says of it once."""

    library: Library
    seen: Snapshot
    today: str
    changes: dict[str, str]
    proposals: tuple[Proposed, ...]
    committed: Committed
    sound: Sound

    @property
    def broken(self) -> str:
        """What is wrong with the branch's ref, empty: nothing."""
        return "" if self.seen.tip else snapshot.broken_branch(self.library, "")

    @property
    def label(self) -> str:
        """What stands before the path of a committed file."""
        return f"{self.library.branch.removeprefix('refs/heads/')}:{self.library.prefix}"

    def texts(self, path: str) -> Iterator[Raw]:
        """Yield the file's text on disk, and the committed one where it is another."""
        for name, raw in self.versions(path):
            yield Raw(name, raw.decode("utf-8", "replace"))

    def versions(self, path: str) -> Iterator[tuple[str, bytes]]:
        """Yield (name, bytes) of the file on disk, and of the committed one where it is another."""
        here = read_bytes(self.library.root / path)
        there = self.committed.bytes_of(path, here)
        if here is not None:
            yield path, here
        if there is not None and there != here:
            yield self.label + path, there


def unread(files: Files, label: str) -> Iterator[Unknown]:
    """Yield the files of which nothing, or nothing but the size, is known."""
    for path, why in files.sides.unread:
        yield Unknown(tuple(RULES), path, why)
    rest = tuple(rule for rule in RULES if rule != "file-too-large")
    for path in files.too_large:
        on_disk = files.sides.disk.get(path)
        where = path if on_disk and on_disk.unread else label + path
        yield Unknown(rest, where, "too large to be looked at: cut it first")


def named(document: Document) -> Named:
    """Return what the rules about ids need; a file that is no readable episode has the id of its name."""
    stem = document.path.rpartition("/")[2].removesuffix(".md")
    if document.episode is None:
        return Named(document.path, stem)
    return Named(document.path, document.episode.id or stem, document.episode.supersedes)


def raw(document: Document) -> Raw:
    """Return the text of an episode file."""
    return Raw(document.path, document.raw.decode("utf-8", "replace"))


def ref(one: Proposed, names: list[str], revs: dict[tuple[str, str], str], ids: set[tuple[str, str]]) -> Ref:
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
    fault = "" if episode and episode.id == one.id else "alien"
    if one.waits and not fault:
        fault = _outdated(revs.get((one.shelf, one.id), ""), one.base)
    return Ref(one.ref, fault, days=one.days * one.waits, address=f"{one.shelf}/{one.id}")


def _outdated(rev: str, base: str) -> str:
    if rev == base:
        return ""
    return "changed" if rev and base else "gone" if base else "exists"


def proposed(proposals: Iterable[Proposed]) -> Iterator[Raw]:
    """Yield the texts of drafts."""
    for one in proposals:
        if one.raw is not None:
            way_out = f"drop it with `git update-ref -d {one.ref}`"
            yield Raw(one.ref, one.raw.decode("utf-8", "replace"), way_out)


def broken_manifest(library: Library, path: str) -> list[Broken]:
    """Return what is wrong with a manifest."""
    content = read_bytes(library.root / path)
    try:
        if content is not None:
            manifest.parse(decode(content))
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


def idle_settings(library: Library, names: list[str]) -> Iterator[Broken]:
    """Yield what memshelf.yml says in vain; names that could hold anything are not repeated."""
    binding: defaultdict[str, list[str]] = defaultdict(list)
    for number, (name, own) in enumerate(library.settings.shelves.items(), 1):
        called = name if SHELF_NAME.fullmatch(name) else f"entry {number}"
        if name not in names:
            cause = f"shelves: {called}: no such shelf: correct the name, or add it with `memshelf init`"
            yield Broken(settings.NAME, 0, cause)
        unknown = [rule for rule in own.rules_off if rule not in RULES and rule not in SHELF_RULES]
        if unknown:
            cause = (
                f"shelves: {called}: rules_off: {len(unknown)} of them no rule: `memshelf explain` lists all"
            )
            yield Broken(settings.NAME, 0, cause)
        for cause in _idle_redact(own.redact):
            yield Broken(settings.NAME, 0, f"shelves: {called}: redact: {cause}")
        for project in dict.fromkeys(own.projects):
            binding[project.removesuffix("/").removesuffix(".git")].append(called)
    for shelves in binding.values():
        if len(shelves) > 1:
            cause = f"projects: {' and '.join(shelves)} bind the same project: keep it in one of them"
            yield Broken(settings.NAME, 0, cause)


def _idle_redact(own: Screening) -> Iterator[str]:
    """Yield what a shelf's `redact` says in vain."""
    known = built_in().names() if own.off else set()
    unknown = sum(name not in known for name in own.off)
    if unknown:
        yield f"off: {unknown} of them no rule and no kind: `memshelf redact --explain` names those of a text"
    idle = [str(number) for number, entry in enumerate(own.allow, 1) if not ALLOWED.search(entry)]
    if idle:
        yield f"allow: entry {', '.join(idle)}: no address, `@domain` or number: correct it, or take it out"


def ground(patient: Patient, lost_branch: str) -> Ground:
    """Look at Git around the library."""
    library = patient.library
    version = health.git_version(library)
    commits = library.settings.review == "off" or any(one.waits for one in patient.proposals)
    common = f"{library.common}/"
    index_lock = health.left_index_lock(library)
    remotes = library.git.ask("remote").split() if lost_branch else []
    return Ground(
        old_git=".".join(map(str, version)) if version and version < OLDEST_GIT else "",
        lost_branch="" if patient.broken else lost_branch,
        broken_branch=patient.broken,
        remote="origin" if "origin" in remotes else next(iter(remotes), ""),
        nobody=commits and not health.knows_person(library),
        locks=tuple(str(lock).removeprefix(common) for lock in health.left_locks(library)),
        index_lock=str(index_lock or "").removeprefix(common),
    )


def tracked_state(patient: Patient) -> Iterator[str]:
    """Yield the committed files below the shelves that are one machine's alone."""
    library = patient.library
    folders = (f"{library.layout.docs_root}/", "archive/", "experience/") if library.alone else ("",)
    for path in sorted(patient.committed.files):
        if path.startswith(folders) and STATE.fullmatch(path):
            yield path


def _is_same(here: Document, there: Document) -> bool:
    if here.unread or there.unread:
        return here is there
    return here.raw == there.raw or here.raw.replace(b"\r\n", b"\n") == there.raw.replace(b"\r\n", b"\n")
