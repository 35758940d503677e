"""Derived files: one renderer per file, each a pure function of a shelf's committed episodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.derived import index_file, ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.model import Conventions, Shelf

RENDERERS: dict[str, Callable[[Shelf, Conventions], str]] = {
    "INDEX.md": index_file.render,
    "ledger.tsv": ledger.render,
}
"""File name inside the shelf -> its renderer. The text ends in one newline and has no other line end."""
