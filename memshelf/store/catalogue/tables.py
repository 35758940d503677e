"""One episode as rows, and back."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from memshelf import terms
from memshelf.formats import episode as episode_format
from memshelf.lines import day, has_open_threads, is_pinned, title, words
from memshelf.model import Entry, Episode, Section, State
from memshelf.store.catalogue.database import RANGE, SECURE_DELETE, Broken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.store.catalogue.database import Connection

KEYS = tuple(name for name in Episode._fields if name not in ("sections", "other"))
COLUMNS = "shelf, path, rev, state, superseded, draft, source, amends, packed"
"""What `entry` makes an Entry of."""

SHELF_AND_TEXT = "SELECT shelf, packed FROM file JOIN text USING (number)"
COUNTED = (
    "INSERT INTO word VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET episodes = episodes + excluded.episodes"
)
ROOM = " " * 250
"""Stands in a row until it is read: a row that grows leaves its page half empty."""

PACKED = 4
LEVEL = 6
"""Of zlib: a text of 2 kB takes 0.1 ms and a third of its size."""

PLACED = "UPDATE file SET amends=?, superseded=?, successor=?, label=?, listed=?, rank=? WHERE number=?"


def add(db: Connection, row: tuple[str | bytes | None, ...]) -> int:
    """Add a row for what nobody has read yet: shelf, path, draft, source, state, stem, fault or None."""
    columns = "shelf, path, draft, source, state, stem, fault"
    start = _start(db, str(row[0]))
    last = db.execute("SELECT max(number) FROM file WHERE number BETWEEN ? AND ?", (start, start + RANGE - 1))
    number = (last.fetchone()[0] or start) + 1
    done = db.execute(
        f"INSERT INTO file (number, {columns}, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (number, *row, ROOM),
    )
    db.execute("INSERT INTO called VALUES (?, ?)", (str(row[5]).casefold(), done.lastrowid))
    return done.lastrowid or 0


def _start(db: Connection, shelf: str) -> int:
    """Return where the shelf's numbers start, after those of all others when it has none yet."""
    known = db.execute("SELECT start FROM range WHERE shelf = ?", (shelf,)).fetchone()
    if known is None:
        known = db.execute("SELECT ifnull(max(start) + ?, 0) FROM range", (RANGE,)).fetchone()
        db.execute("INSERT INTO range (shelf, start) VALUES (?, ?)", (shelf, *known))
    return int(known[0])


def put(db: Connection, number: int, entry: Entry) -> set[tuple[str, str]]:
    """Write what the tables say of a readable episode; return each (shelf, id) whose place it may change."""
    episode = entry.episode
    row = {
        "number": number,
        "path": entry.path.encode("utf-8", "surrogateescape"),
        "rev": entry.rev,
        "id": plain(episode.id),
        "name": plain(entry.name),
        "kind": plain(episode.kind),
        "day": day(episode),
        "tags": plain("".join(f"\n{tag}" for tag in episode.tags) + "\n"),
        "title": title(episode),
        "words": words(episode),
        "pinned": is_pinned(episode),
        "opened": has_open_threads(episode),
    }
    assigned = ", ".join(f"{column} = :{column}" for column in row if column != "number")
    db.execute(f"UPDATE file SET fault = '', {assigned} WHERE number = :number", row)
    db.execute("INSERT INTO text VALUES (?, ?)", (number, pack(episode)))
    also = {plain(name).casefold() for name in (episode.id, entry.name)}
    db.executemany("INSERT OR IGNORE INTO called VALUES (?, ?)", [(name, number) for name in also])
    touched = {(entry.shelf, plain(episode.id))}
    if entry.state is not State.DRAFT:
        olds = [(number, entry.shelf, plain(old)) for old in episode.supersedes]
        db.executemany("INSERT INTO supersedes VALUES (?, ?, ?)", olds)
        touched |= {(shelf, old) for _, shelf, old in olds}
    return touched


def index(db: Connection, shelf: str, rows: Iterable[tuple[int, bytes]]) -> None:
    """Make episodes of a shelf searchable: each its number and its row of `text`."""
    words: Counter[str] = Counter()
    for number, packed in rows:
        columns = terms.columns(unpack(packed))
        db.execute("INSERT INTO found (rowid, names, digest, rest) VALUES (?, ?, ?, ?)", (number, *columns))
        db.execute("UPDATE file SET searchable = 1 WHERE number = ?", (number,))
        words.update(_distinct(columns))
    db.executemany(COUNTED, [(shelf, *each) for each in words.items()])


def forget(db: Connection, number: int) -> set[tuple[str, str]]:
    """Take a row out of every table; return each (shelf, id) whose place in the map that may change."""
    touched = set(db.execute("SELECT shelf, id FROM file WHERE number = ?", (number,)))
    touched |= set(db.execute("SELECT shelf, old FROM supersedes WHERE number = ?", (number,)))
    _unindex(db, number)
    db.execute("DELETE FROM file WHERE number = ?", (number,))
    return touched


def _unindex(db: Connection, number: int) -> None:
    """Take an episode's words out of the index: they are made anew, as FTS5 wants to be told them."""
    row = db.execute(f"{SHELF_AND_TEXT} WHERE searchable AND number = ?", (number,)).fetchone()
    if row is None:
        return
    if db.execute("SELECT terms FROM state").fetchone()[0] != terms.version():
        clear(db)
        return
    shelf, columns = row[0], terms.columns(unpack(row[1]))
    command = "INSERT INTO found (found, rowid, names, digest, rest) VALUES ('delete', ?, ?, ?, ?)"
    db.execute(command, (number, *columns))
    gone = [(shelf, term) for term in _distinct(columns)]
    db.executemany("UPDATE word SET episodes = episodes - 1 WHERE shelf = ? AND term = ?", gone)
    db.executemany("DELETE FROM word WHERE shelf = ? AND term = ? AND episodes = 0", gone)


def _distinct(columns: Iterable[str]) -> set[str]:
    return set(" ".join(columns).split())


def clear(db: Connection) -> None:
    """Take every word out of the index."""
    db.execute("INSERT INTO found (found) VALUES ('delete-all')")
    db.execute("DELETE FROM word")
    db.execute("UPDATE file SET searchable = 0")


def wipe(db: Connection) -> None:
    """Let no word of removed text stay in the index: where SQLite only hides it, merge the index anew."""
    if not SECURE_DELETE:
        db.execute("INSERT INTO found (found) VALUES ('optimize')")


def place(db: Connection, touched: Iterable[tuple[str, str]]) -> None:
    """Settle what depends on other episodes: what replaced it, which draft amends it, where it stands."""
    for shelf, episode_id in touched:
        rows = db.execute(
            "SELECT number, state, max(pinned * 2, opened) FROM file "
            "WHERE shelf = ? AND id = ? AND fault = ''",
            (shelf, episode_id),
        ).fetchall()
        newer = db.execute(
            "SELECT max(name) FROM supersedes JOIN file USING (number) "
            "WHERE supersedes.shelf = ? AND old = ?",
            (shelf, episode_id),
        ).fetchone()[0]
        states = {state for _, state, _ in rows}
        for number, state, rank in rows:
            db.execute(PLACED, (*_placed(state, states, newer, rank), number))


def _placed(state: str, states: set[str], newer: str | None, rank: int) -> tuple[Any, ...]:
    draft = state == State.DRAFT
    amends = draft and bool(states - {State.DRAFT})
    superseded = newer is not None and state == State.ACCEPTED
    pending = amends if draft else State.DRAFT in states
    label = "amend pending" if pending else "draft" if draft else ""
    listed = state == State.ACCEPTED or (draft and State.ACCEPTED not in states)
    return amends, superseded, newer or "", label, listed, 0 if superseded else rank


def entry(row: tuple[Any, ...]) -> Entry:
    """Make an Entry of the columns that COLUMNS names. Raises Broken when they make none."""
    shelf, path, rev, state, superseded, draft, source, amends, packed = row
    return Entry(
        shelf,
        path.decode("utf-8", "surrogateescape"),
        rev,
        State.SUPERSEDED if superseded else State(state),
        unpack(packed),
        source if draft else "",
        bool(amends),
    )


def pack(episode: Episode) -> bytes:
    """Write an episode, and its front matter as it stands in the file, as compressed JSON."""
    sections = [(part.heading, part.body, part.line) for part in episode.sections]
    front = episode_format.render_keys(episode)
    values = [front, [getattr(episode, key) for key in KEYS], sections, episode.other]
    return zlib.compress(json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass"), LEVEL)


def front(packed: bytes) -> str:
    """Return the front matter that `pack` wrote. Raises Broken as `unpack` does."""
    return str(_loaded(packed)[0])


def unpack(packed: bytes) -> Episode:
    """Read the episode that `pack` wrote. Raises Broken when it is nothing of the kind."""
    try:
        _, values, sections, other = _loaded(packed)
        keys = {key: _value(value) for key, value in zip(KEYS, values, strict=True)}
        return Episode(
            **keys,
            sections=tuple(Section(*part) for part in sections),
            other=tuple((key, _value(value)) for key, value in other),
        )
    except (ValueError, TypeError) as error:
        raise Broken(f"an episode's row: {type(error).__name__}") from None


def _loaded(packed: bytes) -> list[Any]:
    try:
        values = json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))
        return [*values] if len(values) == PACKED else []
    except (ValueError, TypeError, zlib.error) as error:
        raise Broken(f"an episode's row: {type(error).__name__}") from None


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def plain(text: str) -> str:
    """Return `text` as SQLite takes it: lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode()
