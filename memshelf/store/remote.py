"""The remote: what it has and what this clone knows of it. The only module that fetches and pushes.

Every refspec is spelt out, the person's configuration is never changed, nothing is ever forced: a branch
of the remote is overwritten or removed only while it is what this clone saw there (`--force-with-lease`).
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import MemShelfError
from memshelf.store import published
from memshelf.store.git import GitError
from memshelf.store.published import PUBLISHED
from memshelf.store.repair import break_lock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memshelf.store.git import Git
    from memshelf.store.library import Library

BRANCH = "refs/heads/"
HEADS = "refs/heads/memshelf/"
"""Where drafts are published on the remote: `<shelf>/<id>` below it."""

PATIENCE = 60.0
"""Seconds after which a remote that does not answer is out of reach."""

SLOW = {"GIT_HTTP_LOW_SPEED_LIMIT": "1", "GIT_HTTP_LOW_SPEED_TIME": "20"}
SSH = "ssh -o ConnectTimeout=10"
LONGEST_PAUSE = 2.0
PUSHED = "update by push"
"""What git writes into the reflog of a branch that it has pushed."""

FETCH = (
    "--quiet",
    "--no-prune",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
    "--refmap=",
)
PUSH = ("--quiet", "--no-follow-tags", "--recurse-submodules=no")
NOISE = re.compile(
    r"(?<=://)[^/@\s']+@|\b(?:fatal|error): (?=\S)| *Could not read from remote repository\..*?exists\."
)
"""What git says that nobody needs, and what it must not say: who logs in, and by which token."""

UNREACHABLE = re.compile(
    "Could not resolve|Temporary failure in name|Connection (?:refused|timed out|reset)|Operation timed out|"
    "Network is unreachable|No route to host|Timeout: the command|unable to connect|Failed to connect|"
    "Could(?: not|n't) connect|does not appear to be a git repository"
)
DENIED = re.compile(
    "Authentication failed|could not read (?:Username|Password)|Permission denied|Permission to |"
    "error: 40[13]|Host key verification failed|[Aa]ccess denied|[Rr]epository (?:'[^']*' )?not found"
)
OVERTAKEN = re.compile(
    r"\((?:fetch first|non-fast-forward|stale info)\)|cannot lock ref|failed to (?:update|lock) ref|"
    "incorrect old value|Unable to create"
)


class Unreachable(MemShelfError):
    """The remote does not answer: this machine is offline, or the remote is."""


class Overtaken(MemShelfError):
    """Somebody else moved the remote's branch meanwhile: fetch and try again."""


class Link(NamedTuple):
    """The remote's name, the library's branch there, and the ref that remembers it here; both in full."""

    name: str
    branch: str
    tracking: str

    @property
    def short(self) -> str:
        """The branch as people write it: `origin/main`."""
        return f"{self.name}/{self.branch.removeprefix(BRANCH)}"


class There(NamedTuple):
    """What the remote has: the branch's commit (empty: none), and `shelf/id` -> commit of each draft."""

    tip: str
    published: Mapping[str, str]


class Standing(NamedTuple):
    """The branch against the remote as this clone last saw it.

    `unpushed` is None when nothing of it is known to be there; `unpulled` counts what is there alone;
    `pushed` is the day of the last push that went through, empty where git remembers none; `published`
    counts the drafts there.
    """

    name: str
    unpushed: int | None
    unpulled: int
    pushed: str
    published: int


def remote_of(library: Library) -> str:
    """Return the remote's name: the branch's upstream, else origin, else the only one; empty: none."""
    names = library.git.ask("remote").split()
    upstream = library.git.ask("config", "--get", f"branch.{_short(library)}.remote")
    preferred = [name for name in (upstream, "origin") if name in names]
    return next(iter(preferred or (names if len(names) == 1 else ())), "")


def url_of(git: Git, remote: str) -> str:
    """Return where a push to the remote goes; it may hold a token and must not be shown."""
    return git.ask("remote", "get-url", "--push", remote)


def link_of(library: Library) -> Link | None:
    """Return where the library's branch lies on the remote, None where there is no remote to choose."""
    name = remote_of(library)
    if not name:
        return None
    said = library.git.ask(
        "for-each-ref", "--format=%(upstream) %(upstream:remotename) %(upstream:remoteref)", library.branch
    )
    tracking, _, rest = said.partition(" ")
    owner, _, branch = rest.partition(" ")
    if owner == name and tracking and branch:
        return Link(name, branch, tracking)
    return Link(name, library.branch, f"refs/remotes/{name}/{_short(library)}")


def fetch(library: Library, link: Link) -> There:
    """Bring what the remote has and this clone has not; what is gone there stays known until it is settled.

    Raises Unreachable, and MemShelfError with git's words and the way out when the remote refuses.
    """
    listing = _ask(library, link, "ls_remote", link.name, link.branch, f"{HEADS}*")
    heads = {name: sha for sha, _, name in (line.partition("\t") for line in listing.split("\n")) if name}
    there = There(
        heads.get(link.branch, ""),
        {name.removeprefix(HEADS): sha for name, sha in heads.items() if name.startswith(HEADS)},
    )
    known = published.commits(library)
    wanted = [f"+{link.branch}:{link.tracking}"] * bool(there.tip and not _knows(library, link, there.tip))
    new = [name for name, sha in there.published.items() if known.get(name) != sha]
    wanted += [f"+{HEADS}*:{PUBLISHED}*"] * bool(new)
    if wanted:
        for ref in (link.tracking, *(PUBLISHED + name for name in new)):
            break_lock(library.common / f"{ref}.lock")
        _ask(library, link, "fetch", *FETCH, link.name, *wanted)
    return there._replace(tip=library.git.commit_of(link.tracking) if there.tip else "")


def tip_of(library: Library, link: Link, branch: str) -> str:
    """Bring a branch of the remote, named in full, and return its commit as it is now; empty: it has none."""
    commit = _ask(library, link, "ls_remote", link.name, branch).partition("\t")[0]
    if commit:
        _ask(library, link, "fetch", *FETCH, link.name, branch)
    return commit


def deepen(library: Library, link: Link) -> bool:
    """Bring the history that a shallow clone lacks; tell whether there was any to bring."""
    if library.git.ask("rev-parse", "--is-shallow-repository") != "true":
        return False
    _ask(library, link, "fetch", *FETCH, "--unshallow", link.name, f"+{link.branch}:{link.tracking}")
    return True


def push(library: Library, link: Link, refspecs: Sequence[str], leases: Mapping[str, str]) -> None:
    """Push `source:destination` refspecs, all in full; an empty source removes the destination.

    `leases` maps a destination to the commit that it must have there, empty: it must not exist. What
    went through is remembered here at once. Raises Overtaken when a branch there has moved, Unreachable,
    and MemShelfError with git's words and the way out when the remote or a hook refuses.
    """
    held = [f"--force-with-lease={ref}:{commit}" for ref, commit in leases.items()]
    _ask(library, link, "push", *PUSH, *held, link.name, *refspecs)
    for refspec in refspecs:
        source, _, destination = refspec.partition(":")
        if destination == link.branch:
            _remember(library, link.tracking, source)
        elif destination.startswith(HEADS):
            _remember(library, PUBLISHED + destination.removeprefix(HEADS), source)


def forget(library: Library, name: str, commit: str) -> None:
    """Forget a published draft that is no longer on the remote, unless it has come back as another."""
    library.git.ask("update-ref", "-d", PUBLISHED + name, commit)


def pause(tries: int) -> None:
    """Let the others go first: longer with every try, and never as long as they do."""
    import random  # noqa: PLC0415 # slow to start, and only a race needs it

    time.sleep(random.uniform(0, min(LONGEST_PAUSE, 0.1 * 2**tries)))


def standing(library: Library, tip: str) -> Standing | None:
    """Return how the branch stands against the remote, None when it has none. Nothing is fetched."""
    link = link_of(library)
    if link is None:
        return None
    git = library.git
    there = git.commit_of(link.tracking)
    counts = git.ask("rev-list", "--left-right", "--count", f"{there}...{tip}") if tip and there else ""
    behind, _, ahead = counts.partition("\t")
    reflog = ("log", "-g", "-1", f"--grep-reflog=^{PUSHED}", "--date=short", "--format=%gd", link.tracking)
    day = git.ask(*reflog, "--").partition("@{")[2].removesuffix("}") if there else ""
    return Standing(
        link.name, int(ahead) if ahead else None, int(behind or 0), day, len(published.commits(library))
    )


def _ask(library: Library, link: Link, verb: str, *arguments: str) -> str:
    """Run a command that speaks with the remote; say in one line what came in its way."""
    # What is much takes its time; on Windows GitPython ends no process.
    patience = PATIENCE if verb == "ls_remote" and os.name != "nt" else None
    try:
        return library.git.porcelain(verb, *arguments, patience=patience, extra=_patient(library))
    except GitError as error:
        words = NOISE.sub("", str(error)).strip()
    if UNREACHABLE.search(words):
        raise Unreachable(f"{words}: nothing is lost here, try again when the remote takes it")
    if DENIED.search(words):
        raise MemShelfError(
            f"{link.name} refused your credentials, nothing was changed there: {words}: "
            f"`git ls-remote {link.name}` must work first"
        )
    if OVERTAKEN.search(words):
        raise Overtaken(words)
    if verb == "push":
        raise MemShelfError(
            f"{link.name} refused the push, your commits stay here: {words}: do what it asks; past a "
            f"protected branch, `git push {link.name} {_short(library)}:NAME` and a pull request bring them"
        )
    raise MemShelfError(f"{words}: mend it, then try again")


def _patient(library: Library) -> dict[str, str]:
    """Let git give up on what is dead, and ssh ask only a person; one who has set an ssh knows better."""
    git = library.git
    own = os.environ.keys() & {"GIT_SSH", "GIT_SSH_COMMAND"} or git.ask("config", "--get", "core.sshCommand")
    ssh = SSH if os.isatty(0) else f"{SSH} -o BatchMode=yes"
    return SLOW if own else SLOW | {"GIT_SSH_COMMAND": ssh}


def _remember(library: Library, ref: str, source: str) -> None:
    """Note what the remote has now. Git does so by itself where the person's refspecs name the branch."""
    commit = library.git.commit_of(source) if source else ""
    if commit and library.git.commit_of(ref) != commit:
        library.git.run("update-ref", "--create-reflog", "-m", PUSHED, ref, commit)
    elif not commit:
        library.git.ask("update-ref", "-d", ref)


def _knows(library: Library, link: Link, commit: str) -> bool:
    return library.git.commit_of(link.tracking) == commit


def _short(library: Library) -> str:
    return library.branch.removeprefix(BRANCH)
