"""What the rules of the pack find: a regex is tried at each anchor, the values of its matches are judged."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from memshelf.redact.anchors import Span, Zones
from memshelf.redact.checks import Candidate, entropy, is_placeholder
from memshelf.redact.marks import Origin, blanked
from memshelf.redact.pack import Allow, Pack, Trial
from memshelf.redact.policy import Policy
from memshelf.redact.regex import compiled

PROSE = 4
"""The layer whose values stand in sentences."""

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

QUOTES = ('"', "'", "`", "«", "“")
_LINE = 200


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
    kept: list[Span] = []
    done: dict[int, Span] = {}
    taken: dict[Span, int] = {}
    for trial, match in _matches(text, pack, zones, done):
        index, origin = trial.index, trial.origin
        for found in _candidates(text, trial, match):
            span = found.start, found.end
            if origin.class_ == "keep" or (origin.class_ == "personal" and policy.lets(found.value)):
                kept.append(span)
            elif taken.get(span, sys.maxsize) < trial.rank or _holds(trial, found):
                done[index] = (match.start(), max(found.end, done.get(index, (0, 0))[1]))
                if policy.applies(origin.rule, trial.kind):
                    hits.append(Hit(*span, trial.rank, trial.kind, origin))
                    if origin.class_ == "secret":  # another rule need not judge it once more
                        taken[span] = min(trial.rank, taken.get(span, sys.maxsize))
    return _outside(hits, sorted(kept)) if kept and hits else hits


def _outside(hits: list[Hit], kept: list[Span]) -> list[Hit]:
    """Return the hits that begin in none of the sorted `kept` pieces."""
    furthest = [*accumulate((end for _, end in kept), max)]
    before = ((bisect_right(kept, (hit.start, sys.maxsize)), hit) for hit in hits)
    return [hit for index, hit in before if not index or furthest[index - 1] <= hit.start]


def _matches(
    text: str, pack: Pack, zones: Zones, done: dict[int, Span]
) -> Iterator[tuple[Trial, re.Match[str]]]:
    """Yield each match of a rule at an anchor that does not stand in what the rule is `done` with."""
    trials, folded = pack.trials, text.lower()
    if len(folded) != len(text):  # İ alone grows
        folded = text.replace("\u0130", "i").lower()
    for end, (length, rules, free) in pack.anchors.found(text, blanked(folded), zones):
        start = end - length
        if rules is not free and start and text[start - 1] in LETTERS and text[max(0, start - 2)] != "\\":
            rules = free
        for index in rules:
            if index in done and done[index][0] <= start < done[index][1]:
                continue
            trial = trials[index] or pack.trial(index)
            if trial.before:
                found = _around(text, trial, start, end)
            else:
                found = trial.match(text, start, end + trial.after)
            if found:
                yield trial, found


def _around(text: str, trial: Trial, start: int, end: int) -> re.Match[str] | None:
    """Return the first match from `before` characters left of an anchor that goes beyond its start."""
    found = trial.search(text, max(0, start - trial.before), end + trial.near)
    while found and found.end() <= start:
        found = trial.search(text, found.start() + 1, end + trial.near)
    return trial.match(text, found.start(), end + trial.after) if found else None


def _candidates(text: str, trial: Trial, match: re.Match[str]) -> Iterator[Candidate]:
    """Yield what a match would take out, before it is judged."""
    if trial.finder:
        yield from trial.finder(text, match)
        return
    for name in trial.groups:
        start, end = match.span(name)
        if start < end:
            yield _trimmed(text, start, end, match.start(), trial.layer)


def _trimmed(text: str, start: int, end: int, begin: int, layer: int) -> Candidate:
    """Return the value without its quotes and, in prose, without the sentence's punctuation."""
    quoted = text[start] in "\"'" and text[end - 1] == text[start] and end - start > 2
    if quoted:
        start, end = start + 1, end - 1
    elif layer == PROSE:
        end = start + len(text[start:end].rstrip(".,;:?…*"))
        quoted = text[start - 1 : start] in QUOTES
    return Candidate(text, start, end, begin, quoted)


def _holds(trial: Trial, found: Candidate) -> bool:
    """Tell whether a match is a hit: its checks hold and nothing lets it go."""
    value = found.value
    if not value or is_placeholder(value) or (trial.entropy and entropy(value) < trial.entropy):
        return False
    return all(check(found) for check in trial.checks) and not (trial.allow and _allowed(trial.allow, found))


def _allowed(allow: Allow, found: Candidate) -> bool:
    value, key, line = allow
    return (
        _has(value, found.value)
        or _has(key, _key(found) if key else "")
        or _has(line, _line(found) if line else "")
    )


def _has(regex: str, text: str) -> bool:
    return bool(regex and compiled(regex).search(text))


def _key(found: Candidate) -> str:
    """Return the whole name in front of the value: what the rule matched, and the word it is part of."""
    before = compiled(r"[\w.-]*+\Z").search(found.text, max(0, found.begin - 40), found.begin)
    return (before[0] if before else "") + found.key


def _line(found: Candidate) -> str:
    """Return the value's line, cut to what stands near."""
    left = found.text[max(0, found.start - _LINE) : found.start].rpartition("\n")[2]
    return left + found.value + found.text[found.end : found.end + _LINE].partition("\n")[0]
