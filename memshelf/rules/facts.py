"""What doctor finds out about a shelf and the library around it, as values that the rules judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
    those of the commit that last changed the file. `bot`: only the bot renders.
    """

    path: str
    found: bytes | None
    fresh: bytes
    committed: bytes
    earlier: bytes | None = None
    bot: bool = False

    @property
    def state(self) -> str:
        """Say `fine`, `stale` (an older rendering, or not there) or `edited` (no rendering at all)."""
        if self.found == self.fresh:
            return "fine"
        return "stale" if self.found in (None, self.committed, self.earlier) else "edited"

    def __str__(self) -> str:
        """Return the file and its text."""
        return f"{self.path}:\n{(self.found or b'').decode('utf-8', 'replace')}"


class Raw(NamedTuple):
    """A text that is kept and is no readable episode; `way_out` says how it is taken out."""

    path: str
    text: str
    way_out: str = "take it out"

    def __str__(self) -> str:
        """Return the place and the text."""
        return f"{self.path}:\n{self.text}"


class Ref(NamedTuple):
    """A ref of ours, and its fault if it has one: one of DAMAGES or MISNOMERS."""

    name: str
    fault: str = ""
    file: str = ""

    def __str__(self) -> str:
        """Return the ref and what is wrong with it."""
        return f"{self.name}{f': {self.fault}' if self.fault else ''}"


class Broken(NamedTuple):
    """A settings file that cannot be read: where and why."""

    path: str
    line: int
    cause: str

    def __str__(self) -> str:
        """Return place and cause."""
        return f"{self.path}:{self.line}: {self.cause}"


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found of one shelf, or of the library around its shelves; what was not looked at is empty.

    `known` are the ids of the whole library. `landing` says how a killed landing ended.
    """

    episodes: tuple[Named, ...] = ()
    known: frozenset[str] = frozenset()
    changes: tuple[Change, ...] = ()
    derived: tuple[Derived, ...] = ()
    texts: tuple[Raw, ...] = ()
    refs: tuple[Ref, ...] = ()
    settings: tuple[Broken, ...] = ()
    landing: str = ""

    def __str__(self) -> str:
        """Return a line or more a fact."""
        kinds = (self.episodes, self.changes, self.derived, self.texts, self.refs, self.settings)
        lines = [str(one) for kind in kinds for one in kind]
        return "\n".join([*lines, f"a killed accept: {self.landing}"] if self.landing else lines)
