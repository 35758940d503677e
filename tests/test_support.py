"""The ground holds: the environment is clean, and a search for traces finds every kind of trace."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from support import FINE, FOREIGN, cleaned, git, objects_contain, request

from memshelf.model import Conventions
from memshelf.redact import Policy
from memshelf.redact.doors import scrub
from memshelf.rules.lint import lint_episode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

TRACE = "zanzibar"


def test_no_variable_of_a_host_or_of_git_reaches_a_test(home: Path) -> None:
    kept = {name for name in os.environ if name.startswith(FOREIGN)}
    assert kept == {"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL"}
    assert os.environ["HOME"] == str(home)
    dirty = {"CLAUDECODE": "1", "CODEX_HOME": "/", "GIT_DIR": "/", "MEMSHELF_LIBRARY": "/", "PATH": "/bin"}
    assert dirty.keys() & cleaned(dirty, home).keys() == {"PATH"}


def test_the_person_is_test_person(tmp_path: Path) -> None:
    assert git(tmp_path, "var", "GIT_COMMITTER_IDENT").startswith("Test Person <test@example.com> ")


@pytest.mark.usefixtures("nobody")
def test_nobody_has_no_identity(tmp_path: Path, run: Callable[..., Ran]) -> None:
    ran = run("init", tmp_path / "library")
    assert ran.code == 1
    assert "git config --global user.name" in ran.err
    assert not (tmp_path / "library").exists()


def test_the_usual_request_is_fine(caller: Caller) -> None:
    assert lint_episode(FINE, Conventions(caller.today)) == []
    assert scrub(request(), Policy()) == (request(), ())


@pytest.mark.parametrize(
    "leave",
    [
        lambda root: (root / "note.txt").write_text(TRACE, encoding="utf-8"),
        lambda root: (root / TRACE).mkdir(),
        lambda root: git(root, "config", "user.nickname", TRACE),
        lambda root: git(root, "update-ref", f"refs/memshelf/{TRACE}", "HEAD"),
        lambda root: git(root, "update-ref", "--create-reflog", "-m", TRACE, "refs/heads/other", "HEAD"),
        lambda root: git(root, "commit-tree", "-m", TRACE, "HEAD^{tree}"),
        lambda root: subprocess.run(
            ["git", "-C", root, "hash-object", "-w", "--stdin"], input=TRACE.encode(), check=True
        ),
        lambda root: (
            git(root, "commit", "--allow-empty", "-m", TRACE),
            git(root, "gc", "--quiet"),
            git(root, "reset", "--quiet", "HEAD~1"),
            git(root, "reflog", "expire", "--expire=now", "--all"),
            (root / ".git" / "COMMIT_EDITMSG").unlink(),
        ),
    ],
    ids=["file", "folder", "config", "ref", "reflog", "loose-commit", "loose-blob", "packed-and-dropped"],
)
def test_a_trace_is_found_wherever_it_lies(library: Library, leave: Callable[[Path], object]) -> None:
    assert not objects_contain(library.root, TRACE)
    leave(library.root)
    assert objects_contain(library.root, TRACE)
