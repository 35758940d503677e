"""`memshelf hook`: it never stops a host. Exit 0 whatever happens; what went wrong is a line on stderr."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError, disk_said
from memshelf.hooks.answer import answer
from memshelf.hooks.hosts import MAX_INPUT

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument("event", help="the event, by the host's own name, its JSON on standard input")
    parser.add_argument("--host", default="", metavar="claude|gemini", help="who calls")
    parser.add_argument("--library", metavar="DIR", help="the library, else as for every command")


def run(parsed: argparse.Namespace) -> int:
    """Print the JSON for the host, or nothing."""
    try:
        raw = sys.stdin.buffer.read(MAX_INPUT + 1)
        while sys.stdin.buffer.read(MAX_INPUT):  # a host that cannot write on would take it for a failure
            pass
        text = answer(parsed.host, parsed.event, raw, parsed.library)
    except (MemShelfError, OSError) as error:
        said = str(disk_said(error) if isinstance(error, OSError) else error)
        print(f"memshelf: {' '.join(said.split())}", file=sys.stderr)
    except Exception as bug:  # a bug of ours is no reason to stop a session
        print(f"memshelf: {type(bug).__name__} in a hook: please report it", file=sys.stderr)
    else:
        if text:
            print(text)
    return 0
