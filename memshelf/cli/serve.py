"""`memshelf serve`."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError

if TYPE_CHECKING:
    import argparse

PATIENCE = 1.0
"""Seconds that the first answer waits for the outline, once the SDK is loaded; it is ready before that."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the library."""
    parser.add_argument("--library", metavar="DIR", help="the library; looked up at each call when left out")


def run(parsed: argparse.Namespace) -> int:
    """Serve until the client goes. The library is looked at while the SDK is loading."""
    said: list[str] = []
    look = Thread(target=lambda: said.append(_outline(parsed.library)), daemon=True)
    look.start()
    from memshelf.server import serve  # noqa: PLC0415 # half a second, which is the thread's

    look.join(PATIENCE)
    serve(parsed.library, "".join(said))
    return 0


def _outline(library: str | None) -> str:
    """Return what the client is told of the shelf as it connects; calls say what is wrong with a library."""
    from memshelf.cli import options  # noqa: PLC0415 # all of it in the thread
    from memshelf.commands.outline import outline  # noqa: PLC0415
    from memshelf.store.library import locate, open_library  # noqa: PLC0415

    who = options.caller()
    who = who._replace(folder=Path(os.environ.get("CLAUDE_PROJECT_DIR") or who.folder))
    try:
        return outline(open_library(locate(library, os.environ, who.folder)), who)
    except (MemShelfError, OSError):
        return ""
