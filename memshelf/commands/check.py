"""Check: hold episode files against every rule, as they lie on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.scope import conventions_of
from memshelf.errors import MemShelfError
from memshelf.model import Conventions, Finding, Level
from memshelf.rules.lint import lint
from memshelf.store import snapshot
from memshelf.store.library import SHELVES, is_library, open_library

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memshelf.store.library import Library


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
    files = list(_files(paths)) or _all(library)
    cache: dict[tuple[Path, str], Conventions] = {}
    findings: list[Finding] = []
    for file in files:
        root, shelf = _home(file)
        if root and (root, shelf) not in cache:
            cache[root, shelf] = conventions_of(open_library(root), shelf, today)
        rules = cache[root, shelf] if root else Conventions(today)
        findings += lint(snapshot.read_file(file, _name(file, root)), rules)
    return Checked(tuple(findings), len(files))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from filter(_is_meant, sorted(path.rglob("*.md")))
        elif path.exists() or path.is_symlink():
            yield path
        else:
            raise MemShelfError(f"{path} does not exist: check the path")


def _is_meant(file: Path) -> bool:
    """Tell whether a file found below a folder is an episode: in a library only shelves hold them."""
    library = next(filter(is_library, file.absolute().parents), None)
    return not library or snapshot.is_episode(file.absolute().relative_to(library).as_posix())


def _all(library: Library | None) -> list[Path]:
    if library is None:
        return []
    return [
        path for name in snapshot.worktree_names(library) for path in snapshot.worktree_files(library, name)
    ]


def _home(file: Path) -> tuple[Path | None, str]:
    """Return the library and shelf that the file lies on; (None, "") when it lies on none."""
    for folder in file.absolute().parents:
        if is_library(folder):
            inside = file.absolute().relative_to(folder).parts
            on_shelf = len(inside) > 2 and inside[0] == SHELVES  # shelves/<name>/<file>
            return (folder, inside[1]) if on_shelf else (None, "")
    return None, ""


def _name(file: Path, root: Path | None) -> str:
    return file.absolute().relative_to(root).as_posix() if root else file.as_posix()
