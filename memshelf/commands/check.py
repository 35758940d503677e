"""Check: hold episode files against every rule, as they lie on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memshelf.commands.conventions import conventions_of
from memshelf.errors import MemShelfError
from memshelf.model import Conventions, Document, Finding, Level
from memshelf.rules.lint import lint
from memshelf.store import snapshot
from memshelf.store.library import is_library, open_library

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.store.library import Library

Opened = dict[Path, "Library"]
"""Libraries that files were found in, by folder: each is opened once."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Every finding, file by file, and how many files were looked at."""

    findings: tuple[Finding, ...]
    files: int

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.level is Level.ERROR for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        keys = ("path", "line", "level", "rule", "place", "message")
        found = [{key: getattr(finding, key) for key in keys} for finding in self.findings]
        return {"files": self.files, "findings": found}

    def as_text(self) -> str:
        """Return a line a finding; nothing when all is well."""
        return "\n".join(map(str, self.findings))


def check(paths: Sequence[Path], library: Library | None, today: str) -> Checked:
    """Check the files, every episode below the folders, or the whole `library` when none are named.

    A file on a shelf is held against that shelf's settings, any other against the built-in rules.
    Raises MemShelfError when a path does not exist.
    """
    opened: Opened = {}
    files = list(_files(paths, opened)) or _all(library)
    cache: dict[tuple[Path, str], Conventions] = {}
    findings: list[Finding] = []
    for file in files:
        home = _library_of(file, opened)
        name = _name(file, home)
        shelf = home.inside(name)[0] if home else ""
        if home and shelf and (home.root, shelf) not in cache:
            cache[home.root, shelf] = conventions_of(home, shelf, today)
        rules = cache[home.root, shelf] if home and shelf else Conventions(today)
        findings += lint(_read(file, name if shelf else file.as_posix()), rules)
    return Checked(tuple(findings), len(files))


def _read(file: Path, name: str) -> Document:
    try:
        return snapshot.read_file(file, name)
    except OSError as error:
        return Document(name, b"", fault=f"cannot be opened ({error.strerror}): make it a readable file")


def _files(paths: Sequence[Path], opened: Opened) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from (file for file in sorted(path.rglob("*.md")) if _is_meant(file, opened))
        elif path.exists() or path.is_symlink():
            yield path
        else:
            raise MemShelfError(f"{path} does not exist: check the path")


def _is_meant(file: Path, opened: Opened) -> bool:
    """Tell whether a file found below a folder is an episode: in a library only shelves hold them."""
    library = _library_of(file, opened)
    return library is None or library.is_episode(_name(file, library))


def _all(library: Library | None) -> list[Path]:
    if library is None:
        return []
    return [
        path for name in snapshot.worktree_names(library) for path in snapshot.worktree_files(library, name)
    ]


def _library_of(file: Path, opened: Opened) -> Library | None:
    """Return the library that the file lies in, None when it lies in none."""
    root = next(filter(is_library, file.absolute().parents), None)
    if root and root not in opened:
        opened[root] = open_library(root)
    return opened[root] if root else None


def _name(file: Path, library: Library | None) -> str:
    return file.absolute().relative_to(library.root).as_posix() if library else file.as_posix()
