"""Stats: what each shelf holds against what it costs to carry, the figures of its stats.svg."""

from __future__ import annotations

import itertools
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.conventions import conventions_of
from memshelf.commands.scope import shelves_to_read
from memshelf.derived.figures import DEAREST, figures
from memshelf.derived.index_file import listing
from memshelf.derived.stats_chart import counted, sourced
from memshelf.lines import squeeze
from memshelf.store import snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.derived.figures import Figures, Period
    from memshelf.requests import Caller
    from memshelf.store.library import Library

SHOWN = 12
"""How many periods a screen holds."""

BAR = 20
COLUMNS = ("added", "open", "episodes", "shelved", "standing")
UNITS = (
    "shelved: tokens in the episodes; standing: tokens of index that every session pays, "
    f"at most {DEAREST:,}\ncharacters / 4, as in ledger.tsv and stats.svg"
)


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of the shelves in scope; `unreadable` counts the episode files they leave out."""

    shelves: tuple[Figures, ...]
    unreadable: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        shelves = [asdict(shelf) | {"periods": list(map(asdict, shelf.periods))} for shelf in self.shelves]
        return {"shelves": shelves, "unreadable": self.unreadable}

    def as_text(self) -> str:
        """Return a block for each shelf: its totals, and a table of its last periods."""
        blocks = ["\n".join(_block(shelf)) for shelf in self.shelves]
        if self.unreadable:
            one = self.unreadable == 1
            files, them = ("1 file is", "it") if one else (f"{self.unreadable} files are", "them")
            blocks.append(f"{files} left out, nobody can read {them}: `memshelf doctor` names {them}")
        blocks += [UNITS] * any(shelf.periods for shelf in self.shelves)
        return "\n\n".join(blocks) or "no shelf yet: `memshelf init` adds one"


def stats(library: Library, shelf: str | None, caller: Caller) -> Stats:
    """Add up the committed episodes of `shelf`, else of the shelves in scope; drafts do not count.

    Raises MemShelfError for an unknown shelf, FormatError for a bad line in POLICY.patterns.
    """
    seen = snapshot.take(library)
    views = seen.load(shelves_to_read(seen, shelf, caller))
    rows = [listing(view, conventions_of(library, view.name, caller.today)) for view in views]
    made = tuple(figures(view, each) for view, each in zip(views, rows, strict=True))
    return Stats(made, sum(len(view.unreadable) for view in views))


def _block(said: Figures) -> Iterator[str]:
    yield f"{squeeze(said.shelf)}: {counted(said)}"
    if not said.periods:
        return
    if said.known:
        yield sourced(said)
    shown = said.periods[-SHOWN:]
    rows = [(said.unit, *COLUMNS), *((each.name, *map("{:,}".format, _numbers(each))) for each in shown)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *lines = (_aligned(row, widths) for row in rows)
    yield f"\n{head}  growth"
    if len(said.periods) > SHOWN:
        yield f"… {len(said.periods) - SHOWN} earlier: --json has them"
    yield from (f"{line}  {bar}".rstrip() for line, bar in zip(lines, _bars(said.periods), strict=True))


def _numbers(period: Period) -> tuple[int, ...]:
    return period.added, period.open, period.episodes, period.shelved, period.standing


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = zip(row[1:], widths[1:], strict=True)
    return "  ".join([f"{row[0]:<{widths[0]}}", *(f"{cell:>{width}}" for cell, width in cells)])


def _bars(periods: Sequence[Period]) -> list[str]:
    """Return a bar for the tokens that each of the last periods added; the longest is BAR wide."""
    totals = [0, *(period.shelved for period in periods)]
    grown = [after - before for before, after in itertools.pairwise(totals)][-SHOWN:]
    most = max(grown) or 1
    return ["█" * max(number * BAR // most, 1 if number else 0) for number in grown]
