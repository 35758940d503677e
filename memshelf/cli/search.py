"""`memshelf search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.search import search
from memshelf.requests import SearchRequest

if TYPE_CHECKING:
    import argparse

LOOKED = ("found", "nothing found")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the words and the flags."""
    parser.add_argument("words", nargs="*", help="what to look for")
    options.add_fields(parser, SearchRequest)
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the hits; 1 when the search could not look, or looked at the wrong shelf."""
    request = options.request_of(parsed, SearchRequest, query=" ".join(parsed.words))
    library = options.library_of(parsed)
    found = search(library, request, options.caller())
    options.answer(parsed, found)
    options.remind(parsed, library)
    return 0 if found.outcome in LOOKED else 1
