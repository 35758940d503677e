"""What the server's tests stand on: both protocol eras, one empty library, and no planted value in a log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from support import TODAY
from wire import ERAS, PLANTED, SECRET

from memshelf.commands.init import init

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=list(ERAS))
def era(request: pytest.FixtureRequest) -> str:
    """Return the client's mode: both eras, one after the other."""
    return str(request.param)


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library of the shelves `shared` and `homelab` into which no test stores anything."""
    root = tmp_path_factory.mktemp("empty") / "library"
    init(root, ["homelab"], today=TODAY)
    return root


@pytest.fixture(autouse=True)
def _silence(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test after which a log line, at whatever level, holds a planted value."""
    caplog.set_level(logging.DEBUG)
    yield
    assert PLANTED not in caplog.text
    assert SECRET not in caplog.text
