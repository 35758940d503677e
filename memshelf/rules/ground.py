"""Rules about what shelves stand on: the settings, Git, and what does not belong into a library."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from memshelf.model import Level
from memshelf.rules.facts import Broken, Facts, Ground
from memshelf.rules.registry import Fault, shelf_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions

MEND = "memshelf doctor --fix"
"""The command that mends what is mechanical."""


@shelf_rule(
    Level.ERROR,
    "settings",
    bad=Facts(settings=(Broken("memshelf.yml", 2, "review: write one of branch, off"),)),
    good=Facts(),
)
def settings_broken(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """memshelf.yml, a shelf.yml or a POLICY.patterns cannot be read.

    Every command but doctor stops at it, or writes are refused; doctor goes on with the defaults. The
    message names the line and the cause.
    """
    for broken in facts.settings:
        yield Fault(broken.path, broken.cause, broken.line)


@shelf_rule(Level.WARNING, "git", bad=Facts(landing="undone"), good=Facts())
def landing_interrupted(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """An accept was killed half-way, and this command repaired it.

    Nothing is lost: it was finished when the branch had moved already, else undone, and then the drafts
    still wait. Look at `memshelf review`.
    """
    if facts.landing:
        yield Fault(
            "", f"an accept was killed and has been {facts.landing}: `memshelf review` shows what waits"
        )


@shelf_rule(
    Level.WARNING,
    "settings",
    bad=Facts(idle=(Broken("memshelf.yml", 0, "shelves: homelab: no such shelf"),)),
    good=Facts(),
)
def setting_without_effect(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """memshelf.yml says something that has no effect, or not the one it seems to have.

    A shelf or a rule that does not exist is most often misspelt, and then what was meant does not hold; an
    entry of `redact: allow` that is no address, `@domain` or number lets nothing stay. A project that two
    shelves bind writes to the first of them alone.
    """
    for idle in facts.idle:
        yield Fault(idle.path, idle.cause, idle.line)


@shelf_rule(
    Level.ERROR,
    "git",
    bad=Facts(ground=Ground(old_git="2.20.1")),
    good=Facts(),
)
def git_too_old(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """Git is older than what MemShelf needs.

    Accepting and rendering use what older versions do not have, and stop half-way at best. Install a
    newer git.
    """
    if facts.ground.old_git:
        yield Fault("", f"git is {facts.ground.old_git}: install 2.36 or newer")


@shelf_rule(
    Level.ERROR,
    "git",
    bad=Facts(ground=Ground(lost_branch="main", remote="origin")),
    good=Facts(),
)
def branch_missing(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """The library's branch is not in this clone.

    What is accepted lies on it, so nothing can be read, and an accept has nowhere to go. Fetch it, or name
    the right one as `branch` in memshelf.yml.
    """
    lost, remote = facts.ground.lost_branch, facts.ground.remote
    if lost:
        fetch = f"git fetch {quote(remote)} {quote(f'{lost}:{lost}')}" if remote else ""
        way_out = f"`{fetch}` brings it, or name another" if remote else "name another"
        yield Fault(
            "", f"the library's branch {lost} is not in this clone: {way_out} in memshelf.yml", fix=fetch
        )


@shelf_rule(
    Level.ERROR,
    "git",
    bad=Facts(ground=Ground(broken_branch="the branch main is damaged: `git update-ref` puts it back")),
    good=Facts(),
)
def branch_damaged(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """The ref of the library's branch points at no commit, as after a power cut.

    Nothing can be read until it does. The commits are most often still there: the reflog names the last one,
    `git fsck` the others.
    """
    if facts.ground.broken_branch:
        yield Fault("", facts.ground.broken_branch)


@shelf_rule(Level.WARNING, "git", bad=Facts(ground=Ground(nobody=True)), good=Facts())
def person_unknown(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """Something waits to be committed, and git does not know who you are.

    An accepted episode is a commit of the person who accepted it, so the accept would be refused. Tell git
    your name and your address.
    """
    if facts.ground.nobody:
        yield Fault(
            "",
            "git does not know who you are: `git config --global user.name NAME` and "
            "`git config --global user.email ADDRESS` tell it",
        )


@shelf_rule(
    Level.WARNING,
    "git",
    bad=Facts(ground=Ground(locks=("refs/memshelf/draft/shared/2026-07-10-auth-tokens.lock",))),
    good=Facts(),
)
def lock_left(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A lock is left that a killed git has not taken away.

    Until it is gone, git refuses to change what it locks. Locks of drafts are ours to remove; the lock of
    a checkout may be that of a git at work, so see first that none runs.
    """
    for lock in facts.ground.locks:
        yield Fault(lock, f"a killed git left it: `{MEND}` removes it", fix=MEND)
    if facts.ground.index_lock:
        yield Fault(
            facts.ground.index_lock, "left for an hour: see that no git runs here, then delete the file"
        )


@shelf_rule(
    Level.ERROR,
    "library",
    bad=Facts(tracked=("shelves/shared/catalogue.sqlite",)),
    good=Facts(),
)
def state_tracked(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """Git keeps a file that belongs to one machine alone: a database, a lock, what a desktop leaves.

    It changes with every command, conflicts in every merge, and may hold texts that nobody approved. Take
    it out of Git; the file itself stays on disk.
    """
    for path in facts.tracked:
        way_out = f"git rm --cached -- {quote(path)}"
        yield Fault(path, f"is one machine's alone: `{way_out}`, then commit", fix=way_out)
