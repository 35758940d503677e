"""What a search answers: its hits as data, as text, and cut to a budget."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from memshelf.formats.envelope import wrap
from memshelf.model import State, squeeze
from memshelf.text import tokens

NO_ROOM = "The budget holds no hit: raise it."


class Outcome(StrEnum):
    """How a search ended; only the first two mean that everything in scope was looked at."""

    FOUND = "found"
    NOTHING = "nothing found"
    COULD_NOT = "could not search"
    WRONG_SCOPE = "wrong scope"


@dataclass(frozen=True, slots=True)
class Hit:
    """One episode and its section that answers best.

    `snippet` is exact text of the section with its white space made single spaces; `why` the words of
    the query that occur there or in the title.
    """

    id: str
    shelf: str
    title: str
    date: str
    section: str
    snippet: str
    score: float
    why: tuple[str, ...]
    state: State

    @property
    def address(self) -> str:
        """What `read_episode` accepts for exactly this section."""
        draft = "@draft" if self.state is State.DRAFT else ""
        return f"{self.shelf}/{self.id}{draft}" + (f"#{self.section}" if self.section else "")


@dataclass(frozen=True, slots=True)
class Searched:
    """Where was looked: names of shelves, number of episodes."""

    shelves: tuple[str, ...] = ()
    episodes: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer.

    `left_out` counts the episodes after the last hit; `next` is the cursor to them, empty when there
    are none. `note` is a sentence on what the outcome alone does not tell.
    """

    outcome: Outcome
    searched: Searched = Searched()
    corrected: dict[str, list[str]] = field(default_factory=dict)
    hits: tuple[Hit, ...] = ()
    left_out: int = 0
    next: str = ""
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON's types."""
        hits = [
            {"address": hit.address} | asdict(hit) | {"why": list(hit.why), "state": str(hit.state)}
            for hit in self.hits
        ]
        searched = {"shelves": list(self.searched.shelves), "episodes": self.searched.episodes}
        return asdict(self) | {"outcome": str(self.outcome), "searched": searched, "hits": hits}

    def as_text(self) -> str:
        """Return the answer for a reader: where was looked, the hits in one envelope, what is left out."""
        where = f"{_count(self.searched.episodes, 'episode')} on {', '.join(self.searched.shelves)}"
        head = {
            Outcome.FOUND: f"found: {_count(len(self.hits), 'hit')} in {where}",
            Outcome.NOTHING: f"nothing found in {where}: try other words, or fewer filters",
        }.get(self.outcome, str(self.outcome))
        parts = [head, self.note] if self.note else [head]
        if self.hits:
            parts.append(wrap("search", "\n".join(_line(hit) for hit in self.hits)))
        if self.left_out:
            parts.append(f"{self.left_out} more: cursor {self.next}")
        return "\n".join(parts)

    def within(self, budget: int, start: int = 0) -> Answer:
        """Return the answer with hits dropped from the end until its text costs at most `budget` tokens.

        `start` is the place of the first hit in the ranking, what the cursor counts from.
        """
        answer = self
        while answer.hits and tokens(answer.as_text()) > budget:
            kept = answer.hits[:-1]
            note = self.note if kept else f"{self.note} {NO_ROOM}".lstrip()
            answer = replace(
                answer, hits=kept, left_out=answer.left_out + 1, next=str(start + len(kept)), note=note
            )
        return answer


def _line(hit: Hit) -> str:
    state = "" if hit.state is State.ACCEPTED else f" [{hit.state}]"
    snippet = squeeze(hit.snippet)
    return f"{squeeze(hit.address)}{state} · {squeeze(hit.title)}" + (f"\n  {snippet}" if snippet else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
