"""Where the rules of the pack are tried: at literals of theirs, at numbers and at long words."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import ahocorasick

from memshelf.redact.regex import compiled

DIGITS = "<digits>"
"""An anchor that is no literal: a run of nine or more digits with their usual separators."""

LONG_WORD = "<long-word>"
"""An anchor that is no literal: 28 characters or more without white space or /, with a digit and _ or -."""

FEWEST = 9
"""A run of fewer digits is nobody's number: a date, a version, an amount."""

LONG = 28
"""From this many characters on a word may be an unknown provider's token."""

HEAD = 3
"""By how many first characters anchors are told apart in a short text."""

FULL = 8000
"""From this many characters on, all together, one automaton of all anchors costs less than many of few."""

Span = tuple[int, int]
"""Where something begins and ends."""

Zones = Sequence[Span]
"""The disjoint parts of a text in which anchors are looked for, in order."""

Rules = Sequence[int]
"""Indices of rules, in order."""

Heads = Mapping[str, str]
"""First characters of anchors -> these anchors, each with the rules that are tried at it, as JSON."""

Anchored = tuple[int, tuple[int, Rules, Rules]]
"""Where an anchor ends; its length, the rules that are tried there, those tried behind a Latin letter too."""

_COMMON = " etaoinsrhldcumpfgywbvkxjqz"
_DIGITS = r"[0-9][0-9 ().\-\u2011\u00a0]{7,28}[0-9]"
_SHAPE = bytes(ord(" " if chr(code).isspace() else "x") for code in range(256))
_RUN = b"x" * LONG


class Anchors:
    """All anchors of a pack; `apart` are the rules that fail behind a Latin letter."""

    def __init__(self, heads: Heads, apart: Container[int]) -> None:
        """Take the anchors of `by_head`; they are read when a text may hold them."""
        self._heads, self._apart = heads, apart
        self._spans = [
            (rules, spans)
            for kind, spans in ((DIGITS, numbers), (LONG_WORD, long_words))
            if (rules := json.loads(heads.get(kind, "{}")).get(kind))
        ]
        self._of_all: Any = None
        self._sought = 0

    def found(self, text: str, folded: str, zones: Zones) -> Iterator[Anchored]:
        """Yield the anchors in `zones` of `text`, literal ones first; `folded` is it in small letters."""
        if automaton := self._automaton(folded):
            for first, last in zones:
                for place, targets in automaton.iter(folded[first:last]):
                    yield first + place + 1, targets
        for rules, spans in self._spans:
            for first, last in zones:
                for start, end in spans(text, first, last):
                    yield end, (end - start, rules, rules)

    def _automaton(self, folded: str) -> Any:
        """Return the automaton of all anchors, or while little was sought of those that `folded` may hold."""
        if self._of_all is None:
            self._sought += len(folded)
            if self._sought < FULL:
                heads = {folded[at : at + size] for size in range(1, HEAD + 1) for at in range(len(folded))}
                return self._built(heads.__contains__)
            self._of_all = self._built(lambda head: len(head) <= HEAD)
        return self._of_all

    def _built(self, wanted: Callable[[str], bool]) -> Any:
        automaton = ahocorasick.Automaton()
        chosen = (json.loads(anchors).items() for head, anchors in self._heads.items() if wanted(head))
        for anchor, rules in chain.from_iterable(chosen):
            free = [index for index in rules if index not in self._apart]
            automaton.add_word(anchor, (len(anchor), rules, free if len(free) < len(rules) else rules))
        if automaton:
            automaton.make_automaton()
        return automaton


def by_head(anchors: Iterable[tuple[str, int]]) -> dict[str, dict[str, list[int]]]:
    """Return anchors and the indices of their rules by the first characters of the anchors.

    Common letters come first: at each character of a text the automaton tries first letters in this order.
    """
    rules: dict[str, list[int]] = {}
    for anchor, index in anchors:
        rules.setdefault(anchor, []).append(index)
    heads: dict[str, dict[str, list[int]]] = {}
    for anchor in sorted(rules, key=_commonness):
        head = anchor if anchor in (DIGITS, LONG_WORD) else anchor[:HEAD]
        heads.setdefault(head, {})[anchor] = rules[anchor]
    return heads


def _commonness(anchor: str) -> list[int]:
    return [_COMMON.find(char) % (len(_COMMON) + 1) for char in anchor[:HEAD]]


def numbers(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the runs of digits that may be somebody's number."""
    for run in compiled(_DIGITS).finditer(text, first, last):
        if run.end() - run.start() >= 2 * FEWEST or len(compiled("[0-9]").findall(run[0])) >= FEWEST:
            yield run.span()


def long_words(text: str, first: int, last: int) -> Iterator[Span]:
    """Yield the words that may be an unknown provider's token."""
    shape = text[first:last].encode("ascii", "replace").translate(_SHAPE)  # a byte a character
    end = 0
    while (start := shape.find(_RUN, end)) >= 0:
        end = shape.find(b" ", start + LONG)
        end = len(shape) if end < 0 else end
        at = first + start
        for word in text[at : first + end].split():  # white space beyond ASCII has no byte of its own
            at = text.index(word, at)
            if (
                len(word) >= LONG
                and "/" not in word
                and compiled("[_-]").search(word)
                and compiled("[0-9]").search(word)
            ):
                yield at, at + len(word)
            at += len(word)
