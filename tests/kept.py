"""A catalogue in memory that holds given shelves, for tests of what is made of it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from memshelf.formats.settings import Settings
from memshelf.model import State
from memshelf.store.catalogue import Catalogue, tables
from memshelf.store.catalogue.database import connect
from memshelf.store.catalogue.fill import index_some
from memshelf.store.git import Git
from memshelf.store.library import Library

if TYPE_CHECKING:
    from memshelf.model import Entry, Shelf

PLACE = Path("/nowhere")
NOWHERE = Library(PLACE, Git(PLACE), PLACE, "", "refs/heads/main", Settings())


def kept(*shelves: Shelf, searchable: bool = False) -> Catalogue:
    """Return the catalogue of the shelves; an entry that is superseded stays so whatever supersedes it."""
    db, _ = connect(None, "")
    for shelf in shelves:
        db.execute("INSERT INTO shelf VALUES (?)", (shelf.name,))
        rows = {_add(db, one): one for one in (*shelf.entries, *shelf.drafts)}
        tables.place(db, {each for number, one in rows.items() for each in tables.put(db, number, one)})
        for number, one in rows.items():
            if one.state is State.SUPERSEDED:
                db.execute("UPDATE file SET superseded = 1, rank = 0 WHERE number = ?", (number,))
        for document in shelf.unreadable:
            tables.add(db, (shelf.name, document.path.encode(), "", "", "accepted", "", document.fault))
    while searchable and index_some(db):
        pass
    return Catalogue(db, NOWHERE)


def _add(db: tables.Connection, one: Entry) -> int:
    draft = one.episode.id if one.state is State.DRAFT else ""
    state = State.ACCEPTED if one.state is State.SUPERSEDED else one.state
    stem = PurePosixPath(one.path).stem
    return tables.add(db, (one.shelf, one.path.encode(), draft, "", state, tables.plain(stem), None))
