"""The options of the test of random histories."""

from __future__ import annotations

import pytest

HISTORIES = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --histories and --first-history."""
    parser.addoption(
        "--histories", type=int, default=HISTORIES, help="how many random histories three clones go through"
    )
    parser.addoption("--first-history", type=int, default=0, help="the seed of the first of them")
