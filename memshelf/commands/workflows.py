"""The bot's workflows on GitHub: their templates, what they are pinned to, what a repository has of them.

No verb itself.
"""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memshelf.formats import hosts, settings
from memshelf.store.disk import read_bytes
from memshelf.store.library import SHELVES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memshelf.store.library import Library

FOLDER = ".github/workflows/"
ACTION = ".github/actions/memshelf"
RENDER = f"{FOLDER}memshelf-render.yml"
NAMES = tuple(f"{FOLDER}memshelf-{job}.yml" for job in ("check", "render", "audit", "propose"))
OWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks for owners; the first one that is there counts."""

USES = re.compile(rf"^ +(?:- )?uses: (\S*{re.escape(ACTION)}(?:@\S+)?(?: #[^\n]*)?)$", re.MULTILINE)
SOURCE = re.compile(r"[\w.-]+/[\w.-]+@(?:[0-9a-f]{40}|[0-9a-f]{64})")
LOCAL = "$/"


class Owned(NamedTuple):
    """A line of CODEOWNERS: a pattern and who owns what it matches."""

    pattern: str
    owners: tuple[str, ...]


def templates(library: Library, action: str) -> dict[str, bytes]:
    """Return path from the repository's top -> each workflow; `action` is what stands behind `uses:`."""
    branch = library.branch.removeprefix("refs/heads/")
    values = {
        "ACTION": action,
        "BRANCH": json.dumps(branch),
        "LIBRARY": json.dumps(library.prefix.rstrip("/") or "."),
    }
    folder = files("memshelf") / "github"
    made = {}
    for path in NAMES:
        text = (folder / path.removeprefix(FOLDER)).read_text(encoding="utf-8")
        made[path] = re.sub("ACTION|BRANCH|LIBRARY", lambda found: values[found[0]], text).encode()
    return made


def action_of(source: str, version: str) -> str:
    """Return what stands behind `uses:` for `OWNER/NAME@COMMIT`, or for LOCAL, this repository itself."""
    if source == LOCAL:
        return f"{LOCAL}{ACTION}"
    name, _, commit = source.partition("@")
    return f"{name}/{ACTION}@{commit} # memshelf {version}"


def pinned(library: Library) -> str:
    """Return what stands behind `uses:` in the workflows that are there, empty where none is."""
    for path in NAMES:
        found = USES.search((read_bytes(top(library) / path) or b"").decode("utf-8", "replace"))
        if found:
            return found[1]
    return ""


def github_of(url: str) -> tuple[str, str] | None:
    """Return (owner, name) of a repository on github.com, None for any other address."""
    there = hosts.place(url)
    owner, _, name = there.path.partition("/") if there and there.host == "github.com" else ("", "", "")
    return (owner, name) if owner and name else None


def guarded(library: Library) -> list[str]:
    """Return what an owner must guard, from the repository's top: the memory, and what judges it."""
    if library.alone:
        return [library.prefix or "*", ".github/"]
    return [f"{library.prefix}{SHELVES}/", f"{library.prefix}{settings.NAME}", ".github/"]


def owners_file(library: Library, owner: str) -> bytes:
    """Return a CODEOWNERS that gives what must be guarded to `owner`."""
    lines = [f"{path if path == '*' else f'/{path}'} {owner}" for path in guarded(library)]
    return "\n".join(["# Who must approve what changes the memory, and what judges it.", *lines, ""]).encode()


def unowned(library: Library) -> Iterator[str]:
    """Yield what must be guarded and CODEOWNERS gives to nobody: the last line that matches decides."""
    texts = (read_bytes(top(library) / path) for path in OWNERS)
    lines = next((raw for raw in texts if raw is not None), b"").decode("utf-8", "replace").splitlines()
    owned = [Owned(words[0], tuple(words[1:])) for line in lines if (words := line.partition("#")[0].split())]
    for path in guarded(library):
        if not all(_owners(owned, sample) for sample in _samples(library, path)):
            yield path


def _samples(library: Library, path: str) -> list[str]:
    """Return files that stand for all that lies at a path which must be guarded."""
    if path == ".github/":
        return [NAMES[0], OWNERS[0]]
    if not path.endswith(f"{SHELVES}/"):
        return [f"{path.strip('*')}docs/topics/x.md"] if library.alone else [path]
    names = ["any", *sorted(folder.name for folder in (top(library) / path).glob("*/"))]
    return [f"{path}{name}/{file}" for name in names for file in ("docs/topics/x.md", "POLICY.patterns")]


def top(library: Library) -> Path:
    """Return the repository's top folder."""
    return Path(library.root, *[".."] * library.prefix.count("/"))


def _owners(lines: Iterable[Owned], path: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for line in lines:
        if _pattern(line.pattern).fullmatch(path):
            found = line.owners
    return found


def _pattern(pattern: str) -> re.Pattern[str]:
    """Return what a line of CODEOWNERS matches: as gitignore, but a single star ends at a folder."""
    anchored = "/" in pattern.rstrip("/")
    body = re.escape(pattern.strip("/")).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    body = body.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    below = "/.*" if pattern.endswith("/") else "" if pattern.endswith("/*") else "(?:/.*)?"
    return re.compile(("" if anchored else "(?:.*/)?") + body + below)
