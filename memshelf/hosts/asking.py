"""The client's own word on whether it is connected."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memshelf.hosts.clients import Client, Place

LIMIT = 60
"""Seconds that a client may take; it starts the server to say so."""


class Word(NamedTuple):
    """What came of asking: yes, no, or None when nobody could be asked; and the sentence for a person."""

    connected: bool | None
    text: str


def ask(client: Client, place: Place) -> Word:
    """Ask the client, from the project's folder."""
    if not client.question:
        return Word(None, client.note)
    program = shutil.which(client.program, path=place.variables.get("PATH"))
    command = " ".join((client.program, *client.question))
    if not program:
        return Word(None, f"not verified: no `{client.program}` on the PATH to ask; later: `{command}`")
    try:
        done = subprocess.run(
            [program, *client.question],
            cwd=place.project,
            env=dict(place.variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError):
        return Word(None, f"not verified: `{command}` did not answer in {LIMIT} s: try it by hand")
    if done.returncode == 0 and re.search(client.answer, done.stdout + done.stderr):
        more = f" ({client.note})" if client.note else ""
        return Word(True, f"verified: `{command}` knows it{more}")
    return Word(False, f"`{command}` does not say that it is connected: see what it prints")
