"""Where the library is, what it is set to, and which shelf a project belongs to."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.formats import manifest, settings
from memshelf.store.git import Git, GitError, own_folder
from memshelf.store.remembered import remembered
from memshelf.text import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memshelf.formats.manifest import Manifest
    from memshelf.formats.settings import Settings
    from memshelf.model import Episode

SHELVES = "shelves"
SHARED = "shared"
OURS = manifest.Manifest(generated_by=manifest.OURS)
"""The layout of every shelf below `shelves/`."""

LONGEST_NAME = 40
SHELF_NAME = re.compile(rf"(?=.{{1,{LONGEST_NAME}}}\Z)[a-z0-9]+(-[a-z0-9]+)*")
LIBRARY_VARIABLE = "MEMSHELF_LIBRARY"
DEFAULT_PLACE = "~/memshelf"

Parsed = TypeVar("Parsed", bound=NamedTuple)


class Library(NamedTuple):
    """One library: its folder, the repository it lies in, and its settings.

    `common` is the Git directory that all work trees share. `prefix` is the path from the repository's
    top to the library, empty or ending in `/`. `branch` is the full name of the ref that holds what is
    accepted. `alone` is the manifest of a library that is one shelf itself: shelf.yml lies at its root,
    and its name is the shelf's. `patience` is how many seconds a reading command may spend on what the
    catalogue lacks before it answers without; `progress` is told (episodes read, episodes) meanwhile,
    and then (0, 0).
    """

    root: Path
    git: Git
    common: Path
    prefix: str
    branch: str
    settings: Settings
    alone: Manifest | None = None
    patience: float = 10.0
    progress: Callable[[int, int], None] | None = None

    @property
    def layout(self) -> Manifest:
        """How the files of a shelf lie in its folder."""
        return self.alone or OURS

    @property
    def foreign(self) -> bool:
        """Whether another tool renders the derived files: MemShelf leaves them alone."""
        claimed = self.layout.generated_by == manifest.OURS and (self.root / settings.NAME).is_file()
        return self.alone is not None and not claimed

    def home(self, shelf: str) -> str:
        """Return the shelf's folder as a path from the library's folder, empty or ending in `/`.

        Raises MemShelfError for another shelf than the one that the library is.
        """
        if self.alone is None:
            return f"{SHELVES}/{shelf}/"
        if shelf != self.alone.name:
            raise MemShelfError(
                f"{self.root} is one shelf, {self.alone.name}: `memshelf init DIR` makes a library for others"
            )
        return ""

    def inside(self, path: str) -> tuple[str, str]:
        """Return (shelf, path from the shelf's folder) of a path from the library's folder."""
        if self.alone:
            return self.alone.name, path
        shelf, _, rest = path.removeprefix(f"{SHELVES}/").partition("/")
        return (shelf, rest) if rest and path.startswith(f"{SHELVES}/") else ("", path)

    def is_episode(self, path: str) -> bool:
        """Tell whether a path from the library's folder is where a shelf keeps an episode."""
        shelf, rest = self.inside(path)
        return bool(shelf) and self.layout.episodes.fullmatch(rest) is not None

    def episode_path(self, shelf: str, episode: Episode) -> str:
        """Return where the episode belongs, as a path from the library's folder."""
        return f"{self.home(shelf)}{self.layout.folder(episode.kind)}/{episode.id}.md"

    def policy_text(self, shelf: str) -> str:
        """Return the text of the shelf's POLICY.patterns, empty when there is none.

        Where the work tree leaves the file out, as a sparse one does, the committed text counts.
        """
        inside = self.home(shelf) + self.layout.patterns
        path = self.root / inside
        committed = f"{self.branch}:{self.prefix}{inside}"
        return episode_format.decode(
            path.read_bytes() if path.is_file() else self.git.read([committed])[0][1]
        )


def locate(explicit: str | None, variables: Mapping[str, str], start: Path) -> Path:
    """Return the library's folder: `explicit`, $MEMSHELF_LIBRARY, the one above `start`, ~/memshelf.

    Raises MemShelfError when the place that was named, or every place that was looked at, holds none.
    """
    return locate_why(explicit, variables, start)[0]


def locate_why(explicit: str | None, variables: Mapping[str, str], start: Path) -> tuple[Path, str]:
    """Do as `locate` does, and say beside the folder why it is this one."""
    named = explicit or variables.get(LIBRARY_VARIABLE)
    if named:
        root = place(named)
        if not is_library(root):
            refuse_bare(root)
            state = "holds no library" if root.is_dir() else "does not exist"
            raise MemShelfError(f"{root} {state}: check the path, or make one with `memshelf init {named}`")
        return root, "--library" if explicit else f"${LIBRARY_VARIABLE}"
    home = place(DEFAULT_PLACE)
    for folder in (start, *start.parents, home):
        if is_library(folder):
            above = folder == start or folder in start.parents
            return folder, "above the current folder" if above else DEFAULT_PLACE
    raise MemShelfError(
        f"no library above {start} nor at {home}: pass --library DIR, set ${LIBRARY_VARIABLE}, "
        "or make one with `memshelf init DIR`"
    )


def place(named: str | Path) -> Path:
    """Return a folder that was named as an absolute path. Raises MemShelfError where there can be none."""
    try:
        root = Path(named).expanduser().absolute()
        str(root).encode()
        root.is_dir()
    except RuntimeError:
        raise MemShelfError(f"{named} names the home of nobody here: write the whole path") from None
    except UnicodeEncodeError:
        raise MemShelfError(f"{named} is not UTF-8: name the folder in UTF-8") from None
    except OSError as error:
        raise MemShelfError(f"no library there: {error.strerror}: check the path") from None
    return root


def refuse_bare(folder: Path) -> None:
    """Raise MemShelfError when the folder is a repository without a work tree."""
    if folder.is_dir() and Git(folder).ask("rev-parse", "--is-bare-repository") == "true":
        raise MemShelfError(f"{folder} is a bare repository: `git clone` it and use the clone")


def is_library(folder: Path) -> bool:
    """Tell whether `folder` is a library: it has memshelf.yml or a shelf below shelves/, or is a shelf."""
    has_shelf = (folder / settings.NAME).is_file() or any((folder / SHELVES).glob(f"*/{manifest.NAME}"))
    return has_shelf or is_lone_shelf(folder)


def is_lone_shelf(folder: Path) -> bool:
    """Tell whether `folder` is itself a memory shelf, as other tools of the format family lay it out."""
    path = folder / manifest.NAME
    if folder.parent.name == SHELVES or not path.is_file():
        return False
    return manifest.is_memory(path.read_bytes().decode("utf-8", "replace"))


def open_library(root: Path) -> Library:
    """Open the library at `root`.

    Raises MemShelfError when it is in no Git repository or memshelf.yml cannot be read.
    """
    return open_with(root, read_settings)


def open_with(root: Path, read: Callable[[Path, Path], Settings]) -> Library:
    """Open the library at `root` with the settings that `read` makes of it and the Git common directory."""
    git = Git(root)
    facts = repository_facts(git)
    if not facts:
        way_out = "`git init`, then commit the shelf" if is_lone_shelf(root) else f"`memshelf init {root}`"
        raise MemShelfError(f"{root} is in no Git repository: make it one with {way_out}")
    common, _, prefix = facts.partition("\n")
    config = read(root, Path(common))
    alone = _lone_shelf(root, Path(common), prefix)
    return Library(root, git, Path(common), prefix, branch_why(git, config)[0], config, alone)


def _lone_shelf(root: Path, common: Path, prefix: str) -> Manifest | None:
    """Read the manifest of the shelf that `root` itself is, its name made a shelf's name."""
    if not is_lone_shelf(root):
        return None
    if any((root / SHELVES).glob(f"*/{manifest.NAME}")):
        raise MemShelfError(
            f"{root} is a shelf and has others below {SHELVES}/: move its files to {SHELVES}/NAME/"
        )
    read: Manifest = _read(root / manifest.NAME, common, manifest.parse, manifest.revive)
    folder = root if prefix or common.name != ".git" else common.parent
    return read._replace(name=_shelf_name(read.name) or _shelf_name(folder.name) or "shelf")


def _shelf_name(text: str) -> str:
    found = SHELF_NAME.match(slug(text)[:LONGEST_NAME].strip("-"))
    return found[0] if found else ""


def repository_facts(git: Git) -> str:
    """Return the common Git directory and the prefix on two lines, empty when there is no repository.

    Raises GitError with git's words when there is one that git will not open.
    """
    own = own_folder(git.folder)
    if own:
        return str(own)
    try:
        return git.line("rev-parse", "--path-format=absolute", "--git-common-dir", "--show-prefix")
    except GitError as error:
        if "not a git repository" in str(error):
            return ""
        raise


def read_settings(root: Path, common: Path) -> Settings:
    """Read memshelf.yml of the library at `root`; an absent file is all defaults.

    A shelf at the root without it was written by another tool, whose contract then holds.
    """
    path = root / settings.NAME
    if not path.is_file():
        return settings.Settings(contract="adopted" if is_lone_shelf(root) else "full")
    return _read(path, common, settings.parse, settings.revive)


def _read(
    path: Path, common: Path, parse: Callable[[str], Parsed], revive: Callable[[dict[str, Any]], Parsed]
) -> Parsed:
    try:
        return remembered(path, common, lambda raw: parse(episode_format.decode(raw)), revive)
    except FormatError as error:
        raise MemShelfError(f"{path}{f':{error.line}' if error.line else ''}: {error}") from None


def branch_why(git: Git, config: Settings) -> tuple[str, str]:
    """Return the ref of memshelf.yml's branch, else origin's default, else the checked-out one, and why."""
    if config.branch:
        return f"refs/heads/{config.branch}", settings.NAME
    remote = git.ask("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    if remote:
        return remote.replace("refs/remotes/origin/", "refs/heads/", 1), "origin's default"
    head = git.ask("symbolic-ref", "--quiet", "HEAD")
    if not head and (rebased := _rebased(git)):
        return rebased, "being rebased"
    if not head:
        raise MemShelfError(f"HEAD is detached: name the library's branch in {settings.NAME}: `branch: main`")
    return head, "checked out"


def _rebased(git: Git) -> str:
    """Return the ref of the branch that a rebase is at work on, empty when there is none."""
    for state in ("rebase-merge", "rebase-apply"):
        name = Path(git.line("rev-parse", "--path-format=absolute", "--git-path", f"{state}/head-name"))
        if name.is_file() and (ref := name.read_text(encoding="utf-8").strip()).startswith("refs/heads/"):
            return ref
    return ""
