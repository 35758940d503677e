"""The bar: what the engine must catch of the corpus, and must leave."""

from __future__ import annotations

from memshelf.redact import Policy, redact
from redact.corpus import judge_all, rows

VERDICTS = judge_all(rows(), lambda text: redact(text, Policy())[0])


def test_nearly_every_secret_goes() -> None:
    wanted = sum(len(verdict.row.secrets) for verdict in VERDICTS)
    left = [(verdict.row.id, verdict.left) for verdict in VERDICTS if verdict.left]

    assert sum(len(secrets) for _, secrets in left) <= 0.01 * wanted, left


def test_what_holds_none_stays_as_it_is() -> None:
    assert [(verdict.row.id, verdict.answer) for verdict in VERDICTS if verdict.false_alarm] == []


def test_nothing_else_is_damaged() -> None:
    damaged = [verdict for verdict in VERDICTS if verdict.damaged and verdict.row.class_ != "benign"]

    assert [(verdict.row.id, verdict.damaged) for verdict in damaged] == []
