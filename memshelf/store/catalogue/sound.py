"""Files that were looked at before without a finding: doctor need not judge them again."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import memshelf
from memshelf.checksum import checksum
from memshelf.store import state
from memshelf.store.catalogue.consult import key_of
from memshelf.store.catalogue.database import Broken, connect, writing

if TYPE_CHECKING:
    from memshelf.model import Conventions
    from memshelf.store.catalogue.database import Connection
    from memshelf.store.library import Library


@dataclass(frozen=True, slots=True)
class Sound:
    """The marks of files without a finding: `known` from the last time, `seen` this time.

    A mark is of a file's path and bytes, all else that it was judged by, and the code that judges. The day
    is not in it: what was no day ahead then is none later.
    """

    kind: str
    code: bytes
    known: frozenset[bytes]
    seen: set[bytes] = field(default_factory=set)

    def mark(self, path: str, raw: bytes, conventions: Conventions, other: object = "") -> bytes:
        """Return the mark of a file; `other` is what it was judged by beside its shelf's conventions."""
        asked = (
            conventions.markers,
            conventions.rules_off,
            conventions.patterns,
            conventions.adopted,
            conventions.screening,
        )
        facts = f"{path}\0{asked!r}\0{other!r}\0".encode("utf-8", "surrogateescape")
        return checksum(self.code + facts + raw)


def recall(library: Library, kind: str) -> Sound:
    """Return what is known of a kind of files; nothing where the catalogue cannot be kept."""
    known: frozenset[bytes] = frozenset()
    with contextlib.suppress(Broken), _tables(library) as db:
        known = frozenset(mark for (mark,) in db.execute("SELECT mark FROM sound WHERE kind = ?", (kind,)))
    return Sound(kind, _code(), known)


def keep(library: Library, sound: Sound) -> None:
    """Keep the marks of this time in place of the others."""
    if sound.seen == sound.known:
        return
    with contextlib.suppress(Broken), _tables(library) as db, writing(db):
        db.execute("DELETE FROM sound WHERE kind = ?", (sound.kind,))
        db.executemany("INSERT INTO sound VALUES (?, ?)", [(sound.kind, mark) for mark in sorted(sound.seen)])


def _tables(library: Library) -> contextlib.closing[Connection]:
    return contextlib.closing(connect(state.folder_of(library.common), key_of(library))[0])


def _code() -> bytes:
    """Name the code that judges by its files, so that a changed rule looks at everything anew."""
    root = Path(memshelf.__file__).parent
    files = ((path, path.stat()) for end in ("py", "jsonl") for path in sorted(root.rglob(f"*.{end}")))
    facts = [(path.relative_to(root).as_posix(), facts.st_size, facts.st_mtime_ns) for path, facts in files]
    return checksum(repr(facts).encode())
