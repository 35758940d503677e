"""The real clients, opt-in: `pytest tests/clients --clients DIR`, after `tests/clients/install.sh DIR`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from desk import furnish

if TYPE_CHECKING:
    from desk import Desk

HERE = Path(__file__).parent
HOW = "tests/clients: not run; `tests/clients/install.sh DIR` once, then `pytest tests/clients --clients DIR`"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --clients."""
    parser.addoption(
        "--clients", metavar="DIR", type=Path, help="where tests/clients/install.sh put the clients"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Keep a file's tests on one worker: a conversation is held once."""
    if _tools(config) and config.getoption("dist", default="no") != "no":
        config.option.dist = "loadscope"


def _tools(config: pytest.Config) -> Path | None:
    folder: Path | None = config.getoption("--clients", default=None)
    return folder.absolute() if folder else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these tests out unless they were asked for."""
    return True if HERE in collection_path.parents and not _tools(config) else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how to run them to one who named this folder alone."""
    if not _tools(config):
        terminalreporter.write_line(HOW)


@pytest.fixture(scope="session")
def tools(pytestconfig: pytest.Config) -> Path:
    """Return the folder of the clients."""
    folder = _tools(pytestconfig)
    assert folder
    assert (folder / "node_modules" / ".bin").is_dir(), (
        f"no clients in {folder}: tests/clients/install.sh fills it"
    )
    return folder


@pytest.fixture
def desk(tools: Path, tmp_path: Path) -> Desk:
    """Return the desk of this test."""
    return furnish(tools, tmp_path)
