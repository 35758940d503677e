"""The remote: the only owner of fetch and push. Never forced, and the user's configuration is not touched."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from memshelf.store.git import GitError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memshelf.store.git import Git
    from memshelf.store.library import Library

HEADS = "refs/heads/memshelf/"
"""Where drafts are published on the remote: `<shelf>/<id>` below it."""

PUBLISHED = "refs/memshelf/origin/draft/"
"""Where published drafts lie in this clone, as they were last seen."""

PATIENT_SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10"
SLOW = ("-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=20")


class Fetched(NamedTuple):
    """The remote as it is now: the tip of the library's branch (empty: not there), `published` by name."""

    tip: str
    published: Mapping[str, str]


def remote_of(library: Library) -> str:
    """Return the branch's upstream remote, else `origin`, else the only one, else an empty string."""
    git = library.git
    names = git.ask("remote").split("\n")
    wanted = git.ask("config", "--get", f"branch.{library.branch.removeprefix('refs/heads/')}.remote")
    usual = next((name for name in (wanted, "origin") if name in names and name), "")
    return usual or (names[0] if len(names) == 1 else "")


def url_of(git: Git, remote: str) -> str:
    """Return where a push to the remote goes; it may hold a token and must not be shown."""
    return git.ask("remote", "get-url", "--push", remote)


def fetch(library: Library, remote: str) -> Fetched:
    """Fetch the library's branch and every published draft. Raises GitError with git's words."""
    git, branch = library.git, library.branch.removeprefix("refs/heads/")
    there = f"refs/remotes/{remote}/{branch}"
    listed = _run(git, "ls-remote", "--heads", remote, library.branch)
    refspecs = [f"+{library.branch}:{there}"] if listed else []
    _run(
        git,
        *("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune", remote),
        *refspecs,
        f"+{HEADS}*:{PUBLISHED}*",
    )
    return Fetched(git.commit_of(there) if listed else "", git.refs(PUBLISHED))


def push(git: Git, remote: str, refspecs: Sequence[str], leases: Mapping[str, str]) -> None:
    """Push `commit:ref` each; a ref of `leases` must be what is said there (empty: not there) on the remote.

    What was pushed as a draft is noted as published. Raises GitError with git's words.
    """
    held = [f"--force-with-lease={ref}:{commit}" for ref, commit in leases.items()]
    _run(git, "push", "--quiet", "--atomic", *held, remote, *refspecs)
    for refspec in refspecs:
        commit, _, ref = refspec.partition(":")
        if ref.startswith(HEADS):
            git.run("update-ref", f"{PUBLISHED}{ref.removeprefix(HEADS)}", commit)


def _run(git: Git, *arguments: str) -> str:
    patient = {} if _has_own_ssh(git) else {"GIT_SSH_COMMAND": PATIENT_SSH}
    try:
        return git.run(*SLOW, *arguments, extra=patient).decode("utf-8", "replace").strip()
    except GitError as error:
        raise GitError(f"{error}: nothing is lost here, try again when the remote takes it") from None


def _has_own_ssh(git: Git) -> bool:
    return any(name in os.environ for name in ("GIT_SSH", "GIT_SSH_COMMAND")) or bool(
        git.ask("config", "--get", "core.sshCommand")
    )
