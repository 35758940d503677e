"""What a text is searched by: terms that do not depend on form, and words found by their roots."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import fine

from memshelf.model import Section
from memshelf.terms import columns, occurrences, roots, terms

ANY = st.text(st.characters(exclude_categories=()))
SAID = (
    "cities City happily HOPING hopping don't O’Brien foo_bar DropLast ёлка ЁЛКИ решения sensibility "
    "ticket-1234 café приключения parseURL operational"
)
WORDS = st.lists(st.sampled_from(SAID.split(" "))).map(" ".join)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Migrations МИГРАЦИИ решётка", "migration миграция РЕШЕТКА"),
        ("Ёж", "еж"),
        ("й", "\u0438\u0306"),
        ("café", "CAFE\u0301"),
        ("café", "cafe"),
        ("node’s", "nodes"),
        ("they're", "they"),
        ("ＡＢ", "ab"),
        (
            "mig\u200bration to\xadken \ufeffauth ticket\u2060-1234 中\u200b文",
            "migration token auth ticket-1234 中文",
        ),
    ],
)
def test_form_makes_no_difference(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ticket-1234", ["ticket", "1234"]),
        ("A.b.c", ["a", "b", "c"]),
        ("foo_bars", ["foo", "bar"]),
        ("DropLast", ["drop", "last", "droplast"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("中文优先", ["中文", "文优", "优先"]),
        ("中", ["中"]),
        ("Git中文", ["git", "中文"]),
        ("สวัสดี", ["สว", "วั", "ัส", "สด", "ดี"]),
        ("हिन्दी", ["हिन्दी"]),
        ("— ! _", []),
        ("a" * 99, ["a" * 64]),
    ],
)
def test_what_joins_words_parts_them(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(ANY)
def test_terms_hold_nothing_that_parts_terms(text: str) -> None:
    assert all(term and term.split() == [term] and '"' not in term for term in terms(text))


@given(ANY)
def test_every_occurrence_is_a_word_of_the_text(text: str) -> None:
    assert [term for *_, found in occurrences(text, roots(terms(text))) for term in found] == terms(text)


@given(WORDS)
def test_looking_for_roots_finds_what_looking_at_every_word_finds(text: str) -> None:
    odd = occurrences(f"{text} ☃", frozenset())
    for term in set(terms(text)):
        plain = [each for each in occurrences(text, roots([term])) if term in each[2]]
        assert plain == [each for each in odd if term in each[2]]


def test_the_columns_are_names_digest_and_the_rest() -> None:
    episode = fine(title="Printers", digest="Chosen: toner.")
    episode = episode._replace(sections=(*episode.sections, Section("Backup plan", "Paper.")))
    named, digest, rest = (set(column.split()) for column in columns(episode))
    assert {"printer", "auth"} <= named
    assert digest == {"chosen", "toner"}
    assert {"backup", "plan", "paper"} <= rest
    assert unicodedata.is_normalized("NFC", " ".join(rest))
