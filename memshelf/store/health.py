"""Facts about a library that only doctor and status ask for: of Git and of the disk, without a verdict."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.errors import FormatError
from memshelf.formats import episode as episode_format
from memshelf.formats import settings
from memshelf.model import Document
from memshelf.store import journal, snapshot
from memshelf.store.drafts import REJECTED
from memshelf.store.library import SHELVES, open_with, read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Shelf
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

OURS = "refs/memshelf/"
STATES = {"??": "untracked", "!!": "ignored", "A ": "staged", " D": "deleted", "D ": "deleted"}
CONFLICTS = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")
COMMITTED = re.compile(rb"^committer .* (\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Proposed:
    """A draft's ref, or a rejected one's: `raw` is the episode's file, None when git has lost it.

    `shelf` and `id` are empty where the name has none; `file` is set when git cannot even read the ref.
    """

    ref: str
    shelf: str = ""
    id: str = ""
    raw: bytes | None = None
    file: str = ""


@dataclass(frozen=True, slots=True)
class Remote:
    """Where the branch is pushed to; `unpushed` is None when nothing of it is known to be there."""

    name: str
    unpushed: int | None


def open_as_it_is(root: Path) -> tuple[Library, FormatError | None]:
    """Open the library at `root`; settings that cannot be read are the defaults, and the fault is told.

    Where HEAD is detached and the clone lacks the branch, as in CI, what is checked out stands for it.
    Raises MemShelfError when it is in no Git repository.
    """
    faults: list[FormatError] = []

    def read(root: Path, common: Path) -> settings.Settings:
        path = root / settings.NAME
        if not path.is_file():
            return read_settings(root, common)
        try:
            return settings.parse(episode_format.decode(path.read_bytes()))
        except FormatError as error:
            faults.append(error)
            return settings.Settings()

    library = open_with(root, read)
    git = library.git
    if not git.commit_of(library.branch) and not git.ask("symbolic-ref", "--quiet", "HEAD"):
        library = replace(library, branch="HEAD")
    return library, next(iter(faults), None)


def look(library: Library) -> tuple[Snapshot, str]:
    """Take a snapshot; say how a landing that was killed ended: finished, undone, `held`, or empty: none."""
    left = journal.path_of(library.common).exists()
    going = journal.read(library.common) if left else None
    seen = snapshot.take(library)
    if not left or going is None:
        return seen, ""
    if journal.path_of(library.common).exists():
        return seen, "held"
    reached = library.git.ask("merge-base", going.new, seen.tip) == going.new
    return seen, "finished" if reached else "undone"


def committed(seen: Snapshot, shelf: Shelf) -> dict[str, Document]:
    """Return path -> file of every episode of `shelf`, which `seen` has loaded, with its bytes."""
    prefix = seen.library.prefix
    ids = {blob.path.removeprefix(prefix): blob.sha for blob in seen.blobs}
    raws = seen.library.git.read([ids[entry.path] for entry in shelf.entries])
    found = {
        entry.path: Document(entry.path, raw, entry.episode)
        for entry, (_, raw) in zip(shelf.entries, raws, strict=True)
    }
    return found | {document.path: document for document in shelf.unreadable}


def committed_bytes(seen: Snapshot, path: str) -> bytes | None:
    """Return the bytes of a file (from the library's folder) on the branch, None when it is not there."""
    sha, raw = seen.library.git.read([f"{seen.tip}:{seen.library.prefix}{path}"])[0]
    return raw if sha else None


def when_last_changed(seen: Snapshot, path: str) -> Snapshot | None:
    """Return the library at the commit that last changed `path`, None when no commit did."""
    library, place = seen.library, f"{seen.library.prefix}{path}"
    commit = library.git.ask("log", "-1", "--format=%H", seen.tip, "--", f":(top,literal){place}")
    if not commit:
        return None
    folder = library.prefix + ("" if library.alone else f"{SHELVES}/")
    return replace(seen, tip=commit, blobs=tuple(library.git.blobs(commit, folder or ".")))


def is_shallow(library: Library) -> bool:
    """Tell whether the clone lacks the beginning of its history."""
    return library.git.ask("rev-parse", "--is-shallow-repository") == "true"


def changes(library: Library) -> dict[str, str]:
    """Return path from the library's folder -> what git says of a file that is not as it was committed.

    The state is untracked, ignored, staged, changed, deleted or conflicted. Raises GitError.
    """
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=traditional")
    folders = (library.layout.docs_root, "archive") if library.alone else (SHELVES,)
    said = library.git.run("status", *options, "--", *folders).decode("utf-8", "surrogateescape")
    return {
        line[3:].removeprefix(library.prefix): "conflicted"
        if line[:2] in CONFLICTS
        else STATES.get(line[:2], "changed")
        for line in said.split("\0")
        if line
    }


def closed_folders(library: Library, shelf: str) -> list[str]:
    """Return every folder for the shelf's episodes that cannot be listed, from the library's folder."""
    closed: list[str] = []
    for place in (library.layout.docs_root, "archive"):
        folder = library.root / library.home(shelf) / place
        for _ in os.walk(folder, onerror=lambda error: closed.append(str(error.filename))):
            pass
    found = (Path(name) for name in closed)
    return [path.relative_to(library.root).as_posix() for path in found if path.exists()]


def proposals(library: Library) -> list[Proposed]:
    """Return every draft and every rejected one, those included that git cannot read."""
    refs = {ref: sha for ref, sha in library.git.refs(OURS).items() if _is_proposal(ref)}
    found = [_named(ref) for ref in refs]
    texts = library.git.read([f"{refs[one.ref]}:{one.id or '-'}.md" for one in found])
    read = [replace(one, raw=raw if sha else None) for one, (sha, raw) in zip(found, texts, strict=True)]
    loose = (path for path in (library.common / OURS).rglob("*") if path.is_file() and path.suffix != ".lock")
    files = {path.relative_to(library.common).as_posix(): path for path in loose}
    broken = sorted(ref for ref in files.keys() - refs.keys() if _is_proposal(ref))
    return read + [replace(_named(ref), file=str(files[ref])) for ref in broken]


def days_old(library: Library, commits: Sequence[str], today: str) -> list[int]:
    """Return for each commit how many days before `today` (ISO) it was made; 0 where git has lost it."""
    ages = []
    for _, raw in library.git.read(commits):
        made = COMMITTED.search(raw.partition(b"\n\n")[0])
        ages.append(max(0, (date.fromisoformat(today) - _day(made)).days) if made else 0)
    return ages


def remote(library: Library, tip: str) -> Remote | None:
    """Return the remote of the library's branch as this clone last saw it, None when it has none."""
    git, branch = library.git, library.branch.removeprefix("refs/heads/")
    names = git.ask("remote").split()
    if not names:
        return None
    wanted = git.ask("config", "--get", f"branch.{branch}.remote") or "origin"
    name = wanted if wanted in names else names[0]
    there = git.ask("for-each-ref", "--format=%(upstream)", library.branch) or f"refs/remotes/{name}/{branch}"
    count = git.ask("rev-list", "--count", f"{there}..{tip}") if tip and git.commit_of(there) else ""
    return Remote(name, int(count) if count else None)


def _is_proposal(ref: str) -> bool:
    return f"{ref}/".startswith((snapshot.DRAFTS, REJECTED))


def _named(ref: str) -> Proposed:
    _, _, rest = ref.removeprefix(OURS).partition("/")
    shelf, _, episode_id = rest.partition("/")
    return Proposed(ref, shelf, episode_id)


def _day(made: re.Match[bytes]) -> date:
    """Return the day of a commit, where it was made."""
    offset = timedelta(hours=int(made[3]), minutes=int(made[4]))
    moment = datetime.fromtimestamp(int(made[1]), UTC)
    return (moment + offset if made[2] == b"+" else moment - offset).date()
