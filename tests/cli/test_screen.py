"""Lines on a screen: folded by columns, coloured, and harmless whatever the text holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.cli.screen import Line, fold, visible
from memshelf.cli.sheet import ago
from memshelf.cli.terminal import RED, YELLOW

COLOUR = re.compile("\x1b\\[[0-9;]*m")


def test_a_line_is_folded_at_spaces_and_hangs() -> None:
    assert fold(Line("   one two three", hang=3), 10, colour=False) == ["   one two", "   three"]


def test_a_word_longer_than_the_screen_is_cut_at_its_edge() -> None:
    assert fold(Line("x" * 25), 10, colour=False) == ["x" * 10, "x" * 10, "x" * 5]


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert fold(Line("中文优先中文优先"), 8, colour=False) == ["中文优先", "中文优先"]
    assert fold(Line("и\u0306" * 8), 8, colour=False) == ["и\u0306" * 8]


@pytest.mark.parametrize("text", ["👩\u200d💻" * 5, "👍\U0001f3fd" * 9, "❤\ufe0f" * 9, "🇷🇺" * 9, "각" * 9])
@pytest.mark.parametrize("width", [8, 9, 11])
def test_no_row_begins_inside_a_character(text: str, width: int) -> None:
    rows = fold(Line(text), width, colour=False)
    assert "".join(rows) == text
    assert [row for row in rows if row[0] in "\u200d\U0001f3fd\ufe0f"] == []
    assert [row for row in rows if row.endswith("\u200d")] == []


def test_what_is_copied_stays_in_one_piece_where_it_is_wider_than_the_screen() -> None:
    text = "see shelves/shared/docs/topics/2026-07-10-auth-tokens.md for all"
    rows = fold(Line(text), 20, colour=False, whole=True)
    assert rows == ["see", "shelves/shared/docs/topics/2026-07-10-auth-tokens.md", "for all"]
    assert max(map(len, fold(Line("служба" * 9), 20, colour=False, whole=True))) == 20


def test_an_accent_adds_to_the_lines_style() -> None:
    assert fold(Line("ab", RED, ((1, 2, YELLOW),)), 8, colour=True) == ["\x1b[31ma\x1b[0m\x1b[31;33mb\x1b[0m"]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200), st.integers(8, 60))
def test_folding_loses_nothing_but_spaces_and_lets_no_control_through(text: str, width: int) -> None:
    seen = visible(text)
    rows = fold(Line(seen), width, colour=False)
    assert "".join(rows).replace(" ", "") == seen.replace(" ", "")
    assert seen.isprintable() or not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b\u202a-\u202e]", seen)
    assert [COLOUR.sub("", row).rstrip(" ") for row in fold(Line(seen, RED), width, colour=True)] == rows


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7200, "2 hours ago"), (90000, "1 day ago")],
)
def test_an_age_is_said_in_the_largest_unit(seconds: float, words: str) -> None:
    assert ago(seconds) == words
