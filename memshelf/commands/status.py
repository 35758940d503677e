"""Status: one screen of what a library holds, what waits for a person, and what only this disk has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.render import render
from memshelf.commands.scope import require_branch
from memshelf.errors import MemShelfError
from memshelf.lines import has_open_threads, title
from memshelf.model import State
from memshelf.store import health, snapshot
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.model import Entry, Shelf
    from memshelf.store.health import Remote
    from memshelf.store.library import Library

SHOWN = 8
"""How many lines of one kind a screen holds."""

WIDTH = 60


@dataclass(frozen=True, slots=True)
class Row:
    """One shelf in numbers; `open_threads` counts the episodes that have some."""

    shelf: str
    episodes: int
    drafts: int
    open_threads: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft that waits, and since how many days."""

    id: str
    shelf: str
    title: str
    days: int
    amends: bool

    def __str__(self) -> str:
        """Return one line."""
        age = "today" if not self.days else "1 day" if self.days == 1 else f"{self.days} days"
        amend = "(amend) " if self.amends else ""
        return f"{self.shelf}/{self.id}  {amend}{clip(self.title, WIDTH)}  ({age})"


@dataclass(frozen=True, slots=True)
class Status:
    """The library in numbers; the drafts oldest first; what is not committed, rendered or pushed.

    `remote` is empty when the library has none; `unpushed` is None when nothing is known to be there.
    `faults` says what could not be read or looked at, and the way out.
    """

    library: str
    branch: str
    shelves: tuple[Row, ...]
    drafts: tuple[Draft, ...]
    uncommitted: tuple[str, ...]
    stale: tuple[str, ...]
    remote: str
    unpushed: int | None
    faults: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()
        }

    def as_text(self) -> str:
        """Return the screen."""
        blocks = [
            [f"library  {self.library}", f"branch   {self.branch}: {self._pushed()}"],
            list(self._table()),
        ]
        blocks += [
            _listed(heading, lines)
            for heading, lines in (
                ("drafts that wait, oldest first: `memshelf review`", [str(one) for one in self.drafts]),
                ("episodes that are not committed: `memshelf doctor`", self.uncommitted),
                ("derived files out of date: `memshelf render`", self.stale),
                ("could not be read", self.faults),
            )
            if lines
        ]
        return "\n\n".join("\n".join(block) for block in blocks)

    def _pushed(self) -> str:
        if not self.remote:
            return "no remote, this disk has the only copy"
        if self.unpushed is None:
            return f"never pushed to {self.remote}"
        commits = "1 commit" if self.unpushed == 1 else f"{self.unpushed} commits"
        return (
            f"{commits} not pushed to {self.remote}"
            if self.unpushed
            else f"all of it pushed to {self.remote}"
        )

    def _table(self) -> Iterator[str]:
        if not self.shelves:
            yield "no shelf yet: `memshelf init` adds one"
            return
        width = max(len("shelf"), *(len(row.shelf) for row in self.shelves))
        yield f"{'shelf':<{width}}  episodes  drafts  with open threads"
        for row in self.shelves:
            yield f"{row.shelf:<{width}}  {row.episodes:>8}  {row.drafts:>6}  {row.open_threads:>17}"


def status(library: Library, today: str) -> Status:
    """Look at the branch, the drafts and the work tree; `today` is an ISO date. Nothing is fetched.

    Raises MemShelfError when the clone lacks the library's branch.
    """
    seen = snapshot.take(library)
    require_branch(seen)
    views = seen.load(sorted({*seen.names, *(draft.shelf for draft in seen.drafts)}))
    faults = [f"{document.path}: {document.fault}" for view in views for document in view.unreadable]
    faults += [
        f"{view.name}/{name}: {snapshot.damage(view.name, name)}" for view in views for name in view.damaged
    ]
    uncommitted: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    try:
        uncommitted = tuple(sorted(filter(library.is_episode, health.changes(library))))
        stale = render(library, today, check=True).stale
    except (MemShelfError, OSError) as error:
        faults.append(f"the work tree: {error}")
    remote: Remote | None = health.remote(library, seen.tip)
    return Status(
        str(library.root),
        library.branch.removeprefix("refs/heads/"),
        tuple(_row(view) for view in views),
        tuple(_waiting(library, [draft for view in views for draft in view.drafts], today)),
        uncommitted,
        stale,
        remote.name if remote else "",
        remote.unpushed if remote else None,
        tuple(faults),
    )


def _row(view: Shelf) -> Row:
    kept = [entry.episode for entry in view.entries if entry.state is not State.ARCHIVED]
    waiting = len(view.drafts) + len(view.damaged)
    current = (entry.episode for entry in view.entries if entry.state is State.ACCEPTED)
    return Row(view.name, len(kept), waiting, sum(map(has_open_threads, current)))


def _waiting(library: Library, drafts: Sequence[Entry], today: str) -> list[Draft]:
    days = health.days_old(library, [draft.commit for draft in drafts], today)
    found = [
        Draft(one.episode.id, one.shelf, title(one.episode), age, one.amends)
        for one, age in zip(drafts, days, strict=True)
    ]
    return sorted(found, key=lambda draft: (-draft.days, draft.id, draft.shelf))


def _listed(heading: str, lines: Sequence[str]) -> list[str]:
    more = [f"  … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [heading, *(f"  {line}" for line in lines[:SHOWN]), *more]
