"""`pytest tests/store --kills 60 --crowd 60`: how often a writer is killed, how long a crowd goes on."""

from __future__ import annotations

import pytest

KILLS = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kills", type=int, default=KILLS, help="how often a writer is killed at a random point"
    )
    parser.addoption("--crowd", type=int, default=0, help="seconds that 16 readers and 4 writers go on")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kill" in metafunc.fixturenames:
        metafunc.parametrize("kill", range(metafunc.config.getoption("--kills", default=KILLS)))
