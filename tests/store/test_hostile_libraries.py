"""Libraries that would lose a text, lead a command out of themselves or stop it: refused in words."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import TODAY, git

from memshelf.commands.doctor import doctor
from memshelf.commands.init import init
from memshelf.commands.render import render
from memshelf.commands.status import status
from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import manifest, settings
from memshelf.store import commits, landing, projects, snapshot
from memshelf.store.git import environment
from memshelf.store.library import locate, open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

OUTSIDE = (
    "",
    ".",
    "..",
    "/etc",
    "../../x",
    "docs//x",
    "docs/.",
    "a/../b",
    ".git",
    "x/.GIT",
    "a\\\\b",
    "a\\tb",
)
"""Paths as YAML's double quotes hold them."""


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_manifest_whose_folders_lead_nowhere_is_refused_by_its_key(path: str) -> None:
    with pytest.raises(FormatError, match=r"^docs_root: write "):
        manifest.parse(f'profile: memory\ndocs_root: "{path}"\n')
    with pytest.raises(FormatError, match=r"^categories: write a path inside the shelf"):
        manifest.parse(f'profile: memory\ncategories: [topics, "{path}"]\n')


def test_a_manifest_may_write_its_folders_with_a_dot_first_and_a_slash_last() -> None:
    read = manifest.parse("profile: memory\ndocs_root: ./docs/\ncategories: [./topics, my..notes]\n")

    assert (read.docs_root, read.categories) == ("docs", ("topics", "my..notes"))


@pytest.mark.parametrize("path", ["shelves/./x.md", "shelves//x.md", "shelves/.git/x.md"])
def test_a_path_that_git_skips_makes_no_commit(library: Library, path: str) -> None:
    tip = library.git.commit_of(library.branch)

    with landing.exclusive(library) as held, pytest.raises(MemShelfError, match="git did not take"):
        commits.build(held, tip, {path: b"text\n"}, "lost\n", None)


def test_a_commit_holds_exactly_what_is_written_and_removed(library: Library) -> None:
    tip = library.git.commit_of(library.branch)
    changes = {"shelves/shared/[a] й.md": b"text\n", "shelves/shared/POLICY.md": None}

    with landing.exclusive(library) as held:
        new = commits.build(held, tip, changes, "kept\n", None)

    said = git(library.root, "-c", "core.quotePath=false", "diff", "--name-status", tip, new)
    assert said.split("\n") == ["D\tshelves/shared/POLICY.md", "A\tshelves/shared/[a] й.md"]


def test_a_hook_that_changes_the_text_makes_no_commit(library: Library) -> None:
    hook = library.common / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ngit rm -q --cached shelves/shared/x.md\n", encoding="utf-8")
    hook.chmod(0o755)
    tip = library.git.commit_of(library.branch)

    with landing.exclusive(library) as held, pytest.raises(MemShelfError, match="nothing was changed"):
        commits.build(held, tip, {"shelves/shared/x.md": b"text\n"}, "lost\n", None)


@pytest.fixture
def astray(library: Library) -> Library:
    """Return the library, its settings naming a branch that is not there."""
    path = library.root / settings.NAME
    path.write_text(path.read_text(encoding="utf-8").replace("branch: main", "branch: mian", 1), "utf-8")
    git(library.root, "commit", "-qam", "a slip")
    return open_library(library.root)


def test_without_the_branch_status_and_init_refuse_and_make_none(astray: Library, caller: Caller) -> None:
    with pytest.raises(MemShelfError, match="branch mian is not in this clone"):
        status(astray, caller)
    with pytest.raises(MemShelfError, match="branch mian is not in this clone"):
        init(astray.root, ["new"], today=TODAY)

    assert not astray.git.commit_of("refs/heads/mian")


def test_without_the_branch_doctor_says_so(astray: Library) -> None:
    found = doctor(astray.root, TODAY)

    assert not found.ok
    assert any("branch mian is not in this clone" in one.why for one in found.unknown)


def test_a_detached_checkout_without_the_branch_is_judged_as_what_is_checked_out(library: Library) -> None:
    git(library.root, "checkout", "-q", "--detach")
    git(library.root, "branch", "-qD", "main")

    assert doctor(library.root, TODAY).ok

    (library.root / "shelves/shared/INDEX.md").write_text("mine\n", encoding="utf-8")
    git(library.root, "commit", "-qam", "an edit")
    assert [each.rule for each in doctor(library.root, TODAY).findings] == ["derived-edited"]


@pytest.mark.parametrize("linked", ["shelves/evil", "shelves/homelab/docs", "shelves/homelab/docs/topics"])
def test_a_folder_that_is_a_link_is_named_and_nothing_is_written_through_it(
    library: Library, tmp_path: Path, linked: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / manifest.NAME).write_text(manifest.render("evil"), encoding="utf-8")
    link = library.root / linked
    if link.exists():
        link.rename(tmp_path / "moved")
    link.symlink_to(outside)
    index = library.root / "shelves/homelab/INDEX.md"
    before = index.read_bytes()

    done = render(library, TODAY)

    assert [path.name for path in outside.iterdir()] == [manifest.NAME]
    assert (done.ok, done.linked, index.read_bytes()) == (False, (linked,), before)
    assert f"{linked}: a symbolic link" in done.as_text()
    assert "evil" not in snapshot.worktree_names(library)
    assert linked in [each.path for each in doctor(library.root, TODAY).unknown]


def test_a_linked_shelves_folder_is_never_followed(library: Library, tmp_path: Path) -> None:
    (library.root / "shelves").rename(tmp_path / "outside")
    (library.root / "shelves").symlink_to(tmp_path / "outside")
    (tmp_path / "outside/homelab/INDEX.md").write_text("theirs\n", encoding="utf-8")

    assert render(library, TODAY).linked == ("shelves",)
    assert (tmp_path / "outside/homelab/INDEX.md").read_text(encoding="utf-8") == "theirs\n"


@pytest.mark.skipif(os.name == "nt", reason="no pipes in folders")
def test_a_pipe_for_an_episode_is_a_fault_and_is_not_waited_for(library: Library) -> None:
    path = library.root / "shelves/homelab/docs/topics/2026-07-10-pipe.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)

    assert snapshot.read_file(path, "pipe.md").fault.startswith("not a regular file: ")


def test_how_the_caller_matches_paths_does_not_reach_git(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"GIT_{how}_PATHSPECS" for how in ("GLOB", "NOGLOB", "ICASE", "LITERAL")]
    for name in names:
        monkeypatch.setenv(name, "1")

    assert not environment().keys() & set(names)


def test_a_project_below_the_home_of_nobody_is_another_project(library: Library) -> None:
    project = projects.around(library.root)

    assert project is not None
    assert not project.matches("~nosuch-user/src")


@pytest.mark.parametrize("named", ["~nosuch-user/x", "x" * 5000, "/tmp/" + "x" * 5000, "caf\udce9"])
def test_a_folder_that_cannot_be_is_refused(named: str, tmp_path: Path) -> None:
    with pytest.raises(MemShelfError, match=": "):
        locate(named, {}, tmp_path)
    with pytest.raises(MemShelfError, match=": "):
        init(tmp_path / named if named[0] == "c" else type(tmp_path)(named), today=TODAY)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="a current folder cannot be deleted")
def test_a_deleted_current_folder_does_not_matter_to_a_named_library(
    library: Library, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = [sys.executable, "-P", "-m", "memshelf", "index", "--library", str(library.root)]
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'

    done = subprocess.run(["sh", "-c", script, "sh", str(gone), *words], capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_the_home_of_nobody_is_no_bug_on_the_command_line(run: Callable[..., Ran]) -> None:
    assert run("index", "--library", "~nosuch-user/x").code == 1
    assert run("init", "~nosuch-user/x").code == 1
