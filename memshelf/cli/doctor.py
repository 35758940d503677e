"""`memshelf doctor [--fix] [--history]`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.doctor import doctor
from memshelf.store.library import locate

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument(
        "--fix",
        action="store_true",
        help="first mend what is mechanical: stale derived files, locks left behind",
    )
    parser.add_argument(
        "--history",
        action="store_true",
        help="look for secrets in every version that was ever committed too",
    )
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print what is wrong; 1 when an error was found or something could not be looked at."""
    result = doctor(
        locate(parsed.library, os.environ, options.here()),
        options.caller().today,
        fix=parsed.fix,
        back=parsed.history,
        progress=options.progress(parsed, "looking back"),
    )
    options.answer(parsed, result)
    return 0 if result.ok else 1
