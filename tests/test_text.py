"""Words, tokens and cuts."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.text import MAX_SLUG, clip, count_words, page, slug, tokens

ANY = st.text(st.characters(exclude_categories=()))
LETTER = st.text("abя中й ё-./e\u0301\u200d👩\n", max_size=400)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("us-east-1", 1),
        ("a/b/c/d", 4),
        ("don't", 1),
        ("don’t", 1),
        ("/".join(["word"] * 300), 300),
        ("v1.2.3", 1),
        ("—", 0),
        ("中文优先", 4),
        ("\u0438\u0306ога", 1),
        ("1 050,19 ₽", 3),
        ("", 0),
        ("… !? ❤\ufe0f", 0),
        ("foo_bar", 1),
        ("a--b", 2),
        ("Git中文 v2", 4),
        ("a" * 40, 1),
        ("a" * 41, 2),
        ("a" * 41 + "-b", 2),
        ("한국어 かな", 5),
        ("नमस्ते दुनिया", 2),
    ],
)
def test_words_are_counted_as_the_table_says(text: str, words: int) -> None:
    assert count_words(text) == words


def test_an_unbroken_url_counts_its_runs_each_at_least_once_per_40() -> None:
    assert count_words("https://example.com/" + "a" * 3000) == 1 + 75

    runs = ["x" * 30] * 100

    assert count_words("https://example.com/" + "/".join(runs)) == 1 + 2 + 100


@given(ANY)
def test_counting_survives_any_text_in_any_normal_form(text: str) -> None:
    count = count_words(text)

    assert 0 <= count <= len(unicodedata.normalize("NFC", text))
    assert count_words(unicodedata.normalize("NFD", text)) == count


@given(ANY, ANY)
def test_words_of_two_lines_add_up(one: str, two: str) -> None:
    assert count_words(f"{one}\n{two}") == count_words(one) + count_words(two)


def test_counting_words_does_not_load_the_stemmers() -> None:
    code = "import sys, memshelf.text as t; t.count_words('a b'); sys.exit('Stemmer' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


CODE = """\
def measure(command, variables, folder, *, stdin=None):
    answer = folder.parent / "answer.txt"
    done = subprocess.run([str(word) for word in command], env=variables, cwd=folder, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{command}: exit {done.returncode}")
    return Cost(done.wall, done.cpu, answer.read_text(encoding="utf-8"))
"""
TABLE = """\
| key | meaning | set by |
|---|---|---|
| `kind` | topic, research or session | caller |
| `title` | one line, up to 120 characters | caller |
| `retain_until` | a date after which the episode may go | a person |
"""
ENGLISH = """\
The flat network was replaced by VLANs 10, 20, 30 and 40. Chosen: bridge VLAN filtering. Rejected: one wireless
name per VLAN, since beacons cost air time. Open: devices with hard-coded DNS.
"""  # noqa: E501 # its tokens were counted as it is
RUSSIAN = """\
Плоская сеть заменена на VLAN 10, 20, 30 и 40. Выбрано: фильтрация на мосту. Отклонено: по одной беспроводной сети
на каждый VLAN, потому что маяки занимают эфир. Открыто: устройства, у которых адрес сервера имён задан в прошивке.
"""  # noqa: E501 # its tokens were counted as it is


@pytest.mark.parametrize(
    ("text", "o200k"),
    [(ENGLISH, 52), (RUSSIAN, 75), (CODE, 93), (TABLE, 62)],
    ids=["English", "Russian", "code", "table"],
)
def test_tokens_are_within_a_tenth_of_a_real_tokenizer(text: str, o200k: int) -> None:
    assert abs(tokens(text) / o200k - 1) <= 0.1


def test_tokens_of_one_kind() -> None:
    assert [tokens(text) for text in ("", "a", "?", "\u0301")] == [0, 1, 1, 1]
    assert 65 <= tokens("中" * 100) <= 90
    assert 33 <= tokens("слово " * 20) <= 40
    assert tokens("1" * 300) >= 100


@given(ANY, ANY)
def test_more_text_is_never_fewer_tokens(one: str, two: str) -> None:
    assert tokens(one) <= tokens(one + two) <= tokens(one) + tokens(two)


def test_clip_cuts_at_a_word() -> None:
    assert clip("short", 5) == "short"
    assert clip("The auth service moved", 20) == "The auth service…"
    assert clip("Chosen: tokens, not sessions", 16) == "Chosen: tokens…"
    assert clip("中文优先中文优先", 5) == "中文优先…"
    assert clip("cafe\u0301s", 5) == "caf…"
    assert clip("word", 0) == ""


@given(ANY, st.integers(-1, 60))
def test_clip_is_never_longer_than_its_width(text: str, width: int) -> None:
    clipped = clip(text, width)

    assert len(clipped) <= max(0, width)
    assert clipped == text or clipped == "" or clipped.endswith("…")


def test_a_page_ends_with_a_line() -> None:
    text = "one line\n" * 10

    assert page(text, 6, 0) == ("one line\none line\n", 18)
    assert page(text, 1000, 18) == (text[18:], -1)
    assert page(text, 1000, 1000) == ("", -1)


def test_a_page_parts_no_combining_sequence() -> None:
    text = "e\u0301" * 50
    first, following = page(text, 11, 0)

    assert following > 0
    assert first == "e\u0301" * (following // 2)


def test_a_page_without_budget_still_goes_on() -> None:
    assert page("abc", 0, 0) == ("a", 1)


@given(LETTER, st.integers(0, 40))
def test_pages_joined_are_the_text_and_each_fits(text: str, budget: int) -> None:
    parts, start = [], 0
    while start >= 0:
        part, start = page(text, budget, start)
        parts.append(part)

    assert "".join(parts) == text
    assert all(tokens(part) <= budget or len(part) == 1 for part in parts)


def test_slug_transliterates() -> None:
    assert slug("Миграция роутера: VLAN № 10") == "migratsiya-routera-vlan-no-10"
    assert slug("Ёжик, щука и café") == "ezhik-shchuka-i-cafe"
    assert slug("и\u0306од") == "yod"
    assert slug("中文") == ""


def test_a_long_slug_is_cut_at_a_hyphen() -> None:
    assert slug("words " * 40) == "-".join(["words"] * 11)


@given(ANY)
def test_slug_survives_any_text(text: str) -> None:
    assert re.fullmatch("(?:[a-z0-9]+(?:-[a-z0-9]+)*)?", slug(text))
    assert len(slug(text)) <= MAX_SLUG
