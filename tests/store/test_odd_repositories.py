"""Odd repositories: what a person sees there, word for word, and that nothing of theirs is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import FINE, TODAY, git, request

from memshelf.commands.accept import accept
from memshelf.commands.init import init
from memshelf.commands.read import read
from memshelf.commands.reject import reject
from memshelf.commands.write import write
from memshelf.formats import episode as episode_format
from memshelf.requests import ReadRequest, RejectRequest
from memshelf.store import journal
from memshelf.store.drafts import STALE_LOCK
from memshelf.store.library import open_library
from store.traces import checkout, commit, files, put, refs

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller
    from memshelf.store.library import Library

SHELF = "shelves/shared/"
PATH = f"{SHELF}docs/topics/{FINE.id}.md"
CHANGED = {PATH, f"{SHELF}INDEX.md", f"{SHELF}ledger.tsv", f"{SHELF}stats.svg"}
MANY = 5000
NOBODY = 65534


def hook(library: Library, name: str, script: str) -> None:
    put(library.common, f"hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


def changed(root: Path, name: str = "main") -> set[str]:
    return set(git(root, "diff-tree", "-r", "--root", "--name-only", "--no-commit-id", name).splitlines())


def is_swept(library: Library) -> bool:
    return [path.name for path in (library.common / journal.FOLDER).glob("*")] in ([], [journal.LOCK])


# Each of these gets a library with one draft waiting and makes it odd.


def no_identity(_: Library) -> str:
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("[user]\nuseConfigOnly = true\n", encoding="utf-8")
    return (
        "git does not know who you are: `git config --global user.name NAME` and "
        "`git config --global user.email ADDRESS` tell it"
    )


def failing_hook(library: Library) -> str:
    hook(library, "pre-commit", "echo the linter says no >&2; exit 1")
    return (
        "the pre-commit hook refused, nothing was changed: the linter says no: "
        "mend what it names, then try again"
    )


def silent_hook(library: Library) -> str:
    hook(library, "pre-commit", "exit 1")
    return (
        "the pre-commit hook refused, nothing was changed: failed without a word: "
        "mend what it names, then try again"
    )


def failing_signer(library: Library) -> str:
    git(library.root, "config", "commit.gpgsign", "true")
    git(library.root, "config", "gpg.program", "false")
    return (
        "git commit-tree: error: gpg failed to sign the data: nothing was changed: "
        "mend the signer that commit.gpgsign asks for, then try again"
    )


def detached_without_branch(library: Library) -> str:
    put(library.root, "memshelf.yml", "derived: local\n")
    commit(library.root, "memshelf.yml")
    git(library.root, "checkout", "--quiet", "--detach")
    return "HEAD is detached: name the library's branch in memshelf.yml: `branch: main`"


def untracked_in_the_way(library: Library) -> str:
    file = put(library.root, PATH, "mine\n")
    return f"{file} has changes of its own: commit or move them, then try again"


def index_edited(library: Library) -> str:
    file = put(library.root, f"{SHELF}INDEX.md", "edited\n")
    return (
        f"{file} is derived and has changes of its own: put them into an episode, `git restore` the file, "
        "then try again"
    )


def merge_in_progress(library: Library) -> str:
    put(library.common, "MERGE_HEAD", git(library.root, "rev-parse", "main") + "\n")
    return f"{library.root}: a merge, rebase or pick is in progress: finish it, then try again"


def index_lock_held(library: Library) -> str:
    lock = put(library.common, "index.lock", "")
    return f"{lock} is held by another git: wait for it, or remove the file if none runs"


def draft_changed_meanwhile(library: Library) -> str:
    """The pre-commit hook runs between reading the draft and moving the branch."""
    draft = f"refs/memshelf/draft/shared/{FINE.id}"
    other = git(library.root, "commit-tree", f"{draft}^{{tree}}", "-m", "another hand")
    hook(library, "pre-commit", f"git update-ref {draft} {other}")
    return f"shared/{FINE.id} changed meanwhile: look at it again"


ODD = [
    *(no_identity, failing_hook, silent_hook, failing_signer, detached_without_branch, untracked_in_the_way),
    *(index_edited, merge_in_progress, index_lock_held, draft_changed_meanwhile),
]


@pytest.mark.parametrize("prepare", ODD, ids=[way.__name__ for way in ODD])
def test_a_person_sees_one_line_and_nothing_has_changed(
    library: Library, caller: Caller, run: Callable[..., Any], prepare: Callable[[Library], str]
) -> None:
    write(library, request(), caller)
    line = prepare(library)
    before = checkout(library.root, exactly=False)
    done = run("review", "accept", FINE.id, "--library", library.root, "--as-person")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.removesuffix("\n") == f"memshelf: {line}"
    assert checkout(library.root, exactly=False) == before
    assert list(refs(library.root)) == [f"shared/{FINE.id}"]
    assert is_swept(library)


def test_a_sparse_checkout_that_leaves_the_shelf_out_stays_sparse(
    library: Library, caller: Caller, run: Callable[..., Any]
) -> None:
    put(library.root, "code/main.py", "pass\n")
    commit(library.root, "code/main.py")
    git(library.root, "sparse-checkout", "set", "--cone", "code")
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    assert set(files(library.root)) == {"memshelf.yml", "code/main.py"}
    assert git(library.root, "status", "--porcelain") == ""
    assert changed(library.root) == CHANGED
    assert FINE.id in run("index", "--library", library.root).out
    git(library.root, "sparse-checkout", "disable")
    assert run("render", "--check", "--library", library.root).code == 0


def test_two_checkouts_of_the_branch_both_follow_and_keep_their_own_edits(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    linked = [tmp_path / "first", tmp_path / "second"]
    for place in linked:
        git(library.root, "worktree", "add", "--quiet", "--force", str(place), "main")
    put(linked[0], "mine.txt", "staged\n")
    git(linked[0], "add", "mine.txt")
    put(linked[1], f"{SHELF}POLICY.md", "edited\n")
    write(open_library(linked[1]), request(), caller)
    accept(open_library(linked[0]), [FINE.id], caller)
    assert [(place / PATH).exists() for place in (library.root, *linked)] == [True] * 3
    status = [git(place, "status", "--porcelain") for place in (library.root, *linked)]
    assert status == ["", "A  mine.txt", f" M {SHELF}POLICY.md"]


def test_a_linked_checkout_of_a_bare_repository_is_a_library(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    bare, linked = tmp_path / "bare.git", tmp_path / "linked"
    git(tmp_path, "clone", "--quiet", "--bare", str(library.root), str(bare))
    git(bare, "worktree", "add", "--quiet", str(linked), "main")
    write(open_library(linked), request(), caller)
    accept(open_library(linked), [FINE.id], caller)
    assert changed(bare) == CHANGED
    assert git(linked, "status", "--porcelain") == ""


def test_a_bare_repository_is_told_in_one_line(
    library: Library, tmp_path: Path, run: Callable[..., Any]
) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(library.root), str(bare))
    for words in (("index", "--library", bare), ("init", bare)):
        done = run(*words)
        assert (done.code, done.out) == (1, "")
        assert done.err == f"memshelf: {bare} is a bare repository: `git clone` it and use the clone\n"


def test_a_shallow_clone_is_written_to_and_accepted_into(
    library: Library, caller: Caller, tmp_path: Path, run: Callable[..., Any]
) -> None:
    put(library.root, "mine.txt", "second commit\n")
    commit(library.root, "mine.txt")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth", "1", library.root.as_uri(), str(clone))
    write(open_library(clone), request(), caller)
    accept(open_library(clone), [FINE.id], caller)
    assert git(clone, "log", "--format=%s", "main").splitlines() == [f"shelve: {FINE.id}", "by hand"]
    assert git(clone, "status", "--porcelain") == ""
    assert FINE.id in run("index", "--library", clone).out


def test_a_sha_256_repository_is_accepted_into_also_for_the_first_commit(
    tmp_path: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    init(tmp_path / "library", today=TODAY)
    library = open_library(tmp_path / "library")
    write(library, request(), caller)
    ((_, new),) = accept(library, [FINE.id], caller).episodes
    assert len(new) == 64
    assert git(library.root, "status", "--porcelain") == ""
    assert git(library.root, "fsck", "--no-dangling", "--no-progress") == ""


def test_the_first_commit_of_a_branch_leaves_what_others_staged(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    git(library.root, "update-ref", "-d", "refs/heads/main")
    git(library.root, "rm", "--quiet", "--cached", "-r", ".")
    for path in ("INDEX.md", "ledger.tsv", "stats.svg"):
        (library.root / SHELF / path).unlink()
    put(library.root, "mine.txt", "staged\n")
    git(library.root, "add", "mine.txt")
    accept(library, [FINE.id], caller)
    assert git(library.root, "log", "--format=%s").splitlines() == [f"shelve: {FINE.id}"]
    assert changed(library.root) == CHANGED
    status = git(library.root, "status", "--porcelain", "--untracked-files=no")
    assert status == "A  mine.txt"
    assert (library.root / PATH).exists()


def test_a_stale_lock_of_the_draft_stops_neither_accept_nor_reject(library: Library, caller: Caller) -> None:
    for decide in (
        lambda: accept(library, [FINE.id], caller),
        lambda: reject(library, RejectRequest(id="2026-07-10-other", reason="no"), TODAY),
    ):
        name = FINE.id if not (library.root / PATH).exists() else "2026-07-10-other"
        write(library, request(id=name), caller)
        lock = put(library.common, f"refs/memshelf/draft/shared/{name}.lock", "")
        then = lock.stat().st_mtime - STALE_LOCK - 1
        os.utime(lock, (then, then))
        decide()
        assert refs(library.root) == {}
        assert not lock.exists()


@pytest.fixture
def strangers(library: Library, caller: Caller) -> Any:
    """Return a function that runs memshelf as another user, who may read the library but not write it."""
    if os.name == "nt" or os.geteuid() != 0:
        pytest.skip("only root can run a command as somebody else")
    write(library, request(), caller)
    with tempfile.TemporaryDirectory() as place:
        root = shutil.copytree(library.root, Path(place) / "library", symlinks=True)
        config = put(Path(place), ".gitconfig", Path(os.environ["GIT_CONFIG_GLOBAL"]).read_bytes())
        git(root, "config", "--file", str(config), "safe.directory", "*")
        for path in (Path(place), *Path(place).rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        variables = os.environ | {"HOME": place, "GIT_CONFIG_GLOBAL": str(config)}

        def call(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [sys.executable, "-m", "memshelf", *words, "--library", str(root)],
                user=NOBODY,
                group=NOBODY,
                extra_groups=[],
                env=variables,
                capture_output=True,
                encoding="utf-8",
                check=False,
            )

        try:
            seen = call("index")
        except PermissionError:
            pytest.skip("another user cannot run this Python")
        if "No module named memshelf" in seen.stderr:
            pytest.skip("another user cannot read this package")
        before = checkout(root), refs(root, "refs")
        yield seen, call, root
        assert (checkout(root), refs(root, "refs")) == before


def test_who_may_only_read_reads_and_is_told_in_one_line_why_not_more(strangers: Any) -> None:
    seen, call, root = strangers
    assert (seen.returncode, seen.stderr) == (0, "")
    assert FINE.id in seen.stdout
    for words in (("review", "accept", FINE.id), ("render",)):
        done = call(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            f"memshelf: {root}/.git cannot be written (Permission denied): "
            "make it yours, or use your own clone\n"
        )
    for words in (
        ("reject", FINE.id, "--reason", "no"),
        ("edit", FINE.id, "--file", str(root / "memshelf.yml")),
    ):
        done = call("review", *words)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1


def test_five_thousand_drafts_are_listed_mapped_and_accepted(
    library: Library, caller: Caller, run: Callable[..., Any]
) -> None:
    names = [f"2026-07-10-topic-{number}" for number in range(MANY)]
    text = episode_format.render(FINE)
    stream = []
    for name in names:
        body = text.replace(FINE.id, name)
        note = f"draft: {name}\n\nMemshelf-Draft: {name}\nMemshelf-Client: test\n"
        stream.append(
            f"commit refs/memshelf/draft/shared/{name}\ncommitter test <test@memshelf.invalid> 0 +0000\n"
            f"data {len(note)}\n{note}\nM 100644 inline {name}.md\ndata {len(body)}\n{body}\n"
        )
    subprocess.run(
        ["git", "-C", str(library.root), "fast-import", "--quiet"],
        input="".join(stream).encode(),
        check=True,
    )
    listed = run("review", "list", "--library", library.root)
    assert (listed.code, listed.out.count("\nshared/")) == (0, MANY - 1)
    assert run("index", "--library", library.root).code == 0
    accept(library, names[:1], caller)
    assert len(refs(library.root)) == MANY - 1
    assert git(library.root, "rev-list", "--count", "main") == "2"
    assert git(library.root, "status", "--porcelain") == ""


def test_a_policy_that_the_work_tree_leaves_out_still_redacts(library: Library, caller: Caller) -> None:
    put(library.root, "shelves/shared/POLICY.patterns", b"codename blue[a-z]+\n")
    commit(library.root)
    (library.root / "shelves/shared/POLICY.patterns").unlink()

    write(library, request(decisions="The auth service signs tokens for bluebird."), caller)

    shown = read(library, ReadRequest(id=FINE.id), caller).as_text()
    assert "bluebird" not in shown
    assert "«redacted:codename#1»" in shown


def test_a_clone_without_the_librarys_branch_says_so_and_never_looks_empty(
    library: Library, run: Callable[..., Any]
) -> None:
    git(library.root, "checkout", "--quiet", "--detach")
    git(library.root, "branch", "--quiet", "-D", "main")

    for words in (["index"], ["read", FINE.id], ["search", "tokens"], ["write", "--id", "a"]):
        done = run(*words, "--library", library.root)
        assert (done.code, done.out) == (1, "")
        assert done.err == (
            "memshelf: the library's branch main is not in this clone: `git fetch origin main:main` brings "
            "it, or name another in memshelf.yml\n"
        )
