"""Budgets and cursors as callers pass them. Asked by the reading verbs; no verb itself."""

from __future__ import annotations

from memshelf.errors import UsageError
from memshelf.model import MAX_ANSWER_TOKENS
from memshelf.requests import offset

SMALLEST = 100


def budget_of(asked: int | None, usual: int) -> int:
    """Return how many tokens an answer may have: what was asked, never over the cap of every answer."""
    if asked is None:
        return usual
    if asked < SMALLEST:
        raise UsageError(f"a budget is at least {SMALLEST} tokens")
    return min(asked, MAX_ANSWER_TOKENS)


def start_of(cursor: str | None) -> int:
    """Return the offset that a cursor stands for. Raises UsageError when no answer can have given it."""
    start = offset(cursor)
    if start < 0:
        raise UsageError("the cursor is not one that an answer gave: leave it out to start at the top")
    return start
