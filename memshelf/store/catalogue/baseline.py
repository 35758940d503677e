"""Plain full-text search over whole texts, in memory: what search is held against."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from memshelf.store.catalogue.database import connect
from memshelf.store.catalogue.tables import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TABLE = "CREATE VIRTUAL TABLE whole USING fts5(text, content='', tokenize='unicode61')"
BEST = "SELECT rowid FROM whole WHERE whole MATCH ? ORDER BY rank LIMIT ?"
WORD = re.compile(r"\w+")


def by_whole_texts(texts: Iterable[tuple[int, str]], queries: Sequence[str], limit: int) -> list[list[int]]:
    """Return for each query the `limit` numbers whose texts FTS5's bm25 ranks highest by any of its words."""
    with contextlib.closing(connect(None, "")[0]) as db:
        db.execute(TABLE)
        rows = ((number, plain(text)) for number, text in texts)
        db.executemany("INSERT INTO whole (rowid, text) VALUES (?, ?)", rows)
        asked = [" OR ".join(f'"{word}"' for word in WORD.findall(plain(query))) for query in queries]
        return [[row[0] for row in db.execute(BEST, (any_, limit))] if any_ else [] for any_ in asked]
