"""Finders: what they need not look at twice."""

from __future__ import annotations

import re

from memshelf.redact.finders import FINDERS, ROWS


def test_a_head_that_is_repeated_is_a_row_of_the_table_above() -> None:
    head, row = "host\tpassword\n", "nas\tKestrel12\n"
    text = "\n" + head * 3 + row
    found = [
        [each.value for each in FINDERS["table"](text, label)] for label in re.finditer("password", text)
    ]

    assert found == [["password", "password", "Kestrel12"], [], []]


def test_a_long_run_of_one_line_is_looked_at_once() -> None:
    text = "\n" + "host\tpassword\n" * 3 * ROWS
    labels = [*re.finditer("password", text)]

    assert sum(len([*FINDERS["table"](text, label)]) for label in labels) <= ROWS
