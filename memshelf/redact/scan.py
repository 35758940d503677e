"""What the rules of the pack find: anchors in one pass, a regex at each, the values judged."""

from __future__ import annotations

import functools
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import NamedTuple

from memshelf.redact.checks import CHECKS, Candidate, entropy, is_placeholder
from memshelf.redact.finders import FINDERS
from memshelf.redact.marks import Origin, blanked
from memshelf.redact.pack import Pack, Rule, Window
from memshelf.redact.policy import Policy
from memshelf.redact.regex import compiled

PROSE = 4
"""The layer whose values stand in sentences."""

FEWEST = 9
"""A run of fewer digits is nobody's number: a date, a version, an amount."""

LONG = 28
"""From this many characters on a word may be an unknown provider's token."""

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

QUOTES = ('"', "'", "`", "«", "“")
_DIGITS = r"[0-9][0-9 ().\-\u2011\u00a0]{7,28}[0-9]"
_LINE = 200

Span = tuple[int, int]
"""Where something begins and ends."""

Zones = Iterable[Span]
"""The disjoint parts of a text in which anchors are looked for, in order."""


Anchored = tuple[int, tuple[tuple[int, int, bool], ...]]
"""Where an anchor ends, and `(length, index of the rule, apart)` for each rule that is tried there."""


class Hit(NamedTuple):
    """`text[start:end]` must go; of overlapping hits the lowest `rank` names the mark."""

    start: int
    end: int
    rank: int
    kind: str
    origin: Origin


def scan(text: str, pack: Pack, policy: Policy, zones: Zones) -> list[Hit]:
    """Return what the rules find at the anchors inside of `zones`."""
    hits: list[Hit] = []
    kept: list[tuple[int, int]] = []
    done: dict[int, Span] = {}
    for index, match in _matches(text, pack, zones, done):
        rule = pack.rules[index]
        for found in _candidates(text, rule, pack.groups[index], match):
            if rule.class_ == "keep" or (rule.class_ == "personal" and policy.lets(found.value)):
                kept.append((found.start, found.end))
            elif _holds(rule, found):
                done[index] = (match.start(), max(found.end, done.get(index, (0, 0))[1]))
                origin = Origin(rule.id, rule.class_)
                hits.append(Hit(found.start, found.end, rule.layer * 1000 + index, rule.kind, origin))
    if kept and hits:
        hits = _outside(hits, sorted(kept))
    return [hit for hit in hits if policy.applies(hit.origin.rule, hit.kind)]


def _outside(hits: list[Hit], kept: list[tuple[int, int]]) -> list[Hit]:
    """Return the hits that begin in none of the sorted `kept` pieces."""
    furthest = [*accumulate((end for _, end in kept), max)]
    before = ((bisect_right(kept, (hit.start, sys.maxsize)), hit) for hit in hits)
    return [hit for index, hit in before if not index or furthest[index - 1] <= hit.start]


def _matches(
    text: str, pack: Pack, zones: Zones, done: dict[int, Span]
) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield (index of the rule, match) for each match that is not `done` with."""
    windows, folded = pack.windows, text.lower()
    if len(folded) != len(text):  # İ alone grows
        folded = text.replace("\u0130", "i").lower()
    for end, targets in _anchored(text, blanked(folded), pack, zones):
        for length, index, apart in targets:
            start = end - length
            if (apart and start and text[start - 1] in LETTERS and text[max(0, start - 2)] != "\\") or (
                index in done and done[index][0] <= start < done[index][1]
            ):
                continue
            window = windows[index] or pack.window(index)
            found = (
                _around(text, window, start, end)
                if window.before
                else window.match(text, start, end + window.after)
            )
            if found:
                yield index, found


def _around(text: str, window: Window, start: int, end: int) -> re.Match[str] | None:
    """Return the first match from `before` characters left of an anchor that goes beyond its start."""
    found = window.search(text, max(0, start - window.before), end + window.near)
    while found and found.end() <= start:
        found = window.search(text, found.start() + 1, end + window.near)
    return window.match(text, found.start(), end + window.after) if found else None


def _anchored(text: str, folded: str, pack: Pack, zones: Zones) -> Iterator[Anchored]:
    """Yield each anchor, the literal ones first."""
    zones = tuple(zones)
    for first, last in zones:
        for last_index, targets in pack.automaton.iter(folded[first:last]):
            yield first + last_index + 1, targets
    for first, last in zones:
        yield from _numbers(text, pack, first, last)
    for first, last in zones:
        yield from _long_words(text, pack, first, last)


def _numbers(text: str, pack: Pack, first: int, last: int) -> Iterator[Anchored]:
    for run in compiled(_DIGITS).finditer(text, first, last):
        length = run.end() - run.start()
        if length >= 2 * FEWEST or len(compiled("[0-9]").findall(run[0])) >= FEWEST:
            yield run.end(), tuple((length, index, False) for index in pack.on_digits)


def _long_words(text: str, pack: Pack, first: int, last: int) -> Iterator[Anchored]:
    end = first
    for word in [word for word in text[first:last].split() if len(word) >= LONG]:
        end = text.index(word, end) + len(word)
        if "/" not in word and ("_" in word or "-" in word):
            yield end, tuple((len(word), index, False) for index in pack.on_long_words)


def _candidates(
    text: str, rule: Rule, names: tuple[str | int, ...], match: re.Match[str]
) -> Iterator[Candidate]:
    """Yield what a match would take out, before it is judged."""
    if rule.finder:
        yield from FINDERS[rule.finder](text, match)
        return
    for name in names:
        start, end = match.span(name)
        if start < end:
            yield _trimmed(text, start, end, match.start(), rule.layer)


def _trimmed(text: str, start: int, end: int, begin: int, layer: int) -> Candidate:
    """Return the value without its quotes and, in prose, without the sentence's punctuation."""
    quoted = text[start] in "\"'" and text[end - 1] == text[start] and end - start > 2
    if quoted:
        start, end = start + 1, end - 1
    elif layer == PROSE:
        end = start + len(text[start:end].rstrip(".,;:?…*"))
        quoted = text[start - 1 : start] in QUOTES
    return Candidate(text, start, end, begin, quoted)


def _holds(rule: Rule, found: Candidate) -> bool:
    """Tell whether a match is a hit: its checks hold and nothing lets it go."""
    value = found.value
    if not value or is_placeholder(value) or (rule.entropy and entropy(value) < rule.entropy):
        return False
    return all(CHECKS[check](found) for check in rule.checks) and not _allowed(rule, found)


def _allowed(rule: Rule, found: Candidate) -> bool:
    allow = rule.allow
    return (
        (bool(allow.value) and _any(allow.value, found.value))
        or (bool(allow.key) and _any(allow.key, _key(found)))
        or (bool(allow.line) and _any(allow.line, _line(found)))
    )


def _any(regexes: tuple[str, ...], text: str) -> bool:
    """Tell whether one of `regexes` is found in `text`, case aside."""
    return bool(_one_of(regexes).search(text))


@functools.cache
def _one_of(regexes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{regex})" for regex in regexes), re.IGNORECASE)


def _key(found: Candidate) -> str:
    """Return the whole name in front of the value: what the rule matched, and the word it is part of."""
    before = compiled(r"[\w.-]*+\Z").search(found.text, max(0, found.begin - 40), found.begin)
    return (before[0] if before else "") + found.key


def _line(found: Candidate) -> str:
    """Return the value's line, cut to what stands near."""
    left = found.text[max(0, found.start - _LINE) : found.start].rpartition("\n")[2]
    return left + found.value + found.text[found.end : found.end + _LINE].partition("\n")[0]
