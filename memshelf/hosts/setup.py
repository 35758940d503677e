"""Setup and undo: what changes in a client's configuration, shown, then written with a copy kept aside."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands.redact import policy_for, redact_text
from memshelf.errors import FormatError, MemShelfError
from memshelf.store import configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memshelf.hosts.clients import Client
    from memshelf.hosts.parts import File

CONTEXT = 2
"""Lines shown around each change: enough to see the place, few enough to show little of others' entries."""


class Change(NamedTuple):
    """One file and its text before and after; None is a file that is not there."""

    path: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """Return the change as a unified diff, line ends left out and secrets around it masked."""
        old, new = ((text or "").splitlines() for text in (self.before, self.after))
        names = ["/dev/null" if text is None else str(self.path) for text in (self.before, self.after)]
        lines = difflib.unified_diff(old, new, names[0], names[1], n=CONTEXT, lineterm="")
        return redact_text("\n".join(lines), policy_for()).text


class Outcome(NamedTuple):
    """What setup did to a client, or would do: its changes, and `said`, a line a fact."""

    client: str
    changes: tuple[Change, ...]
    said: tuple[str, ...] = ()
    written: bool = False
    failed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        files = [{"path": str(change.path), "diff": change.diff} for change in self.changes]
        return {"client": self.client, "written": self.written, "files": files, "said": list(self.said)}

    def as_text(self) -> str:
        """Return the diff, then a line a fact."""
        return "\n".join([*(change.diff for change in self.changes), *self.said])


def setup(client: Client, files: Sequence[File], *, dry_run: bool) -> Outcome:
    """Put what connects the client into its files; a file without anything of ours is copied aside first.

    Raises MemShelfError, before anything is written, for a file that cannot be read, edited or written.
    """
    changes = _changes(files, _with)
    if not changes:
        return Outcome(client.name, (), (f"{client.label}: set up already, nothing to change",))
    if dry_run:
        return Outcome(client.name, changes, ("nothing was written: --dry-run",))
    _check(changes)
    said = []
    for file, change in _paired(files, changes):
        kept = ""
        if change.before is not None and file.take(change.before) == change.before:
            kept = f" (as it was: {configuration.backup(change.path)})"
        _write(change)
        said.append(f"written: {change.path}{kept}")
    return Outcome(client.name, changes, tuple(said), written=True)


def undo(client: Client, files: Sequence[File], *, dry_run: bool) -> Outcome:
    """Take what setup put there out of the client's files.

    A file that nobody else has changed since becomes what it was, byte for byte. Raises as `setup` does.
    """
    changes = _changes(files, _without)
    if not changes:
        return Outcome(client.name, (), (f"{client.label}: nothing of MemShelf's there",))
    if dry_run:
        return Outcome(client.name, changes, ("nothing was written: --dry-run",))
    _check(changes)
    said = []
    for change in changes:
        copy = configuration.backup_path(change.path)
        _write(change)
        configuration.remove(copy)
        said.append(f"{'deleted' if change.after is None else 'written'}: {change.path}")
    return Outcome(client.name, changes, tuple(said), written=True)


def _changes(files: Sequence[File], edit: Callable[[File, str | None], str | None]) -> tuple[Change, ...]:
    found = []
    for file in files:
        before = configuration.read(file.path)
        try:
            after = edit(file, before)
        except FormatError as error:
            raise MemShelfError(f"{file.path}: {error}") from None
        if after != before:
            found.append(Change(file.path, before, after))
    return tuple(found)


def _with(file: File, text: str | None) -> str:
    return file.put(text or "")


def _without(file: File, text: str | None) -> str | None:
    """Return the text before setup: the copy when setup is all that has become of it since.

    White space and commas do not count: taking out what setup put in does not give every one of them back.
    """
    if text is None:
        return None
    after = file.take(text)
    if after == text:
        return text
    copy = configuration.read(configuration.backup_path(file.path))
    if copy is not None:
        return copy if _squeezed(after) == _squeezed(file.take(file.put(copy))) else after
    return None if _squeezed(after) in ("", "{}") else after


def _squeezed(text: str) -> str:
    return re.sub(r"[\s,]+", "", text)


def _check(changes: Sequence[Change]) -> None:
    for change in changes:
        configuration.check_writable(change.path)


def _paired(files: Sequence[File], changes: Sequence[Change]) -> list[tuple[File, Change]]:
    return [(file, change) for file in files for change in changes if change.path == file.path]


def _write(change: Change) -> None:
    if configuration.read(change.path) != change.before:
        raise MemShelfError(f"{change.path} has changed meanwhile: close the client, then try again")
    if change.after is None:
        configuration.remove(change.path)
    else:
        configuration.write(change.path, change.after)
