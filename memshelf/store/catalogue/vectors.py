"""What episodes mean, as vectors of one model beside their text: made in batches, gone with the text."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from memshelf.store.catalogue.database import writing
from memshelf.store.catalogue.tables import unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Episode
    from memshelf.store.catalogue.database import Connection

BATCH = 16
"""Episodes whose vectors are made before they are kept."""

LACKING = (
    "SELECT number FROM file WHERE fault = '' AND number NOT IN (SELECT number FROM {}) ORDER BY stem DESC"
)
TEXTS = "SELECT number, packed FROM text WHERE number IN ({})"
KEEP = "INSERT OR REPLACE INTO {} SELECT number, ? FROM text WHERE number = ? AND packed = ?"
"""The number may by now be another episode's: then its text is another."""


class Meaning(Protocol):
    """What makes the vectors. Those of another `name`, a model and its version, are thrown away."""

    @property
    def name(self) -> str:
        """The model, its version and the way it is used."""

    def heads(self, episodes: Sequence[Episode]) -> list[bytes]:
        """Return one vector an episode: of its names and its digest."""

    def bodies(self, episodes: Sequence[Episode]) -> list[bytes]:
        """Return the vectors of each episode's sections, joined."""


def is_complete(db: Connection, meaning: Meaning) -> bool:
    """Tell whether every episode that can be read has its vectors."""
    lacking = (db.execute(f"{LACKING.format(table)} LIMIT 1").fetchone() for table in ("head", "body"))
    return _is_of(db, meaning) and not any(lacking)


def fill(db: Connection, meaning: Meaning, patience: float) -> None:
    """Make the vectors that are lacking for `patience` seconds: heads first, the newest episodes first."""
    deadline = time.monotonic() + patience
    if not _is_of(db, meaning):
        with writing(db):
            db.execute("DELETE FROM head")
            db.execute("DELETE FROM body")
            db.execute("UPDATE state SET meaning = ?", (meaning.name,))
    for table, make in (("head", meaning.heads), ("body", meaning.bodies)):
        numbers = [number for (number,) in db.execute(LACKING.format(table))]
        for at in range(0, len(numbers), BATCH):
            some = numbers[at : at + BATCH]
            rows = db.execute(TEXTS.format(", ".join("?" * len(some))), some).fetchall()
            made = make([unpack(packed) for _, packed in rows])  # outside of a transaction: it is slow
            with writing(db):
                if not _is_of(db, meaning):
                    return
                kept = [(vector, *row) for vector, row in zip(made, rows, strict=True)]
                db.executemany(KEEP.format(table), kept)
            if time.monotonic() > deadline:
                return


def _is_of(db: Connection, meaning: Meaning) -> bool:
    return bool(db.execute("SELECT meaning FROM state").fetchone()[0] == meaning.name)
