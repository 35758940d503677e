"""`memshelf search`."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.cli.terminal import CYAN, ENVELOPE, MATCH, coloured
from memshelf.commands.search import search
from memshelf.requests import SearchRequest

if TYPE_CHECKING:
    import argparse

    from memshelf.cli.terminal import Look
    from memshelf.search.answer import Answer

LOOKED = ("found", "nothing found")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the words and the flags."""
    parser.add_argument("words", nargs="*", help="what to look for")
    options.add_fields(parser, SearchRequest)
    options.add_common(parser)
    options.add_pager(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the hits; 1 when the search could not look, or looked at the wrong shelf."""
    request = options.request_of(parsed, SearchRequest, query=" ".join(parsed.words))
    library = options.library_of(parsed)
    found = search(library, request, options.caller())
    options.answer(parsed, found, _look(found, request.query))
    options.remind(parsed, library)
    return 0 if found.outcome in LOOKED else 1


def _look(found: Answer, query: str) -> Look:
    """Return how the answer looks in colour: the words of the hits that the query asked for stand out."""
    if not coloured(sys.stdout, os.environ):
        return ()
    from memshelf.terms import terms  # noqa: PLC0415 # a terminal's

    wanted = set(terms(query)).union(*(terms(word) for words in found.corrected.values() for word in words))
    said = {word for hit in found.hits for word in re.findall(r"\w+", f"{hit.title} {hit.snippet}")}
    matched = sorted((word for word in said if wanted & set(terms(word))), key=len, reverse=True)
    address = r"^\S+(?=(?: \[[^\]]+\])? · )|^ #.*$"
    words = rf"(?<!\w)(?:{'|'.join(map(re.escape, matched))})(?!\w)"
    # An address is no prose: what matches in it is painted over.
    return (*([(words, MATCH)] if matched else []), (address, CYAN), *ENVELOPE)
