"""`memshelf stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.stats import stats

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("--shelf", metavar="SHELF", help="one shelf only")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the tables."""
    options.answer(parsed, stats(options.library_of(parsed), parsed.shelf, options.caller()))
    return 0
