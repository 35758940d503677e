"""Drafts: parallel writers, killed writers, and a checkout that never notices."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import FINE, git, request

from memshelf.commands.write import Written, write
from memshelf.errors import MemShelfError
from memshelf.store.drafts import STALE_LOCK
from memshelf.store.git import GitError
from store.traces import checkout, commit, dirty, put, refs, stored

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller
    from memshelf.store.library import Library

WRITERS = 8
NAME = "2024-05-01-auth"
SAVED = ("draft", "already saved")


def start(library: Library, word: str, *ids: str) -> subprocess.Popen[str]:
    """Start a writer in a process group of its own and wait until it is ready."""
    command = [sys.executable, str(Path(__file__).with_name("writers.py")), str(library.root), word, *ids]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def answers(process: subprocess.Popen[str]) -> list[tuple[int, str]]:
    """Wait for the writer's end and return (exit code, answer) of each complete line."""
    out = process.communicate(timeout=60)[0]
    lines = [line.partition(" ") for line in out.split("\n")[:-1]]
    return [(int(code), text) for code, _, text in lines]


def at_once(processes: list[subprocess.Popen[str]]) -> list[list[tuple[int, str]]]:
    for process in processes:
        go(process)
    return [answers(process) for process in processes]


def whole(library: Library, sha: str) -> bool:
    """Tell whether every object of the draft is there."""
    return len(git(library.root, "rev-list", "--objects", sha).splitlines()) == 3


def test_writers_at_once_each_get_what_they_were_answered(library: Library) -> None:
    names = [[f"2024-05-0{number}-writer-{writer}" for number in range(1, 6)] for writer in range(WRITERS)]
    said = at_once([start(library, "sessions", *mine) for mine in names])

    saved: list[dict[str, Any]] = [json.loads(text) for answer in said for code, text in answer if code == 0]
    assert {f"shared/{one['id']}": one["commit"] for one in saved} == refs(library.root)
    assert len(saved) == WRITERS * 5
    assert all(whole(library, one["commit"]) for one in saved)


def test_of_different_texts_for_one_id_one_wins_and_the_others_are_told(library: Library) -> None:
    said = at_once([start(library, f"word{number}", NAME) for number in range(WRITERS)])

    saved = [json.loads(text) for [(code, text)] in said if code == 0]
    told = [text for [(code, text)] in said if code == 1]
    assert refs(library.root) == {f"shared/{NAME}": saved[0]["commit"]}
    assert (len(saved), len(told)) == (1, WRITERS - 1)
    assert all(f"{NAME} is taken" in text for text in told)


def test_of_equal_texts_for_one_id_all_are_told_it_is_saved(library: Library) -> None:
    said = at_once([start(library, "sessions", NAME) for _ in range(WRITERS)])

    saved = [json.loads(text) for [(code, text)] in said if code == 0]
    assert sorted(one["state"] for one in saved) == ["already saved"] * (WRITERS - 1) + ["draft"]
    assert len({one["rev"] for one in saved}) == 1
    assert refs(library.root) == {f"shared/{NAME}": next(one["commit"] for one in saved if one["commit"])}


def test_with_review_off_of_different_texts_for_one_id_one_wins(library: Library) -> None:
    put(library.root, "memshelf.yml", "branch: main\nreview: off\n")
    commit(library.root)
    said = at_once([start(library, f"word{number}", NAME) for number in range(4)])

    assert sorted(code for [(code, _)] in said) == [0, 1, 1, 1]
    assert all(f"{NAME} is taken" in text for [(code, text)] in said if code)
    assert git(library.root, "status", "--porcelain") == ""


def test_what_was_answered_survives_a_killed_writer(library: Library, kill: int) -> None:
    chance = random.Random(kill)
    dirty(library.root)
    before = checkout(library.root)
    names = [f"2024-05-0{number}-killed" for number in range(1, 5)]
    process = start(library, "sessions", *names)
    go(process)
    time.sleep(chance.uniform(0, 0.4))
    (os.killpg if kill % 2 else os.kill)(process.pid, signal.SIGKILL)
    answered = [json.loads(text) for _, text in answers(process)]
    wait_for_group(process.pid)

    left = refs(library.root)
    assert {f"shared/{one['id']}": one["commit"] for one in answered}.items() <= left.items()
    assert all(whole(library, sha) for sha in left.values())
    assert checkout(library.root) == before

    for lock in (library.common / "refs/memshelf").rglob("*.lock"):
        age(lock)
    again = start(library, "sessions", *names)
    go(again)
    assert [json.loads(text)["state"] in SAVED for _, text in answers(again)] == [True] * 4
    assert set(refs(library.root)) == {f"shared/{name}" for name in names}
    assert checkout(library.root) == before


def wait_for_group(group: int) -> None:
    """Wait until the git that a killed writer left behind has ended."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)


def age(lock: Path) -> None:
    then = time.time() - STALE_LOCK - 1
    os.utime(lock, (then, then))


@pytest.mark.parametrize(("content", "removed"), [("", True), ("0" * 40 + "\n", True), ("a note\n", False)])
def test_only_a_lock_that_a_killed_git_left_is_removed(
    library: Library, caller: Caller, content: str, removed: bool
) -> None:
    lock = put(library.common, f"refs/memshelf/draft/shared/{FINE.id}.lock", content)
    age(lock)
    if removed:
        write(library, request(), caller)
    else:
        with pytest.raises(MemShelfError, match=r"\.lock': File exists"):
            write(library, request(), caller)
    assert lock.exists() != removed
    assert bool(refs(library.root)) == removed


def plain(_: Path) -> None:
    """Leave the library as init made it."""


def detached(root: Path) -> None:
    git(root, "checkout", "--quiet", "--detach")


def unborn(root: Path) -> None:
    git(root, "checkout", "--quiet", "--orphan", "unborn")


def merging(root: Path) -> None:
    git(root, "checkout", "--quiet", "-b", "side")
    put(root, "mine.txt", "side\n")
    commit(root, "mine.txt")
    git(root, "checkout", "--quiet", "main")
    git(root, "merge", "--quiet", "--no-ff", "--no-commit", "side")


@pytest.mark.parametrize("prepare", [plain, dirty, detached, unborn, merging])
def test_a_write_never_changes_the_checkout(
    library: Library, cli: Callable[..., Any], prepare: Callable[[Path], None]
) -> None:
    prepare(library.root)
    before = checkout(library.root)
    done = cli("write", "-", "--library", library.root, "--shelf", "shared", data=FILE)
    assert (done.code, done.err) == (0, "")
    assert set(refs(library.root)) == {f"shared/{FINE.id}"}
    assert checkout(library.root) == before


def test_a_write_in_a_linked_worktree_changes_neither_checkout(
    library: Library, cli: Callable[..., Any], tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git(library.root, "worktree", "add", "--quiet", "-b", "other", str(linked))
    dirty(linked)
    before = checkout(library.root), checkout(linked)
    assert cli("write", "-", "--library", linked, "--shelf", "shared", data=FILE).code == 0
    assert set(refs(library.root)) == {f"shared/{FINE.id}"}
    assert (checkout(library.root), checkout(linked)) == before


def test_inherited_ties_to_another_repository_are_cut(
    library: Library, cli: Callable[..., Any], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "init", "--quiet", str(other))
    put(other, "code.py", "pass\n")
    commit(other)
    before = checkout(library.root), checkout(other), stored(other)
    ties = {"GIT_DIR": str(other / ".git"), "GIT_WORK_TREE": str(other)}
    ties |= {"GIT_INDEX_FILE": str(other / ".git/index"), "GIT_PREFIX": "x/"}
    ties |= {"GIT_OBJECT_DIRECTORY": str(other / ".git/objects"), "GIT_NAMESPACE": "there"}
    words = "write", "-", "--library", library.root, "--shelf", "shared"
    assert cli(*words, data=FILE, **ties).code == 0
    assert cli("review", "show", FINE.id, "--library", library.root, **ties).code == 0
    assert set(refs(library.root)) == {f"shared/{FINE.id}"}
    assert (checkout(library.root), checkout(other), stored(other)) == before


def test_a_write_waits_for_a_garbage_collection(library: Library, caller: Caller) -> None:
    saved: list[Written] = []
    collecting = subprocess.Popen(
        [sys.executable, "-c", GC_LOOP, str(library.root)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for number in range(15):
            with contextlib.suppress(GitError):  # gc removes folders under git's hands: refused, not lost
                saved.append(write(library, request(id=f"2026-07-10-gc-{number}"), caller))
    finally:
        collecting.kill()
        collecting.wait()
    assert saved
    assert {f"shared/{one.id}": one.commit for one in saved} == refs(library.root)
    assert all(whole(library, one.commit) for one in saved)


def test_a_write_begins_only_when_a_garbage_collection_has_ended(library: Library, caller: Caller) -> None:
    mark = put(library.common, "gc.pid", "1 here")
    seen: list[tuple[set[str], dict[str, str]]] = []

    def end() -> None:
        seen.append(stored(library.root))
        mark.unlink()

    before = stored(library.root)
    timer = threading.Timer(0.5, end)
    timer.start()
    saved = write(library, request(), caller)
    timer.join()
    assert seen == [before]
    assert refs(library.root) == {f"shared/{FINE.id}": saved.commit}


GC_LOOP = (
    "import subprocess, sys, time\n"
    "while True:\n"
    "    subprocess.run(['git', '-C', sys.argv[1], 'gc', '--quiet', '--prune=now'])\n"
    "    time.sleep(0.1)\n"
)


def test_a_hook_that_forbids_refs_is_heard(library: Library, caller: Caller) -> None:
    hook = put(library.common, "hooks/reference-transaction", "#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(MemShelfError, match=re.compile("not today")):
        write(library, request(), caller)
    assert refs(library.root) == {}


FILE = f"""\
---
id: {FINE.id}
title: "Auth"
---

## Digest

Chosen: signed tokens.

## Decisions

Signed tokens.

## Open threads

None.

## Sources

None.
""".encode()
