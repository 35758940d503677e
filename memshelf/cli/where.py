"""`memshelf where`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.where import where
from memshelf.store.library import locate_why, open_library

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print what a command called here is about."""
    root, reason = locate_why(parsed.library, os.environ, options.here())
    options.answer(parsed, where(open_library(root), reason, options.caller()))
    return 0
