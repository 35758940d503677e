"""What tests share: a valid episode, a library in a folder, a cleaned environment."""

from __future__ import annotations

import itertools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memshelf.formats.episode import arrange
from memshelf.model import Episode, Section
from memshelf.requests import SECTION_FIELDS, WriteRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

TODAY = "2026-07-10"
"""The day of tests that do not ask the clock: FINE's."""

FOREIGN = ("CLAUDE", "GEMINI_", "CODEX_", "GIT_", "MEMSHELF_", "XDG_", "PYTHONIOENCODING", "PYTHONUNBUFFERED")
"""How variables begin that would make a test depend on who runs it."""

FINE = Episode(
    id="2026-07-10-auth-tokens",
    title="Auth tokens",
    date="2026-07-10",
    span="2026-07-09..2026-07-10",
    tags=("auth", "web"),
    sections=(
        Section(
            "Digest",
            "The auth service moved to signed tokens. Rejected: server sessions, which tie a user to a node. "
            "Open: key rotation.",
        ),
        Section(
            "Decisions",
            "The auth service signs tokens; server sessions would tie a user to a node.",
        ),
        Section("Open threads", "Key rotation has no owner."),
        Section("Sources", "None."),
    ),
)


def fine(**changes: object) -> Episode:
    """Return FINE with keys changed; `digest`... or `sections={heading: text}` change sections."""
    sections = {part.heading: part.body for part in FINE.sections} | dict(changes.pop("sections", {}))  # type: ignore[call-overload]
    for heading in ("Digest", "Decisions", "Open threads", "Sources"):
        name = heading.lower().replace(" ", "_")
        if name in changes:
            sections[heading] = changes.pop(name)
    kept = arrange(Section(heading, body) for heading, body in sections.items() if body is not None)
    return FINE._replace(sections=kept, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str


def cleaned(variables: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return the variables without those of agent hosts, git and MemShelf, at home in `home`.

    Writes the git settings of a "Test Person" to `home`; GIT_CONFIG_GLOBAL names the file.
    """
    config = home / ".gitconfig"
    config.write_text(
        "[user]\n\tname = Test Person\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n",
        encoding="utf-8",
    )
    kept = {name: value for name, value in variables.items() if not name.startswith(FOREIGN)}
    return kept | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": str(config),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }


def git(folder: Path, *arguments: str) -> str:
    """Run git in `folder` and return its stdout without the final newline; a failure fails the test."""
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"git {arguments[0]}: {done.stderr}"
    return done.stdout.removesuffix("\n")


def request(**changes: Any) -> WriteRequest:
    """Return a request to write FINE to the shelf `shared`, with arguments changed; None: not passed."""
    sections = {name: FINE.section(heading) or None for name, heading in SECTION_FIELDS.items()}
    keys = {"id": FINE.id, "title": FINE.title, "kind": FINE.kind, "tags": FINE.tags, "span": FINE.span}
    return WriteRequest(**(sections | keys | {"shelf": "shared"} | changes))


def objects_contain(folder: Path, secret: str) -> bool:
    """Tell whether `secret` is anywhere at all: in a git object, reachable or not, or in a plain file.

    Refs, reflogs, config, hooks and the checkout are plain files, their names included.
    """
    command = ["git", "-C", str(folder), "cat-file", "--batch-all-objects", "--batch", "--buffer"]
    objects = subprocess.run(command, capture_output=True, check=True).stdout
    common = Path(git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir"))
    paths = [path for place in (folder, common) for path in place.rglob("*")]
    texts = itertools.chain(map(os.fsencode, paths), (path.read_bytes() for path in paths if path.is_file()))
    return secret.encode() in objects or any(secret.encode() in text for text in texts)
