"""`memshelf status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.cli.terminal import BOLD, CYAN, DIM, PLAIN, YELLOW
from memshelf.commands.status import status

if TYPE_CHECKING:
    import argparse

    from memshelf.cli.terminal import Look

LOOK: Look = (
    *PLAIN,
    (r"^episodes  drafts .*$", DIM),
    (r"^[a-z].*: (?=`)|^could not be read$", BOLD),
    (r"no remote, .*$|never pushed .*$|\d+ commits? not pushed .*$", YELLOW),
    (r"^  ([a-z0-9-]+/\S+)(?=  )", CYAN),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the screen."""
    options.answer(parsed, status(options.library_of(parsed), options.caller()), LOOK)
    return 0
