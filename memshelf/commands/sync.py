"""Sync: this clone and the remote get each other's commits; what the host decided on is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands.replaying import replay_all
from memshelf.commands.settling import settle
from memshelf.errors import MemShelfError
from memshelf.store import landing, remote

if TYPE_CHECKING:
    from memshelf.commands.settling import Settled
    from memshelf.store.library import Library
    from memshelf.store.remote import Link

TRIES = 20
CHUNK = 500
"""Paths that one git is asked about."""

MOST_PATHS = 5000


class Brought(NamedTuple):
    """What the branch is now: its commit, how many of the remote's are new, how many the remote lacks."""

    tip: str
    pulled: int = 0
    ahead: int = 0
    remarks: tuple[str, ...] = ()


class Synced(NamedTuple):
    """What was done, in commits and drafts.

    `offline` holds git's words when the remote is out of reach; `waiting` counts the commits that are
    not there. `remarks` say what was kept of texts that both sides changed.
    """

    remote: str
    pulled: int
    pushed: int
    settled: tuple[Settled, ...] = ()
    waiting: int = 0
    offline: str = ""
    remarks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        lists = {"settled": [one._asdict() for one in self.settled], "remarks": list(self.remarks)}
        return self._asdict() | lists

    def as_text(self) -> str:
        """Return what was done in one line, then each draft that was settled and each remark."""
        done = f"pulled {self.pulled}, pushed {self.pushed}, settled {len(self.settled)}"
        if self.offline:
            waits = "1 commit waits" if self.waiting == 1 else f"{self.waiting or 'no'} commits wait"
            done = f"{self.remote} is out of reach, {waits} here: {self.offline}"
        elif not (self.pulled or self.pushed or self.settled):
            done = f"nothing to do: this clone and {self.remote} have the same"
        return "\n".join(
            [done, *(f"  {one}" for one in self.settled), *(f"  {line}" for line in self.remarks)]
        )


def sync(library: Library, today: str) -> Synced:
    """Fetch, bring the branch up to date, push it, settle the drafts that the host decided on.

    Commits that the remote lacks are made anew on top of its own. A remote out of reach is no error.
    Raises MemShelfError where there is no remote, where it refuses, and where a checkout is not clean on
    the files that change; Refused where a person must decide: then nothing has moved.
    """
    link = remote.link_of(library)
    if link is None:
        raise MemShelfError(_no_link(library))
    done = Synced(link.short, 0, 0)
    for tries in range(TRIES):
        try:
            there = remote.fetch(library, link)
            with landing.exclusive(library) as held:
                brought = _bring(held, link, there.tip, today)
            done = done._replace(
                pulled=done.pulled + brought.pulled,
                waiting=brought.ahead,
                remarks=done.remarks + brought.remarks,
            )
            if brought.ahead:
                remote.push(library, link, [f"{brought.tip}:{link.branch}"], {})
                there = there._replace(tip=brought.tip)
            settled = settle(library, link, there)
            return done._replace(pushed=brought.ahead, waiting=0, settled=settled)
        except remote.Unreachable as error:
            return done._replace(offline=str(error), waiting=done.waiting or _ahead(library, link))
        except (remote.Overtaken, landing.Moved):
            remote.pause(tries)
    raise MemShelfError(f"{link.short} kept moving, {done.waiting} commits wait here: try again")


def _no_link(library: Library) -> str:
    names = library.git.ask("remote").split()
    branch = library.branch.removeprefix("refs/heads/")
    if names:
        return f"which remote? `git branch --set-upstream-to={names[0]}/{branch} {branch}` says it"
    return "this library has no remote: `git remote add origin URL` names one"


def _bring(library: Library, link: Link, there: str, today: str) -> Brought:
    """Move the branch, and every checkout of it, to what it and the remote have together.

    Call it inside `landing.exclusive`. Raises landing.Moved when the branch moved meanwhile.
    """
    git = library.git
    old = git.commit_of(library.branch)
    if not there or old == there:
        return Brought(old, ahead=_count(library, old) if old and not there else 0)
    pulled, new, ahead, remarks = _count(library, there, old), there, 0, tuple[str, ...]()
    if old and git.ask("merge-base", old, there) != old:
        _require_relatives(library, link, old, there)
        _require_same_past(library, link, old, there)
        if not pulled:
            return Brought(old, ahead=_count(library, old, there))
        new, ahead, remarks = replay_all(library, old, there, today)
    _move(library, old, new)
    return Brought(new, pulled, ahead, remarks)


def _require_relatives(library: Library, link: Link, old: str, there: str) -> None:
    """Raise MemShelfError where the two have no commit in common: that is another library."""
    related = library.git.ask("merge-base", old, there)
    if not related and remote.deepen(library, link):
        related = library.git.ask("merge-base", old, there)
    if not related:
        raise MemShelfError(
            f"{link.short} and this clone have no commit in common: it is another library: clone that one, "
            "or name the right remote with `git remote set-url`"
        )


def _require_same_past(library: Library, link: Link, old: str, there: str) -> None:
    """Raise MemShelfError where the remote has dropped commits: put back they might be what was purged.

    Raises landing.Moved where another sync of this clone has seen more of the remote than we.
    """
    fork = library.git.ask("merge-base", "--fork-point", link.tracking, old)
    dropped = _count(library, fork, there) if fork else 0
    if dropped and library.git.commit_of(link.tracking) != there:
        raise landing.Moved(landing.MOVED)
    if dropped:
        branch = link.branch.removeprefix("refs/heads/")
        raise MemShelfError(
            f"{link.short} was rewritten, nothing was moved, commits that it has dropped: {dropped}: "
            f"`git pull --rebase {link.name} {branch}` drops them here too, `git merge {link.short}` and "
            f"`git push {link.name} HEAD:{branch}` put them back"
        )


def _move(library: Library, old: str, new: str) -> None:
    nothing = library.git.line("hash-object", "-t", "tree", "--stdin") if not old else ""
    paths = sorted(blob.path for blob in library.git.changed(old or nothing, new, "."))
    if len(paths) > MOST_PATHS:
        raise MemShelfError(f"{len(paths)} files change: `git pull --rebase` by hand once, then sync")
    for start in range(0, len(paths) or 1, CHUNK):
        landing.check_clean(library, paths[start : start + CHUNK])
    landing.land(library, old, new, paths, {}, "sync")


def _ahead(library: Library, link: Link) -> int:
    """Return how many commits the remote lacks as far as this clone knows."""
    tip = library.git.commit_of(library.branch)
    return _count(library, tip, library.git.commit_of(link.tracking)) if tip else 0


def _count(library: Library, of: str, without: str = "") -> int:
    return int(library.git.line("rev-list", "--count", of, *([f"^{without}"] if without else [])))
