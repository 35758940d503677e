"""`memshelf publish [ID...] [--batch]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.publish import publish

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the drafts and the flags."""
    parser.add_argument("ids", nargs="*", metavar="ID", help="drafts: id or shelf/id; none: all")
    parser.add_argument(
        "--batch", action="store_true", help="one branch and one pull request for all of them"
    )
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Push the drafts and print where they are decided on."""
    result = publish(options.library_of(parsed), parsed.ids, options.caller(), batch=parsed.batch)
    options.answer(parsed, result)
    return 0 if result.ok else 1
