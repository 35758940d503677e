"""Has a ref of the library moved? Told by a handful of stats, without git."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memshelf.store.library import Library

DRAFTS = "refs/memshelf/draft"

Stamp = tuple[tuple[str, int, int], ...]
"""(path, mtime in nanoseconds, size) of what changes when git moves a ref."""


def stamp(library: Library) -> Stamp:
    """Return a value that differs once the branch or a draft has moved; it may differ for less than that."""
    return tuple(_stats(library))


def _stats(library: Library) -> Iterator[tuple[str, int, int]]:
    for path in _places(library.common, library.branch):
        try:
            found = path.stat()
        except OSError:
            continue
        yield str(path), found.st_mtime_ns, found.st_size


def _places(common: Path, branch: str) -> Iterator[Path]:
    yield from (common / "packed-refs", common / "reftable" / "tables.list")
    yield from ((common / branch).parent, common / branch)
    drafts = common / DRAFTS
    yield drafts
    try:
        yield from sorted(drafts.iterdir())
    except OSError:
        return
