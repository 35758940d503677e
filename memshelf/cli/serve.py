"""`memshelf serve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.server import serve

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the library."""
    parser.add_argument("--library", metavar="DIR", help="the library; looked up at each call when left out")


def run(parsed: argparse.Namespace) -> int:
    """Serve until the client goes."""
    serve(parsed.library)
    return 0
