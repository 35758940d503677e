"""Where rules are tried: in a short text as in a long one, and at the words that may be tokens."""

from __future__ import annotations

import json

import pytest

from memshelf.redact.anchors import FULL, LONG_WORD, Anchors, by_head, long_words
from memshelf.redact.pack import FAMILIES, _source
from memshelf.redact.sources import parse
from redact.corpus import rows

RULES = parse({name: _source(f"{name}.toml").decode() for name in FAMILIES})
HEADS = {
    head: json.dumps(anchors)
    for head, anchors in by_head(
        (anchor, index) for index, rule in enumerate(RULES) for anchor in rule.anchors
    ).items()
}
TOKEN = "acme_" + "a1" * 12


def found(anchors: Anchors, text: str) -> list[object]:
    return list(anchors.found(text, text.lower(), [(0, len(text))]))


def test_a_short_text_has_the_anchors_that_it_has_for_the_automaton_of_all() -> None:
    of_all = Anchors(HEADS, {1})
    found(of_all, "x" * FULL)

    texts = [row.text for row in rows()[::7] if len(row.text) < FULL]
    assert [text for text in texts if found(Anchors(HEADS, {1}), text) != found(of_all, text)] == []


def test_a_text_without_anchors_has_none() -> None:
    anchors = Anchors({"ab": '{"ab": [0]}'}, ())

    assert found(anchors, "cd") == found(anchors, "") == []


def test_an_anchor_names_its_rules_and_those_for_behind_a_letter() -> None:
    heads = {"abc": '{"abcd": [0, 1]}', LONG_WORD: '{"<long-word>": [2]}'}

    assert found(Anchors(heads, {1}), f"xabcd {TOKEN}") == [
        (5, (4, [0, 1], [0])),
        (6 + len(TOKEN), (len(TOKEN), [2], [2])),
    ]


@pytest.mark.parametrize("before", ["", "see ", "№ ", "\u00a0", f"{'ж' * 30}\u2028", "\U0001f511 "])
@pytest.mark.parametrize("after", ["", "\n", "\u3000и", "\x1f", " https://a.example/x_1"])
def test_a_long_word_ends_at_any_white_space(before: str, after: str) -> None:
    text = before + TOKEN + after

    assert [text[start:end] for start, end in long_words(text, 0, len(text))] == [TOKEN]


@pytest.mark.parametrize("word", [TOKEN[:27], "a_" * 20, "a1" * 20, f"{TOKEN}/x"])
def test_short_words_paths_and_mere_words_are_no_tokens(word: str) -> None:
    assert list(long_words(word, 0, len(word))) == []
