"""GitHub: give a library the bot's workflows and owners, and leave its derived files to the bot."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from memshelf import __version__
from memshelf.commands import workflows
from memshelf.commands.init import init
from memshelf.errors import MemShelfError, UsageError
from memshelf.formats import settings
from memshelf.store import commits, landing, remote, snapshot
from memshelf.store.git import Git
from memshelf.store.library import is_library, open_library, place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.commands.init import Made
    from memshelf.store.library import Library

OWNER = re.compile(r"@[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?")
DERIVED = re.compile(r"^(derived:[ \t]*)\S+", re.MULTILINE)
MESSAGE = "memshelf init --github\n"
NEXT = """\
Then on GitHub, once (SPEC.md, "On GitHub", says why):
1. Settings, Actions, General: allow Actions to create pull requests.
2. Settings, Rules: for {branch} demand a pull request, an approval by a code owner, a new one after a push,
   and the check `memshelf check`; let no agent's account bypass it.
3. Give agents a token of their own account: nobody can approve their own pull request."""


class Asked(NamedTuple):
    """What a person may say: which commit of MemShelf to run, who owns the memory, whether to update."""

    source: str = ""
    owner: str = ""
    update: bool = False


class Hosted(NamedTuple):
    """The library, what was committed for GitHub, and what was found another and left as it is."""

    made: Made
    written: tuple[str, ...]
    kept: tuple[str, ...]
    action: str
    unowned: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        facts = {"written": list(self.written), "kept": list(self.kept), "action": self.action}
        return self.made.as_dict() | {"github": facts | {"unowned": list(self.unowned)}}

    def as_text(self) -> str:
        """Return what was written and what is left to do on GitHub."""
        done = f"committed to {self.made.branch}:" if self.written else "nothing to add"
        lines = [f"library {self.made.root}: {done}", *(f"  {path}" for path in self.written)]
        lines += [f"{path}: left as it is: `--update` writes it anew" for path in self.kept]
        if self.unowned:
            lines.append(
                f"CODEOWNERS names nobody for {', '.join(self.unowned)}: add a line for each, or the "
                "file with `--owner @YOU` where there is none"
            )
        return "\n".join([*lines, "", NEXT.format(branch=self.made.branch)])


def github(folder: Path, shelves: Sequence[str], asked: Asked, *, today: str) -> Hosted:
    """Make `folder` a library as `init` does, and write what the bot needs, in one commit more.

    Workflows and CODEOWNERS that are there stay; with `update` the workflows are written anew. Raises
    UsageError for a bad source or owner, MemShelfError when nobody says which commit of MemShelf the
    workflows are to run, and as `init` does.
    """
    if asked.source and asked.source != workflows.LOCAL and not workflows.SOURCE.fullmatch(asked.source):
        raise UsageError("--source takes OWNER/NAME@COMMIT with the whole commit id of MemShelf to run")
    if asked.owner and not OWNER.fullmatch(asked.owner):
        raise UsageError("--owner takes @NAME or @ORGANISATION/TEAM")
    root = place(folder)
    action = _action(open_library(root) if is_library(root) else None, asked)
    made = init(folder, shelves, today=today)
    library = open_library(root)
    with landing.exclusive(library) as held:
        tip = snapshot.take(held).tip
        has = {path: raw for path in _wanted_paths() if (raw := _at(held, tip, path)) is not None}
        wanted = workflows.templates(held, action)
        if not has.keys() & set(workflows.OWNERS) and (owner := asked.owner or _owner(held)):
            wanted[workflows.OWNERS[0]] = workflows.owners_file(held, owner)
        kept = (
            ()
            if asked.update
            else tuple(path for path in wanted if has.get(path, wanted[path]) != wanted[path])
        )
        wanted |= _settings(held, tip)
        files = {path: raw for path, raw in wanted.items() if path not in kept and has.get(path) != raw}
        if files:
            _commit(held, tip, files)
    return Hosted(made, tuple(files), kept, action, tuple(workflows.unowned(library)))


def _action(library: Library | None, asked: Asked) -> str:
    source = asked.source or _installed_from()
    there = workflows.pinned(library) if library else ""
    if source and (asked.update or asked.source or not there):
        return workflows.action_of(source, __version__)
    if there:
        return there
    raise MemShelfError(
        "this MemShelf was not installed from a commit on GitHub, so nothing says which one the workflows "
        "run: pass --source OWNER/NAME@COMMIT, MemShelf's repository there and a whole commit id"
    )


def _installed_from() -> str:
    """Return `OWNER/NAME@COMMIT` that this MemShelf was installed from, empty where pip did not note one.

    pip notes a Git URL with its commit; of a clone its origin and what is checked out are asked.
    """
    try:
        noted = json.loads(metadata.distribution("memshelf").read_text("direct_url.json") or "{}")
    except metadata.PackageNotFoundError:
        return ""
    url, commit = noted.get("url", ""), noted.get("vcs_info", {}).get("commit_id", "")
    if urlsplit(url).scheme == "file":
        git = Git(Path(unquote(urlsplit(url).path)))
        url, commit = git.ask("remote", "get-url", "origin"), git.commit_of("HEAD")
    named = workflows.github_of(url)
    return f"{named[0]}/{named[1]}@{commit}" if named and commit else ""


def _owner(library: Library) -> str:
    """Return the owner of the repository that the remote is, who of an organisation is nobody to approve."""
    name = remote.remote_of(library)
    named = workflows.github_of(library.git.ask("remote", "get-url", name)) if name else None
    return f"@{named[0]}" if named else ""


def _wanted_paths() -> tuple[str, ...]:
    return (*workflows.NAMES, *workflows.OWNERS)


def _at(library: Library, tip: str, path: str) -> bytes | None:
    sha, raw = library.git.read([f"{tip}:{path}"])[0]
    return raw if sha else None


def _settings(library: Library, tip: str) -> dict[str, bytes]:
    """Return memshelf.yml with `derived: bot` and a `branch`, its other lines as they are.

    A pull request's checkout is on no branch: only memshelf.yml says there which one is the library's.
    """
    path = f"{library.prefix}{settings.NAME}"
    text = (_at(library, tip, path) or b"").decode("utf-8")
    told = settings.parse(text)
    lines = DERIVED.sub(r"\1bot", text).splitlines()
    lines += [] if DERIVED.search(text) else ["derived: bot"]
    lines += [] if told.branch else [f"branch: {json.dumps(library.branch.removeprefix('refs/heads/'))}"]
    return {} if told.branch and told.derived == "bot" else {path: "\n".join([*lines, ""]).encode()}


def _commit(library: Library, tip: str, files: dict[str, bytes]) -> None:
    """Commit the files, whose paths lead from the repository's top."""
    landing.check_clean(library, sorted(files))
    new = commits.build(library._replace(prefix=""), tip, files, MESSAGE, None)
    landing.land(library, tip, new, sorted(files), {}, "init --github")
