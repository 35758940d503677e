"""What a search answers: its hits as data, as text, and cut to a budget."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.formats.envelope import wrap
from memshelf.model import State, squeeze
from memshelf.text import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

ENVELOPE = tokens(wrap("search", ""))
NO_ROOM = "The budget holds no hit: raise it."


class Outcome(StrEnum):
    """How a search ended; only the first two mean that everything in scope was looked at."""

    FOUND = "found"
    NOTHING = "nothing found"
    COULD_NOT = "could not search"
    WRONG_SCOPE = "wrong scope"


class Hit(NamedTuple):
    """One episode and its section that answers best.

    `snippet` is exact text of the section with its white space made single spaces; `why` the words of
    the query that occur there or in the title. `successor` is what superseded the episode.
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
    successor: str = ""

    @property
    def episode(self) -> str:
        """What `read_episode` accepts for exactly this episode or draft."""
        return f"{self.shelf}/{self.id}" + ("@draft" if self.state is State.DRAFT else "")

    @property
    def address(self) -> str:
        """What `read_episode` accepts for exactly this section."""
        return self.episode + (f"#{self.section}" if self.section else "")


class Searched(NamedTuple):
    """Where was looked: names of shelves, number of episodes."""

    shelves: tuple[str, ...] = ()
    episodes: int = 0


_NONE: Mapping[str, list[str]] = {}


class Answer(NamedTuple):
    """The whole answer.

    `left_out` counts the episodes after the last hit; `next` is the cursor to them, empty when there
    are none. `note` is a sentence on what the outcome alone does not tell.
    """

    outcome: Outcome
    searched: Searched = Searched()
    corrected: Mapping[str, list[str]] = _NONE
    hits: tuple[Hit, ...] = ()
    left_out: int = 0
    next: str = ""
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON's types."""
        hits = [
            {"address": hit.address} | hit._asdict() | {"why": list(hit.why), "state": str(hit.state)}
            for hit in self.hits
        ]
        searched = {"shelves": list(self.searched.shelves), "episodes": self.searched.episodes}
        return self._asdict() | {"outcome": str(self.outcome), "searched": searched, "hits": hits}

    def as_text(self) -> str:
        """Return the answer for a reader: where was looked, the hits in one envelope, what is left out.

        Hits of one episode stand together under its name, in the order of its first.
        """
        parts = [self._head(), *self._corrections(), *([self.note] if self.note else [])]
        if self.hits:
            parts.append(wrap("search", "\n".join(_lines(self.hits))))
        if self.left_out:
            parts.append(f"{self.left_out} more: cursor {self.next}")
        return "\n".join(parts)

    def filled(self, hits: Iterable[Hit], budget: int, start: int, total: int) -> Answer:
        """Return the answer with as many of the hits as its text can hold within `budget` tokens.

        `start` is the place of the first hit in the ranking of `total` hits, what the cursor counts from.
        """
        left = budget - tokens(self._replace(hits=(), left_out=total, next=str(total)).as_text()) - ENVELOPE
        known: set[tuple[str, ...]] = set()
        shown: list[Hit] = []
        for hit in hits:
            left -= _cost(hit, known)
            if left < 0:
                break
            known |= {(hit.episode,), (hit.episode, hit.section)}
            shown.append(hit)
        end = start + len(shown)
        more = total - end
        note = self.note if shown else f"{self.note} {NO_ROOM}".lstrip()
        return self._replace(hits=tuple(shown), left_out=more, next=str(end) if more else "", note=note)

    def _head(self) -> str:
        where = f"{_count(self.searched.episodes, 'episode')} on {', '.join(self.searched.shelves)}"
        return {
            Outcome.FOUND: f"found: {_count(len(self.hits), 'hit')} in {where}",
            Outcome.NOTHING: f"nothing found in {where}: try other words, or fewer filters",
        }.get(self.outcome, str(self.outcome))

    def _corrections(self) -> list[str]:
        said = [f"{word} taken for {' or '.join(meant)}" for word, meant in self.corrected.items()]
        return [f"corrected: {'; '.join(said)}"] if said else []


def _lines(hits: Sequence[Hit]) -> list[str]:
    """Return the hits as lines: an episode's name once, its sections' once, what they say indented.

    The only section that is shown of an episode stands beside its name.
    """
    found: dict[str, dict[str, list[Hit]]] = {}
    for hit in hits:
        found.setdefault(hit.episode, {}).setdefault(hit.section, []).append(hit)
    made: list[str] = []
    for sections in found.values():
        first = next(iter(sections.values()))[0]
        made.append(_title(first, first.address if len(sections) == 1 else first.episode))
        for section, said in sections.items():
            made += [_heading(section)] if section and len(sections) > 1 else []
            made += map(_text, said)
    return made


def _cost(hit: Hit, known: AbstractSet[tuple[str, ...]]) -> int:
    """Return the tokens that a hit costs at most, where the episode and the sections `known` are named."""
    title = "" if (hit.episode,) in known else f"{_title(hit, hit.episode)}\n"
    heading = "" if (hit.episode, hit.section) in known else f"{_heading(hit.section)}\n"
    return tokens(f"{title}{heading}{_text(hit)}\n")


def _title(hit: Hit, address: str) -> str:
    state = f"{hit.state} by {hit.successor}" if hit.successor else str(hit.state)
    label = "" if hit.state is State.ACCEPTED else f" [{state}]"
    return f"{squeeze(address)}{label} · {squeeze(hit.title)}"


def _heading(section: str) -> str:
    return f" #{squeeze(section)}"


def _text(hit: Hit) -> str:
    return "\n".join(f"  {line}" for line in hit.snippet.split("\n"))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
