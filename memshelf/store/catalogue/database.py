"""The catalogue's file and its tables. The only module that knows SQLite.

A file's name is never used twice: whoever deletes the file in the middle of a write leaves nothing that
SQLite could take for the journal of the next one.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION = 9
"""Another number makes another file: raise it with every change of the tables or of what is put into them."""

PATIENCE = 3.0
"""Seconds to wait for another process's write."""

NAME = re.compile(r"catalogue-(?P<library>[0-9a-f]{12})-v(?P<version>\d+)-[0-9a-f]{32}\.sqlite(?P<tail>.*)")

Broken = sqlite3.Error
Connection = sqlite3.Connection

TABLES = """
CREATE TABLE state (refs TEXT NOT NULL, tip TEXT NOT NULL, terms TEXT NOT NULL DEFAULT '',
  meaning TEXT NOT NULL DEFAULT ''    -- the model of the vectors
);
INSERT INTO state (refs, tip) VALUES ('', '');
CREATE TABLE shelf (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE range (           -- each shelf's episodes have numbers of their own; how many can be read
  shelf TEXT PRIMARY KEY, start INTEGER NOT NULL, readable INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE file (            -- one episode file of the branch, or one draft
  number INTEGER PRIMARY KEY,
  shelf TEXT NOT NULL,
  path BLOB NOT NULL,          -- from the library's folder; a draft's is where it belongs
  draft TEXT NOT NULL,         -- the id in the draft's ref, empty for a file
  source TEXT NOT NULL,        -- the file's blob, the draft's commit
  state TEXT NOT NULL,         -- accepted, archived, draft
  stem TEXT NOT NULL,
  fault TEXT,                  -- why it cannot be read, empty: it can; NULL: nobody has tried yet
  fault_line INTEGER NOT NULL DEFAULT 0,
  searchable INTEGER NOT NULL DEFAULT 0,
  rev TEXT NOT NULL DEFAULT '',
  id TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL DEFAULT '',
  day TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '',   -- each between line ends
  title TEXT NOT NULL DEFAULT '',
  words TEXT NOT NULL DEFAULT '',
  pinned INTEGER NOT NULL DEFAULT 0,
  opened INTEGER NOT NULL DEFAULT 0,
  amends INTEGER NOT NULL DEFAULT 0,
  superseded INTEGER NOT NULL DEFAULT 0,
  successor TEXT NOT NULL DEFAULT '',
  label TEXT NOT NULL DEFAULT '',
  listed INTEGER NOT NULL DEFAULT 0,
  rank INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX by_path ON file (path) WHERE draft = '';
CREATE UNIQUE INDEX by_draft ON file (shelf, draft) WHERE draft != '';
CREATE INDEX by_id ON file (shelf, id);
CREATE INDEX by_state ON file (state, shelf);
CREATE INDEX by_rank ON file (rank DESC, id DESC, shelf) WHERE listed;
CREATE INDEX unread ON file (draft = '', stem DESC) WHERE fault IS NULL;
CREATE INDEX faulty ON file (shelf, draft) WHERE fault != '';
CREATE INDEX unsearchable ON file (stem DESC) WHERE fault = '' AND NOT searchable;

CREATE TABLE month (           -- how many lines of the map are of a month
  shelf TEXT, month TEXT, lines INTEGER, PRIMARY KEY (shelf, month)
) WITHOUT ROWID;
CREATE TRIGGER listed AFTER UPDATE OF listed ON file WHEN new.listed != old.listed BEGIN
  INSERT INTO month VALUES (new.shelf, substr(new.day, 1, 7), new.listed - old.listed)
  ON CONFLICT DO UPDATE SET lines = lines + excluded.lines;
END;
CREATE TRIGGER unlisted AFTER DELETE ON file WHEN old.listed BEGIN
  UPDATE month SET lines = lines - 1 WHERE shelf = old.shelf AND month = substr(old.day, 1, 7);
END;

CREATE TABLE called (folded TEXT, number INTEGER, PRIMARY KEY (folded, number)) WITHOUT ROWID;
CREATE INDEX called_number ON called (number);
CREATE TABLE supersedes (number INTEGER, shelf TEXT, old TEXT);
CREATE INDEX supersedes_old ON supersedes (shelf, old);
CREATE INDEX supersedes_number ON supersedes (number);
CREATE TABLE text (number INTEGER PRIMARY KEY, packed BLOB NOT NULL);

CREATE TABLE head (number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE body (number INTEGER PRIMARY KEY, vectors BLOB NOT NULL);

CREATE TABLE sound (            -- texts that doctor found nothing wrong with
  kind TEXT, mark BLOB, PRIMARY KEY (kind, mark)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE found USING fts5(names, digest, rest, content='', tokenize='ascii');
CREATE TABLE word (             -- in how many episodes of a shelf a term is
  shelf TEXT, term TEXT, episodes INTEGER NOT NULL, PRIMARY KEY (shelf, term)
) WITHOUT ROWID;
CREATE TRIGGER readable AFTER UPDATE OF fault ON file BEGIN
  UPDATE range SET readable = readable + ifnull(new.fault = '', 0) - ifnull(old.fault = '', 0)
  WHERE shelf = new.shelf;
END;
CREATE TRIGGER file_out AFTER DELETE ON file BEGIN
  DELETE FROM called WHERE number = old.number;
  DELETE FROM supersedes WHERE number = old.number;
  DELETE FROM text WHERE number = old.number;
  DELETE FROM head WHERE number = old.number;
  DELETE FROM body WHERE number = old.number;
  UPDATE range SET readable = readable - ifnull(old.fault = '', 0) WHERE shelf = old.shelf;
END;
"""
SETTINGS = "PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;"
SECURE_DELETE = sqlite3.sqlite_version_info >= (3, 42)
"""Whether FTS5 can delete for good; else what was deleted stays in its segments until they are merged."""

RANGE = 2**40
"""How many numbers a shelf's episodes have: FTS5 then looks at one shelf alone."""


def connect(folder: Path | None, library: str) -> tuple[Connection, Path | None]:
    """Open the file of the library whose key is `library` in `folder`, made if there is none.

    Without a folder the tables lie in memory. Raises Broken when the file is not one of ours.
    """
    path = _find(folder, library) if folder else None
    if path is None:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.executescript(TABLES)
        return connection, None
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", PATIENCE, isolation_level=None, uri=True)
        with contextlib.ExitStack() as undo:
            undo.callback(connection.close)
            connection.executescript(SETTINGS)
            if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                raise sqlite3.DatabaseError("another version")
            undo.pop_all()
    except Broken as error:
        give_up(error, path)
        raise
    return connection, path


@contextlib.contextmanager
def reading(connection: Connection) -> Iterator[None]:
    """See the tables as they are at one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextlib.contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """Change the tables alone, all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def give_up(error: Broken, path: Path | None) -> bool:
    """Remove a file that is damaged; tell whether trying again is no use, as another process holds it."""
    if path and not isinstance(error, sqlite3.OperationalError):
        _discard(path)
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL)


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _find(folder: Path, library: str) -> Path | None:
    """Return the library's file; None where none can be made. Of two made at once the first by name stays."""
    found = _files(folder, library)
    if not found:
        try:
            _make(folder, library)
        except (OSError, Broken):
            return None
        found = _files(folder, library)
    for extra in found[1:]:
        _discard(extra)
    return found[0] if found else None


def _files(folder: Path, library: str) -> list[Path]:
    return sorted(folder.glob(f"catalogue-{library}-v{VERSION}-*.sqlite"))


def _make(folder: Path, library: str) -> None:
    """Make an empty file beside and give it its name when it is whole; sweep up what older ones left."""
    final = folder / f"catalogue-{library}-v{VERSION}-{os.urandom(16).hex()}.sqlite"
    beside = final.with_name(f"{final.name}.new")
    beside.touch(mode=0o600, exist_ok=False)
    with contextlib.closing(sqlite3.connect(beside, isolation_level=None)) as connection:
        connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version={VERSION}; COMMIT;")
        if SECURE_DELETE:
            connection.execute("INSERT INTO found (found, rank) VALUES ('secure-delete', 1)")
    beside.rename(final)
    for path in folder.glob(f"catalogue-{library}-*"):
        found = NAME.fullmatch(path.name)
        owner = path.with_name(path.name.removesuffix(found["tail"])) if found else path
        if found and (int(found["version"]) < VERSION or not owner.exists()):
            _discard(path)
