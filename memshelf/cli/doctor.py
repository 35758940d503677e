"""`memshelf doctor [--fix] [--history] [--branch-rules FILE]`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.doctor import doctor
from memshelf.errors import MemShelfError
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
    parser.add_argument(
        "--branch-rules",
        metavar="FILE",
        help="judge the branch's rules too: what GitHub's API lists of them",
    )
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print what is wrong; 1 when an error was found or something could not be looked at."""
    result = doctor(
        locate(parsed.library, os.environ, options.here()),
        options.caller().today,
        fix=parsed.fix,
        back=parsed.history,
        told=_told(parsed.branch_rules),
        progress=options.progress(parsed, "looking back"),
    )
    options.answer(parsed, result)
    return 0 if result.ok else 1


def _told(file: str | None) -> object:
    """Return what the file holds. Raises MemShelfError when it is no JSON, OSError when it cannot be read."""
    if file is None:
        return None
    try:
        return json.loads(Path(file).read_bytes())
    except ValueError:
        raise MemShelfError("--branch-rules: not JSON: write what `gh api` prints into the file") from None
