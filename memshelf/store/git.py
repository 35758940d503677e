"""Git: the only module that runs it.

Plumbing and reads are git's own commands. GitPython runs the porcelain (init, diff) and is imported
only there: it costs more than a whole write.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_LITERAL_PATHSPECS",
)
"""Variables that tie git to one repository, or change what a path means to it.

A hook or `rebase -x` that runs us sets them for its own ends."""

SETTINGS = (
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "core.filesRefLockTimeout=2000",
)
DURABLE = ("core.fsync=committed,reference", "core.fsyncMethod=fsync")
"""A draft answered "saved" survives a power cut."""

VERB = re.compile("[a-z][a-z-]*")

UNWRITABLE = ("Read-only file system", "Permission denied", "insufficient permission")
NO_GIT = "git was not found: install git 2.36 or newer"


class GitError(MemShelfError):
    """Git said no; the text is git's own last words."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment git runs in: ours, without ties to another repository."""
    kept = {key: value for key, value in os.environ.items() if key not in LOCAL_VARIABLES}
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"} | dict(extra or {})


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of a tree: its mode (`100644`, `120000` ...), object id and path."""

    mode: str
    sha: str
    path: str


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in one folder.

    `keep` are descriptors that every git inherits: a lock that must outlive this process is one.
    """

    folder: Path
    keep: tuple[int, ...] = ()

    def run(
        self,
        *arguments: str,
        data: bytes = b"",
        extra: Mapping[str, str] | None = None,
        durable: bool = False,
    ) -> bytes:
        """Run git and return its stdout. Raises GitError with git's words when it fails."""
        settings = [part for setting in SETTINGS + (DURABLE if durable else ()) for part in ("-c", setting)]
        command = ["git", "-C", str(self.folder), *settings, *arguments]
        try:
            done = subprocess.run(
                command,
                input=data,
                capture_output=True,
                env=environment(extra),
                pass_fds=self.keep,
                check=False,
            )
        except FileNotFoundError:
            raise MemShelfError(NO_GIT) from None
        if done.returncode:
            raise GitError(_last_words(next(filter(VERB.fullmatch, arguments)), done.stderr))
        return done.stdout

    def line(self, *arguments: str, data: bytes = b"", durable: bool = False) -> str:
        """Run git and return its stdout as one stripped line."""
        return self.run(*arguments, data=data, durable=durable).decode("utf-8", "surrogateescape").strip()

    def ask(self, *arguments: str) -> str:
        """Run git; a failure is an empty answer."""
        try:
            return self.line(*arguments)
        except GitError:
            return ""

    def commit_of(self, name: str) -> str:
        """Return the commit id that `name` points at, or an empty string."""
        return self.ask("rev-parse", "--quiet", "--verify", "--end-of-options", f"{name}^{{commit}}")

    def blobs(self, commit: str, folder: str) -> list[Blob]:
        """Return every file below `folder` (a path from the repository's top) in `commit`."""
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", folder)
        found = []
        for line in listing.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            facts, _, path = line.partition("\t")
            mode, _, sha = facts.split(" ")
            found.append(Blob(mode, sha, path))
        return found

    def paths(self, commit: str) -> list[str]:
        """Return the path of every file in `commit`, from the repository's top."""
        listing = self.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
        return listing.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def refs(self, below: str) -> dict[str, str]:
        """Return ref name -> object id of every ref below `below`; a damaged one does not stop the others."""
        listing = self.line("for-each-ref", "--format=%(objectname) %(refname)", below)
        pairs = (line.split(" ", 1) for line in listing.split("\n") if line)
        return {name: sha for sha, name in pairs}

    def read(self, names: Iterable[str]) -> list[tuple[str, bytes]]:
        """Return (object id, content) of each name; a missing or damaged object is ("", b"")."""
        wanted = list(names)
        if not wanted:
            return []
        asked = "".join(f"{name}\n" for name in wanted).encode()
        try:
            answer = self.run("cat-file", "--batch", "--buffer", data=asked)
        except GitError:  # git stops at a damaged object: halving finds it and serves the others
            half = len(wanted) // 2
            return self.read(wanted[:half]) + self.read(wanted[half:]) if half else [("", b"")]
        found, position = [], 0
        for _ in wanted:
            end = answer.index(b"\n", position)
            facts = answer[position:end].split(b" ")
            size = int(facts[2]) if len(facts) == 3 and facts[2].isdigit() else -1
            found.append((facts[0].decode(), answer[end + 1 : end + 1 + size]) if size >= 0 else ("", b""))
            position = end + 1 + (size + 1 if size >= 0 else 0)
        return found

    def store(self, content: bytes) -> str:
        """Write `content` as a blob, bytes as they are, and return its id."""
        return self.line("hash-object", "-w", "--stdin", data=content, durable=True)

    def porcelain(self, verb: str, *arguments: str) -> str:
        """Run a command that people use through GitPython and return its stdout.

        Raises GitError with git's words. GitPython inherits this process's variables whole, so the ties
        are cut there.
        """
        for name in LOCAL_VARIABLES:
            os.environ.pop(name, None)
        try:
            import git as gitpython  # noqa: PLC0415 # costs 70 ms, and fails where no git is installed
        except ImportError:
            raise MemShelfError(NO_GIT) from None
        runner = gitpython.Git(str(self.folder))
        runner.update_environment(LC_ALL="C", GIT_TERMINAL_PROMPT="0")
        try:
            return str(getattr(runner, verb)(*arguments))
        except gitpython.GitCommandError as error:
            raise GitError(_last_words(verb, str(error.stderr).strip().strip("'").encode())) from None


def _last_words(verb: str, stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    words = " ".join(line for line in lines if not line.startswith("hint:"))
    if any(refusal in words for refusal in UNWRITABLE):
        words = "the repository cannot be written: make it yours, or use a clone of your own"
    return f"git {verb}: {words or 'failed without a word'}"
