"""`memshelf index`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.index import index
from memshelf.requests import IndexRequest

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_fields(parser, IndexRequest)
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the map."""
    request = options.request_of(parsed, IndexRequest)
    library = options.library_of(parsed)
    options.answer(parsed, index(library, request, options.caller()))
    options.remind(parsed, library)
    return 0
