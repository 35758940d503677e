"""Init: a library from nothing, from a folder, inside a repository; what is there stays."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from store.traces import checkout, commit, dirty, files, put, refs
from support import TODAY, git

from memshelf.commands.init import init
from memshelf.errors import MemShelfError, UsageError
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memshelf.store.library import Library

SHELF = {"INDEX.md", "POLICY.md", "docs/.gitkeep", "ledger.tsv", "shelf.yml", "stats.svg"}
LIBRARY = {"memshelf.yml", "shelves/.gitattributes"} | {f"shelves/shared/{name}" for name in SHELF}


def test_a_plain_folder_becomes_a_repository_with_one_commit(tmp_path: Path, run: Callable[..., Any]) -> None:
    root = tmp_path / "new/library"
    done = run("init", root, "--shelf", "homelab")
    assert (done.code, done.err) == (0, "")
    expected = LIBRARY | {f"shelves/homelab/{name}" for name in SHELF}
    assert set(files(root)) == expected
    assert git(root, "log", "--format=%s %an <%ae>") == "memshelf init Test Person <test@example.com>"
    assert git(root, "status", "--porcelain") == ""
    assert f"library {root}: 14 files committed to main" in done.out
    assert run("render", "--check", "--library", root).code == 0


def test_twice_is_once(library: Library) -> None:
    before = checkout(library.root)
    again = init(library.root, ["homelab"], today=TODAY)
    assert again.added == ()
    assert checkout(library.root) == before


def test_a_shelf_is_added_and_nothing_else_changes(library: Library) -> None:
    put(library.root, "shelves/shared/POLICY.md", "mine\n")
    commit(library.root)
    made = init(library.root, ["work"], today=TODAY)
    assert set(made.added) == {f"shelves/work/{name}" for name in SHELF}
    assert made.shelves == ("homelab", "shared", "work")
    assert git(library.root, "show", "main:shelves/shared/POLICY.md") == "mine"


def test_a_folder_with_files_keeps_them_uncommitted(tmp_path: Path) -> None:
    put(tmp_path, "notes/plan.txt", "mine\n")
    init(tmp_path / "notes", today=TODAY)
    assert git(tmp_path / "notes", "status", "--porcelain") == "?? plan.txt"


def test_in_a_repository_without_a_commit_staged_files_stay_staged(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=trunk", "code")
    put(tmp_path, "code/main.py", "pass\n")
    git(tmp_path / "code", "add", "main.py")
    made = init(tmp_path / "code", today=TODAY)
    assert made.branch == "trunk"
    assert git(tmp_path / "code", "status", "--porcelain") == "A  main.py"
    assert set(git(tmp_path / "code", "ls-tree", "-r", "--name-only", "trunk").splitlines()) == LIBRARY


def test_a_dirty_repository_stays_as_dirty(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "code")
    root = tmp_path / "code"
    put(root, "shelves/shared/POLICY.md", "committed\n")
    dirty(root)
    before = files(root)
    init(root / "memory", today=TODAY)
    after = files(root)
    assert {path: after[path] for path in before} == before
    assert after.keys() - before.keys() == {f"memory/{path}" for path in LIBRARY}
    assert "A  new.txt" in git(root, "status", "--porcelain")
    assert open_library(root / "memory").prefix == "memory/"


@pytest.mark.parametrize("name", ["", "Home", "a--b", "../x", "a/b", "shared\n", "x" * 41, "имя"])
def test_a_name_that_is_no_folder_everywhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="lower-case letters, digits and single hyphens"):
        init(tmp_path / "library", [name], today=TODAY)
    assert not (tmp_path / "library").exists()


@pytest.mark.usefixtures("nobody")
def test_without_an_identity_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(MemShelfError, match="git does not know who you are"):
        init(tmp_path / "library", today=TODAY)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    place = put(tmp_path, "library", "mine\n")
    with pytest.raises(MemShelfError, match="is a file: name a folder"):
        init(place, today=TODAY)


def test_an_untracked_file_in_the_way_stays_and_is_told(library: Library) -> None:
    put(library.root, "shelves/work/POLICY.md", "mine\n")
    before = checkout(library.root), refs(library.root, "refs")
    with pytest.raises(MemShelfError, match="has changes of its own"):
        init(library.root, ["work"], today=TODAY)
    assert (checkout(library.root), refs(library.root, "refs")) == before


def test_a_branch_that_is_not_there_is_not_made_beside_the_history(library: Library) -> None:
    put(library.root, "memshelf.yml", "branch: memory\n")
    before = refs(library.root, "refs")
    with pytest.raises(MemShelfError, match="branch memory is not in this clone"):
        init(library.root, today=TODAY)
    assert refs(library.root, "refs") == before
    assert git(library.root, "status", "--porcelain") == " M memshelf.yml"


def test_the_line_for_a_client_runs_no_code_of_the_project_it_is_started_in(tmp_path: Path) -> None:
    made = init(tmp_path / "library", today=TODAY)
    project = tmp_path / "project"
    project.mkdir()
    for name in ("argparse", "token", "yaml", "mcp"):
        put(project, f"{name}.py", "print('PROJECT CODE RAN')\n")

    start = made.server[: made.server.index("serve")]
    command = [*start, "index", "--library", str(made.root)]
    done = subprocess.run(command, cwd=project, capture_output=True, check=True)

    assert b"PROJECT CODE RAN" not in done.stdout
    assert b"No episodes yet" in done.stdout


def test_line_ends_are_the_same_on_every_machine_and_pictures_stay_whole(library: Library) -> None:
    picture = b"\x89PNG\r\n\x1a\n\0\r\n"
    put(library.root, "shelves/shared/docs/topics/plan.png", picture)
    put(library.root, "shelves/shared/POLICY.md", "written on\r\nanother machine\r\n")
    commit(library.root)
    settings = ("-c", "core.autocrlf=true", "-c", "core.eol=crlf")
    git(library.root, *settings, "clone", "--quiet", ".", "../clone")
    there, here = files(library.root.parent / "clone"), files(library.root)
    assert there["shelves/shared/docs/topics/plan.png"] == picture
    assert there["shelves/shared/POLICY.md"] == b"written on\nanother machine\n"
    for name in ("INDEX.md", "ledger.tsv", "stats.svg", "shelf.yml", "docs/.gitkeep"):
        assert there[f"shelves/shared/{name}"] == here[f"shelves/shared/{name}"]
    said = git(
        library.root, "check-attr", "merge", "--", "shelves/shared/INDEX.md", "shelves/shared/POLICY.md"
    )
    assert said.splitlines() == [
        "shelves/shared/INDEX.md: merge: unset",
        "shelves/shared/POLICY.md: merge: unspecified",
    ]
