"""A bare repository that stands for a host, clones of it, and what people do there with pull requests."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from store.traces import put
from support import TODAY, git, request

from memshelf.commands.accept import accept
from memshelf.commands.publish import publish as propose
from memshelf.commands.sync import sync
from memshelf.commands.write import write
from memshelf.requests import Caller
from memshelf.store import published
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.commands.sync import Synced
    from memshelf.store.library import Library

MESSAGE = "{message}"
TOPICS = "shelves/shared/docs/topics"


@dataclass(frozen=True)
class Host:
    """The host's repository."""

    there: Path

    def clone(self, name: str, *options: str, url: str = "") -> Library:
        """Return a clone beside the host."""
        root = self.there.with_name(name)
        git(self.there.parent, "clone", "--quiet", *options, url or str(self.there), str(root))
        return open_library(root)

    def hook(self, name: str, script: str) -> None:
        """Let the host run a shell script."""
        put(self.there, f"hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def merge(self, name: str, *, squash: str = "", edit: tuple[str, str] = ("", "")) -> None:
        """Merge a published draft in a clone of the host's own, as its web page does.

        `squash` is the message of a squashed commit, to which MESSAGE adds the draft's; `edit` is (old, new).
        """
        web = self.there.with_name("web")
        if not web.exists():
            git(self.there.parent, "clone", "--quiet", str(self.there), str(web))
        git(web, "pull", "--quiet", "--ff-only")
        git(web, "merge", "--quiet", *(["--squash"] if squash else ["--no-ff"]), f"origin/memshelf/{name}")
        if squash:
            file = web / TOPICS / f"{name.rpartition('/')[2]}.md"
            if edit[0]:
                file.write_text(file.read_text(encoding="utf-8").replace(*edit), encoding="utf-8")
            message = git(web, "log", "-1", "--format=%B", f"origin/memshelf/{name}")
            git(web, "commit", "--quiet", "--all", "--message", squash.replace(MESSAGE, message))
        git(web, "push", "--quiet")

    def close(self, name: str) -> None:
        """Remove a published branch, as the host does with a closed pull request."""
        git(self.there, "update-ref", "-d", f"refs/heads/memshelf/{name}")

    def ids(self) -> list[str]:
        """Return the ids of the episodes on the host's branch."""
        paths = git(self.there, "ls-tree", "--name-only", "HEAD", f"{TOPICS}/").splitlines()
        return [path.rpartition("/")[2].removesuffix(".md") for path in paths if path.endswith(".md")]


def host_of(library: Library, folder: Path) -> Host:
    """Make a host of the library, which gets it as `origin`; it takes no forced push."""
    there = folder / "there.git"
    git(folder, "clone", "--quiet", "--bare", str(library.root), str(there))
    for setting in ("receive.denyNonFastForwards", "core.logAllRefUpdates"):
        git(there, "config", setting, "true")
    git(library.root, "remote", "add", "origin", str(there))
    return Host(there)


def shelved(library: Library, caller: Caller, name: str, **changes: Any) -> str:
    """Write an episode, accept it, and return its commit."""
    write(library, request(id=name, title=name, **changes), caller)
    return accept(library, [name], caller).episodes[0][1]


def publish(library: Library, name: str) -> str:
    """Publish a draft of the shelf `shared`, and return its branch's commit."""
    caller = Caller(client="publisher", today=TODAY, folder=library.root, variables={})
    assert propose(library, [f"shared/{name}"], caller).ok
    return published.commits(library)[f"shared/{name}"]


def synced(library: Library) -> Synced:
    """Sync on the tests' day."""
    return sync(library, TODAY)


def tree(library: Library, name: str = "HEAD") -> str:
    """Return the id of the tree of a commit."""
    return git(library.root, "rev-parse", f"{name}^{{tree}}")


def at_once(*commands: list[str]) -> list[tuple[int, str]]:
    """Run the commands at the same time and return (exit code, what was said) of each."""
    running = [
        subprocess.Popen(
            command, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
        )
        for command in commands
    ]
    said = [process.communicate(timeout=120)[0] for process in running]
    return [(process.returncode, text) for process, text in zip(running, said, strict=True)]
