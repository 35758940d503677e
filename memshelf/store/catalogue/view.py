"""What a command asks of the catalogue, at one moment."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memshelf.lines import Line, Listing
from memshelf.model import Document, Entry, Shelf, State
from memshelf.store.catalogue.database import RANGE
from memshelf.store.catalogue.tables import COLUMNS, entry, front, plain, unpack
from memshelf.terms import UNSPACED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memshelf.model import Episode
    from memshelf.store.catalogue.database import Connection
    from memshelf.store.library import Library

LINE = "name, shelf, title, words, day, pinned, opened, superseded, successor, label, rank"
MONTHS = "SELECT substr(day, 1, 7), count(*) FROM file"
WEIGHTS = "bm25(3.0, 2.0, 1.0)"
"""Of an episode's names, its digest, the rest."""

MOST_VALUES = 500
LAST = "\U0010ffff"
RANK = "rank DESC, id DESC, shelf"
ENTRIES = f"SELECT {COLUMNS} FROM file JOIN text USING (number)"


class Catalogue:
    """The library's branch and drafts at one moment."""

    def __init__(self, db: Connection, library: Library) -> None:
        """Look at `library` through the catalogue that is open as `db`."""
        self.db = db
        self.library = library

    @cached_property
    def tip(self) -> str:
        """The branch's commit, empty when there is none yet."""
        return str(self.db.execute("SELECT tip FROM state").fetchone()[0])

    @cached_property
    def names(self) -> list[str]:
        """The shelves on the branch, sorted."""
        return [name for (name,) in self.db.execute("SELECT name FROM shelf ORDER BY name")]

    @cached_property
    def unread(self) -> int:
        """How many episodes could not be read yet: the catalogue is being made, the newest first."""
        return self.count("fault IS NULL")

    @property
    def remark(self) -> str:
        """What an answer must say of a catalogue that is not complete, empty when it is."""
        return self._so_far(self.unread)

    @property
    def search_remark(self) -> str:
        """What an answer by words must say of a catalogue that is not complete, empty when it is."""
        return self._so_far(self.unread + self.count("fault = '' AND NOT searchable"))

    @property
    def meaning_remark(self) -> str:
        """What an answer by meaning must say of vectors that are not complete, empty when they are."""
        left = self.count("fault = '' AND number NOT IN (SELECT number FROM body)")
        return f"By meaning {left} episodes are not read yet; the next call goes on." if left else ""

    def vectors(self, table: str, condition: str, values: Sequence[object]) -> Iterator[tuple[int, bytes]]:
        """Yield (number, vectors joined) of `head` or `body` where an SQL condition of ours holds."""
        query = (
            f"SELECT number, {table}.* FROM {table} JOIN file USING (number) WHERE fault = '' AND {condition}"
        )
        return ((row[0], row[-1]) for row in self.db.execute(query, values))

    def _so_far(self, left: int) -> str:
        total = self.count("1") if left else 0
        first = (
            f"first reading of a large library: {total - left} of {total} episodes so far, the newest first"
        )
        return f"{first}; the next call goes on" if left else ""

    def listing(self, names: Sequence[str], tag: str = "", since: str = "") -> Listing:
        """Return the map of the shelves: what has the tag, and is not older than the ISO date."""
        values = tuple(names) or ("",)
        on = f"shelf IN ({', '.join('?' * len(values))})"
        months = self._months(f"SELECT month, sum(lines) FROM month WHERE lines AND {on} GROUP BY 1", values)
        where, wanted = f"listed AND {on}", values
        if tag:
            where, wanted = f"{where} AND instr(tags, ?)", (*wanted, f"\n{plain(tag)}\n")
        if since:
            where, wanted = f"{where} AND day >= ?", (*wanted, since)

        def lines(start: int, count: int) -> list[Line]:
            query = (
                f"SELECT {LINE} FROM file INDEXED BY by_rank WHERE {where} ORDER BY {RANK} LIMIT ? OFFSET ?"
            )
            return [Line(*row) for row in self.db.execute(query, (*wanted, count, start))]

        return Listing(
            names=names,
            lines=lines,
            months=self._months(f"{MONTHS} WHERE {where} GROUP BY 1", wanted) if tag or since else months,
            total=months.total(),
            empty=[name for name in names if not self._holds_something(name)],
            archived=self.count(f"state = 'archived' AND fault = '' AND {on}", values),
            unreadable=self.count(f"fault != '' AND draft = '' AND {on}", values),
            damaged=self.count(f"fault != '' AND draft != '' AND {on}", values),
        )

    def _holds_something(self, shelf: str) -> bool:
        row = self.db.execute("SELECT 1 FROM file WHERE shelf = ? AND fault = '' LIMIT 1", (shelf,))
        return row.fetchone() is not None

    def count(self, condition: str, values: Sequence[str] = ()) -> int:
        """Return how many rows fulfil an SQL condition of ours."""
        return int(self.db.execute(f"SELECT count(*) FROM file WHERE {condition}", values).fetchone()[0])

    def rows(self, query: str, values: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Return the rows of a query of ours over the tables."""
        return self.db.execute(query, values)

    def readable(self, shelf: str) -> int:
        """Return how many episodes and drafts of the shelf can be read."""
        row = self.db.execute("SELECT readable FROM range WHERE shelf = ?", (shelf,)).fetchone()
        return int(row[0]) if row else 0

    def episodes_with(self, names: Sequence[str], terms: Iterable[str]) -> dict[str, int]:
        """Return term -> number of episodes of the shelves that have it, for those that are there."""
        found: Counter[str] = Counter()
        wanted = sorted(map(plain, terms))
        for at in range(0, len(wanted), MOST_VALUES):
            some = wanted[at : at + MOST_VALUES]
            query = f"SELECT term, episodes FROM word WHERE shelf = ? AND term IN ({_marks(some)})"
            for name in names:
                for term, episodes in self.db.execute(query, (name, *some)):
                    found[term] += episodes
        return dict(found)

    def terms_like(self, names: Sequence[str], start: str, length: int, more: int) -> dict[str, int]:
        """Return term -> number of episodes of what starts so and is up to `more` longer or shorter."""
        query = (
            "SELECT term, episodes FROM word WHERE shelf = ? AND term BETWEEN ? AND ? "
            "AND length(term) BETWEEN ? AND ?"
        )
        found: Counter[str] = Counter()
        for name in names:
            limits = (name, plain(start), plain(start) + LAST, length - more, length + more)
            for term, episodes in self.db.execute(query, limits):
                found[term] += episodes
        return dict(found)

    def pairs_with(self, names: Sequence[str], character: str, limit: int) -> tuple[str, ...]:
        """Return the pairs that hold this character of a script without spaces, the commonest first."""
        query = (
            "SELECT term, episodes FROM word WHERE shelf = ? AND term > ? "
            "AND length(term) = 2 AND instr(term, ?)"
        )
        found: Counter[str] = Counter()
        for name in names:
            for term, episodes in self.db.execute(query, (name, UNSPACED[0], plain(character))):
                found[term] += episodes
        return tuple(term for term, _ in found.most_common(limit))

    def ranked(
        self, asked: str, names: Sequence[str], also: str, values: Sequence[str], limit: int
    ) -> list[tuple[int, float]]:
        """Return (number, score) of the `limit` best matches of an FTS5 query, the best first.

        `also` is an SQL condition of ours on the rows of `file`, empty for none.
        """
        starts = dict(self.db.execute("SELECT shelf, start FROM range").fetchall())
        ranges = [(starts[name], starts[name] + RANGE - 1) for name in names if name in starts]
        if starts.keys() <= set(names):
            ranges = [(0, RANGE * len(starts))]
        join = f"JOIN file ON number = found.rowid AND {also}" if also else ""
        query = (
            f"SELECT found.rowid, -found.rank FROM found {join} WHERE found MATCH ? "
            f"AND found.rank MATCH '{WEIGHTS}' AND found.rowid BETWEEN ? AND ? ORDER BY found.rank LIMIT ?"
        )
        found = [
            row
            for start, end in ranges
            for row in self.db.execute(query, (*values, asked, start, end, limit))
        ]
        return sorted(found, key=lambda row: -row[1])[:limit]

    def _months(self, query: str, values: Sequence[str]) -> Counter[str]:
        return Counter(dict(self.db.execute(query, values)))

    def ids(self) -> list[tuple[str, str]]:
        """Return (shelf, id) of every episode file and draft."""
        return self.db.execute("SELECT shelf, stem FROM file").fetchall()

    def ids_of(self, shelf: str) -> list[str]:
        """Return the name of everything on the shelf that can be read."""
        rows = self.db.execute("SELECT name FROM file WHERE shelf = ? AND fault = ''", (shelf,))
        return [name for (name,) in rows]

    def shelves_with(self, episode_id: str) -> list[str]:
        """Return the shelves that have a file or draft called so, whatever its case."""
        query = "SELECT DISTINCT shelf FROM file JOIN called USING (number) WHERE folded = ? ORDER BY shelf"
        return [shelf for (shelf,) in self.db.execute(query, (plain(episode_id).casefold(),))]

    def part(self, shelf: str, episode_id: str) -> Shelf:
        """Return what of the shelf is called so, whatever its case, and what supersedes it."""
        folded = plain(episode_id).casefold()
        mine = "SELECT number FROM called WHERE folded = :folded"
        ids = f"SELECT id FROM file WHERE number IN ({mine})"
        newer = f"SELECT number FROM supersedes WHERE shelf = :shelf AND old IN ({ids})"
        return self._shelf(shelf, f"number IN ({mine} UNION {newer})", {"folded": folded})

    def drafts(self, shelf: str = "") -> list[Shelf]:
        """Return every draft, of one shelf or of all, beside the episodes that they amend."""
        only = "draft != '' AND (:only = '' OR shelf = :only)"
        named = f"SELECT DISTINCT shelf FROM file WHERE {only} ORDER BY shelf"
        names = self.db.execute(named, {"only": shelf})
        drafts = "FROM file WHERE shelf = :shelf AND draft != ''"
        amended = f"SELECT number FROM file WHERE shelf = :shelf AND id IN (SELECT draft {drafts})"
        found = f"number IN (SELECT number {drafts} UNION {amended})"
        return [self._shelf(name, found, {}) for (name,) in names.fetchall()]

    def parsed(self) -> dict[str, Episode]:
        """Return blob id -> episode of every committed file that can be read."""
        query = "SELECT source, packed FROM file JOIN text USING (number) WHERE draft = ''"
        return {blob: unpack(packed) for blob, packed in self.db.execute(query)}

    def shelf(self, name: str) -> Shelf:
        """Return the whole shelf."""
        return self._shelf(name, "1", {})

    def entries(self, numbers: Sequence[int]) -> dict[int, Entry]:
        """Return number -> entry of these rows."""
        these = f"number IN ({_marks(numbers)})"
        rows = self.db.execute(
            f"SELECT number, {COLUMNS} FROM file JOIN text USING (number) WHERE {these}", numbers
        )
        return {row[0]: entry(row[1:]) for row in rows}

    def successor(self, number: int) -> str:
        """Return the name of what superseded the episode of this row, empty when nothing did."""
        row = self.db.execute("SELECT successor FROM file WHERE number = ?", (number,)).fetchone()
        return str(row[0]) if row else ""

    def front(self, one: Entry) -> str:
        """Return an entry's front matter as it is written."""
        kept = "SELECT packed FROM file JOIN text USING (number) WHERE shelf = ? AND id = ? AND rev = ?"
        row = self.db.execute(kept, (one.shelf, plain(one.episode.id), one.rev)).fetchone()
        return front(row[0])

    def _shelf(self, name: str, condition: str, values: dict[str, Any]) -> Shelf:
        values = {**values, "shelf": name}
        on = f"+shelf = :shelf AND {condition}"  # the plus: SQLite then starts with the condition
        rows = self.db.execute(f"{ENTRIES} WHERE {on} ORDER BY path, draft", values)
        found = [entry(row) for row in rows]
        bad = self.db.execute(
            f"SELECT path, draft, fault, fault_line FROM file WHERE fault != '' AND {on} ORDER BY path",
            values,
        ).fetchall()
        return Shelf(
            name,
            tuple(one for one in found if one.state is not State.DRAFT),
            tuple(one for one in found if one.state is State.DRAFT),
            tuple(
                Document(path.decode("utf-8", "surrogateescape"), b"", fault=fault, fault_line=line)
                for path, draft, fault, line in bad
                if not draft
            ),
            tuple(draft for _, draft, _, _ in bad if draft),
        )


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
