"""Deliver: render what the remote's branch lacks and push it, as the bot does. Asked by render."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands.shelving import derived_files
from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import settings
from memshelf.formats.episode import decode
from memshelf.store import brought, commits, landing, remote

if TYPE_CHECKING:
    from memshelf.store.library import Library
    from memshelf.store.remote import Link

TRIES = 8
BRANCH = "memshelf-render"
REF = f"refs/heads/{BRANCH}"
"""Where a rendering waits for a pull request when the remote takes none on the library's branch."""

MESSAGE = "render: derived files\n"


class Delivered(NamedTuple):
    """What became of the derived files that differed on the remote's branch: `paths`, from its folder.

    `commit` holds them, empty where none differed. `branch` is where it lies; `refused` are git's words
    when that is not the library's own, which then waits for a pull request.
    """

    paths: tuple[str, ...] = ()
    commit: str = ""
    branch: str = ""
    refused: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return self._asdict() | {"paths": list(self.paths)}

    def as_text(self) -> str:
        """Return a line a file, and where the commit lies."""
        if not self.commit:
            return "nothing to render: the derived files are what the episodes give"
        lines = [f"{path}: rendered" for path in self.paths]
        if self.refused:
            lines.append(f"{self.branch}: commit {self.commit[: brought.SHOWN]} waits for a pull request")
            lines.append(f"because the push was refused: {self.refused}")
        else:
            lines.append(f"{self.branch}: commit {self.commit[: brought.SHOWN]} pushed")
        return "\n".join(lines)


def deliver(library: Library, today: str) -> Delivered:
    """Render the derived files from the remote's branch, commit what differs on its tip, and push that.

    Nothing of this clone moves. When the branch has moved meanwhile it begins again; when the remote takes
    no push to it, the commit goes to BRANCH, which is there only as long as it is needed. Raises
    MemShelfError when there is no remote, it cannot be reached, or it takes neither.
    """
    link = remote.link_of(library)
    if link is None:
        raise MemShelfError("no remote to push to: `git remote add origin URL`, then try again")
    with landing.exclusive(library) as held:
        for tries in range(TRIES):
            tip = remote.fetch(held, link).tip
            if not tip:
                raise MemShelfError(f"{link.short} has no commit yet: push the library's branch first")
            try:
                return _once(held, link, tip, today)
            except remote.Overtaken:
                remote.pause(tries)
    raise MemShelfError(f"{link.short} kept moving: try again")


def _once(library: Library, link: Link, tip: str, today: str) -> Delivered:
    stale = _stale(library, tip, today)
    if not stale:
        _withdraw(library, link)
        return Delivered()
    commit = commits.build(library, tip, stale, MESSAGE, None)
    done = Delivered(tuple(stale), commit, link.short)
    try:
        remote.push(library, link, [f"{commit}:{link.branch}"], {})
    except (remote.Overtaken, remote.Unreachable):
        raise
    except MemShelfError as refusal:
        commit = _wait(library, link, commit)
        return done._replace(commit=commit, branch=f"{link.name}/{BRANCH}", refused=str(refusal))
    _withdraw(library, link)
    return done


def _stale(library: Library, tip: str, today: str) -> dict[str, bytes]:
    """Return path -> right content of each derived file that is another in `tip`, by its own settings."""
    (_, text), *_ = library.git.read([f"{tip}:{library.prefix}{settings.NAME}"])
    try:
        there = library._replace(settings=settings.parse(decode(text)))
    except FormatError as error:
        raise MemShelfError(f"{settings.NAME}: {error}") from None
    if there.foreign:
        return {}
    seen = brought.at(there, tip)
    fresh: dict[str, bytes] = {}
    for shelf in seen.load(seen.names):
        fresh |= derived_files(there, shelf, today)
    found = library.git.read([f"{tip}:{library.prefix}{path}" for path in fresh])
    pairs = zip(fresh.items(), found, strict=True)
    return {path: content for (path, content), (sha, old) in pairs if not sha or old != content}


def _wait(library: Library, link: Link, commit: str) -> str:
    """Let the commit wait on BRANCH, and return it, or the one that waits there with the same content."""
    waiting = remote.tip_of(library, link, REF)
    names = [[f"{one}^{{tree}}", f"{one}^"] for one in (waiting, commit)]
    if waiting and len({library.git.line("rev-parse", *each) for each in names}) == 1:
        return waiting
    remote.push(library, link, [f"{commit}:{REF}"], {REF: waiting})
    return commit


def _withdraw(library: Library, link: Link) -> None:
    """Remove the branch that waited for a pull request: what it brought is there, or was rendered anew."""
    waiting = remote.tip_of(library, link, REF)
    if waiting:
        with contextlib.suppress(MemShelfError):
            remote.push(library, link, [f":{REF}"], {REF: waiting})
