"""The ground of every test: a cleaned environment, a real library, the command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from support import TODAY, Ran, cleaned, git

from memshelf.cli import main
from memshelf.commands.init import init
from memshelf.requests import Caller
from memshelf.store.library import Library, open_library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --update: golden files and generated blocks are rewritten from the code (use it with `-n 0`)."""
    parser.addoption("--update", action="store_true", help="rewrite golden files and generated blocks")


@pytest.fixture(scope="session", autouse=True)
def _clean_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Clean the environment for fixtures that outlive a test."""
    with pytest.MonkeyPatch.context() as patch:
        _apply(patch, tmp_path_factory.mktemp("home"))
        if hasattr(time, "tzset"):
            time.tzset()
        yield


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return this test's own home folder; what a test sets in the environment ends with it."""
    folder = tmp_path_factory.mktemp("home")
    _apply(monkeypatch, folder)
    return folder


def _apply(patch: pytest.MonkeyPatch, folder: Path) -> None:
    wanted = cleaned(os.environ, folder)
    for name in os.environ.keys() - wanted.keys():
        patch.delenv(name)
    for name, value in wanted.items():
        patch.setenv(name, value)


@pytest.fixture
def nobody(home: Path) -> None:
    """Make git not know who the person is."""
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n", encoding="utf-8")


@pytest.fixture(scope="session")
def _made(_clean_session: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "library"
    init(root, ["homelab"], today=TODAY)
    return root


@pytest.fixture
def library(_made: Path, tmp_path: Path) -> Library:
    """Return a library of the shelves `shared` and `homelab`: a copy of one that `init` made."""
    root = shutil.copytree(_made, tmp_path / "library")
    git(root, "update-index", "--refresh")  # the copied index names the files of the original
    return open_library(root)


@pytest.fixture
def caller(tmp_path: Path) -> Caller:
    """Return a caller on FINE's day, in a folder that is no project and with no variables."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return Caller(client="test-client", today=TODAY, folder=folder, variables={}, session="session-1")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Return a function that runs one command line in this process."""

    def call(*words: object) -> Ran:
        capsys.readouterr()
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture
def cli() -> Callable[..., Ran]:
    """Return a function that runs `python -m memshelf` as a process; keywords are further variables."""

    def call(*words: object, data: bytes = b"", **variables: str) -> Ran:
        command = [sys.executable, "-m", "memshelf", *map(str, words)]
        done = subprocess.run(
            command, input=data, capture_output=True, env=os.environ | variables, check=False, timeout=60
        )
        return Ran(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    return call
