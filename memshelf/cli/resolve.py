"""`memshelf resolve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.resolve import resolve

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Settle what needs no person, and print the rest."""
    result = resolve(options.library_of(parsed), options.caller().today)
    options.answer(parsed, result)
    return 0 if result.ok else 1
