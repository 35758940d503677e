"""The names in a library, for a shell that completes a word: read from Git in a few milliseconds.

It knows less than `library` and the catalogue, which take longer to load than a person waits for Tab:
settings are not parsed, an episode is a Markdown file in a shelf's docs, a section a line that begins
with `## `.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.store.git import Git

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAFTS = "refs/memshelf/draft/"
EPISODE = re.compile(r"(?:shelves/(?P<shelf>[^/]+)/)?(?:archive/)?docs/(?:.*/)?(?P<id>[^/]+)\.md")
SHELF = re.compile("shelves/([^/]+)/")
HEADING = re.compile(r"^## +(\S.*?) *$", re.MULTILINE)
BRANCH = re.compile(r"""^branch: *["']?([^\s"'#]+)""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Name:
    """An episode or a draft: `shelf` is empty in a library that is one shelf, `text` is git's name of it."""

    shelf: str
    id: str
    text: str


def find(named: str, start: Sequence[Path], home: Path) -> Path | None:
    """Return the folder that was named, the first of `start` or `home` that looks like a library."""
    if named:
        return home.parent / named[2:] if named.startswith("~/") else Path(named)
    marks = ("memshelf.yml", "shelves", "shelf.yml")
    return next(
        (folder for folder in (*start, home) if any((folder / mark).exists() for mark in marks)), None
    )


def shelves(root: Path) -> list[str]:
    """Return the names of the shelves on the branch, sorted."""
    return sorted({found[1] for found in map(SHELF.match, _paths(root, _branch(root))) if found})


def episodes(root: Path) -> list[Name]:
    """Return what is on the branch."""
    branch = _branch(root)
    found = ((EPISODE.fullmatch(path), path) for path in _paths(root, branch))
    return [Name(match["shelf"] or "", match["id"], f"{branch}:./{path}") for match, path in found if match]


def drafts(root: Path) -> list[Name]:
    """Return what waits for a person."""
    refs = Git(root).ask("for-each-ref", "--format=%(refname)", DRAFTS).split()
    parts = ((ref.removeprefix(DRAFTS).partition("/"), ref) for ref in refs)
    return [Name(shelf, name, f"{ref}:{name}.md") for (shelf, _, name), ref in parts]


def headings(root: Path, name: Name) -> list[str]:
    """Return the headings of its sections, in order."""
    text = Git(root).run("cat-file", "blob", name.text).decode("utf-8", "replace")
    return list(dict.fromkeys(HEADING.findall(text.replace("\r\n", "\n"))))


def _branch(root: Path) -> str:
    settings = root / "memshelf.yml"
    text = settings.read_text(encoding="utf-8", errors="replace") if settings.is_file() else ""
    named = BRANCH.search(text)
    return f"refs/heads/{named[1]}" if named else "HEAD"


def _paths(root: Path, tree: str) -> list[str]:
    listed = Git(root).run("ls-tree", "-r", "-z", "--name-only", tree)
    return listed.decode("utf-8", "surrogateescape").split("\0")[:-1]
