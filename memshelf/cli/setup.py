"""`memshelf setup CLIENT [--scope user|project] [--dry-run] [--undo]`, `memshelf setup --check`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.errors import UsageError
from memshelf.hosts.asking import ask
from memshelf.hosts.checkup import check
from memshelf.hosts.clients import CLIENTS, SCOPES, Place, client_of
from memshelf.hosts.entries import launch
from memshelf.hosts.setup import setup, undo
from memshelf.store import deliveries
from memshelf.store.library import locate, open_library

if TYPE_CHECKING:
    import argparse

    from memshelf.hosts.clients import Client


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the client and the flags."""
    names = [client.name for client in CLIENTS]
    parser.add_argument("client", nargs="?", choices=names, help="the client to connect")
    parser.add_argument(
        "--scope", choices=SCOPES, default="user", help="for all your projects (user), or the one here"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")
    parser.add_argument("--undo", action="store_true", help="take out what setup put in")
    parser.add_argument("--check", action="store_true", help="say of each client whether its memory arrives")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the change, or the state of each client; 1 when a client is not as it should be."""
    here = options.here()
    project = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    place = Place(Path.home(), project, os.environ)
    if parsed.check:
        library = open_library(locate(parsed.library, os.environ, here))
        state = check(place, launch(sys.executable, str(library.root)), deliveries.last(library.common))
        options.answer(parsed, state)
        return 0 if state.ok else 1
    if not parsed.client:
        raise UsageError("no client: name one, or ask with --check; see `memshelf setup --help`")
    client = client_of(parsed.client)
    return _undone(parsed, client, place) if parsed.undo else _set_up(parsed, client, place)


def _set_up(parsed: argparse.Namespace, client: Client, place: Place) -> int:
    root = open_library(locate(parsed.library, os.environ, options.here())).root
    files = client.files(place, parsed.scope, launch(sys.executable, str(root)))
    outcome = setup(client, files, dry_run=parsed.dry_run)
    word = None if parsed.dry_run else ask(client, place)
    options.answer(parsed, outcome._replace(said=(*outcome.said, word.text)) if word else outcome)
    return 1 if word and word.connected is False else 0


def _undone(parsed: argparse.Namespace, client: Client, place: Place) -> int:
    files = client.files(place, parsed.scope, launch(sys.executable, ""))
    options.answer(parsed, undo(client, files, dry_run=parsed.dry_run))
    return 0
