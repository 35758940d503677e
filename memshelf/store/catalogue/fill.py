"""The catalogue follows Git: only what changed on the branch and among the drafts is read again."""

from __future__ import annotations

import time
import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memshelf import terms
from memshelf.checksum import checksum
from memshelf.errors import MemShelfError
from memshelf.formats import manifest
from memshelf.formats.episode import read_document
from memshelf.model import MAX_EPISODE_BYTES, REV_LENGTH, Entry, State
from memshelf.store import snapshot, watch
from memshelf.store.catalogue import tables
from memshelf.store.catalogue.database import writing
from memshelf.store.git import Blob, GitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Document
    from memshelf.store.catalogue.database import Connection
    from memshelf.store.library import Library

BATCH = 128
"""Episodes that are read in one transaction: others wait for it, and a killed one loses as much."""

DAMAGED = "damaged"
GONE = ""
FILES = "FROM file WHERE draft = ''"
UNREAD = "fault IS NULL"
LOST = f"fault != '' AND fault = '{snapshot.LOST_FAULT}'"
"""What git did not have when it was read, and may have by now."""

CALLED = "number IN (SELECT number FROM called WHERE folded = ?)"
UNSEARCHABLE = "fault = '' AND NOT searchable"
SHELF_IN = "INSERT OR IGNORE INTO shelf VALUES (?)"
SHELF_OUT = "DELETE FROM shelf WHERE name = ?"


def is_current(db: Connection, library: Library, *, words: bool) -> bool:
    """Tell whether the tables hold what Git has now, all of it read and, with `words`, searchable."""
    before = watch.branch_stamp(library)
    refs = _digest(library.git.listing(library.branch, snapshot.DRAFTS))
    if watch.branch_stamp(library) != before:  # git reads the branch first, and a draft may be on it by now
        return False
    known, version = db.execute("SELECT refs, terms FROM state").fetchone()
    if known != refs or (words and version != terms.version()):
        return False
    lacking = (UNREAD, LOST, UNSEARCHABLE) if words else (UNREAD, LOST)
    return not any(db.execute(f"SELECT 1 FROM file WHERE {which} LIMIT 1").fetchone() for which in lacking)


def fill(db: Connection, library: Library, first: str, *, words: bool) -> None:
    """Read what is missing, for as long as the library's patience lasts: `first`, drafts, then the newest.

    Every batch is kept: whoever comes next goes on. Processes that fill at once take turns.
    """
    deadline = time.monotonic() + library.patience
    left, told = _batch(db, library, first, words=words), False
    while left and time.monotonic() <= deadline:
        if library.progress:
            total = db.execute("SELECT count(*) FROM file").fetchone()[0]
            library.progress(total - left, total)
            told = True
        left = _batch(db, library, first, words=words)
    if library.progress and told:
        library.progress(0, 0)


def _batch(db: Connection, library: Library, first: str, *, words: bool) -> int:
    """Follow Git and read one batch; return how many episodes are left."""
    with writing(db):
        _follow(db, library)
        db.execute(f"UPDATE file SET fault = NULL WHERE {LOST}")
        _read(db, library, f"{UNREAD} AND {CALLED}", tables.plain(first).casefold())
        left = _read(db, library, f"{UNREAD} ORDER BY draft = '', stem DESC LIMIT {BATCH}")
        return index_some(db) if words and not left else left


def _digest(listing: str) -> str:
    return checksum(listing.encode("utf-8", "surrogateescape")).hex()


def _follow(db: Connection, library: Library) -> None:
    """Bring the list of files and drafts to what Git has now.

    The drafts are looked at before the branch: an episode that is accepted meanwhile is seen twice, not lost.
    """
    git = library.git
    drafts = git.listing(snapshot.DRAFTS)
    branch = git.listing(library.branch)
    known, tip = db.execute("SELECT refs, tip FROM state").fetchone()
    refs = _digest("\n".join(filter(None, (branch, drafts))))
    if refs == known:
        return
    new = branch.partition(" ")[0]
    broken = snapshot.broken_branch(library, new) if new != tip or not new else ""
    if broken:
        raise MemShelfError(broken)
    touched: set[tuple[str, str]] = set()
    if new != tip:
        touched |= _apply(db, library, _changed(db, library, tip, new))
    touched |= _apply_drafts(
        db, {(one.shelf, one.id): one.commit for one in snapshot.drafts_of(drafts) if one.id}
    )
    if touched:
        tables.wipe(db)
    tables.place(db, touched)
    db.execute("UPDATE state SET refs = ?, tip = ?", (refs, new))


def _changed(db: Connection, library: Library, old: str, new: str) -> list[Blob]:
    """Return the files that differ between the commits, an id of GONE for one that is no more.

    Where git cannot tell, that is every file, and no shelf is taken for known.
    """
    folder = snapshot.folder_of(library)
    if old and new:
        try:
            return library.git.changed(old, new, folder)
        except GitError:  # git has no longer got the old one
            pass
    files = {blob.path: blob for blob in library.git.blobs(new, folder)} if new else {}
    was = (path.decode("utf-8", "surrogateescape") for (path,) in db.execute(f"SELECT path {FILES}"))
    gone = [library.prefix + path for path in was if library.prefix + path not in files]
    db.execute("DELETE FROM shelf")
    return [*files.values(), *(Blob("", GONE, path) for path in gone)]


def _apply(db: Connection, library: Library, changed: Iterable[Blob]) -> set[tuple[str, str]]:
    touched: set[tuple[str, str]] = set()
    episodes = library.layout.episodes
    # What is read first gets the lowest number: rows that come in order fill their pages.
    for blob in sorted(changed, key=lambda blob: PurePosixPath(blob.path).stem, reverse=True):
        path = blob.path.removeprefix(library.prefix)
        shelf, inside = library.inside(path)
        if inside == manifest.NAME:
            there = blob.sha != GONE
            db.execute(SHELF_IN if there else SHELF_OUT, (shelf,))
        if not shelf or not episodes.fullmatch(inside):
            continue
        raw = path.encode("utf-8", "surrogateescape")
        touched |= _forget(db, f"SELECT number {FILES} AND path = ?", raw)
        if blob.sha != GONE:
            archived = path.startswith(f"{library.home(shelf)}archive/")
            state = State.ARCHIVED if archived else State.ACCEPTED
            stem = unicodedata.normalize("NFC", PurePosixPath(path).stem)
            fault = snapshot.LINK_FAULT if blob.mode == snapshot.SYMLINK else None
            tables.add(db, (shelf, raw, "", blob.sha, state, tables.plain(stem), fault))
    return touched


def _apply_drafts(db: Connection, drafts: dict[tuple[str, str], str]) -> set[tuple[str, str]]:
    rows = db.execute("SELECT shelf, draft, source FROM file WHERE draft != ''").fetchall()
    known = {(shelf, draft): commit for shelf, draft, commit in rows}
    touched: set[tuple[str, str]] = set()
    for shelf, draft in [key for key in known if known[key] != drafts.get(key)]:
        touched |= _forget(db, "SELECT number FROM file WHERE shelf = ? AND draft = ?", shelf, draft)
    for (shelf, draft), commit in drafts.items():
        if known.get((shelf, draft)) != commit:
            tables.add(db, (shelf, b"", draft, commit, State.DRAFT, draft, None))
    return touched


def _forget(db: Connection, numbers: str, *values: str | bytes) -> set[tuple[str, str]]:
    """Take what a query of ours finds out of the tables; return the (shelf, id) that this touches."""
    found = [number for (number,) in db.execute(numbers, values)]
    return {each for number in found for each in tables.forget(db, number)}


def _read(db: Connection, library: Library, which: str, *values: str) -> int:
    """Read some of what nobody has read yet; return how much is left when it was a whole batch."""
    query = f"SELECT number, shelf, path, draft, source, state FROM file WHERE {which}"
    rows = db.execute(query, values).fetchall()
    names = [f"{source}:{draft}.md" if draft else source for _, _, _, draft, source, _ in rows]
    texts = library.git.read(names, MAX_EPISODE_BYTES + 1)
    touched: set[tuple[str, str]] = set()
    for row, (sha, raw) in zip(rows, texts, strict=True):
        number, shelf, path, draft, commit, state = row
        document = read_document(draft or path.decode("utf-8", "surrogateescape"), raw)
        fault = _fault(document, sha, draft)
        if fault or document.episode is None:
            said = (fault, document.fault_line, number)
            db.execute("UPDATE file SET fault = ?, fault_line = ? WHERE number = ?", said)
            continue
        place = library.episode_path(shelf, document.episode) if draft else document.path
        entry = Entry(shelf, place, sha[:REV_LENGTH], State(state), document.episode, commit if draft else "")
        touched |= tables.put(db, number, entry)
    tables.place(db, touched)
    if len(rows) < BATCH:
        return 0
    return int(db.execute("SELECT count(*) FROM file WHERE fault IS NULL").fetchone()[0])


def _fault(document: Document, sha: str, draft: str) -> str:
    if not sha:
        return snapshot.LOST_FAULT
    if draft:
        return "" if document.episode and document.episode.id == draft else DAMAGED
    return document.fault


def index_some(db: Connection) -> int:
    """Make the newest episodes searchable that are not; return how many are left."""
    if db.execute("SELECT terms FROM state").fetchone()[0] != terms.version():
        tables.clear(db)
        db.execute("UPDATE state SET terms = ?", (terms.version(),))
    rows = db.execute(
        f"SELECT shelf, number, packed FROM file JOIN text USING (number) WHERE {UNSEARCHABLE} "
        "ORDER BY stem DESC LIMIT ?",
        (BATCH,),
    ).fetchall()
    for shelf in {shelf for shelf, _, _ in rows}:
        tables.index(db, shelf, [(number, packed) for of, number, packed in rows if of == shelf])
    if len(rows) < BATCH:
        return 0
    return int(db.execute(f"SELECT count(*) FROM file WHERE {UNSEARCHABLE}").fetchone()[0])
