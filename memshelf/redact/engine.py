"""What must never be stored is found in one pass over the text, and marks are put there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import ahocorasick

from memshelf.redact.marks import OPENING, Marks, Origin, Redaction, blanked, report
from memshelf.redact.names import forms
from memshelf.redact.pack import built_in
from memshelf.redact.patterns import matches
from memshelf.redact.policy import Policy
from memshelf.redact.regex import compiled
from memshelf.redact.scan import Hit, scan

AROUND = 400
"""How far from a new mark the rules look again."""

Values = dict[str, tuple[str, Origin]]
"""The value of a secret -> its kind, and where it was found."""

SPREADS = 8
"""From this many characters on a caught value goes wherever else it stands."""


def redact(text: str, policy: Policy, marks: Marks | None = None) -> tuple[str, tuple[Redaction, ...]]:
    """Return `text` with marks where secrets stood, and the new marks in order of place.

    Marks that `text` holds already are left alone. Without `marks` the numbers start behind them; with
    `marks` the numbering runs on over several texts, and values that an earlier text gave away go from this
    one too. Redacting twice is redacting once: it is done again around the new marks until none is added.
    """
    marks = Marks.after(text) if marks is None else marks
    given: dict[str, Origin] = {}
    zones = [(0, len(text))]
    values = {value: (kind, origin) for kind, value, origin in marks.known() if origin.class_ == "secret"}
    while hits := list(_hits(text, policy, values, zones)):
        parts, done, at, places = [], 0, 0, []
        for hit in hits:
            mark = marks.give(hit.kind, text[hit.start : hit.end], hit.origin)
            given.setdefault(mark, hit.origin)
            parts += [text[done : hit.start], mark]
            at += hit.start - done + len(mark)
            places.append((at - len(mark), at))
            done = hit.end
        text = "".join([*parts, text[done:]])
        zones = _around(text, places)
        values = {}
    return text, report(text, given)


def _around(text: str, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what stands near the new marks, in disjoint pieces: their lines, cut to what rules can see."""
    zones: list[tuple[int, int]] = []
    for start, end in places:
        first = max(text.rfind("\n", 0, start) + 1, start - AROUND)
        last = text.find("\n", end, end + AROUND)
        last = last + 1 if last >= 0 else min(len(text), end + AROUND)
        if zones and first <= zones[-1][1]:
            zones[-1] = zones[-1][0], last
        else:
            zones.append((first, last))
    return zones


def _hits(text: str, policy: Policy, values: Values, zones: list[tuple[int, int]]) -> Iterator[Hit]:
    """Yield disjoint hits in order: overlapping ones joined under the lowest rank, marks left out."""
    found = [*_of_policy(text, policy), *scan(text, built_in(), policy, zones), *_of_names(text, policy)]
    found += _repeated(text, found, values)
    joined: list[Hit] = []
    for hit in sorted(found):
        if joined and hit.start < joined[-1].end:
            joined[-1] = _joined(joined[-1], hit)
        else:
            joined.append(hit)
    if policy.lifted:
        joined = [hit for hit in joined if not policy.lifts(hit.kind, text[hit.start : hit.end])]
    yield from _unmarked(text, joined) if OPENING in text or "\0" in text else joined


def _unmarked(text: str, hits: list[Hit]) -> Iterator[Hit]:
    """Yield what of each hit is no mark."""
    blank = blanked(text)
    for hit in hits:
        for piece in compiled(r"[^\0]+").finditer(blank, hit.start, hit.end):
            if piece.span() == (hit.start, hit.end) or any(map(str.isalnum, piece[0])):
                yield hit._replace(start=piece.start(), end=piece.end())


def _joined(first: Hit, second: Hit) -> Hit:
    """Return what goes of two hits that overlap; personal data gives way to a secret."""
    best = min(first, second, key=lambda hit: hit.rank)
    worse = second if best is first else first
    if best.origin.class_ == "secret" and worse.origin.class_ == "personal":
        return best
    return best._replace(start=first.start, end=max(first.end, second.end))


def _of_policy(text: str, policy: Policy) -> Iterator[Hit]:
    for kind, regex in policy.patterns:
        origin = Origin("POLICY.patterns", "secret")
        yield from (Hit(*span, 0, kind, origin) for span in matches(regex, text))


def _of_names(text: str, policy: Policy) -> Iterator[Hit]:
    """Yield where people stand that the shelf names, in every form of their names."""
    if policy.screening.personal.get("name") == "keep":
        return
    for name in policy.screening.names:
        for found in compiled(forms(name), re.IGNORECASE).finditer(text):
            yield Hit(*found.span(), 5000, "name", Origin("names", "personal"))


def _repeated(text: str, found: list[Hit], values: Values) -> Iterator[Hit]:
    """Yield where the values of secrets, found here or before, stand once more."""
    secrets = [hit for hit in found if hit.origin.class_ == "secret"]
    values = values | {text[hit.start : hit.end]: (hit.kind, hit.origin) for hit in reversed(secrets)}
    automaton = ahocorasick.Automaton()
    for value, (kind, origin) in values.items():
        if len(value) >= SPREADS and OPENING not in value:
            automaton.add_word(value, (len(value), kind, origin))
    if not automaton:
        return
    automaton.make_automaton()
    places = {(hit.start, hit.end) for hit in secrets}
    for last, (length, kind, origin) in automaton.iter(text):
        end = last + 1
        at = end - length
        if (at, end) not in places and not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            yield Hit(at, end, 6000, kind, origin)
