"""What a command may leave behind: objects and refs, the checkout, files that a person put there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from support import git

from memshelf.formats import episode as episode_format

if TYPE_CHECKING:
    from memshelf.model import Episode


def refs(root: Path, below: str = "refs/memshelf/draft") -> dict[str, str]:
    """Return ref -> object id, without the leading `below/`."""
    lines = git(root, "for-each-ref", "--format=%(refname) %(objectname)", below).splitlines()
    return {name.removeprefix(f"{below}/"): sha for name, sha in (line.split(" ") for line in lines)}


def stored(root: Path) -> tuple[set[str], dict[str, str]]:
    """Return every object, reachable or not, and every ref."""
    objects = git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").splitlines()
    return set(objects), refs(root, "refs")


def checkout(root: Path, *, exactly: bool = True) -> dict[str, object]:
    """Return everything of the checkout at `root` that a person would miss or notice.

    `exactly` compares the index byte by byte, not only what it says.
    """
    top = Path(git(root, "rev-parse", "--show-toplevel"))
    index = top / git(top, "rev-parse", "--git-path", "index")
    status = git(top, "--no-optional-locks", "status", "--porcelain=v2", "--branch", "--ignored", "-uall")
    return {
        "status": status,
        "index": (index.read_bytes() if index.exists() else b"") if exactly else git(top, "ls-files", "-sv"),
        "HEAD": (top / git(top, "rev-parse", "--git-path", "HEAD")).read_bytes(),
        "branches": refs(top, "refs/heads"),
        "files": files(top),
    }


def files(top: Path) -> dict[str, bytes]:
    """Return path -> bytes of every file outside `.git`; a link's bytes are its target."""
    found = (path for path in top.rglob("*") if ".git" not in path.relative_to(top).parts)
    return {
        path.relative_to(top).as_posix(): path.readlink().as_posix().encode()
        if path.is_symlink()
        else path.read_bytes()
        for path in found
        if path.is_symlink() or path.is_file()
    }


def put(root: Path, path: str, content: str | bytes) -> Path:
    """Write a file below `root` and return its path."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def commit(root: Path, *paths: str) -> str:
    """Commit the paths, everything when none is named, and return the commit."""
    git(root, "add", "--force", *(paths or ["--all"]))
    git(root, "commit", "--quiet", "--message", "by hand")
    return git(root, "rev-parse", "HEAD")


def shelve_by_hand(root: Path, episode: Episode, path: str = "") -> str:
    """Commit the episode to the shelf `shared` as a person with an editor does; return the file's path."""
    path = path or f"shelves/shared/docs/topics/{episode.id}.md"
    put(root, path, episode_format.render(episode))
    commit(root, path)
    return path


def dirty(root: Path) -> None:
    """Leave staged, edited, new and ignored files that no command of ours has anything to do with."""
    put(root, "mine.txt", "committed\n")
    put(root, ".gitignore", "ignored.txt\n")
    commit(root, "mine.txt", ".gitignore")
    put(root, "mine.txt", "staged\n")
    put(root, "new.txt", "new and staged\n")
    git(root, "add", "mine.txt", "new.txt")
    put(root, "mine.txt", "edited after staging\n")
    put(root, "untracked.txt", "untracked\n")
    put(root, "ignored.txt", "ignored\n")
    put(root, "shelves/shared/POLICY.md", "edited\n")
