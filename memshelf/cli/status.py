"""`memshelf status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.status import status

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the screen."""
    options.answer(parsed, status(options.library_of(parsed), options.caller().today))
    return 0
