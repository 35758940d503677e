"""The journal of a landing: what is about to happen, on disk before it begins."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import MemShelfError
from memshelf.store import disk

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = "memshelf"
"""Our folder inside the Git directory. All that a killed command can leave of ours lies there."""

LOCK = "lock"
"""The one file of the folder that stays; whoever holds it is the only one who writes beside it."""

NAME = "landing.json"


class Follower(NamedTuple):
    """One checkout that follows the branch, and our two files for it.

    `lock` is git's own; it is ours while it is the same file as `hold`. `copy` is the index to be. The
    two lie in our folder and begin with `ours`.
    """

    folder: Path
    index_file: Path
    ours: Path

    @property
    def lock(self) -> Path:
        """The lock that every git honours before it writes the index."""
        return self.index_file.with_name(f"{self.index_file.name}.lock")

    @property
    def hold(self) -> Path:
        """The second name of the lock, which proves that it is ours."""
        return self.ours.with_suffix(".hold")

    @property
    def copy(self) -> Path:
        """The index that will replace the checkout's."""
        return self.ours.with_suffix(".index")

    def owns_lock(self) -> bool:
        """Tell whether the index lock that is there is ours."""
        return self.lock.exists() and self.hold.exists() and self.lock.samefile(self.hold)

    def unlock(self) -> None:
        """Give the index back and leave nothing of ours."""
        if self.owns_lock():
            self.lock.unlink()
        self.hold.unlink(missing_ok=True)
        self.copy.unlink(missing_ok=True)


class Journal(NamedTuple):
    """A move of `branch` from commit `old` (empty: unborn) to `new`.

    `paths` are the changed files, from the repository's top; `drafts` are the refs that go with the
    move and the commit each must have.
    """

    branch: str
    old: str
    new: str
    paths: tuple[str, ...]
    drafts: Mapping[str, str]
    followers: tuple[Follower, ...] = ()


def fresh(common: Path) -> Path:
    """Return a new name in our folder."""
    return common / FOLDER / os.urandom(16).hex()


def leftovers(common: Path) -> list[Path]:
    """Return what lies in our folder beside the lock: another command is at work, or was killed."""
    try:
        return [path for path in (common / FOLDER).iterdir() if path.name != LOCK]
    except FileNotFoundError:
        return []


def path_of(common: Path) -> Path:
    """Return where the journal lies, given the common Git directory."""
    return common / FOLDER / NAME


def write(common: Path, journal: Journal) -> None:
    """Put the journal on disk, durably."""
    followers = [each._asdict() for each in journal.followers]
    values = journal._asdict() | {"drafts": dict(journal.drafts), "followers": followers}
    disk.write_bytes(path_of(common), json.dumps(values, default=str, ensure_ascii=False).encode())
    disk.sync_folder(common / FOLDER)


def read(common: Path) -> Journal | None:
    """Return the journal that a killed command left, None when there is none.

    Raises MemShelfError when it cannot be read.
    """
    raw = disk.read_bytes(path_of(common))
    if raw is None:
        return None
    try:
        values = json.loads(raw)
        followers = [
            Follower(**{key: Path(text) for key, text in one.items()}) for one in values.pop("followers")
        ]
        return Journal(**values | {"paths": tuple(values["paths"])}, followers=tuple(followers))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise MemShelfError(
            f"{path_of(common)} is damaged: put right what `git status` shows, then delete the file"
        ) from None


def remove(common: Path) -> None:
    """Say that the landing has ended."""
    path_of(common).unlink(missing_ok=True)
