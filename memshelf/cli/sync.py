"""`memshelf sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.cli.terminal import CYAN, PLAIN, YELLOW
from memshelf.commands.sync import sync

if TYPE_CHECKING:
    import argparse

LOOK = ((r"^  ([a-z0-9-]+/\S+)(?=  )", CYAN), (r"^\S+ is out of reach.*$", YELLOW), *PLAIN)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Sync, and print what was done."""
    options.answer(parsed, sync(options.library_of(parsed), options.caller().today), LOOK)
    return 0
