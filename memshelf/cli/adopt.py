"""`memshelf adopt [--yes]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.adopt import adopt

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="show what would be done; the default")
    how.add_argument("--yes", action="store_true", help="do it, in one commit")
    parser.add_argument("--as-person", action="store_true", help="adopt from within an agent's terminal")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print what adopting changes, or has changed."""
    library = options.library_of(parsed)
    options.answer(parsed, adopt(library, options.caller(), yes=parsed.yes, as_person=parsed.as_person))
    return 0
