"""Every derived file of a shelf: its name and its renderer, a pure function of committed episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.derived import index_file, ledger, stats_chart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memshelf.derived.index_file import Row
    from memshelf.model import Conventions, Shelf

RENDERERS: dict[str, Callable[[Shelf, Sequence[Row]], str]] = {
    "INDEX.md": index_file.render,
    "ledger.tsv": ledger.render,
    "stats.svg": stats_chart.render,
}
"""File name inside the shelf -> its renderer. The text ends in one newline and has no other line end."""


def render(shelf: Shelf, conventions: Conventions) -> dict[str, str]:
    """Return file name inside the shelf -> its text, for every derived file."""
    rows = index_file.listing(shelf, conventions)
    return {name: renderer(shelf, rows) for name, renderer in RENDERERS.items()}
