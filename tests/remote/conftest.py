"""The option of the test of random histories."""

from __future__ import annotations

import pytest

HISTORIES = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --histories."""
    parser.addoption(
        "--histories", type=int, default=HISTORIES, help="how many random histories three clones go through"
    )
