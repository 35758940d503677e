"""`memshelf render [--check | --push]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.render import render
from memshelf.errors import UsageError

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a file is out of date")
    parser.add_argument(
        "--push",
        action="store_true",
        help="as the bot: render the remote's branch and push, write nothing here",
    )
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Write the derived files, compare them, or push them."""
    if parsed.check and parsed.push:
        raise UsageError("--check writes nothing and --push does: name one of them")
    library, today = options.library_of(parsed), options.caller().today
    if parsed.push:
        from memshelf.commands.deliver import deliver  # noqa: PLC0415 # only the bot needs the remote

        options.answer(parsed, deliver(library, today))
        return 0
    result = render(library, today, check=parsed.check)
    options.answer(parsed, result)
    return 0 if result.ok else 1
