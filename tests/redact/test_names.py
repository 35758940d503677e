"""The names that a shelf lists, in the forms that texts write them."""

from __future__ import annotations

import pytest

from memshelf.redact import Policy, redact
from memshelf.screening import Screening

POLICY = Policy(screening=Screening(names=("Мария Синицына", "Jane Q Doe", "Кот")))


@pytest.mark.parametrize(
    "said",
    [
        "Мария Синицына",
        "Синицына Мария",
        "СИНИЦЫНОЙ МАРИИ",
        "Синицына М.",
        "М. Синицыной",
        "М.Синицына",
        "Jane Q Doe",
        "Doe, Jane Q",
        "Doe, J.Q.",
        "J. Q. Doe",
        "J. Doe",
        "Doe J.",
        "Кот",
    ],
)
def test_a_listed_person_is_masked_in_every_form(said: str) -> None:
    text, report = redact(f"Дверь открыл {said}, ключ остался.", POLICY)

    assert text == "Дверь открыл «redacted:name#1», ключ остался."
    assert [each.rule for each in report] == ["name"]


@pytest.mark.parametrize(
    "said",
    ["Мария", "Синицына", "М. Иванова", "K. Doe", "Jane went home", "Котлета", "A. Doering", "J. Q. Public"],
)
def test_nobody_else_is(said: str) -> None:
    assert redact(f"Дверь открыл {said}, ключ остался.", POLICY)[1] == ()
