"""Git: what it is told, what it answers, and what it is when it is broken or not there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import FINE, git, request

from memshelf.commands.accept import accept
from memshelf.commands.init import init
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.store.git import Git, GitError, environment, own_folder
from memshelf.store.library import open_library
from store.traces import commit, put

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller
    from memshelf.store.library import Library

COMMANDS = [
    ("index",),
    ("read", FINE.id),
    ("search", "tokens"),
    ("write", "--id", "auth", "--title", "Auth"),
    ("review",),
    ("review", "accept", FINE.id),
    ("review", "reject", FINE.id, "--reason", "no"),
    ("render",),
]


@pytest.fixture
def repository(tmp_path: Path) -> Git:
    git(tmp_path, "init", "--quiet", "plain")
    return Git(tmp_path / "plain")


def test_git_runs_without_ties_to_another_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/there")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "stays: it is the person's")
    seen = environment({"GIT_INDEX_FILE": "/ours"})
    assert not {"GIT_DIR", "GIT_CONFIG_COUNT"} & seen.keys()
    assert (seen["GIT_INDEX_FILE"], seen["LC_ALL"], seen["GIT_TERMINAL_PROMPT"]) == ("/ours", "C", "0")
    assert seen["GIT_AUTHOR_NAME"] == os.environ["GIT_AUTHOR_NAME"]


def _moved(folder: Path) -> Path:
    git(folder, "config", "core.worktree", "/")
    return folder


def _linked(folder: Path) -> Path:
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(folder, "worktree", "add", "--quiet", "../linked")
    return folder.parent / "linked"


def _symlink(folder: Path) -> Path:
    (folder.parent / "other").mkdir()
    (folder.parent / "other" / ".git").symlink_to(folder / ".git")
    return folder.parent / "other"


def _broken(folder: Path) -> Path:
    (folder / ".git" / "HEAD").write_text("nonsense", encoding="utf-8")
    return folder


def _detached(folder: Path) -> Path:
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(folder, "checkout", "--quiet", "--detach")
    return folder


def _bare(folder: Path) -> Path:
    git(folder, "init", "--quiet", "--bare", "bare.git")
    return folder / "bare.git"


def _below(folder: Path) -> Path:
    (folder / "below").mkdir()
    return folder / "below"


def _through_a_link(folder: Path) -> Path:
    (folder.parent / "alias").symlink_to(folder)
    return folder.parent / "alias"


@pytest.mark.parametrize("made", [_moved, _linked, _symlink, _broken, _detached, _bare, _below])
def test_of_an_odd_repository_only_git_knows(repository: Git, made: Callable[[Path], Path]) -> None:
    assert own_folder(made(repository.folder)) is None


@pytest.mark.parametrize("made", [Path, _through_a_link])
def test_the_directory_of_a_plain_repository_is_told_as_git_tells_it(
    repository: Git, made: Callable[[Path], Path]
) -> None:
    folder = made(repository.folder)
    told = Git(folder).line("rev-parse", "--path-format=absolute", "--git-common-dir")
    assert str(own_folder(folder)) == told


@pytest.mark.parametrize("content", [b"", b"\n", b"a\r\nb", b"\0\xff", "й".encode() * 100_000])
def test_bytes_come_back_as_they_were_stored(repository: Git, content: bytes) -> None:
    sha = repository.store(content)
    assert repository.read([sha, sha]) == [(sha, content)] * 2


def test_a_lost_or_damaged_object_does_not_hide_the_others(repository: Git) -> None:
    names = [repository.store(f"text {number}".encode()) for number in range(9)]
    for number, damage in ((2, b""), (3, b"garbage"), (7, None)):
        file = repository.folder / ".git/objects" / names[number][:2] / names[number][2:]
        file.unlink()
        if damage is not None:
            file.write_bytes(damage)
    read = repository.read([*names, "no-such-name"])
    lost = {2, 3, 7}
    expected = [("", b"") if n in lost else (names[n], f"text {n}".encode()) for n in range(9)]
    assert read == [*expected, ("", b"")]


def test_paths_come_back_as_they_are(repository: Git) -> None:
    odd = ['a"b.md', "a b.md", "tab\t.md", "строка\n.md", os.fsdecode(b"caf\xe9.md"), "-dash.md"]
    for name in odd:
        put(repository.folder, f"docs/{name}", "text")
    put(repository.folder, "elsewhere.md", "text")
    commit(repository.folder)
    assert sorted(blob.path for blob in repository.blobs("HEAD", "docs/")) == sorted(f"docs/{n}" for n in odd)


def test_a_refusal_carries_gits_words_and_its_verb(repository: Git) -> None:
    with pytest.raises(GitError, match=r"^git rev-parse: fatal: Needed a single revision$"):
        repository.run("rev-parse", "--verify", "nothing")
    assert repository.commit_of("nothing") == ""
    assert repository.commit_of("--help") == ""


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_missing_git_is_one_clear_line(
    library: Library, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = run(*words, "--library", library.root)
    assert (done.code, done.out) == (1, "")
    assert done.err == "memshelf: git was not found: install git 2.36 or newer\n"


def test_init_without_git_makes_nothing(
    tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = run("init", tmp_path / "new")
    assert (done.code, done.err) == (1, "memshelf: git was not found: install git 2.36 or newer\n")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_library_in_no_repository_is_told_with_the_way_out(
    tmp_path: Path, run: Callable[..., Any], words: tuple[str, ...]
) -> None:
    put(tmp_path, "memshelf.yml", "review: branch\n")
    done = run(*words, "--library", tmp_path)
    assert (done.code, done.out) == (1, "")
    assert (
        done.err
        == f"memshelf: {tmp_path} is in no Git repository: make it one with `memshelf init {tmp_path}`\n"
    )


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_mistyped_library_is_an_error_not_an_empty_one(
    tmp_path: Path, run: Callable[..., Any], words: tuple[str, ...]
) -> None:
    done = run(*words, "--library", tmp_path / "libary")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"memshelf: {tmp_path / 'libary'} does not exist: check the path, or ")
    assert not (tmp_path / "libary").exists()


@pytest.mark.parametrize("verb", ["index", "init"])
def test_a_repository_of_another_owner_is_told_in_gits_words(
    library: Library, cli: Callable[..., Any], verb: str
) -> None:
    where = [library.root] if verb == "init" else ["--library", library.root]
    done = cli(verb, *where, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
    assert (done.code, done.out) == (1, "")
    assert "dubious ownership" in done.err
    assert f"git config --global --add safe.directory {library.root}" in done.err


def test_a_sha_256_repository_works(tmp_path: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    init(tmp_path / "library", today=caller.today)
    library = open_library(tmp_path / "library")
    saved = write(library, request(), caller)
    assert len(saved.commit) == 64
    ((_, accepted),) = accept(library, [FINE.id], caller).episodes
    assert git(library.root, "rev-parse", "main") == accepted
    assert git(library.root, "status", "--porcelain") == ""


def test_a_detached_head_without_a_branch_setting_is_told_with_the_way_out(library: Library) -> None:
    put(library.root, "memshelf.yml", "")
    git(library.root, "checkout", "--quiet", "--detach")
    with pytest.raises(MemShelfError, match=r"name the library's branch in memshelf\.yml: `branch: main`"):
        open_library(library.root)
