"""`memshelf render [--check]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.render import render

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a file is out of date")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Write the derived files, or compare them."""
    result = render(options.library_of(parsed), options.caller().today, check=parsed.check)
    options.answer(parsed, result)
    return 0 if result.ok else 1
