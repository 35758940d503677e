"""GitHub's `gh`: the only module that runs it. It opens pull requests with the login of the user."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import MemShelfError
from memshelf.store.git import environment

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 60
"""Seconds that one call may take."""

QUIET = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}


class PullRequest(NamedTuple):
    """What a pull request says; `repository` is HOST/OWNER/NAME, `head` and `base` are branches of it."""

    repository: str
    head: str
    base: str
    title: str
    body: str


def is_ready(folder: Path, host: str) -> bool:
    """Tell whether gh is on PATH and logged in to the host."""
    if not shutil.which("gh"):
        return False
    try:
        _run(folder, "auth", "status", "--hostname", host)
    except MemShelfError:
        return False
    return True


def propose(folder: Path, wanted: PullRequest) -> str:
    """Open the pull request, or bring the open one of its head up to date; return its URL.

    Raises MemShelfError with gh's words.
    """
    listing = ("pr", "list", "--repo", wanted.repository, "--head", wanted.head, "--state", "open")
    found = _run(folder, *listing, "--json", "url", "--jq", ".[0].url")
    text = ("--title", wanted.title, "--body-file", "-")
    if found:
        _run(folder, "pr", "edit", found, *text, data=wanted.body)
        return found
    place = ("--repo", wanted.repository, "--head", wanted.head, "--base", wanted.base)
    said = _run(folder, "pr", "create", *place, *text, data=wanted.body)
    return said.split("\n")[-1]


def _run(folder: Path, *arguments: str, data: str = "") -> str:
    try:
        done = subprocess.run(
            ["gh", *arguments],
            cwd=folder,
            input=data.encode(),
            capture_output=True,
            env=environment(QUIET),
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        raise MemShelfError(f"gh {arguments[0]}: gave no answer: try again") from None
    if done.returncode:
        words = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise MemShelfError(f"gh {' '.join(arguments[:2])}: {words or 'failed without a word'}")
    return done.stdout.decode("utf-8", "replace").strip()
