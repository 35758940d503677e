"""What doctor judges of the derived files: as they are, and as they should be. No verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.commands.diagnosis import Unknown
from memshelf.commands.shelving import derived_files
from memshelf.derived.files import RENDERERS
from memshelf.rules.facts import Derived
from memshelf.store import health, snapshot
from memshelf.store.disk import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.commands.examination import Files, Patient
    from memshelf.model import Conventions, Shelf

DERIVED = ("derived-out-of-date", "derived-pending", "derived-edited")


def derived(patient: Patient, files: Files, conventions: Conventions) -> Iterator[Derived | Unknown]:
    """Yield every derived file on disk, and the committed one where it is another.

    What another tool renders is its own affair.
    """
    library = patient.library
    if library.foreign:
        return
    if files.sides.unread or files.too_large:
        what = "cannot be read" if files.sides.unread else "is over the limit"
        yield Unknown(DERIVED, library.home(files.name), f"an episode {what}: mend that first")
        return
    sound, marks = patient.sound, _marks(patient, files, conventions)
    if marks and sound.known.issuperset(marks.values()):
        sound.seen.update(marks.values())
        return
    shown = _renderings(patient, files)
    for path, (found, fresh, committed) in shown.items():
        for file in _both(patient, path, found, fresh, committed):
            sound.seen.update({marks[path]} if file.state == "fine" and path in marks else ())
            yield _dated(patient, files.name, path, file) if file.state == "edited" else file


def _marks(patient: Patient, files: Files, conventions: Conventions) -> dict[str, bytes]:
    """Return path -> mark of each derived file; nothing where disk and branch are not the same."""
    library = patient.library
    found: dict[str, bytes] = {}
    for path in [f"{library.home(files.name)}{name}" for name in RENDERERS] if files.is_committed else ():
        here = read_bytes(library.root / path)
        if here is None or here != patient.committed.bytes_of(path, here):
            return {}
        found[path] = patient.sound.mark(path, here, conventions, sorted(files.sides.revs.items()))
    return found


def _renderings(patient: Patient, files: Files) -> dict[str, tuple[bytes | None, bytes | None, bytes]]:
    """Return path -> what lies on disk, what is right there (None: no shelf on disk), what on the branch."""
    library, sides = patient.library, files.sides
    committed = _rendered(patient, snapshot.assembled(library, files.name, sides.branch.values()))
    if files.name not in snapshot.worktree_names(library):  # a sparse checkout leaves the shelf out
        return {path: (None, None, text) for path, text in committed.items()}
    fresh = committed
    if not files.is_committed:
        fresh = _rendered(patient, snapshot.assembled(library, files.name, sides.disk.values()))
    return {path: (read_bytes(library.root / path), fresh[path], committed[path]) for path in fresh}


def _rendered(patient: Patient, shelf: Shelf) -> dict[str, bytes]:
    return derived_files(patient.library, shelf, patient.today)


def _both(
    patient: Patient, path: str, here: bytes | None, fresh: bytes | None, committed: bytes
) -> Iterator[Derived]:
    bot = patient.library.settings.derived == "bot"
    there = patient.committed.bytes_of(path, here)
    if fresh is not None:
        on_branch = bool(patient.seen.tip) and there == here
        yield Derived(path, here, fresh, committed, bot=bot, on_branch=on_branch)
    if patient.seen.tip and (fresh is None or there != here):
        rendered = fresh is not None and here == committed
        yield Derived(
            patient.label + path, there, committed, committed, bot=bot, on_branch=True, rendered=rendered
        )


def _dated(patient: Patient, name: str, path: str, file: Derived) -> Derived | Unknown:
    """Tell an older rendering from an edit: render the shelf as it was when the file was last changed."""
    then = health.when_last_changed(patient.seen, path)
    if then:
        file = file._replace(earlier=_rendered(patient, then.load([name])[0])[path])
    if file.state == "edited" and health.is_shallow(patient.library):
        why = "the clone is shallow, so an edit looks like an old rendering: `git fetch --unshallow`"
        return Unknown(DERIVED, file.path, why)
    return file
