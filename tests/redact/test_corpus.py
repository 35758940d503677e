"""The corpus itself: reproducible, wide enough, and judged as it says."""

from __future__ import annotations

from collections import Counter

import pytest

from redact.corpus import Row, judge, rows, templates

CORPUS = rows()


def test_the_same_seed_gives_the_same_texts_and_another_one_other_values() -> None:
    again, other = rows(), rows(2)

    assert again == CORPUS
    assert {row.id for row in other} == {row.id for row in CORPUS}
    assert all(row.text != same.text for row, same in zip(CORPUS, other, strict=True) if len(row.secrets) > 1)


def test_it_has_many_kinds_in_both_languages() -> None:
    kinds = {class_: {row.kind for row in CORPUS if row.class_ == class_} for class_ in ("secret", "benign")}
    languages = Counter(row.language for row in CORPUS if row.class_ == "secret")

    assert len(kinds["secret"]) >= 150
    assert sum(row.class_ == "benign" for row in CORPUS) >= 250
    assert min(languages.values()) > 0.4 * languages.total()


def test_every_text_is_filled_and_holds_what_it_says() -> None:
    assert [row.id for row in CORPUS if set("⟦⟧⟪⟫‹›") & set(row.text)] == []
    assert [row.id for row in CORPUS if bool(row.secrets) != (row.class_ != "benign")] == []
    assert [
        row.id for row in CORPUS if not all(piece in row.text for piece in (*row.secrets, *row.keep))
    ] == []


ROW = Row("a", "a", "secret", "pass: Kestrel7harbor91tundra44 end", ("Kestrel7harbor91tundra44",), ("end",))


@pytest.mark.parametrize(
    ("answer", "left", "damaged"),
    [
        ("pass: «redacted:password#1» end", 0, 0),
        ("pass: «redacted:password#1»dra44 end", 0, 0),
        ("pass: «redacted:password#1»r91tundra44 end", 0, 0),
        ("pass: «redacted:password#1»or91tundra44 end", 1, 0),
        ("pass: «redacted:password#1»", 0, 1),
        (ROW.text, 1, 0),
    ],
)
def test_a_secret_is_gone_when_no_long_piece_is_readable(answer: str, left: int, damaged: int) -> None:
    verdict = judge(ROW, answer)

    assert (len(verdict.left), len(verdict.damaged)) == (left, damaged)


def test_a_file_holds_lines_or_blocks() -> None:
    assert list(templates("@ a\none\ntwo\n%\nthree\n@@ b\nfour\nfive\n")) == [
        ("a", "one\ntwo\n"),
        ("a", "three\n"),
        ("b", "four\n"),
        ("b", "five\n"),
    ]
