"""The list of rules, and the decorators that put a function on it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memshelf.model import Conventions, Document, Episode, Level
    from memshelf.rules.facts import Facts

    Check = Callable[[Document, Conventions], Iterator["Breach"]]
    EpisodeCheck = Callable[[Episode, Conventions], Iterator["Breach"]]
    Bytes = Callable[[bytes], bytes]
    Examine = Callable[[Facts, Conventions], Iterator["Fault"]]


class Breach(NamedTuple):
    """What a rule yields: the fact and the way out, the field or section, the 1-based line (0: unknown)."""

    message: str
    place: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule with its page of the manual.

    `bad` breaks this rule and no other, `good` breaks none: changes to a valid episode, or, for a rule
    about files, a change to the bytes of a valid file.
    """

    name: str
    level: Level
    manual: str
    bad: Mapping[str, object] | Bytes
    good: Mapping[str, object] | Bytes
    check: Check

    @property
    def about_files(self) -> bool:
        """Whether the rule needs the file's bytes, not only the episode."""
        return callable(self.bad)


class Fault(NamedTuple):
    """What a rule about a shelf yields: path or ref, the fact and the way out, the line (0: unknown).

    `fix` is the command that mends it, empty where a person must decide.
    """

    path: str
    message: str
    line: int = 0
    fix: str = ""


@dataclass(frozen=True, slots=True)
class ShelfRule:
    """One rule about a shelf or the library; `bad` breaks this rule and no other, `good` breaks none.

    `group` is one of GROUPS. `ours`: no other tool of the format family asks for it, so on an adopted
    shelf it is a warning.
    """

    name: str
    level: Level
    manual: str
    bad: Facts
    good: Facts
    check: Examine
    group: str
    ours: bool


EPISODES = "episodes"
GROUPS = ("settings", "git", "library", EPISODES, "drafts", "derived")
"""What doctor looks at, causes before their effects. The rules of `RULES` are about episodes."""

RULES: dict[str, Rule] = {}
"""Rule's name -> rule, in the order they are run."""

SHELF_RULES: dict[str, ShelfRule] = {}
"""The same for the rules that only doctor can hold."""


def rule(
    level: Level, *, bad: Mapping[str, object], good: Mapping[str, object]
) -> Callable[[EpisodeCheck], EpisodeCheck]:
    """Register a rule about episodes; its name is the function's, its manual the docstring."""

    def register(check: EpisodeCheck) -> EpisodeCheck:
        def of_document(document: Document, conventions: Conventions) -> Iterator[Breach]:
            return check(document.episode, conventions) if document.episode else iter(())

        _add(Rule(_name(check), level, inspect.getdoc(check) or "", bad, good, of_document))
        return check

    return register


def file_rule(level: Level, *, bad: Bytes, good: Bytes) -> Callable[[Check], Check]:
    """Register a rule about files."""

    def register(check: Check) -> Check:
        _add(Rule(_name(check), level, inspect.getdoc(check) or "", bad, good, check))
        return check

    return register


def shelf_rule(
    level: Level, group: str, *, bad: Facts, good: Facts, ours: bool = False
) -> Callable[[Examine], Examine]:
    """Register a rule about a shelf or the library."""

    def register(check: Examine) -> Examine:
        new = ShelfRule(_name(check), level, inspect.getdoc(check) or "", bad, good, check, group, ours)
        SHELF_RULES[new.name] = new
        return check

    return register


def _name(check: Check | EpisodeCheck | Examine) -> str:
    return check.__name__.replace("_", "-")


def _add(new: Rule) -> None:
    RULES[new.name] = new
