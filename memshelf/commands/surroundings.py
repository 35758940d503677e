"""Look for secrets in the files around a shelf's episodes, on disk and as committed. Asked by doctor."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from memshelf.commands.conventions import of_derived
from memshelf.commands.diagnosis import Unknown
from memshelf.derived.files import RENDERERS
from memshelf.formats import settings
from memshelf.model import MAX_EPISODE_BYTES
from memshelf.rules.facts import Facts, Raw
from memshelf.rules.shelf import examine
from memshelf.store import health, snapshot
from memshelf.store.disk import text_of
from memshelf.store.git import GitError
from memshelf.store.sides import blob_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memshelf.commands.examination import Files, Patient
    from memshelf.model import Conventions, Finding

REST = ("secret-at-rest",)


def surroundings(
    patient: Patient, shelves: Sequence[Files], asked: Mapping[str, Conventions], usual: Conventions
) -> Iterator[Finding | Unknown]:
    """Yield the secrets in every text that git tracks or does not ignore, the shelves' episodes aside.

    `asked` is shelf -> conventions, `usual` those of a file in no shelf. Of a file over the limit the
    beginning is looked at; what is binary, a link or a folder is not.
    """
    library, committed = patient.library, patient.committed.files
    try:
        listed = health.kept_files(library)
    except GitError as error:
        yield Unknown(REST, "", str(error))
        return
    judged = _by_file(patient, shelves, asked)
    for name, raw in patient.versions(settings.NAME):
        yield from _judged(patient, name, raw, patient.sound.mark(name, raw, usual), usual)
    for path in sorted({*listed, *committed}):
        shelf, _ = library.inside(path)
        if path == settings.NAME or (shelf in asked and library.is_episode(path)):
            continue
        yield from _of_file(patient, path, judged.get(path) or asked.get(shelf, usual))


def _by_file(
    patient: Patient, shelves: Sequence[Files], asked: Mapping[str, Conventions]
) -> dict[str, Conventions]:
    """Return path -> conventions of what a shelf's own do not fit: its patterns, and its derived files.

    A pattern may match itself, and a derived file repeats what a person lifted in an episode.
    """
    found: dict[str, Conventions] = {}
    for files in shelves:
        home, own = patient.library.home(files.name), asked[files.name]
        found[home + patient.library.layout.patterns] = own._replace(patterns=())
        derived = of_derived(own, (each.episode for each in files.sides.disk.values() if each.episode))
        found |= {home + name: derived for name in RENDERERS}
    return found


def _of_file(patient: Patient, path: str, conventions: Conventions) -> Iterator[Finding | Unknown]:
    """Yield what is wrong with the file on disk, and with the committed one where it is another."""
    try:
        raw = _read(patient.library.root / path)
    except OSError as error:
        yield Unknown(REST, path, f"cannot be read: {error.strerror}: mend its permissions")
        return
    if raw is not None:
        yield from _judged(patient, path, raw, patient.sound.mark(path, raw, conventions), conventions)
    mode, sha = patient.committed.files.get(path, ("", ""))
    if not sha or mode == snapshot.SYMLINK:
        return
    if raw is not None and (len(raw) > MAX_EPISODE_BYTES or blob_id(raw, sha) == sha):
        return
    name = patient.label + path
    mark = patient.sound.mark(name, sha.encode(), conventions)
    if mark in patient.sound.known:
        patient.sound.seen.add(mark)
        return
    there = patient.library.git.read([sha], MAX_EPISODE_BYTES + 1)[0][1]
    if raw is None or there.replace(b"\r\n", b"\n") != raw.replace(b"\r\n", b"\n"):
        yield from _judged(patient, name, there, mark, conventions)


def _judged(
    patient: Patient, name: str, raw: bytes, mark: bytes, conventions: Conventions
) -> Iterator[Finding | Unknown]:
    sound = patient.sound
    text = None if mark in sound.known else text_of(raw[:MAX_EPISODE_BYTES])
    found = [] if text is None else examine(Facts(texts=(Raw(name, text),)), conventions)
    large = len(raw) > MAX_EPISODE_BYTES and text is not None
    if large:
        yield Unknown(REST, name, "only its first 2 MB were looked at: cut it, or keep it elsewhere")
    if not found and not large:
        sound.seen.add(mark)
    yield from found


def _read(file: Path) -> bytes | None:
    """Return the file's bytes, cut behind the limit; None where there is no regular file."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return None
        with file.open("rb") as content:
            return content.read(MAX_EPISODE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
