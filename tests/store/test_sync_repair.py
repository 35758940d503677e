"""A sync that is killed: the next command makes everything whole, and the next sync ends the job."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from typing import TYPE_CHECKING

import pytest
from hosting import TOPICS, Host, host_of, shelved, synced
from support import git

from memshelf.store import journal
from memshelf.store.library import open_library
from store.conftest import KILLS
from store.test_repair import MOST, Desk, faults, memshelf, wait_for_group
from store.traces import commit, files, put

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library

ONE, TWO, THREE = "2026-07-01-one", "2026-07-02-two", "2026-07-03-three"
STEPS = 120
"""About as many steps as a sync of these clones has."""

NEXT = (("index",), ("review",), ("status",))

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@pytest.fixture
def ground(library: Library, tmp_path: Path, caller: Caller) -> Path:
    """Return a folder with a host and a clone, each with what the other lacks; `mould` is its copy."""
    put(library.root, "tool.sh", "#!/bin/sh\n").chmod(0o755)
    (library.root / "link").symlink_to("tool.sh")
    put(library.root, "becomes-link", "text\n")
    put(library.root, "goes", "text\n")
    commit(library.root)
    (ground := tmp_path / "ground").mkdir()
    host = host_of(library, ground)
    shelved(clone := host.clone("clone"), caller, ONE)
    shelved(clone, caller, TWO)
    put(library.root, "tool.sh", "#!/bin/sh\necho longer\n").chmod(0o755)
    for name, target in (("link", "goes-elsewhere"), ("becomes-link", "tool.sh")):
        (library.root / name).unlink()
        (library.root / name).symlink_to(target)
    (library.root / "goes").unlink()
    put(library.root, "comes/here", "text\n")
    commit(library.root)
    shelved(library, caller, THREE)
    synced(library)
    git(clone.root, "remote", "set-url", "origin", "../there.git")
    put(clone.root, "mine.txt", "mine\n")
    put(clone.root, "shelves/shared/POLICY.md", "edited\n")
    shutil.rmtree(clone.common / "hooks")
    shutil.copytree(ground, tmp_path / "mould", symlinks=True)
    return ground


@pytest.fixture
def desk(ground: Path) -> Iterator[Desk]:
    one = Desk(ground / "clone")
    yield one
    one.close()


def put_back(ground: Path) -> None:
    shutil.rmtree(ground)
    shutil.copytree(ground.with_name("mould"), ground, symlinks=True)


def check(ground: Path) -> None:
    """Demand that the clone is whole, with its own changes, before or after what the sync does."""
    root = ground / "clone"
    assert {path.name for path in (root / ".git" / journal.FOLDER).glob("*")} <= {journal.LOCK}
    assert git(root, "status", "--porcelain").split("\n") == [" M shelves/shared/POLICY.md", "?? mine.txt"]
    assert [name for name in files(root) if name.endswith(".yours")] == []
    assert faults(root) == []
    has = git(root, "ls-tree", "-r", "--name-only", "main")
    assert all(f"{TOPICS}/{name}.md" in has for name in (ONE, TWO))


def check_end(ground: Path) -> None:
    """Demand that the clone, the host and the others have all of it."""
    root, host = ground / "clone", Host(ground / "there.git")
    synced(open_library(root))
    check(ground)
    assert host.ids() == [ONE, TWO, THREE]
    assert git(root, "rev-parse", "main") == git(host.there, "rev-parse", "main")
    assert (root / "link").readlink().as_posix() == "goes-elsewhere"
    assert os.access(root / "tool.sh", os.X_OK)


def test_a_sync_that_dies_before_any_of_its_steps_is_made_whole(
    ground: Path, desk: Desk, pytestconfig: pytest.Config
) -> None:
    """At some of its steps, at every one with `--kills` above the default."""
    many = pytestconfig.getoption("--kills", default=KILLS) > KILLS
    points = range(1, MOST) if many else random.Random(7).sample(range(20, STEPS), 4)
    for number, point in enumerate(points):
        put_back(ground)
        ended = desk.run(point, "sync")
        if ended and many:
            return
        desk.run(0, *NEXT[number % len(NEXT)])
        check(ground)
        if not many or not number % 5:
            check_end(ground)
    assert not many


def test_a_sync_that_is_killed_when_the_files_have_moved_and_the_branch_has_not_goes_back(
    ground: Path, desk: Desk
) -> None:
    """Links and executable files are put back as what they were."""
    root = ground / "clone"
    script = 'test "$1" = prepared && grep -q " refs/heads/main$" && kill -9 0; exit 0'
    hook = put(root, ".git/hooks/reference-transaction", f"#!/bin/sh\n{script}\n")
    hook.chmod(0o755)
    desk.ask(-1, "sync")
    desk.process.wait(timeout=60)
    wait_for_group(desk.process.pid)
    assert (root / "becomes-link").is_symlink()
    hook.unlink()
    assert memshelf(root, "index").returncode == 0
    check(ground)
    assert not (root / "becomes-link").is_symlink()
    check_end(ground)


def test_a_sync_that_is_killed_with_its_gits_is_made_whole(ground: Path, desk: Desk) -> None:
    desk.ask(-1, "sync")
    time.sleep(random.uniform(0.1, 0.8))
    os.killpg(desk.process.pid, signal.SIGKILL)
    desk.process.wait(timeout=10)
    wait_for_group(desk.process.pid)
    done = memshelf(ground / "clone", "status")
    assert done.returncode == 0, done.stderr
    check(ground)
    check_end(ground)
