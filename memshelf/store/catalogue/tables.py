"""One episode as rows, and back."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from memshelf.formats import episode as episode_format
from memshelf.lines import day, has_open_threads, is_pinned, title, words
from memshelf.model import Entry, Episode, Section, State
from memshelf.store.catalogue.database import PARTS, SECURE_DELETE, Broken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.store.catalogue.database import Connection

KEYS = tuple(field.name for field in fields(Episode) if field.name not in ("sections", "other"))
COLUMNS = "shelf, path, rev, state, superseded, draft, source, amends, front, episode"
"""What `entry` makes an Entry of."""

PLACED = "UPDATE file SET amends=?, superseded=?, successor=?, label=?, listed=?, rank=? WHERE number=?"


def add(db: Connection, row: tuple[str | bytes | None, ...]) -> int:
    """Add a row for what nobody has read yet: shelf, path, draft, source, state, stem, fault or None."""
    columns = "shelf, path, draft, source, state, stem, fault"
    done = db.execute(f"INSERT INTO file ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    db.execute("INSERT INTO called VALUES (?, ?)", (str(row[5]).casefold(), done.lastrowid))
    return done.lastrowid or 0


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
    front, packed = episode_format.render_keys(episode), pack(episode)
    db.execute("INSERT INTO text VALUES (?, ?, ?)", (number, front.encode("utf-8", "surrogatepass"), packed))
    also = {plain(name).casefold() for name in (episode.id, entry.name)}
    db.executemany("INSERT OR IGNORE INTO called VALUES (?, ?)", [(name, number) for name in also])
    touched = {(entry.shelf, plain(episode.id))}
    if entry.state is not State.DRAFT:
        olds = [(number, entry.shelf, plain(old)) for old in episode.supersedes]
        db.executemany("INSERT INTO supersedes VALUES (?, ?, ?)", olds)
        touched |= {(shelf, old) for _, shelf, old in olds}
    return touched


def index(db: Connection, number: int, parts: Iterable[tuple[str, str]]) -> None:
    """Make an episode searchable by the terms of its parts, each (names, body)."""
    kept = list(parts)
    if len(kept) > PARTS:
        kept[PARTS - 1 :] = [(kept[0][0], " ".join(body for _, body in kept[PARTS - 1 :]))]
    db.executemany("INSERT INTO part (rowid, names, body) VALUES (?, ?, ?)", _placed_parts(number, kept))
    packed = zlib.compress(json.dumps(kept, ensure_ascii=False).encode(), 1)
    db.execute("INSERT INTO words VALUES (?, ?)", (number, packed))
    db.execute("UPDATE file SET searchable = 1 WHERE number = ?", (number,))


def forget(db: Connection, number: int) -> set[tuple[str, str]]:
    """Take a row out of every table; return each (shelf, id) whose place in the map that may change."""
    touched = set(db.execute("SELECT shelf, id FROM file WHERE number = ?", (number,)))
    touched |= set(db.execute("SELECT shelf, old FROM supersedes WHERE number = ?", (number,)))
    for (packed,) in db.execute("SELECT packed FROM words WHERE number = ?", (number,)).fetchall():
        command = "INSERT INTO part (part, rowid, names, body) VALUES ('delete', ?, ?, ?)"
        db.executemany(command, _placed_parts(number, _parts(packed)))
    db.execute("DELETE FROM file WHERE number = ?", (number,))
    return touched


def _parts(packed: bytes) -> list[tuple[str, str]]:
    """Read what `index` packed. Raises Broken when it is nothing of the kind."""
    try:
        return [(names, body) for names, body in json.loads(zlib.decompress(packed))]
    except (ValueError, TypeError, zlib.error) as error:
        raise Broken(f"an episode's words: {type(error).__name__}") from None


def _placed_parts(number: int, parts: Iterable[tuple[str, str]]) -> list[tuple[int, str, str]]:
    return [(number * PARTS + at, names, body) for at, (names, body) in enumerate(parts)]


def unindex(db: Connection) -> None:
    """Take every word out of the index."""
    db.execute("INSERT INTO part (part) VALUES ('delete-all')")
    db.execute("DELETE FROM words")
    db.execute("UPDATE file SET searchable = 0")


def wipe(db: Connection) -> None:
    """Let no word of removed text stay in the index: where SQLite only hides it, merge the index anew."""
    if not SECURE_DELETE:
        db.execute("INSERT INTO part (part) VALUES ('optimize')")


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
    shelf, path, rev, state, superseded, draft, source, amends, _, packed = row
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
    """Write an episode as JSON."""
    sections = [(part.heading, part.body, part.line) for part in episode.sections]
    values = [[getattr(episode, key) for key in KEYS], sections, episode.other]
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack(packed: bytes) -> Episode:
    """Read what `pack` wrote. Raises Broken when it is nothing of the kind."""
    try:
        values, sections, other = json.loads(packed.decode("utf-8", "surrogatepass"))
        keys = {key: _value(value) for key, value in zip(KEYS, values, strict=True)}
        return Episode(
            **keys,
            sections=tuple(Section(*part) for part in sections),
            other=tuple((key, _value(value)) for key, value in other),
        )
    except (ValueError, TypeError) as error:
        raise Broken(f"an episode's row: {type(error).__name__}") from None


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def plain(text: str) -> str:
    """Return `text` as SQLite takes it: lone surrogates replaced."""
    return text.encode("utf-8", "replace").decode()
