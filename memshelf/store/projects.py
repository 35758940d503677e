"""What a project is called: its repository's origin and main work tree, each in one spelling."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

from memshelf.store.git import Git, own_folder
from memshelf.text import slug

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/]*@)?(?P<host>[^/:]*)(?::\d+)?/*(?P<path>.*)")
SCP = re.compile(r"(?:[^/@]+@)?(?P<host>[^/:]{2,}):/*(?P<path>.*)")


class Project(NamedTuple):
    """The repository around a folder.

    `folder` is its main work tree, or the bare repository; `origin` is origin's URL in its one spelling,
    empty when there is none. Neither holds a user's name or a password.
    """

    folder: Path
    origin: str = ""

    @property
    def name(self) -> str:
        """What binds this project in memshelf.yml, in every clone where it has an origin."""
        return self.origin or str(self.folder)

    @property
    def called(self) -> str:
        """The last part of its name, spelt as a shelf's name is."""
        return slug(re.split(r"[/\\]", canonical(self.name))[-1])

    @property
    def is_home(self) -> bool:
        """Whether the home folder itself is the repository."""
        return self.folder.resolve() == _expanded("~").resolve()

    def matches(self, entry: str) -> bool:
        """Tell whether an entry of `projects` names this one: by URL, or by path (`~` is the home folder)."""
        return canonical(entry) in (self.origin, canonical(str(self.folder)))


def around(start: Path) -> Project | None:
    """Return the project that `start` lies in; linked work trees belong to the main one."""
    place = _git_folder(start)
    if place is None:
        return None
    folder = place.parent if place.name == ".git" else place
    origin = _origin(folder, _stamp(place / "config"))
    if origin.startswith("."):
        origin = str(folder / origin)
    return Project(folder, canonical(origin) if origin else "")


def _git_folder(start: Path) -> Path | None:
    """Return the Git directory that all work trees around `start` share."""
    for folder in (start, *start.parents):
        if (folder / ".git").exists() or (folder / "HEAD").exists():
            own = own_folder(folder)
            if own and folder.stat().st_dev == start.stat().st_dev:
                return own
            break
    common = Git(start).ask("rev-parse", "--path-format=absolute", "--git-common-dir")
    return Path(common) if common else None


@functools.lru_cache(maxsize=8)
def _origin(folder: Path, _stamp: tuple[int, int]) -> str:
    """Return origin's URL, empty for none; a server asks git once as long as the stamp is the same."""
    return Git(folder).ask("config", "--get", "remote.origin.url")


def _stamp(path: Path) -> tuple[int, int]:
    """Return a value that differs once a file has changed."""
    try:
        facts = path.stat()
    except OSError:
        return 0, 0
    return facts.st_mtime_ns, facts.st_size


def canonical(name: str) -> str:
    """Return the one spelling of a URL (`host/path`, without user, port and `.git`) or of a path."""
    bare = name.rstrip("/\\").removesuffix(".git").rstrip("/\\")
    found = URL.fullmatch(bare) or SCP.fullmatch(bare)
    if found and found["host"]:
        return f"{found['host']}/{found['path']}".casefold()
    path = _expanded(f"/{found['path']}" if found else bare)
    return str(path.resolve()).removesuffix(".git") if path.is_absolute() else bare


def _expanded(name: str) -> Path:
    """Return the path with `~` resolved; the home of nobody stays as it is written."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)
