"""`memshelf bundle [DIR] [--check]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.hosts.bundle import bundle

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the folder and the flags."""
    parser.add_argument("folder", metavar="DIR", nargs="?", default="dist", help="where to; else ./dist")
    parser.add_argument("--check", action="store_true", help="say what there is stale, and write nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(parsed: argparse.Namespace) -> int:
    """Write the packages; with --check, 1 when a file is not what would be written."""
    result = bundle(Path(parsed.folder).absolute(), check=parsed.check)
    options.answer(parsed, result)
    return 0 if result.ok else 1
