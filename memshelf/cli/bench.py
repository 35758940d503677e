"""`memshelf bench search --queries FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.bench import bench_search

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare what is measured, and the flags."""
    parser.add_argument("what", choices=("search",), help="what is measured")
    parser.add_argument(
        "--queries", metavar="FILE", required=True, help="lines of a query, a tab, the id that answers it"
    )
    parser.add_argument("--shelf", metavar="SHELF", help="one shelf only")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the table; 1 when a line of the file had to be left out."""
    raw = Path(parsed.queries).read_bytes()
    found = bench_search(options.library_of(parsed), parsed.queries, raw, parsed.shelf, options.caller())
    options.answer(parsed, found)
    return 1 if found.findings else 0
