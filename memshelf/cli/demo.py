"""`memshelf demo [--library DIR]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.demo import play

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the folder."""
    parser.add_argument(
        "--library", metavar="DIR", help="a folder that does not exist yet; else a temporary one"
    )


def run(parsed: argparse.Namespace) -> int:
    """Play the demo, line by line. Raises OSError when there is no current folder to start in."""
    Path.cwd()
    play(Path(parsed.library) if parsed.library else None, lambda line: print(line, flush=True))
    return 0
