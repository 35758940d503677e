"""Where: the library, the branch and the shelf from wherever one stands, each with its reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from store.traces import checkout, commit, put, stored
from support import git

from memshelf.commands.init import init
from memshelf.commands.where import where
from memshelf.store.library import open_library
from memshelf.store.projects import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.commands.where import Place
    from memshelf.requests import Caller
    from memshelf.store.library import Library

REMOTE = "git@example.com:me/homelab.git"


def project(folder: Path, origin: str = "") -> Path:
    """Make a repository with one commit."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(folder.parent, "init", "--quiet", str(folder))
    put(folder, "code.py", "pass\n")
    commit(folder)
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def bind(library: Library, shelf: str, *projects: object) -> Library:
    """Bind projects to a shelf and open the library anew."""
    names = ", ".join(map(str, projects))
    put(library.root, "memshelf.yml", f"branch: main\nshelves:\n  {shelf}:\n    projects: [{names}]\n")
    return open_library(library.root)


@pytest.fixture
def at(library: Library, caller: Caller) -> Callable[..., Place]:
    """Return a function that asks from a folder, by default about the fixture's library."""

    def ask(folder: Path, of: Library = library, **variables: str) -> Place:
        return where(of, "--library", caller._replace(folder=folder, variables=variables))

    return ask


def test_one_screen_says_everything_and_changes_nothing(
    library: Library, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(project(tmp_path / "homelab"))
    before = checkout(library.root), stored(library.root)
    done = run("where", "--library", library.root)
    assert done.code == 0
    assert done.out.splitlines() == [
        f"library     {library.root} (--library)",
        "branch      main (memshelf.yml)",
        f"repository  {library.root}/.git",
        "prefix      none, the library is the repository's top",
        "shelf       homelab (the project is called homelab)",
        "note        only the name says so, and another repository called homelab would share the shelf: "
        f"`projects: [{tmp_path}/homelab]` under a shelf in memshelf.yml binds this project",
        "reads       homelab, shared",
        "writes      homelab",
    ]
    assert (checkout(library.root), stored(library.root)) == before


def test_it_says_why_it_is_this_library(
    library: Library, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, home: Path, tmp_path: Path
) -> None:
    def reason(*words: object) -> str:
        return str(json.loads(run("where", "--json", *words).out)["library_reason"])

    assert reason("--library", library.root) == "--library"
    monkeypatch.chdir(library.root / "shelves")
    assert reason() == "above the current folder"
    monkeypatch.setenv("MEMSHELF_LIBRARY", str(library.root))
    assert reason() == "$MEMSHELF_LIBRARY"
    monkeypatch.delenv("MEMSHELF_LIBRARY")
    init(home / "memshelf", today="2026-07-10")
    monkeypatch.chdir(tmp_path)
    assert reason() == "~/memshelf"


def test_it_says_why_it_is_this_branch(library: Library, at: Callable[..., Place], tmp_path: Path) -> None:
    put(library.root, "memshelf.yml", "review: branch\n")
    commit(library.root)
    git(tmp_path, "clone", "--quiet", str(library.root), "clone")
    git(library.root, "checkout", "--quiet", "-b", "other")
    mine, clone = open_library(library.root), open_library(tmp_path / "clone")
    assert (at(tmp_path, mine).branch, at(tmp_path, mine).branch_reason) == ("other", "checked out")
    assert (at(tmp_path, clone).branch, at(tmp_path, clone).branch_reason) == ("main", "origin's default")


def test_a_library_inside_a_repository_has_a_prefix(at: Callable[..., Place], tmp_path: Path) -> None:
    code = project(tmp_path / "code")
    init(code / "memory", today="2026-07-10")
    assert at(code, open_library(code / "memory")).prefix == "memory/"


@pytest.mark.parametrize("origin", [REMOTE, ""])
def test_root_subfolder_worktree_and_clone_are_one_project(
    at: Callable[..., Place], tmp_path: Path, origin: str
) -> None:
    main = project(tmp_path / "homelab", origin)
    git(main, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "elsewhere-too"))
    git(tmp_path, "clone", "--quiet", str(main), "copy")
    if origin:
        git(tmp_path / "copy", "remote", "set-url", "origin", "https://user:word@example.com/me/homelab")
    inside = put(main, "deep/down/x.py", "pass\n").parent
    for folder in (main, inside, tmp_path / "elsewhere-too", tmp_path / "copy"):
        assert at(folder).scope.shelf == "homelab", folder
        assert "word@" not in at(folder).as_text()


def test_a_bare_repository_with_worktrees_is_called_as_it_is(
    at: Callable[..., Place], tmp_path: Path
) -> None:
    main = project(tmp_path / "source")
    git(tmp_path, "clone", "--quiet", "--bare", str(main), "homelab.git")
    git(tmp_path / "homelab.git", "remote", "remove", "origin")
    git(tmp_path / "homelab.git", "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    assert at(tmp_path / "side").scope.shelf == "homelab"


def test_a_renamed_folder_stays_bound_by_its_remote_and_says_so_when_it_has_none(
    library: Library, at: Callable[..., Place], tmp_path: Path
) -> None:
    folder = project(tmp_path / "work", REMOTE)
    bound = bind(library, "shared", REMOTE)
    renamed = folder.rename(tmp_path / "renamed")
    assert at(renamed, bound).scope.shelf == "shared"
    git(renamed, "remote", "remove", "origin")
    scope = at(renamed, bound).scope
    assert (scope.shelf, scope.reason) == ("", f"no shelf is bound to {renamed} or called renamed")
    assert scope.note == f"`projects: [{renamed}]` under a shelf in memshelf.yml binds this project"


def test_two_repositories_of_one_name_do_not_share_a_shelf_in_silence(
    library: Library, at: Callable[..., Place], tmp_path: Path
) -> None:
    mine, theirs = project(tmp_path / "a/homelab"), project(tmp_path / "b/homelab")
    for folder in (mine, theirs):
        assert at(folder).scope.shelf == "homelab"
        assert "another repository called homelab would share the shelf" in at(folder).scope.note
    bound = bind(library, "homelab", mine)
    assert (at(mine, bound).scope.shelf, at(mine, bound).scope.note) == ("homelab", "")
    other = at(theirs, bound)
    assert (other.scope.shelf, other.scope.reason) == (
        "",
        f"homelab is bound to other projects than {theirs}",
    )
    assert other.reads == ("homelab", "shared")
    assert other.refused == "which shelf? pass shelf: one of homelab, shared"


def test_a_project_that_two_shelves_bind_is_told(
    library: Library, at: Callable[..., Place], tmp_path: Path
) -> None:
    folder = project(tmp_path / "homelab")
    both = "".join(f"  {name}:\n    projects: [{folder}]\n" for name in ("shared", "homelab"))
    put(library.root, "memshelf.yml", f"branch: main\nshelves:\n{both}")
    scope = at(folder, open_library(library.root)).scope
    assert (scope.shelf, scope.note) == ("homelab", "shared binds this project too: keep one of them")


def test_the_home_folder_and_a_plain_folder_never_guess(
    library: Library, at: Callable[..., Place], home: Path, tmp_path: Path
) -> None:
    assert at(tmp_path).scope.reason == f"{tmp_path} is in no Git repository"
    project(home)
    git(home, "remote", "add", "origin", REMOTE)
    inside = put(home, "notes/x.md", "x\n").parent
    for folder in (home, inside):
        assert (at(folder).scope.shelf, at(folder).scope.reason) == ("", "the home folder never guesses")
    assert at(home, bind(library, "homelab", "~")).scope.shelf == "homelab"


def test_inside_the_library_the_shelf_one_stands_on_counts(
    library: Library, at: Callable[..., Place]
) -> None:
    on = at(library.root / "shelves/homelab/docs").scope
    assert (on.shelf, on.reason) == ("homelab", "this folder lies on it")
    for folder in (library.root, library.root / "shelves"):
        scope = at(folder).scope
        assert (scope.shelf, scope.note) == ("", "")
        assert scope.reason == "this is the library itself, and no shelf is called library"


def test_the_variable_is_named_and_a_wrong_one_is_a_refusal_on_the_screen(
    at: Callable[..., Place], tmp_path: Path
) -> None:
    assert at(tmp_path, MEMSHELF_SHELF="shared").scope.reason == "$MEMSHELF_SHELF"
    wrong = at(tmp_path, MEMSHELF_SHELF="homelap")
    assert wrong.refused.startswith("no such shelf: did you mean homelab")
    assert "writes      refused: no such shelf" in wrong.as_text()
    assert "reads       refused: no such shelf" in wrong.as_text()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("git@example.com:me/homelab.git", "example.com/me/homelab"),
        ("https://example.com/me/homelab", "example.com/me/homelab"),
        ("https://user:p@ss@Example.com:8443/me/HomeLab.git/", "example.com/me/homelab"),
        ("ssh://git@example.com:22/me/homelab.git", "example.com/me/homelab"),
        ("example.com/me/homelab", "example.com/me/homelab"),
        ("file:///srv/git/homelab.git", "/srv/git/homelab"),
        ("/srv/git/homelab/", "/srv/git/homelab"),
        ("/srv/git/homelab/.git", "/srv/git/homelab"),
    ],
)
def test_a_project_has_one_spelling(name: str, expected: str) -> None:
    assert canonical(name) == expected


def test_a_path_may_begin_at_home(home: Path) -> None:
    assert canonical("~/src/homelab") == str(home.resolve() / "src/homelab")
