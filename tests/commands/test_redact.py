"""`memshelf redact`: any text in, the same text with marks out, and a report that shows no value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.store.library import Library

VALUE = "k3tt" + "le!fish"
MARK = "«redacted:password#1»"


@pytest.fixture
def redact(cli: Callable[..., Ran]) -> Callable[..., Ran]:
    return lambda text, *words: cli("redact", *words, data=text.encode())


def test_text_comes_out_as_it_went_in_but_for_the_secret(redact: Callable[..., Ran]) -> None:
    text = "a\r\nпароль: {}\n\n tail without newline"

    assert redact(text.format(VALUE)).out == text.format(MARK)


def test_the_report_says_where_and_never_what(redact: Callable[..., Ran]) -> None:
    ran = redact(f"one\nDB_PASSWORD={VALUE}\n", "--explain")

    assert (ran.code, ran.out) == (1, f"2:13: {MARK}  secret, by labelled-password\n")
    assert redact(f"one\nDB_PASSWORD={VALUE}\n", "--report").out == f"2:13: {MARK}\n"
    assert (redact("nothing here", "--report").code, redact("nothing here", "--report").out) == (0, "")


def test_records_are_redacted_one_by_one_with_their_own_patterns(redact: Callable[..., Ran]) -> None:
    records = [
        {"id": "a", "text": f"password: {VALUE}"},
        {"id": 2, "text": "Bluebird \ud800 flies", "patterns": [["project", r"\bBluebird\b"]]},
        {"id": "c", "text": "Bluebird"},
    ]

    out = redact("".join(json.dumps(each) + "\n" for each in records), "--jsonl").out

    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["text"] for answer in answers] == [
        f"password: {MARK}",
        "«redacted:project#1» \ud800 flies",
        "Bluebird",
    ]
    assert answers[0] == {
        "id": "a",
        "text": f"password: {MARK}",
        "report": [
            {
                "rule": "password",
                "by": "labelled-password",
                "class": "secret",
                "line": 1,
                "column": 11,
                "mark": MARK,
            }
        ],
    }


@pytest.mark.parametrize(
    "line",
    [
        *("[]", "{}", "zq", "[" * 99_999, '"zq"', '{"id": 1, "text": 2}', '{"text": "zq"}'),
        *(
            f'{{"id": 1, "text": "", "patterns": {each}}}'
            for each in ("1", '["zq"]', '[["a", 1]]', '{"a": 1}')
        ),
        *(
            '{"id": 1, "text": "", "patterns": [["a", "zq("]]}',
            '{"id": 1, "text": "", "patterns": {"A": "zq"}}',
        ),
        *('{"id": NaN, "text": ""}', '{"id": 1e999, "text": ""}', '{"id": [{"a": -Infinity}], "text": ""}'),
        *(f'{{"id": {each}, "text": "password: {VALUE}"}}' for each in (f'"{VALUE}"', f'["x", "{VALUE}"]')),
        f'{{"id": {{"password": "{VALUE}"}}, "text": ""}}',
    ],
    ids=lambda line: line[:60],
)
def test_what_is_no_record_is_refused_by_its_line_and_the_others_are_answered(
    redact: Callable[..., Ran], line: str
) -> None:
    ran = redact(f'\ufeff{{"id": 1, "text": ""}}\n{line}\n{{"id": 2, "text": ""}}', "--jsonl")

    assert ran.code == 1
    assert [json.loads(each)["id"] for each in ran.out.splitlines()] == [1, 2]
    assert ran.err.startswith("memshelf: line 2: ")
    assert ran.err.count("\n") == 1
    assert "zq" not in ran.err
    assert VALUE not in ran.err


@pytest.mark.parametrize(
    "name", [None, True, 0.1, -0.0, 10**20, "", "a\ud800", [1, {"b": "«ё"}], {"a": None}]
)
def test_an_id_comes_back_as_it_was(redact: Callable[..., Ran], name: object) -> None:
    ran = redact(json.dumps({"id": name, "text": "", "patterns": None}) + "\n", "--jsonl")

    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == {"id": name, "text": "", "report": []}


def test_patterns_may_be_a_map(redact: Callable[..., Ran]) -> None:
    record = {"id": 1, "text": "Bluebird", "patterns": {"project": "Blue[b]ird"}}

    assert json.loads(redact(json.dumps(record), "--jsonl").out)["text"] == "«redacted:project#1»"


def test_a_policy_that_is_no_utf8_is_refused_by_its_line(
    redact: Callable[..., Ran], library: Library
) -> None:
    (library.root / "shelves" / "shared" / "POLICY.patterns").write_bytes(b"a b+\na c+\na \xff\n")

    ran = redact("x", "--shelf", "shared", "--library", str(library.root))

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memshelf: line 3: not UTF-8")


def test_a_shelf_adds_its_policy(redact: Callable[..., Ran], library: Library) -> None:
    (library.root / "shelves" / "shared" / "POLICY.patterns").write_text(
        "project Blue[b]ird\n", encoding="utf-8"
    )

    ran = redact("Bluebird", "--shelf", "shared", "--library", str(library.root))

    assert ran.out == "«redacted:project#1»"


def test_a_shelf_that_is_not_there_is_refused(redact: Callable[..., Ran], library: Library) -> None:
    ran = redact("text", "--shelf", "nowhere", "--library", str(library.root))

    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memshelf: no such shelf: ")
