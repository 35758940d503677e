"""Labelled questions over a library: how they are written down, and the library made of them.

A folder for each set holds two files of JSON lines:

    docs.jsonl     {"id", "shelf", "title", "digest", "sections": [{"name", "text", "turns"?}]}
    queries.jsonl  {"text", "typo"?, "shelf", "relevant": {id: grade}, "evidence"?: [turn]}

`turns` names the lines of a section's text in order; `evidence` are the turns that answer. `typo` is the same
question misspelt.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from library import import_files

from memshelf.commands.init import init
from memshelf.formats.episode import render
from memshelf.model import Episode, Section
from memshelf.search.judgement import Question
from memshelf.store.library import open_library
from memshelf.text import slug

DAY = "2026-01-01"
HEADING = re.compile(r"(?m)^(#{1,2})(?=\s)")


@dataclass(frozen=True)
class Labelled:
    """One set: documents by shelf, and the queries."""

    name: str
    docs: dict[str, list[dict[str, Any]]]
    queries: list[dict[str, Any]]

    @cached_property
    def ids(self) -> dict[tuple[str, str], str]:
        """(shelf, id of a document) -> `shelf/id` in the library."""
        return {
            (shelf, doc["id"]): f"{shelf_name(shelf)}/{DAY}-{number}-{slug(doc['id'])[:40].strip('-')}"
            for shelf, docs in self.docs.items()
            for number, doc in enumerate(docs)
        }

    @cached_property
    def turns(self) -> dict[tuple[str, str], str]:
        """(shelf, turn) -> its line."""
        return {
            (shelf, turn): line.strip()
            for shelf, docs in self.docs.items()
            for doc in docs
            for part in doc["sections"]
            for turn, line in zip(part.get("turns") or (), part["text"].split("\n"), strict=False)
        }

    def questions(self, field: str) -> list[Question]:
        """Return what is asked in the words of `field`, `text` or `typo`."""
        return [
            Question(query[field], frozenset(self.ids[query["shelf"], one] for one in query["relevant"]))
            for query in self.queries
        ]


def read(folder: Path, most: int) -> Labelled:
    """Read a set; of more than `most` queries every so many."""
    docs: dict[str, list[dict[str, Any]]] = {}
    for doc in _lines(folder / "docs.jsonl"):
        docs.setdefault(doc["shelf"], []).append(doc)
    queries = _lines(folder / "queries.jsonl")
    return Labelled(folder.name, docs, queries[:: max(1, len(queries) // most)])


def shelf_name(shelf: str) -> str:
    """Return a shelf's name in the library."""
    return f"set-{slug(shelf)}"[:40].strip("-")


def make_library(root: Path, labelled: Labelled) -> None:
    """Make the library of the set at `root`. Needs a git identity."""
    init(root, [shelf_name(shelf) for shelf in labelled.docs], today=DAY)
    library = open_library(root)
    files = (
        (library.episode_path(shelf_name(shelf), episode), render(episode).encode("utf-8", "replace"))
        for shelf, docs in labelled.docs.items()
        for doc in docs
        for episode in [_episode(labelled.ids[shelf, doc["id"]].partition("/")[2], doc)]
    )
    import_files(root, files, checkout=False)
    subprocess.run(["git", "pack-refs", "--all"], cwd=root, check=True)


def text_of(doc: dict[str, Any]) -> str:
    """Return a document as one text, the digest before the sections."""
    return "\n".join([doc["title"], doc.get("digest") or "", *(part["text"] for part in doc["sections"])])


def _episode(name: str, doc: dict[str, Any]) -> Episode:
    bodies: dict[str, list[str]] = {"Digest": [doc.get("digest") or doc["title"] or "None."]}
    for part in doc["sections"]:
        bodies.setdefault(part["name"], []).append(HEADING.sub("###", part["text"]).strip("\n"))
    sections = tuple(Section(heading, "\n\n".join(texts)) for heading, texts in bodies.items())
    return Episode(name, "session", doc["title"] or name, sections, date=DAY)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
