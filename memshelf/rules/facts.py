"""What doctor finds out about a shelf and the library around it, as values that the rules judge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

OPENED = re.compile(rb"^<{7,} ", re.MULTILINE)  # longer ones where a conflict lies in another
PARTED = re.compile(rb"^={7,}\r?$", re.MULTILINE)
CLOSED = re.compile(rb"^>{7,} ", re.MULTILINE)
ALLOW = re.compile(r"^allow: \[(.*)\]$", re.MULTILINE)
LIFTED = re.compile(r'"([a-z][a-z0-9-]*) \S+ ')


def conflict_line(raw: bytes) -> int:
    """Return the 1-based line where a merge left both sides in the file, 0 when it has not."""
    opened = OPENED.search(raw)
    parted = PARTED.search(raw, opened.end()) if opened else None
    closed = CLOSED.search(raw, parted.end()) if parted else None
    return raw.count(b"\n", 0, opened.start()) + 1 if opened and closed else 0


class Named(NamedTuple):
    """An episode file, its id and what it supersedes."""

    path: str
    id: str
    supersedes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the file and the keys that the rules look at."""
        replaced = f"\n  supersedes: [{', '.join(self.supersedes)}]" if self.supersedes else ""
        return f"{self.path}:\n  id: {self.id}{replaced}"


class Change(NamedTuple):
    """A file that is not as it was committed; the state is one of CHANGES."""

    path: str
    state: str

    def __str__(self) -> str:
        """Return one line as `git status` has it."""
        return f"{self.path}: {self.state}"


class Derived(NamedTuple):
    """A derived file as it is (None: not there), and the texts it could rightly have.

    `fresh` is rendered from the episodes beside it, `committed` from those on the branch, `earlier` from
    those of the commit that last changed the file. `bot`: only the bot renders. `on_branch`: it is
    committed so; `rendered`: but lies on disk as it should be.
    """

    path: str
    found: bytes | None
    fresh: bytes
    committed: bytes
    earlier: bytes | None = None
    bot: bool = False
    on_branch: bool = False
    rendered: bool = False

    @property
    def state(self) -> str:
        """Say `fine`, `stale` (an older rendering, or none), `conflicted` or `edited` (no rendering)."""
        if self.found == self.fresh:
            return "fine"
        if self.found and conflict_line(self.found):
            return "conflicted"
        return "stale" if self.found in (None, self.committed, self.earlier) else "edited"

    def __str__(self) -> str:
        """Return the file and its text."""
        return f"{self.path}:\n{(self.found or b'').decode('utf-8', 'replace')}"


class Raw(NamedTuple):
    """A text that is kept and is no readable episode; `way_out` says how it is taken out."""

    path: str
    text: str
    way_out: str = "take it out"

    @property
    def lifted(self) -> set[str]:
        """The kinds of redaction that a person lifted, by the text's front matter."""
        front = self.text[4:].partition("\n---")[0] if self.text.startswith("---\n") else ""
        allow = ALLOW.search(front)
        return set(LIFTED.findall(allow[1])) if allow else set()

    def __str__(self) -> str:
        """Return the place and the text."""
        return f"{self.path}:\n{self.text}"


class Ref(NamedTuple):
    """A ref of ours, and its fault if it has one: one of DAMAGES, MISNOMERS or OUTDATED.

    `days` is how long it waits; `address` is what `memshelf review` calls the draft.
    """

    name: str
    fault: str = ""
    file: str = ""
    days: int = 0
    address: str = ""

    def __str__(self) -> str:
        """Return the ref and what is wrong with it."""
        waits = f" waits {self.days} days" if self.days else ""
        return f"{self.name}{waits}{f': {self.fault}' if self.fault else ''}"


class Broken(NamedTuple):
    """A settings file that cannot be read, or says what has no effect: where and why."""

    path: str
    line: int
    cause: str

    def __str__(self) -> str:
        """Return place and cause."""
        return f"{self.path}:{self.line}: {self.cause}"


@dataclass(frozen=True, slots=True)
class Ground:
    """What Git around the library lacks: all empty where nothing is missing.

    `old_git` is its version where that is too old, `lost_branch` the library's branch that is not in the
    clone, `broken_branch` what is wrong with its ref, `remote` where it may be fetched from. `nobody`: git
    does not know the person, and somebody needs to commit. `locks` are files that a killed git left,
    `index_lock` the checkout's own.
    """

    old_git: str = ""
    lost_branch: str = ""
    broken_branch: str = ""
    remote: str = ""
    nobody: bool = False
    locks: tuple[str, ...] = ()
    index_lock: str = ""

    def __str__(self) -> str:
        """Return a line for each thing that is missing."""
        lines = [
            self.old_git and f"git version {self.old_git}",
            self.lost_branch and f"no branch {self.lost_branch}",
            self.broken_branch,
            "no user.name and no user.email" if self.nobody else "",
            *self.locks,
            self.index_lock,
        ]
        return "\n".join(filter(None, lines))


class Host(NamedTuple):
    """What the repository holds for its Git host: all empty where nothing is missing.

    `missing` are workflows that are not there though others are, or though only the bot renders; `outdated`
    those that are not as the templates give them; `open` the paths that CODEOWNERS gives to nobody;
    `ungated` what the rules of the branch, as the host told them, do not demand.
    """

    missing: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    ungated: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return a line for each thing that is missing."""
        kinds = {"no": self.missing, "outdated": self.outdated, "nobody owns": self.open}
        kinds["no demand for"] = self.ungated
        return "\n".join(f"{word} {one}" for word, those in kinds.items() for one in those)


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found of one shelf, or of the library around its shelves; what was not looked at is empty.

    `known` are the ids of the whole library. `past` are earlier versions, named
    COMMIT:path, `idle` settings without effect, `merging` texts that may
    hold both sides of a merge, `tracked` paths that git keeps and should not, `touched` derived files that
    a branch changes, `rejected` the number of rejected drafts. `landing` says how a killed landing ended.
    """

    episodes: tuple[Named, ...] = ()
    known: frozenset[str] = frozenset()
    changes: tuple[Change, ...] = ()
    derived: tuple[Derived, ...] = ()
    texts: tuple[Raw, ...] = ()
    past: tuple[Raw, ...] = ()
    refs: tuple[Ref, ...] = ()
    settings: tuple[Broken, ...] = ()
    idle: tuple[Broken, ...] = ()
    merging: tuple[Raw, ...] = ()
    tracked: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    rejected: int = 0
    ground: Ground = Ground()
    host: Host = Host()
    landing: str = ""

    def __str__(self) -> str:
        """Return a line or more a fact."""
        values = (self.episodes, self.changes, self.derived, self.texts, self.past, self.refs)
        more = (self.settings, self.idle, self.merging, self.tracked, self.touched)
        lines = [str(one) for kind in (*values, *more) for one in kind]
        lines += [f"{self.rejected} rejected drafts"] if self.rejected else []
        lines += [str(one) for one in (self.ground, self.host) if one not in (Ground(), Host())]
        return "\n".join([*lines, f"a killed accept: {self.landing}"] if self.landing else lines)
