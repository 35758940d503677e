"""Init: make a library, or add a shelf to one."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.scope import require_branch
from memshelf.commands.shelving import derived_files
from memshelf.errors import MemShelfError, UsageError
from memshelf.formats import manifest, settings
from memshelf.model import Shelf
from memshelf.store import commits, landing, snapshot
from memshelf.store.git import Git
from memshelf.store.library import (
    SHARED,
    SHELF_NAME,
    SHELVES,
    is_lone_shelf,
    open_library,
    place,
    refuse_bare,
    repository_facts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memshelf.store.library import Library

ATTRIBUTES = """\
# Line ends are LF on every machine, in what git takes for text.
* text=auto eol=lf
*.md text
*.yml text
*.patterns text
# Derived files are rendered from the episodes and never merged: `memshelf resolve` renders them anew.
""" + "".join(f"{name} {manifest.DERIVED_ATTRIBUTES}\n" for name in manifest.DERIVED)
SETTINGS = """\
# The settings of this MemShelf library; every key may be left out.
branch: {branch}
# branch: a person accepts each draft (memshelf review). off: a write is accepted at once.
review: branch
# local: accepting renders INDEX.md, ledger.tsv and stats.svg. bot: only the bot does.
derived: local
"""
POLICY = """\
# What must never be stored on this shelf

Passwords, tokens and keys are masked before anything is written. Name here, for people, what else must
stay out: customers, unpublished plans, personal data of others.

A machine follows `POLICY.patterns` beside this file: one `kind regex` a line.
"""


@dataclass(frozen=True, slots=True)
class Made:
    """The library, its branch, the files that were added and the shelves it has now."""

    root: Path
    branch: str
    added: tuple[str, ...]
    shelves: tuple[str, ...]

    @property
    def server(self) -> list[str]:
        """The command that a client starts: no PATH needed, and nothing is imported from the project (-P)."""
        return [sys.executable, "-P", "-m", "memshelf", "serve", "--library", str(self.root)]

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        facts = {"library": str(self.root), "branch": self.branch, "added": list(self.added)}
        return facts | {"shelves": list(self.shelves), "server": self.server}

    def as_text(self) -> str:
        """Return what was made, and how a client is connected to it."""
        command, *arguments = self.server
        entry = {"mcpServers": {"memshelf": {"command": command, "args": arguments}}}
        done = f"{len(self.added)} files committed to {self.branch}" if self.added else "nothing to add"
        return "\n".join(
            (
                f"library {self.root}: {done}",
                f"shelves: {', '.join(self.shelves)}",
                "",
                "Claude Code:    claude mcp add memshelf -- " + shlex.join(self.server),
                "Gemini CLI:     gemini mcp add memshelf " + shlex.join(self.server),
                "other clients:  " + json.dumps(entry),
            )
        )


def init(folder: Path, shelves: Sequence[str] = (), *, today: str) -> Made:
    """Make `folder` a library with the shelf `shared` and the named ones; files that are there stay.

    A plain folder becomes a Git repository. Everything goes into one commit of the person's. Raises
    UsageError for a bad shelf name, MemShelfError when git does not know the person, the folder's path is
    none, or the clone lacks the library's branch.
    """
    for name in shelves:
        if not SHELF_NAME.fullmatch(name):
            raise UsageError("a shelf's name is lower-case letters, digits and single hyphens, up to 40")
    root = place(folder)
    if root.exists() and not root.is_dir():
        raise MemShelfError(f"{root} is a file: name a folder")
    refuse_bare(root)
    if not is_lone_shelf(root):
        _require_repository(root)
    library = open_library(root)
    with landing.exclusive(library) as held:
        seen = snapshot.take(library)
        require_branch(seen)
        names = sorted({SHARED, *shelves, *seen.names})
        has = set(library.git.paths(seen.tip)) if seen.tip else set[str]()
        wanted = _files(library, [name for name in names if name not in seen.names], today)
        files = {path: content for path, content in wanted.items() if library.prefix + path not in has}
        if files:
            _commit(held, seen.tip, files)
    return Made(root, library.branch.removeprefix("refs/heads/"), tuple(files), tuple(names))


def _require_repository(root: Path) -> None:
    """Make `root` a repository unless it lies in one; nothing is made when git does not know the person."""
    existing = next(folder for folder in (root, *root.parents) if folder.is_dir())
    git = Git(existing)
    is_repository = bool(repository_facts(git))
    if not git.ask("var", "GIT_COMMITTER_IDENT"):
        raise MemShelfError(commits.NO_PERSON)
    root.mkdir(parents=True, exist_ok=True)
    if is_repository:
        return
    branch = git.ask("config", "--get", "init.defaultBranch") or "main"
    Git(root).porcelain("init", "--quiet", f"--initial-branch={branch}")


def _files(library: Library, shelves: Sequence[str], today: str) -> dict[str, bytes]:
    branch = library.branch.removeprefix("refs/heads/")
    files = {
        settings.NAME: SETTINGS.format(branch=branch).encode(),
        f"{SHELVES}/.gitattributes": ATTRIBUTES.encode(),
    }
    for name in shelves:
        files |= {
            f"{SHELVES}/{name}/{manifest.NAME}": manifest.render(name).encode(),
            f"{SHELVES}/{name}/POLICY.md": POLICY.encode(),
            f"{SHELVES}/{name}/docs/.gitkeep": b"",
        } | derived_files(library, Shelf(name), today)
    return files


def _commit(library: Library, tip: str, files: dict[str, bytes]) -> None:
    paths = sorted(library.prefix + path for path in files)
    landing.check_clean(library, paths)
    new = commits.build(library, tip, files, "memshelf init\n", None)
    landing.land(library, tip, new, paths, {})
