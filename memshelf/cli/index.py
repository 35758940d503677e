"""`memshelf index`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.cli.terminal import BOLD, CYAN, DIM, ENVELOPE, YELLOW
from memshelf.commands.index import index
from memshelf.requests import IndexRequest

if TYPE_CHECKING:
    import argparse

    from memshelf.cli.terminal import Look

LOOK: Look = (
    (r"^\S+(?= · )", CYAN),
    (r"^(?:## .*|[A-Z][a-z]+(?: [a-z]+)?:)$", BOLD),
    (r" \[(?:open|draft|amend pending)\]", YELLOW),
    ("^~~.*|^Folded: .*", DIM),
    *ENVELOPE,
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_fields(parser, IndexRequest)
    options.add_common(parser)
    options.add_pager(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the map."""
    request = options.request_of(parsed, IndexRequest)
    library = options.library_of(parsed)
    options.answer(parsed, index(library, request, options.caller()), LOOK)
    options.remind(parsed, library)
    return 0
