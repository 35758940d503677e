"""`memshelf init DIR [--shelf NAME]... [--github [--update] [--source COMMIT] [--owner NAME]]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.init import init
from memshelf.errors import UsageError

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the folder, the shelves, and what GitHub needs."""
    parser.add_argument("folder", metavar="DIR", help="the library's folder, made when it is not there")
    parser.add_argument(
        "--shelf", action="append", default=[], metavar="NAME", help="a shelf beside `shared`"
    )
    parser.add_argument("--github", action="store_true", help="add the bot's workflows and CODEOWNERS")
    parser.add_argument("--update", action="store_true", help="with --github: write the workflows anew")
    parser.add_argument(
        "--source", metavar="OWNER/NAME@COMMIT", help="the MemShelf that the workflows run; else this one"
    )
    parser.add_argument("--owner", metavar="@NAME", help="who must approve; else the owner of the remote")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(parsed: argparse.Namespace) -> int:
    """Make the library and print how to connect a client."""
    folder, today = Path(parsed.folder), options.caller().today
    if not parsed.github:
        if parsed.update or parsed.source or parsed.owner:
            raise UsageError("--update, --source and --owner go with --github")
        options.answer(parsed, init(folder, parsed.shelf, today=today))
        return 0
    from memshelf.commands.github import Asked, github  # noqa: PLC0415 # few need it

    asked = Asked(parsed.source or "", parsed.owner or "", update=parsed.update)
    options.answer(parsed, github(folder, parsed.shelf, asked, today=today))
    return 0
