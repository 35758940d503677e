"""Where the library is, what it is set to, and which shelf a project belongs to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.formats import manifest, settings
from memshelf.model import KINDS
from memshelf.store.git import Git, GitError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memshelf.formats.settings import Settings
    from memshelf.model import Episode

SHELVES = "shelves"
SHARED = "shared"
POLICY = "POLICY.patterns"
SHELF_NAME = re.compile(r"(?=.{1,40}\Z)[a-z0-9]+(-[a-z0-9]+)*")
LIBRARY_VARIABLE = "MEMSHELF_LIBRARY"
SHELF_VARIABLE = "MEMSHELF_SHELF"
DEFAULT_PLACE = "~/memshelf"


@dataclass(frozen=True, slots=True)
class Library:
    """One library: its folder, the repository it lies in, and its settings.

    `common` is the Git directory that all work trees share. `prefix` is the path from the repository's
    top to the library, empty or ending in `/`. `branch` is the full name of the ref that holds what is
    accepted.
    """

    root: Path
    git: Git
    common: Path
    prefix: str
    branch: str
    settings: Settings

    def policy_text(self, shelf: str) -> str:
        """Return the text of the shelf's POLICY.patterns, empty when there is none."""
        path = self.root / SHELVES / shelf / POLICY
        return episode_format.decode(path.read_bytes()) if path.is_file() else ""


def episode_path(shelf: str, episode: Episode) -> str:
    """Return where the episode belongs, as a path from the library's folder."""
    return f"{SHELVES}/{shelf}/docs/{KINDS[episode.kind]}/{episode.id}.md"


def locate(explicit: str | None, variables: Mapping[str, str], start: Path) -> Path:
    """Return the library's folder: `explicit`, $MEMSHELF_LIBRARY, the one above `start`, ~/memshelf.

    Raises MemShelfError when the place that was named, or every place that was looked at, holds none.
    """
    named = explicit or variables.get(LIBRARY_VARIABLE)
    if named:
        root = Path(named).expanduser().absolute()
        if not is_library(root):
            state = "holds no library" if root.is_dir() else "does not exist"
            raise MemShelfError(f"{root} {state}: check the path, or make one with `memshelf init {named}`")
        return root
    home = Path(DEFAULT_PLACE).expanduser()
    for folder in (start, *start.parents, home):
        if is_library(folder):
            return folder
    raise MemShelfError(
        f"no library above {start} nor at {home}: pass --library DIR, or make one with `memshelf init DIR`"
    )


def is_library(folder: Path) -> bool:
    """Tell whether `folder` is a library: it has memshelf.yml, or a shelf below shelves/."""
    return (folder / settings.NAME).is_file() or any((folder / SHELVES).glob(f"*/{manifest.NAME}"))


def open_library(root: Path) -> Library:
    """Open the library at `root`.

    Raises MemShelfError when it is in no Git repository or memshelf.yml cannot be read.
    """
    git = Git(root)
    facts = repository_facts(git)
    if not facts:
        raise MemShelfError(f"{root} is in no Git repository: make it one with `memshelf init {root}`")
    common, _, prefix = facts.partition("\n")
    config = read_settings(root)
    return Library(root, git, Path(common), prefix, _branch(git, config), config)


def repository_facts(git: Git) -> str:
    """Return the common Git directory and the prefix on two lines, empty when there is no repository.

    Raises GitError with git's words when there is one that git will not open.
    """
    try:
        return git.line("rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix")
    except GitError as error:
        if "not a git repository" in str(error):
            return ""
        raise


def read_settings(root: Path) -> Settings:
    """Read memshelf.yml of the library at `root`; an absent file is all defaults."""
    path = root / settings.NAME
    if not path.is_file():
        return settings.Settings()
    try:
        return settings.parse(episode_format.decode(path.read_bytes()))
    except FormatError as error:
        raise MemShelfError(f"{path}{f':{error.line}' if error.line else ''}: {error}") from None


def _branch(git: Git, config: Settings) -> str:
    """Return the ref of memshelf.yml's branch, else origin's default branch, else the checked-out one."""
    if config.branch:
        return f"refs/heads/{config.branch}"
    remote = git.ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    if remote:
        return remote.replace("refs/remotes/origin/", "refs/heads/", 1)
    head = git.ask("symbolic-ref", "--quiet", "HEAD")
    if not head:
        raise MemShelfError(f"HEAD is detached: name the library's branch in {settings.NAME}: `branch: main`")
    return head


@dataclass(frozen=True, slots=True)
class Scope:
    """The shelf a project is bound to (empty: none) and why."""

    shelf: str
    reason: str


def bound_shelf(library: Library, names: list[str], variables: Mapping[str, str], start: Path) -> Scope:
    """Return the shelf of the project that `start` lies in.

    $MEMSHELF_SHELF first, then a binding in memshelf.yml, then the project's name: its origin's, else
    its main work tree's folder. The home folder never guesses.
    """
    if variables.get(SHELF_VARIABLE):
        return Scope(variables[SHELF_VARIABLE], f"${SHELF_VARIABLE}")
    project = _project(start)
    for name in names:
        if any(_same_project(entry, project) for entry in library.settings.shelf(name).projects):
            return Scope(name, f"bound in {settings.NAME}")
    called = re.split(r"[/:\\]", _bare(project[0]))[-1].lower() if project else ""
    if called in names:
        return Scope(called, f"the project is called {called}")
    return Scope("", "no shelf is bound to this project")


def _project(start: Path) -> list[str]:
    """Return what names the project around `start`: origin's URL if any, then the main work tree."""
    git = Git(start)
    common = git.ask("rev-parse", "--path-format=absolute", "--git-common-dir")
    if not common or Path(common).parent == Path.home():
        return []
    origin = git.ask("config", "--get", "remote.origin.url")
    return [name for name in (origin, str(Path(common).parent)) if name]


def _same_project(entry: str, project: list[str]) -> bool:
    wanted = str(Path(entry).expanduser()) if entry.startswith("~") else entry
    return _bare(wanted) in map(_bare, project)


def _bare(name: str) -> str:
    return name.rstrip("/\\").removesuffix(".git")
