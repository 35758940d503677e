"""Scope: which shelf a command is about, the same for every door."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from store.traces import commit, put, refs
from support import FINE, git, request

from memshelf.commands.init import init
from memshelf.commands.scope import shelf_to_write, shelves_to_read
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.store import snapshot
from memshelf.store.binding import bound_shelf
from memshelf.store.library import locate, open_library

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library


def project(folder: Path, origin: str = "") -> Path:
    """Make a repository with one commit."""
    git(folder.parent, "init", "--quiet", str(folder))
    put(folder, "code.py", "pass\n")
    commit(folder)
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def shelf_of(library: Library, caller: Caller, folder: Path) -> str:
    names = snapshot.take(library).names
    return bound_shelf(library, names, caller.variables, folder).shelf


def test_a_project_is_bound_by_its_folders_name(library: Library, caller: Caller, tmp_path: Path) -> None:
    inside = put(project(tmp_path / "homelab"), "deep/down/x.py", "pass\n").parent
    assert shelf_of(library, caller, inside) == "homelab"
    assert shelf_of(library, caller, project(tmp_path / "other")) == ""
    assert shelf_of(library, caller, tmp_path) == ""


@pytest.mark.parametrize("origin", ["git@example.com:me/homelab.git", "https://example.com/me/HomeLab/"])
def test_a_clone_is_bound_by_its_origins_name(
    library: Library, caller: Caller, tmp_path: Path, origin: str
) -> None:
    assert shelf_of(library, caller, project(tmp_path / "anything", origin)) == "homelab"


def test_a_worktree_has_the_shelf_of_its_repository(library: Library, caller: Caller, tmp_path: Path) -> None:
    main = project(tmp_path / "homelab")
    git(main, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    assert shelf_of(library, caller, tmp_path / "side") == "homelab"


@pytest.mark.parametrize(
    "entry", ["https://example.com/me/anything", "https://example.com/me/anything.git", "FOLDER"]
)
def test_a_binding_in_the_settings_comes_before_the_name(
    library: Library, caller: Caller, tmp_path: Path, entry: str
) -> None:
    folder = project(tmp_path / "homelab", "https://example.com/me/anything.git")
    put(
        library.root,
        "memshelf.yml",
        f"branch: main\nshelves:\n  shared:\n    projects: [{entry.replace('FOLDER', str(folder))}]\n",
    )
    assert shelf_of(open_library(library.root), caller, folder) == "shared"


def test_the_home_folder_never_guesses(library: Library, caller: Caller, home: Path) -> None:
    project(home)
    init(library.root, [home.name.lower().replace("_", "-")], today=caller.today)
    assert shelf_of(open_library(library.root), caller, home) == ""


def test_a_variable_comes_before_the_project_and_an_argument_before_both(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    caller = caller._replace(folder=project(tmp_path / "homelab"), variables={"MEMSHELF_SHELF": "shared"})
    seen = snapshot.take(library)
    assert shelf_to_write(seen, None, caller) == "shared"
    assert shelf_to_write(seen, "homelab", caller) == "homelab"
    assert shelf_to_write(seen, None, caller._replace(variables={})) == "homelab"


def test_reads_cover_the_projects_shelf_and_the_shared_one(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    init(library.root, ["work"], today=caller.today)
    seen = snapshot.take(library)
    assert shelves_to_read(seen, None, caller) == ["homelab", "shared", "work"]
    at_home = caller._replace(folder=project(tmp_path / "homelab"))
    assert shelves_to_read(seen, None, at_home) == ["homelab", "shared"]
    assert shelves_to_read(seen, "work", at_home) == ["work"]


def test_a_write_that_names_no_shelf_goes_to_the_only_one_or_is_asked_back(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    with pytest.raises(MemShelfError, match=r"^which shelf\? pass shelf: one of homelab, shared$"):
        write(library, request(shelf=None), caller)
    assert refs(library.root) == {}
    init(tmp_path / "single", today=caller.today)
    single = open_library(tmp_path / "single")
    write(single, request(shelf=None), caller)
    assert set(refs(single.root)) == {f"shared/{FINE.id}"}


@pytest.mark.parametrize("how", ["argument", "variable"])
def test_an_unknown_shelf_is_an_error_for_reading_and_writing(
    library: Library, caller: Caller, how: str
) -> None:
    caller = caller._replace(variables={"MEMSHELF_SHELF": "homelap"} if how == "variable" else {})
    argument = "homelap" if how == "argument" else None
    seen = snapshot.take(library)
    for ask in (shelf_to_write, shelves_to_read):
        with pytest.raises(MemShelfError, match=r"^no such shelf: did you mean homelab"):
            ask(seen, argument, caller)


def test_a_branch_without_shelves_says_so(library: Library, caller: Caller) -> None:
    nothing = git(library.root, "hash-object", "-t", "tree", "-w", "--stdin")
    git(library.root, "branch", "empty", git(library.root, "commit-tree", nothing, "-m", "nothing"))
    put(library.root, "memshelf.yml", "branch: empty\n")
    seen = snapshot.take(open_library(library.root))
    with pytest.raises(MemShelfError, match=r"^the library has no shelf: add one with `memshelf init "):
        shelf_to_write(seen, None, caller)


def test_the_library_is_the_named_one_or_the_one_above_or_the_one_at_home(
    library: Library, home: Path
) -> None:
    deep = put(library.root, "shelves/shared/docs/topics/x.md", "x\n").parent
    elsewhere = library.root.parent
    assert locate(str(library.root), {}, elsewhere) == library.root
    assert locate(None, {"MEMSHELF_LIBRARY": str(library.root)}, elsewhere) == library.root
    assert locate(None, {}, deep) == library.root
    with pytest.raises(MemShelfError, match=r"set \$MEMSHELF_LIBRARY, or make one with"):
        locate(None, {}, elsewhere)
    put(home, "memshelf/memshelf.yml", "")
    assert locate(None, {}, elsewhere) == home / "memshelf"
    with pytest.raises(MemShelfError, match="does not exist: check the path"):
        locate(str(elsewhere / "typo"), {}, deep)
