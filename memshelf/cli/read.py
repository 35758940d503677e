"""`memshelf read`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.cli.terminal import BOLD, CYAN, ENVELOPE, MARKS
from memshelf.commands.read import read
from memshelf.requests import ReadRequest

if TYPE_CHECKING:
    import argparse

    from memshelf.cli.terminal import Look

LOOK: Look = ((r"^\S+(?= \w+ rev: )", CYAN), ("^## .*$", BOLD), *MARKS, *ENVELOPE)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_fields(parser, ReadRequest, positional="id")
    options.add_common(parser)
    options.add_pager(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the episode."""
    request = options.request_of(parsed, ReadRequest)
    options.answer(parsed, read(options.library_of(parsed), request, options.caller()), LOOK)
    return 0
