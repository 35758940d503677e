"""Status: one screen of what a library holds, what waits for a person, and what only this disk has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.drafts import others
from memshelf.commands.index import index
from memshelf.commands.render import render
from memshelf.commands.scope import require_branch
from memshelf.derived.map import BUDGET
from memshelf.errors import MemShelfError
from memshelf.lines import title
from memshelf.requests import IndexRequest
from memshelf.store import catalogue, health, remote, snapshot
from memshelf.text import clip, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.model import Entry
    from memshelf.requests import Caller
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library
    from memshelf.store.remote import Standing

SHOWN = 8
"""How many lines of one kind a screen holds."""

WIDTH = 60

COUNTS = """
SELECT shelf, sum(state = 'accepted' AND fault IS ''), sum(draft != ''),
  sum(state = 'accepted' AND fault IS '' AND opened AND NOT superseded)
FROM file GROUP BY shelf
"""
FAULTS = "SELECT shelf, path, draft, fault FROM file WHERE fault != '' ORDER BY draft, path"


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
class Cost:
    """What every session of this folder pays for the map: estimated tokens, of the budget it has."""

    shelves: tuple[str, ...]
    tokens: int
    budget: int

    def __str__(self) -> str:
        """Return half a line."""
        share = f"{round(100 * self.tokens / self.budget)} % of the budget of {self.budget:,}"
        return f"{self.tokens:,} tokens a session for {' and '.join(self.shelves) or 'no shelf'}, {share}"


@dataclass(frozen=True, slots=True)
class Status:
    """The library in numbers; the drafts oldest first; what is not committed, rendered or pushed.

    `index` is None where this folder meets no shelf; `remote` is None when the library has none. `others`
    are the addresses of drafts that only the remote has. `faults` says what could not be read or looked
    at, and the way out.
    """

    library: str
    branch: str
    index: Cost | None
    shelves: tuple[Row, ...]
    drafts: tuple[Draft, ...]
    uncommitted: tuple[str, ...]
    stale: tuple[str, ...]
    remote: Standing | None
    others: tuple[str, ...]
    faults: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        values = {
            key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()
        }
        return values | {"remote": self.remote._asdict() if self.remote else None}

    def as_text(self) -> str:
        """Return the screen."""
        blocks = [
            [
                f"library  {self.library}",
                f"branch   {self.branch}: {self._pushed()}",
                *self._there(),
                *([f"index    {self.index}"] if self.index else []),
            ],
            list(self._table()),
        ]
        blocks += [
            _listed(heading, lines)
            for heading, lines in (
                ("drafts that wait, oldest first: `memshelf review`", [str(one) for one in self.drafts]),
                ("episodes that are not committed: `memshelf doctor`", self.uncommitted),
                ("derived files out of date: `memshelf render`", self.stale),
                ("drafts of others on the remote: `memshelf read ADDRESS`", self.others),
                ("could not be read", self.faults),
            )
            if lines
        ]
        return "\n\n".join("\n".join(block) for block in blocks)

    def _pushed(self) -> str:
        if not self.remote:
            return "no remote, this disk has the only copy"
        name, unpushed, unpulled, *_ = self.remote
        if unpushed is None:
            return f"never pushed to {name}"
        said = [f"{_commits(unpushed)} not pushed to {name}"] if unpushed else []
        said += [f"{_commits(unpulled)} of {name} not pulled"] if unpulled else []
        return f"{', '.join(said)}: `memshelf sync`" if said else f"all of it pushed to {name}"

    def _there(self) -> Iterator[str]:
        if self.remote and (self.remote.pushed or self.remote.published):
            pushed = f"last push {self.remote.pushed or 'unknown'}"
            count = self.remote.published
            yield f"remote   {pushed}, {count} draft{'s' * (count != 1)} published there as of the last sync"

    def _table(self) -> Iterator[str]:
        if not self.shelves:
            yield "no shelf yet: `memshelf init` adds one"
            return
        yield "episodes  drafts  open  shelf"
        for row in self.shelves:
            yield f"{row.episodes:>8}  {row.drafts:>6}  {row.open_threads:>4}  {row.shelf}"


def status(library: Library, caller: Caller) -> Status:
    """Look at the branch, the drafts, the work tree and what the map costs. Nothing is fetched.

    Raises MemShelfError when the clone lacks the library's branch.
    """
    tip, rows, drafts, faults = catalogue.consult(library, _kept)
    cost: Cost | None = None
    uncommitted: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    try:
        cost = _cost(library, caller)
    except MemShelfError as error:
        faults.append(f"the index: {error}")
    try:
        uncommitted = tuple(sorted(filter(library.is_episode, health.changes(library))))
        stale = render(library, caller.today, check=True).stale
    except (MemShelfError, OSError) as error:
        faults.append(f"the work tree: {error}")
    return Status(
        str(library.root),
        library.branch.removeprefix("refs/heads/"),
        cost,
        rows,
        tuple(_waiting(library, drafts, caller.today)),
        uncommitted,
        stale,
        remote.standing(library, tip),
        tuple(one.address for one in others(library)),
        tuple(faults),
    )


def _kept(kept: Catalogue) -> tuple[str, tuple[Row, ...], list[Entry], list[str]]:
    """Return the branch's commit, the shelves in numbers, the drafts that can be read, and what cannot."""
    require_branch(kept)
    counts = {shelf: numbers for shelf, *numbers in kept.rows(COUNTS, ())}
    rows = tuple(Row(name, *counts.get(name, (0, 0, 0))) for name in sorted({*kept.names, *counts}))
    drafts = [entry for view in kept.drafts() for entry in view.drafts]
    faults = [
        f"{shelf}/{draft}: {snapshot.damage(shelf, draft)}"
        if draft
        else f"{path.decode('utf-8', 'surrogateescape')}: {fault}"
        for shelf, path, draft, fault in kept.rows(FAULTS, ())
    ]
    return kept.tip, rows, drafts, faults + [kept.remark] * bool(kept.remark)


def _cost(library: Library, caller: Caller) -> Cost:
    """Measure what `read_index` answers in the caller's folder. Raises MemShelfError as it does."""
    shown = index(library, IndexRequest(), caller)
    return Cost(shown.shelves, tokens(shown.as_text()), BUDGET)


def _waiting(library: Library, drafts: Sequence[Entry], today: str) -> list[Draft]:
    days = health.days_old(library, [draft.commit for draft in drafts], today)
    found = [
        Draft(one.episode.id, one.shelf, title(one.episode), age, one.amends)
        for one, age in zip(drafts, days, strict=True)
    ]
    return sorted(found, key=lambda draft: (-draft.days, draft.id, draft.shelf))


def _commits(count: int) -> str:
    return "1 commit" if count == 1 else f"{count} commits"


def _listed(heading: str, lines: Sequence[str]) -> list[str]:
    more = [f"  … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [heading, *(f"  {line}" for line in lines[:SHOWN]), *more]
