"""Has a ref of the library moved? Told by a handful of stats, without git."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memshelf.store.library import Library

DRAFTS = "refs/memshelf/draft"

Stamp = tuple[tuple[str, int, int, int], ...]
"""(path, inode, mtime in nanoseconds, size) of what changes when git moves a ref."""


def stamp(library: Library) -> Stamp:
    """Return a value that differs once the branch or a draft has moved; it may differ for less than that."""
    drafts = library.common / DRAFTS
    return branch_stamp(library) + _stats([drafts, *_below(drafts)])


def branch_stamp(library: Library) -> Stamp:
    """Return a value that differs once the branch has moved; it may differ for less than that."""
    common = library.common
    branch = common / library.branch
    return _stats([common / "packed-refs", common / "reftable" / "tables.list", branch.parent, branch])


def _stats(paths: Iterable[Path]) -> Stamp:
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            facts = path.stat()
            found.append((str(path), facts.st_ino, facts.st_mtime_ns, facts.st_size))
    return tuple(found)


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
