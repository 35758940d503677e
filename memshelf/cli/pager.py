"""The person's pager: $MEMSHELF_PAGER, $PAGER, or git's. Runs it, and prints where there is none."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from memshelf.store.git import Git

USUAL = {"LESS": "FRX", "LV": "-c"}
"""What pagers are told, as git tells them, when the person does not: colours, no pause on one screen."""

NOT_RUN = (126, 127)
"""What a shell ends with when it cannot run the command."""


def page(text: str) -> None:
    """Show the text through the pager. One that is missing, fails to start or quits early is no error."""
    command = _command()
    if command in ("", "cat") or not _is_there(command) or not _run(command, text):
        print(text)


def _command() -> str:
    """Return the pager as a shell's command line, empty for none."""
    for name in ("MEMSHELF_PAGER", "PAGER"):
        if name in os.environ:
            return os.environ[name].strip()
    return Git(Path()).ask("var", "GIT_PAGER")


def _is_there(command: str) -> bool:
    """Tell whether the shell would find the program; True where only the shell can tell."""
    try:
        first = shlex.split(command)[0]
    except (ValueError, IndexError):
        return True
    return "=" in first or os.name == "nt" or shutil.which(first) is not None


def _run(command: str, text: str) -> bool:
    """Run the pager to its end; False when it did not start. Ctrl-C meanwhile is the pager's."""
    running = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, env=USUAL | os.environ)
    with contextlib.suppress(OSError, KeyboardInterrupt), running.stdin or contextlib.nullcontext() as pipe:
        if pipe:
            pipe.write(f"{text}\n".encode())
    while True:
        try:
            return running.wait() not in NOT_RUN
        except KeyboardInterrupt:
            continue
