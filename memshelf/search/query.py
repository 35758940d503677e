"""What was asked: the words of a query, its filters and its cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.search.stop_words import stop_stems
from memshelf.text import stems

if TYPE_CHECKING:
    from memshelf.requests import SearchRequest


def parse(text: str) -> dict[str, list[str]]:
    """Return each word of the query -> its stems; stop words and what is no word are left out."""
    words = {word: [stem for stem in stems(word) if stem not in stop_stems()] for word in text.split()}
    return {word: found for word, found in words.items() if found}


def conditions(request: SearchRequest) -> tuple[str, tuple[str, ...]]:
    """Return what the filters ask of an episode's row in the catalogue, as SQL, and the values it takes."""
    asked = (
        ("kind = ?", request.kind),
        ("CASE WHEN superseded THEN 'superseded' ELSE state END = ?", request.state),
        ("instr(tags, ?)", f"\n{request.tag}\n" if request.tag else ""),
        ("day >= ?", request.since),
        ("day <= ?", request.until),
    )
    passed = [(sql, value) for sql, value in asked if value]
    return " AND ".join(["fault = ''", *(sql for sql, _ in passed)]), tuple(value for _, value in passed)
