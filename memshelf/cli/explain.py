"""`memshelf explain [RULE]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.explain import explain

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the rule."""
    parser.add_argument("rule", nargs="?", default="", metavar="RULE", help="a rule's name; none: list them")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(parsed: argparse.Namespace) -> int:
    """Print the rule's page."""
    options.answer(parsed, explain(parsed.rule))
    return 0
