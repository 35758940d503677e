"""Repair: whatever kills an accept, and whatever kills the repair, the next command makes it whole."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import portalocker
import pytest
from support import FINE, TODAY, git, request

from memshelf.commands.accept import accept
from memshelf.commands.index import index
from memshelf.commands.init import init
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.requests import IndexRequest
from memshelf.store import journal
from memshelf.store.library import open_library
from store.accepter import DIED
from store.conftest import KILLS
from store.traces import dirty, files, put, refs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.requests import Caller
    from memshelf.store.library import Library

SHELF = "shelves/shared/"
PATH = f"{SHELF}docs/topics/{FINE.id}.md"
CHANGED = {PATH, f"{SHELF}INDEX.md", f"{SHELF}ledger.tsv", f"{SHELF}stats.svg"}
REF = f"refs/memshelf/draft/shared/{FINE.id}"
OTHER = "2026-07-09-another"
SLICES = 4
MOST = 400
"""More steps than an accept has."""

REPAIR = 40
"""About as many steps as a repair has."""

ACCEPT = ("review", "accept", FINE.id)
NEXT = (
    ("index",),
    ("review",),
    (
        *("write", "--shelf", "shared", "--id", OTHER, "--title", "Another", "--sources", "None."),
        *("--digest", "Chosen: signed tokens.", "--decisions", "Signed tokens.", "--open-threads", "None."),
    ),
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


class Desk:
    """The process of accepter.py, warm, in a group of its own."""

    def __init__(self, library: Path) -> None:
        program = Path(__file__).with_name("accepter.py")
        self.library = library
        self.process = subprocess.Popen(
            [sys.executable, str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def ask(self, point: int, *words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([point, *words, "--library", str(self.library)]) + "\n")
        self.process.stdin.flush()

    def run(self, point: int, *words: str) -> bool:
        """Run the command; tell whether it ended before it reached the point of death."""
        self.ask(point, *words)
        assert self.process.stdout is not None
        code, out = json.loads(self.process.stdout.readline())
        assert code in ({0, DIED} if point else {0}), out
        return bool(code == 0)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=10)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()  # type: ignore[union-attr]


@dataclass(frozen=True)
class Ground:
    """A folder of checkouts as it was before the accept, to which it can be put back."""

    folder: Path
    tip: str
    draft: str
    before: dict[str, Any] = field(default_factory=dict)

    @property
    def next(self) -> tuple[tuple[str, ...], ...]:
        """The commands that may come next; where no shelf is committed, nothing can be written."""
        return NEXT if self.tip else NEXT[:2]

    @property
    def root(self) -> Path:
        return self.folder / "library"

    @property
    def checkouts(self) -> list[Path]:
        return [place for place in (self.root, self.folder / "linked") if place.exists()]

    def put_back(self) -> None:
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder.with_name("mould"), self.folder, symlinks=True)

    def check(self) -> bool:
        """Demand that everything is whole; tell whether the episode is accepted (else it is a draft)."""
        common = self.root / ".git"
        assert [path.name for path in common.rglob("*.lock")] == []
        assert not (common / "packed-refs.new").exists()
        assert {path.name for path in (common / journal.FOLDER).glob("*")} <= {journal.LOCK}
        for place in self.checkouts:
            assert theirs(place) == self.before[place.name]
        assert faults(self.root) == []
        drafts = {name: sha for name, sha in refs(self.root).items() if name != f"shared/{OTHER}"}
        if drafts:
            assert drafts == {f"shared/{FINE.id}": self.draft}
            assert git(self.root, "for-each-ref", "--format=%(objectname)", "refs/heads/main") == self.tip
            assert not (self.root / PATH).exists()
            return False
        assert git(self.root, "rev-list", "--parents", "main").split("\n")[0].split(" ")[1:] == list(
            filter(None, [self.tip])
        )
        assert set(git(self.root, *CHANGES, "main").splitlines()) == CHANGED
        for place in self.checkouts:
            assert (place / PATH).read_text(encoding="utf-8") == git(place, "show", f"main:{PATH}") + "\n"
        return True


CHANGES = ("diff-tree", "-r", "--root", "--name-only", "--no-commit-id")


def faults(root: Path) -> list[str]:
    """Return what git finds wrong with the repository; a branch without a commit is not wrong."""
    command = ["git", "-C", str(root), "fsck", "--no-progress", "--no-dangling"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    return [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("notice:")]


def theirs(place: Path) -> dict[str, Any]:
    """Return what is the person's own in a checkout, and what git says of its state."""
    return {
        "status": git(place, "status", "--porcelain", "--untracked-files=all", "--ignored"),
        "staged": git(place, "diff", "--cached"),
        "files": {path: text for path, text in files(place).items() if path not in CHANGED},
    }


@pytest.fixture
def ground(tmp_path: Path, caller: Caller) -> Ground:
    """Return a library with one draft, a dirty checkout of its branch and a clean one beside it."""
    folder = tmp_path / "ground"
    root = folder / "library"
    init(root, today=TODAY)
    git(root, "worktree", "add", "--quiet", "--force", str(folder / "linked"), "main")
    dirty(root)
    git(folder / "linked", "reset", "--quiet", "--hard", "main")
    return finished(folder, write(open_library(root), request(), caller).commit)


@pytest.fixture
def unborn(tmp_path: Path, caller: Caller) -> Ground:
    """Return a library without a commit: the shelf lies there staged, with a file that is nobody's."""
    folder = tmp_path / "ground"
    root = folder / "library"
    init(root, today=TODAY)
    draft = write(open_library(root), request(), caller).commit
    git(root, "update-ref", "-d", "refs/heads/main")
    git(root, "rm", "--quiet", "--cached", "-r", ".")
    for path in ("INDEX.md", "ledger.tsv", "stats.svg"):
        (root / SHELF / path).unlink()
    (root / ".git/index").unlink()
    return finished(folder, draft)


def finished(folder: Path, draft: str) -> Ground:
    root = folder / "library"
    shutil.rmtree(root / ".git/hooks")
    ground = Ground(folder, git(root, "for-each-ref", "--format=%(objectname)", "refs/heads/main"), draft)
    ground.before.update({place.name: theirs(place) for place in ground.checkouts})
    shutil.copytree(folder, folder.with_name("mould"), symlinks=True)
    return ground


@pytest.fixture
def desk(ground: Ground) -> Iterator[Desk]:
    one = Desk(ground.root)
    yield one
    one.close()


def every_point(ground: Ground, desk: Desk, points: range, repairs: int) -> int:
    """Die at each of the points, where something is left also in its repair; return how many deaths."""
    for deaths, point in enumerate(points):
        chance = random.Random(point)
        follow = ground.next[point % len(ground.next)]
        ground.put_back()
        if desk.run(point, *ACCEPT):
            assert ground.check()
            return deaths
        left = journal.leftovers(ground.root / ".git")
        desk.run(0, *follow)
        ground.check()
        for _ in range(repairs if left else 0):
            ground.put_back()
            assert not desk.run(point, *ACCEPT)
            desk.run(chance.randrange(1, REPAIR), *chance.choice(ground.next))
            desk.run(0, *chance.choice(ground.next))
            ground.check()
    raise AssertionError("the accept has more points than were tried")


@pytest.mark.parametrize("first", range(1, SLICES + 1))
def test_an_accept_that_dies_before_any_of_its_steps_is_made_whole(
    ground: Ground, desk: Desk, first: int, pytestconfig: pytest.Config
) -> None:
    """Every step; a second death at a random step of the repair, three with `--kills` above the default."""
    repairs = 3 if pytestconfig.getoption("--kills", default=KILLS) > KILLS else 1
    assert every_point(ground, desk, range(first, MOST, SLICES), repairs) > 10


def test_a_first_commit_that_dies_before_any_of_its_steps_is_made_whole(
    unborn: Ground, pytestconfig: pytest.Config
) -> None:
    many = pytestconfig.getoption("--kills", default=KILLS) > KILLS
    desk = Desk(unborn.root)
    try:
        assert every_point(unborn, desk, range(1, MOST, 1 if many else 3), 3 if many else 1) > 10
    finally:
        desk.close()


@pytest.mark.parametrize("whole_group", [True, False], ids=["group", "process"])
def test_an_accept_that_is_killed_is_made_whole(
    ground: Ground, desk: Desk, kill: int, whole_group: bool
) -> None:
    """Half of the kills wait until the journal is there: most of an accept's time goes before it."""
    chance = random.Random(f"{kill} {whole_group}")
    if kill % 4 > 1:
        git(ground.root, "pack-refs", "--all")
    desk.ask(-1, *ACCEPT)
    if kill % 2:
        wait_for(journal.path_of(ground.root / ".git"))
        time.sleep(chance.uniform(0, 0.15))
    else:
        time.sleep(chance.uniform(0, 0.5))
    (os.killpg if whole_group else os.kill)(desk.process.pid, signal.SIGKILL)
    desk.process.wait(timeout=10)
    wait_for_group(desk.process.pid)
    for follow in (NEXT[kill % len(NEXT)], ("review",)):
        done = memshelf(ground.root, *follow)
        assert done.returncode == 0, done.stderr
        accepted = ground.check()
    if not accepted:
        assert memshelf(ground.root, *ACCEPT).returncode == 0
        assert ground.check()


def test_drafts_that_a_killed_git_left_beside_the_moved_branch_go(ground: Ground) -> None:
    desk, common = Desk(ground.root), ground.root / ".git"
    try:
        for point in range(1, MOST):
            ground.put_back()
            assert not desk.run(point, *ACCEPT)
            moved = git(ground.root, "rev-parse", "main") != ground.tip
            if moved and journal.path_of(common).exists():
                git(ground.root, "update-ref", f"refs/memshelf/draft/shared/{FINE.id}", ground.draft)
                desk.run(0, "review")
                assert ground.check()
                return
    finally:
        desk.close()
    raise AssertionError("no point lies between the branch's move and the journal's end")


def test_the_lock_of_a_private_index_that_a_killed_git_left_stops_no_repair(ground: Ground) -> None:
    desk, common = Desk(ground.root), ground.root / ".git"
    try:
        for point in range(1, MOST):
            ground.put_back()
            assert not desk.run(point, *ACCEPT)
            copies = list((common / journal.FOLDER).glob("*.index"))
            if journal.path_of(common).exists() and copies:
                put(common, f"{journal.FOLDER}/{copies[0].name}.lock", "")
                desk.run(0, "index")
                ground.check()
                return
    finally:
        desk.close()
    raise AssertionError("no point has a private index")


def test_a_git_that_outlives_its_accept_is_waited_for(ground: Ground, desk: Desk) -> None:
    script = f'test "$1" = prepared && touch "{ground.folder}/here" && sleep 0.7; exit 0'
    put(ground.root, ".git/hooks/reference-transaction", f"#!/bin/sh\n{script}\n").chmod(0o755)
    desk.ask(-1, *ACCEPT)
    wait_for(ground.folder / "here")
    os.kill(desk.process.pid, signal.SIGKILL)
    with (
        pytest.raises(portalocker.LockException),
        portalocker.Lock(ground.root / ".git" / journal.FOLDER / journal.LOCK, "a", timeout=0),
    ):
        pass
    assert memshelf(ground.root, "render").returncode == 0
    ground.check()


def test_a_person_who_commits_meanwhile_loses_nothing(ground: Ground, caller: Caller) -> None:
    """Four accepts, every second one killed with its group, while files are added and committed."""
    root, names = ground.root, [f"2026-07-0{number}-meanwhile" for number in range(1, 5)]
    for name in names:
        write(open_library(root), request(id=name), caller)
    git(root, "stash", "--quiet")
    mine = subprocess.Popen(
        ["sh", "-c", LOOP], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    for number, name in enumerate(names):
        reviewer = Desk(root)
        reviewer.ask(-1, "review", "accept", name)
        if number % 2:
            wait_for(journal.path_of(root / ".git"))
            time.sleep(random.Random(number).uniform(0, 0.1))
            reviewer.close()
            wait_for_group(reviewer.process.pid)
            assert memshelf(root, "index").returncode == 0
        else:
            assert reviewer.process.stdout is not None
            assert json.loads(reviewer.process.stdout.readline().splitlines()[-1])
            reviewer.close()
    put(ground.folder, "enough", "")
    said, _ = mine.communicate(timeout=60)
    count = int(said)
    assert count > 0
    has = git(root, "ls-tree", "-r", "--name-only", "main").splitlines()
    assert {f"mine-{number}.txt" for number in range(1, count + 1)} <= set(has)
    subjects = git(root, "log", "--format=%s", f"{ground.tip}..main").splitlines()
    assert subjects.count("mine") == count
    waiting = {name.split("/")[1] for name in refs(root)} - {FINE.id}
    assert sorted(waiting | {line.removeprefix("shelve: ") for line in subjects if line != "mine"}) == names
    assert git(root, "status", "--porcelain", "--untracked-files=no") == ""


LOOP = """
n=0
until test -e ../enough; do
    n=$((n + 1))
    echo $n > mine-$n.txt
    until git add mine-$n.txt; do sleep 0.02; done
    until git commit --quiet --message mine; do sleep 0.02; done
done
echo $n
"""


def test_a_render_that_dies_leaves_nothing_in_the_checkout(ground: Ground, desk: Desk) -> None:
    index, before = f"{SHELF}INDEX.md", files(ground.root).keys()
    for point in range(1, MOST):
        put(ground.root, index, "edited\n")
        ended = desk.run(point, "render")
        assert files(ground.root).keys() == before
        desk.run(0, "index")
        assert journal.leftovers(ground.root / ".git") == []
        if ended:
            return
    raise AssertionError("render has more points than were tried")


def memshelf(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memshelf", *words, "--library", str(root)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)


def wait_for(path: Path) -> None:
    """Wait until the file is there, or was: two seconds at most."""
    for _ in range(2000):
        if path.exists():
            return
        time.sleep(0.001)


def wait_for_group(group: int) -> None:
    """Wait until every process of the group has ended."""
    for _ in range(500):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("a process outlives its group's kill")


def test_a_damaged_journal_stops_writes_in_one_line_and_no_read(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    path = journal.path_of(library.common)
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"branch": ', encoding="utf-8")

    with pytest.raises(MemShelfError, match=r"landing\.json is damaged: put right what `git status` shows"):
        accept(library, [FINE.id], caller)
    assert FINE.id in index(library, IndexRequest(), caller).as_text()
