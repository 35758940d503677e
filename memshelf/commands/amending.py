"""Amend against amend: two changes of one text, put together key by key and section by section.

A pure function, asked by the merge; no verb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.formats import episode as episode_format
from memshelf.model import Conventions, Episode, Level, Section
from memshelf.rules.lint import lint_episode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memshelf.model import Value

PREAMBLE = "(text before the sections)"
LAST_DAY = "9999-12-01"
"""Whether an id's date has come is nothing that a merge decides."""


class Clash(NamedTuple):
    """A key or a section that both sides changed, each in its way."""

    place: str
    ours: str
    theirs: str


class Amended(NamedTuple):
    """The episode with both changes, else the `clashes`, or the `fault` that leaves it to a person."""

    episode: Episode | None = None
    clashes: tuple[Clash, ...] = ()
    fault: str = ""


def amend(base: bytes, ours: bytes, theirs: bytes) -> Amended:
    """Put the changes together that two sides made to the text `base`.

    Each key and each section is taken from the side that changed it, of a list the changes of both.
    """
    read = [episode for raw in (base, ours, theirs) if (episode := _read(raw))]
    if len(read) < 3:
        return Amended(fault="not every text of it can be taken apart")
    keys, odd = _three_way(*map(_keys, read))
    bodies, torn = _three_way(*({part.heading: part.body for part in each.sections} for each in read))
    if odd or torn:
        mine, other = read[1:]
        clashes = [Clash(name, _shown(_keys(mine), name), _shown(_keys(other), name)) for name in odd]
        clashes += [Clash(name, mine.section(name), other.section(name)) for name in torn]
        return Amended(clashes=tuple(clashes))
    episode = _assembled(keys, bodies)
    fault = _fault(episode, read[1:])
    return Amended(fault=fault) if fault else Amended(episode)


def _three_way(
    base: Mapping[str, Value], ours: Mapping[str, Value], theirs: Mapping[str, Value]
) -> tuple[dict[str, Value], list[str]]:
    """Merge name by name; return what is certain, in the base's order, and the names that both changed.

    Of a list both changes are made, so that two clients may each add their name.
    """
    merged: dict[str, Value] = {}
    odd: list[str] = []
    for name in (*base, *_added(tuple(base), tuple(ours), tuple(theirs))):
        old, mine, other = base.get(name), ours.get(name), theirs.get(name)
        if mine in (old, other):
            value = other
        elif other == old:
            value = mine
        elif all(isinstance(each or (), tuple) for each in (old, mine, other)):
            value = _united(tuple(old or ()), tuple(mine or ()), tuple(other or ()))
        else:
            odd.append(name)
            continue
        if value is not None:
            merged[name] = value
    return merged, odd


def _united(base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the list with what either side took away gone, and what either side added."""
    kept = tuple(item for item in base if item in ours and item in theirs)
    return kept + _added(base, ours, theirs)


def _added(base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Return what either side has beside the base, once, each side's in its order."""
    first, second = sorted([item for item in side if item not in base] for side in (ours, theirs))
    return tuple(dict.fromkeys([*first, *second]))


def _read(raw: bytes) -> Episode | None:
    """Return the episode, None where the text cannot be taken apart and put together again."""
    episode = episode_format.read_document("", raw).episode
    headings = [part.heading for part in episode.sections] if episode else []
    return episode if len(headings) == len(set(headings)) else None


def _keys(episode: Episode) -> dict[str, Value]:
    """Return what stands outside the sections, by name: what is not there has no name."""
    named = {name: getattr(episode, name) for name in episode_format.KEYS} | {PREAMBLE: episode.preamble}
    return {name: value for name, value in named.items() if value} | dict(episode.other)


def _shown(keys: Mapping[str, Value], name: str) -> str:
    value = keys.get(name, "")
    return value if isinstance(value, str) else ", ".join(value)


def _assembled(keys: dict[str, Any], bodies: dict[str, Any]) -> Episode:
    """Return the episode of these keys and sections."""
    known = {name: keys.pop(name) for name in episode_format.KEYS if name in keys}
    preamble = keys.pop(PREAMBLE, "")
    sections = episode_format.arrange(Section(heading, body) for heading, body in bodies.items())
    return Episode(**known, sections=sections, preamble=preamble, other=tuple(keys.items()))


def _fault(merged: Episode, sides: Sequence[Episode]) -> str:
    """Return what is wrong with the merged text that is wrong with neither side, empty when nothing is."""
    again = _read(episode_format.render(merged).encode())
    if again is None or again.sections != merged.sections:
        return "the two changes together would not read back"
    known = {rule for side in sides for rule in _broken(side)}
    new = [said for rule, said in _broken(merged).items() if rule not in known]
    return f"the two changes do not go together ({new[0]})" if new else ""


def _broken(episode: Episode) -> dict[str, str]:
    """Return rule -> complaint of each built-in rule that the episode breaks."""
    findings = lint_episode(episode, Conventions(LAST_DAY))
    return {found.rule: found.message for found in findings if found.level is Level.ERROR}
