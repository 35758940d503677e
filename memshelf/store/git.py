"""Git: the only module that runs it.

Plumbing and reads are git's own commands. GitPython runs the porcelain (init, diff) and is imported
only there: it costs more than a whole write.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import MemShelfError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import IO

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

ALWAYS = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",  # what was committed is what is read, whatever `git replace` says here
}
SETTINGS = (
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsmonitor=false",
    "core.quotePath=false",
    "core.filesRefLockTimeout=2000",
)
DURABLE = ("core.fsync=committed,reference", "core.fsyncMethod=fsync")
"""A draft answered "saved" survives a power cut."""

CHUNK = 1 << 20
VERB = re.compile("[a-z][a-z-]*")
UNWRITABLE = ("Read-only file system", "Permission denied", "insufficient permission")
NO_GIT = "git was not found: install git 2.36 or newer"


class GitError(MemShelfError):
    """Git said no; the text is git's own last words."""


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment git runs in: ours, without ties to another repository."""
    kept = {key: value for key, value in os.environ.items() if key not in LOCAL_VARIABLES}
    return kept | ALWAYS | dict(extra or {})


def own_folder(folder: Path) -> Path | None:
    """Return the Git directory of `folder` where that is plainly `.git` in it; None where git must be asked.

    It saves a process. Links, linked work trees, other owners and settings that move things are not plain.
    """
    place = Path(os.path.realpath(folder), ".git")
    try:
        owners = {place.lstat().st_uid, place.parent.stat().st_uid}
        head = (place / "HEAD").read_bytes()
        config = (place / "config").read_bytes().lower()
    except OSError:
        return None
    plain = (
        owners == {getattr(os, "geteuid", lambda: None)()}
        and not place.is_symlink()
        and (place / "objects").is_dir()
        and (place / "refs").is_dir()
        and head.startswith(b"ref: refs/")
        and not any(word in config for word in (b"worktree", b"include", b"bare = true"))
    )
    return place if plain else None


class Blob(NamedTuple):
    """One file of a tree: its mode (`100644`, `120000` ...), object id and path."""

    mode: str
    sha: str
    path: str


class Git(NamedTuple):
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
        try:
            done = subprocess.run(
                self._command(*arguments, durable=durable),
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

    def _command(self, *arguments: str, durable: bool = False) -> list[str]:
        settings = [part for setting in SETTINGS + (DURABLE if durable else ()) for part in ("-c", setting)]
        return ["git", "-C", str(self.folder), *settings, *arguments]

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

    def listing(self, *patterns: str) -> str:
        """Return a line `id name` for every ref at or below the patterns, sorted, without damaged ones."""
        return self.line("for-each-ref", "--format=%(objectname) %(refname)", *patterns)

    def refs(self, below: str) -> dict[str, str]:
        """Return ref name -> object id of every ref below `below`; a damaged one does not stop the others."""
        pairs = (line.split(" ", 1) for line in self.listing(below).split("\n") if line)
        return {name: sha for sha, name in pairs}

    def changed(self, old: str, new: str, folder: str) -> list[Blob]:
        """Return what differs below `folder` between two commits: a file that is gone has no mode and no id.

        Raises GitError when one of them is not there.
        """
        places = [] if folder == "." else ["--", f":(top,literal){folder}"]
        answer = self.run("diff-tree", "-r", "-z", "--no-renames", old, new, *places)
        parts = answer.decode("utf-8", "surrogateescape").split("\0")
        found = []
        for facts, path in zip(parts[::2], parts[1::2], strict=False):
            _, mode, _, sha, _ = facts.split(" ")
            there = bool(sha.strip("0"))
            found.append(Blob(mode if there else "", sha if there else "", path))
        return found

    def read(self, names: Iterable[str], most: int | None = None) -> list[tuple[str, bytes]]:
        """Return (object id, content) of each name; a missing or damaged object is ("", b"").

        Of a content that is longer than `most` bytes only so many are kept.
        """
        wanted, found = list(names), list[tuple[str, bytes]]()
        while len(found) < len(wanted):  # git ends at a damaged object: another one serves the others
            found += self._read_on(wanted[len(found) :], most)
        return found

    def _read_on(self, names: list[str], most: int | None) -> Iterator[tuple[str, bytes]]:
        """Yield as `read` does up to the first damaged object."""
        command = self._command("cat-file", "--batch")
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment(),
                pass_fds=self.keep,
            )
        except FileNotFoundError:
            raise MemShelfError(NO_GIT) from None
        with process:
            try:
                for name in names:
                    answer = _ask(process, name, most)
                    yield answer or ("", b"")
                    if answer is None:
                        process.kill()
                        return
            finally:
                _close(process.stdin)

    def store(self, content: bytes) -> str:
        """Write `content` as a blob, bytes as they are, and return its id."""
        return self.line("hash-object", "-w", "--stdin", data=content, durable=True)

    def porcelain(
        self,
        verb: str,
        *arguments: str,
        patience: float | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command that people use through GitPython and return its stdout.

        Raises GitError with git's words, and after `patience` seconds. GitPython inherits this process's
        variables whole, so the ties are cut there.
        """
        for name in LOCAL_VARIABLES:
            os.environ.pop(name, None)
        try:
            import git as gitpython  # noqa: PLC0415 # costs 70 ms, and fails where no git is installed
        except ImportError:
            raise MemShelfError(NO_GIT) from None
        runner = gitpython.Git(str(self.folder))
        runner.update_environment(LC_ALL="C", GIT_TERMINAL_PROMPT="0", **(extra or {}))
        try:
            return str(getattr(runner, verb)(*arguments, kill_after_timeout=patience))
        except gitpython.GitCommandError as error:
            said = str(error.stderr).strip().removeprefix("stderr:").strip().strip("'")
            raise GitError(_last_words(verb.replace("_", "-"), said.encode())) from None


def _ask(process: subprocess.Popen[bytes], name: str, most: int | None) -> tuple[str, bytes] | None:
    """Ask `cat-file --batch` for one object: ("", b"") when it is missing, None when git ended over it."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(f"{name}\n".encode())
        process.stdin.flush()
    except BrokenPipeError:
        return None
    header = process.stdout.readline().split(b" ")
    if len(header) != 3 or not header[2].strip().isdigit():
        return ("", b"") if header[-1].endswith(b"\n") else None
    size = int(header[2])
    kept = size if most is None else min(size, most)
    content = process.stdout.read(kept)
    left = size - kept + 1
    while left > 0 and (passed := process.stdout.read(min(left, CHUNK))):
        left -= len(passed)
    return None if left else (header[0].decode(), content)


def _close(pipe: IO[bytes] | None) -> None:
    """End the questions; git may have ended before."""
    if pipe:
        with contextlib.suppress(BrokenPipeError):
            pipe.close()


def _last_words(verb: str, stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").split("\n") if line.strip()]
    words = " ".join(line for line in lines if not line.startswith("hint:"))
    if verb not in ("ls-remote", "fetch", "push") and any(refusal in words for refusal in UNWRITABLE):
        words = "the repository cannot be written: make it yours, or use a clone of your own"
    return f"git {verb}: {words or 'failed without a word'}"
