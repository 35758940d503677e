"""Facts about a library that only doctor and status ask for: of Git and of the disk, without a verdict."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.errors import FormatError
from memshelf.formats import episode as episode_format
from memshelf.formats import settings
from memshelf.store import journal, snapshot
from memshelf.store.clock import seconds_since
from memshelf.store.drafts import REJECTED
from memshelf.store.library import SHELVES, open_with, read_settings
from memshelf.store.repair import STALE_LOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

OURS = "refs/memshelf/"
STATES = {"??": "untracked", "!!": "ignored", "A ": "staged", " D": "deleted", "D ": "deleted"}
CONFLICTS = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")
COMMITTED = re.compile(rb"^committer .* (\d+) ([+-])(\d\d)(\d\d)$", re.MULTILINE)


BASE = re.compile(rb"^Memshelf-Base: ([0-9a-f]+)$", re.MULTILINE)
LONGEST_LOCK = 3600.0
"""Seconds that no git holds the lock of a checkout."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A draft's ref, or a rejected one's: `raw` is the episode's file, None when git has lost it.

    `shelf` and `id` are empty where the name has none; `file` is set when git cannot even read the ref.
    `days` is its age, `base` the rev that an amend started from.
    """

    ref: str
    shelf: str = ""
    id: str = ""
    raw: bytes | None = None
    file: str = ""
    days: int = 0
    base: str = ""

    @property
    def waits(self) -> bool:
        """Whether it is a draft, and not a rejected one."""
        return f"{self.ref}/".startswith(snapshot.DRAFTS)


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
    lost = not git.commit_of(library.branch) and not snapshot.broken_branch(library, "")
    if lost and not git.ask("symbolic-ref", "--quiet", "HEAD"):
        library = library._replace(branch="HEAD")
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


def when_last_changed(seen: Snapshot, path: str) -> Snapshot | None:
    """Return the library at the commit that last changed `path`, None when no commit did."""
    library, place = seen.library, f"{seen.library.prefix}{path}"
    commit = library.git.ask("log", "-1", "--format=%H", seen.tip, "--", f":(top,literal){place}")
    if not commit:
        return None
    folder = library.prefix + ("" if library.alone else f"{SHELVES}/")
    return seen._replace(tip=commit, blobs=tuple(library.git.blobs(commit, folder or ".")))


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


def kept_files(library: Library) -> list[str]:
    """Return the files below the shelves that git tracks or does not ignore, from the library's folder.

    Raises GitError.
    """
    options = ("-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    said = library.git.run("ls-files", *options, "--", "." if library.alone else SHELVES)
    return said.decode("utf-8", "surrogateescape").split("\0")[:-1]


def proposals(library: Library, today: str) -> list[Proposed]:
    """Return every draft and every rejected one, those included that git cannot read."""
    refs = {ref: sha for ref, sha in library.git.refs(OURS).items() if _is_proposal(ref)}
    found = [_named(ref) for ref in refs]
    read = library.git.read([f"{refs[one.ref]}:{one.id or '-'}.md" for one in found])
    commits = library.git.read(refs.values())
    told = [
        replace(one, raw=raw if sha else None, days=_days(commit, today), base=_base(commit))
        for one, (sha, raw), (_, commit) in zip(found, read, commits, strict=True)
    ]
    loose = (path for path in (library.common / OURS).rglob("*") if path.is_file() and path.suffix != ".lock")
    files = {path.relative_to(library.common).as_posix(): path for path in loose}
    broken = sorted(ref for ref in files.keys() - refs.keys() if _is_proposal(ref))
    return told + [replace(_named(ref), file=str(files[ref])) for ref in broken]


def days_old(library: Library, commits: Sequence[str], today: str) -> list[int]:
    """Return for each commit how many days before `today` (ISO) it was made; 0 where git has lost it."""
    return [_days(raw, today) for _, raw in library.git.read(commits)]


def git_version(library: Library) -> tuple[int, ...]:
    """Return the version of git as numbers, empty when it does not say."""
    return tuple(map(int, re.findall(r"\d+", library.git.ask("version").partition(" (")[0])))


def knows_person(library: Library) -> bool:
    """Tell whether git would let this person commit."""
    return bool(library.git.ask("var", "GIT_COMMITTER_IDENT"))


def left_locks(library: Library) -> list[Path]:
    """Return the locks of drafts that are too old to be held by a living git."""
    return [path for path in (library.common / OURS).rglob("*.lock") if _is_older(path, STALE_LOCK)]


def left_index_lock(library: Library) -> Path | None:
    """Return the checkout's lock when it has been there for an hour."""
    lock = Path(library.git.ask("rev-parse", "--absolute-git-dir")) / "index.lock"
    return lock if _is_older(lock, LONGEST_LOCK) else None


def _is_proposal(ref: str) -> bool:
    return f"{ref}/".startswith((snapshot.DRAFTS, REJECTED))


def _named(ref: str) -> Proposed:
    _, _, rest = ref.removeprefix(OURS).partition("/")
    shelf, _, episode_id = rest.partition("/")
    return Proposed(ref, shelf, episode_id)


def _is_older(lock: Path, seconds: float) -> bool:
    try:
        return seconds_since(lock.stat().st_mtime) > seconds
    except OSError:
        return False


def _base(commit: bytes) -> str:
    found = BASE.search(commit)
    return found[1].decode("utf-8", "replace") if found else ""


def _days(commit: bytes, today: str) -> int:
    made = COMMITTED.search(commit.partition(b"\n\n")[0])
    return max(0, (date.fromisoformat(today) - _day(made)).days) if made else 0


def _day(made: re.Match[bytes]) -> date:
    """Return the day of a commit, where it was made."""
    offset = timedelta(hours=int(made[3]), minutes=int(made[4]))
    moment = datetime.fromtimestamp(int(made[1]), UTC)
    return (moment + offset if made[2] == b"+" else moment - offset).date()
