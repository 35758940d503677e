"""`memshelf init DIR [--shelf NAME]...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.init import init

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the folder and the shelves."""
    parser.add_argument("folder", metavar="DIR", help="the library's folder, made when it is not there")
    parser.add_argument(
        "--shelf", action="append", default=[], metavar="NAME", help="a shelf beside `shared`"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(parsed: argparse.Namespace) -> int:
    """Make the library and print how to connect a client."""
    options.answer(parsed, init(Path(parsed.folder), parsed.shelf, today=options.caller().today))
    return 0
