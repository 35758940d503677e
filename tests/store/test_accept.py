"""Accept: one commit on the branch, every checkout of it follows, nothing of anybody else's is touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support import FINE, git, request

from memshelf.commands.accept import accept
from memshelf.commands.init import init
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.store import journal
from memshelf.store.library import open_library
from store.traces import checkout, commit, dirty, files, put, refs

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller
    from memshelf.store.library import Library

PATH = f"shelves/shared/docs/topics/{FINE.id}.md"
DERIVED = {"shelves/shared/INDEX.md", "shelves/shared/ledger.tsv", "shelves/shared/stats.svg"}
OTHER = "2026-07-10-other"


def changed(root: Path, name: str = "main") -> set[str]:
    return set(git(root, "diff-tree", "-r", "--name-only", "--no-commit-id", name).splitlines())


def facts(root: Path, name: str, form: str) -> str:
    return git(root, "log", "-1", f"--format={form}", name)


def hook(library: Library, name: str, script: str) -> None:
    put(library.common, f"hooks/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)


def test_the_commit_names_client_person_and_draft(library: Library, caller: Caller) -> None:
    saved = write(library, request(), caller)
    drafted = facts(library.root, saved.commit, "%ad")
    note = facts(library.root, saved.commit, "%(trailers:key=Memshelf-Draft)")
    ((name, new),) = accept(library, [FINE.id], caller).episodes

    assert (name, new) == (f"shared/{FINE.id}", git(library.root, "rev-parse", "main"))
    assert facts(library.root, new, "%an <%ae>") == "test-client <test-client@memshelf.invalid>"
    assert facts(library.root, new, "%cn <%ce>") == "Test Person <test@example.com>"
    assert facts(library.root, new, "%s") == f"shelve: {FINE.id}"
    assert facts(library.root, new, "%ad") == drafted
    assert facts(library.root, new, "%(trailers:key=Memshelf-Draft)") == note != ""
    assert facts(library.root, new, "%(trailers:key=Memshelf-Client,valueonly)").strip() == "test-client"
    assert refs(library.root) == {}


def test_the_commit_holds_the_episode_and_its_derived_files_and_nothing_else(
    library: Library, caller: Caller, run: Callable[..., Any]
) -> None:
    saved = write(library, request(), caller)
    text = git(library.root, "show", f"{saved.commit}:{FINE.id}.md")
    accept(library, [FINE.id], caller)
    assert changed(library.root) == {PATH} | DERIVED
    assert git(library.root, "show", f"main:{PATH}") == text
    assert (library.root / PATH).read_text(encoding="utf-8") == text + "\n"
    assert git(library.root, "status", "--porcelain") == ""
    assert FINE.id in (library.root / "shelves/shared/INDEX.md").read_text(encoding="utf-8")
    assert run("render", "--check", "--library", library.root).code == 0


def test_under_a_bot_the_commit_holds_the_episode_alone(library: Library, caller: Caller) -> None:
    put(library.root, "memshelf.yml", "branch: main\nderived: bot\n")
    library = open_library(library.root)
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    assert changed(library.root) == {PATH}


def test_what_a_person_staged_edited_or_put_there_stays(library: Library, caller: Caller) -> None:
    dirty(library.root)
    write(library, request(), caller)
    before = checkout(library.root)
    staged = git(library.root, "diff", "--cached")
    edited = git(library.root, "diff")
    accept(library, [FINE.id], caller)
    after = checkout(library.root)

    mine = [
        {key: text for key, text in one["files"].items() if key not in {PATH} | DERIVED}
        for one in (before, after)
    ]
    assert mine[0] == mine[1]
    assert (git(library.root, "diff", "--cached"), git(library.root, "diff")) == (staged, edited)
    assert str(after["status"]).splitlines()[3:] == str(before["status"]).splitlines()[3:]
    assert changed(library.root) == {PATH} | DERIVED


# What stands in the way, made in a library that has one draft waiting.


def index_edited(library: Library) -> None:
    put(library.root, "shelves/shared/INDEX.md", "edited\n")


def chart_edited(library: Library) -> None:
    put(library.root, "shelves/shared/stats.svg", "edited\n")


def index_staged(library: Library) -> None:
    index_edited(library)
    git(library.root, "add", "--all")


def index_edited_behind_gits_back(library: Library) -> None:
    git(library.root, "update-index", "--assume-unchanged", "shelves/shared/INDEX.md")
    index_edited(library)


def index_edited_and_skipped(library: Library) -> None:
    git(library.root, "update-index", "--skip-worktree", "shelves/shared/INDEX.md")
    index_edited(library)


def untracked_in_the_way(library: Library) -> None:
    put(library.root, PATH, "mine\n")


def ignored_in_the_way(library: Library) -> None:
    put(library.root, ".gitignore", "topics/\n")
    commit(library.root, ".gitignore")
    put(library.root, PATH, "mine\n")


def folder_in_the_way(library: Library) -> None:
    put(library.root, f"{PATH}/mine.txt", "mine\n")


def file_for_a_folder(library: Library) -> None:
    put(library.root, "shelves/shared/docs/topics", "mine\n")


def link_for_a_folder(library: Library) -> None:
    put(library.root.parent, "away/mine.txt", "mine\n")
    (library.root / "shelves/shared/docs/topics").symlink_to(library.root.parent / "away")


def merge_in_progress(library: Library) -> None:
    root = library.root
    git(root, "checkout", "--quiet", "-b", "side")
    put(root, "mine.txt", "side\n")
    commit(root, "mine.txt")
    git(root, "checkout", "--quiet", "main")
    git(root, "merge", "--quiet", "--no-ff", "--no-commit", "side")


def pick_in_progress(library: Library) -> None:
    put(library.common, "CHERRY_PICK_HEAD", git(library.root, "rev-parse", "main") + "\n")


def failing_hook(library: Library) -> None:
    hook(library, "pre-commit", "echo linter says no >&2; exit 1")


def forbidding_hook(library: Library) -> None:
    hook(library, "reference-transaction", "echo not today >&2; exit 1")


def failing_signer(library: Library) -> None:
    git(library.root, "config", "commit.gpgsign", "true")
    git(library.root, "config", "gpg.program", "false")


def no_identity(library: Library) -> None:
    git(library.root, "config", "user.useConfigOnly", "true")
    Path(os.environ["GIT_CONFIG_GLOBAL"]).write_text("", encoding="utf-8")


def index_lock_held(library: Library) -> None:
    put(library.common, "index.lock", "")


WAYS = {
    index_edited: "INDEX.md is derived and has changes of its own: put them into an episode",
    chart_edited: "stats.svg is derived and has changes of its own: put them into an episode",
    index_staged: "INDEX.md is derived and has changes of its own: put them into an episode",
    index_edited_behind_gits_back: "git is told not to look at",
    index_edited_and_skipped: "git is told not to look at",
    untracked_in_the_way: f"{PATH} has changes of its own: commit or move them, then try again",
    ignored_in_the_way: "docs/topics has changes of its own: commit or move them, then try again",
    folder_in_the_way: "mine.txt has changes of its own: commit or move them, then try again",
    file_for_a_folder: "docs/topics is no folder: move it, then try again",
    link_for_a_folder: "docs/topics is no folder: move it, then try again",
    merge_in_progress: "a merge, rebase or pick is in progress: finish it, then try again",
    pick_in_progress: "a merge, rebase or pick is in progress: finish it, then try again",
    failing_hook: "linter says no",
    forbidding_hook: "not today",
    failing_signer: "gpg failed to sign",
    no_identity: "git does not know who you are: `git config --global user.name NAME`",
    index_lock_held: "index.lock is held by another git: wait for it, or remove the file if none runs",
}


def state(library: Library) -> tuple[dict[str, object], dict[str, str]]:
    """Return what a refusal must leave as it was."""
    return checkout(library.root, exactly=False), refs(library.root, "refs")


@pytest.mark.parametrize(("prepare", "says"), WAYS.items(), ids=[way.__name__ for way in WAYS])
def test_what_stands_in_the_way_is_told_and_nothing_changes(
    library: Library, caller: Caller, prepare: Callable[[Library], None], says: str
) -> None:
    write(library, request(), caller)
    prepare(library)
    before = state(library)
    with pytest.raises(MemShelfError) as refused:
        accept(library, [FINE.id], caller)
    assert says in str(refused.value)
    assert state(library) == before
    assert journal.leftovers(library.common) == []


@pytest.mark.parametrize("name", ["CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX"])
def test_an_agents_terminal_is_refused_unless_a_person_says_so(
    library: Library, caller: Caller, cli: Callable[..., Any], name: str
) -> None:
    write(library, request(), caller)
    before = checkout(library.root), refs(library.root, "refs")
    words = ("review", "accept", FINE.id, "--library", library.root)
    done = cli(*words, **{name: "1"})
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"memshelf: {name} is set")
    assert "--as-person" in done.err
    assert (checkout(library.root), refs(library.root, "refs")) == before
    assert cli(*words, "--as-person", **{name: "1"}).code == 0


def test_the_persons_hook_and_signer_are_asked(library: Library, caller: Caller) -> None:
    script = r"""cat > /dev/null; printf '\n[GNUPG:] SIG_CREATED \n' >&2; echo signed-by-a-person"""
    signer = put(library.common, "signer", f"#!/bin/sh\n{script}\n")
    signer.chmod(0o755)
    git(library.root, "config", "commit.gpgsign", "true")
    git(library.root, "config", "gpg.program", str(signer))
    hook(library, "pre-commit", f'git diff --cached --name-only > "{library.common}/hooked"')
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    assert "signed-by-a-person" in git(library.root, "cat-file", "commit", "main")
    assert set((library.common / "hooked").read_text(encoding="utf-8").splitlines()) == {PATH} | DERIVED


def test_where_another_branch_is_checked_out_only_the_ref_moves(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    git(library.root, "checkout", "--quiet", "-b", "elsewhere")
    dirty(library.root)
    before = checkout(library.root)
    ((_, new),) = accept(library, [FINE.id], caller).episodes
    after = checkout(library.root)
    assert git(library.root, "rev-parse", "main") == new
    assert after == before | {"branches": before["branches"] | {"main": new}}  # type: ignore[operator]


def test_on_a_detached_head_only_the_ref_moves(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    git(library.root, "checkout", "--quiet", "--detach")
    before = checkout(library.root)
    ((_, new),) = accept(library, [FINE.id], caller).episodes
    assert checkout(library.root) == before | {"branches": {"main": new}}


def test_a_linked_worktree_of_the_branch_follows(library: Library, caller: Caller, tmp_path: Path) -> None:
    write(library, request(), caller)
    git(library.root, "checkout", "--quiet", "-b", "elsewhere")
    linked = tmp_path / "linked"
    git(library.root, "worktree", "add", "--quiet", str(linked), "main")
    before = checkout(library.root)
    accept(library, [FINE.id], caller)
    assert (linked / PATH).exists()
    assert git(linked, "status", "--porcelain") == ""
    assert files(library.root) == before["files"]
    assert git(library.root, "status", "--porcelain") == ""


def test_when_one_of_two_checkouts_cannot_follow_neither_does(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    """The pre-commit hook edits the second checkout after it was found clean."""
    linked = tmp_path / "linked"
    git(library.root, "worktree", "add", "--quiet", "--force", str(linked), "main")
    write(library, request(), caller)
    hook(library, "pre-commit", f"echo edited > {linked}/shelves/shared/INDEX.md")
    before = state(library)
    with pytest.raises(MemShelfError, match="not uptodate"):
        accept(library, [FINE.id], caller)
    assert state(library) == before
    assert not (linked / PATH).exists()
    assert b"edited\n" in files(linked).values()


def test_several_drafts_are_one_commit_each(
    library: Library, caller: Caller, run: Callable[..., Any]
) -> None:
    tip = git(library.root, "rev-parse", "main")
    for name in (FINE.id, OTHER):
        write(library, request(id=name), caller)
    write(library, request(shelf="homelab"), caller)
    done = accept(library, [OTHER, f"shared/{FINE.id}", f"homelab/{FINE.id}", f"shared/{OTHER}"], caller)
    subjects = git(library.root, "log", "--reverse", "--format=%s", f"{tip}..main").splitlines()
    assert subjects == [f"shelve: {OTHER}", f"shelve: {FINE.id}", f"shelve: {FINE.id}"]
    assert [name for name, _ in done.episodes] == [
        f"shared/{OTHER}",
        f"shared/{FINE.id}",
        f"homelab/{FINE.id}",
    ]
    assert refs(library.root) == {}
    assert git(library.root, "status", "--porcelain") == ""
    assert run("render", "--check", "--library", library.root).code == 0
    for new in (new for _, new in done.episodes):
        git(library.root, "checkout", "--quiet", new)
        assert run("render", "--check", "--library", library.root).code == 0


def test_of_several_drafts_all_or_none_are_accepted(library: Library, caller: Caller) -> None:
    for name in (FINE.id, OTHER):
        write(library, request(id=name), caller)
    put(library.root, PATH.replace(FINE.id, OTHER), "mine\n")
    before = checkout(library.root), refs(library.root, "refs")
    for names in ([FINE.id, OTHER], [FINE.id, "2026-07-10-no-such"]):
        with pytest.raises(MemShelfError):
            accept(library, names, caller)
    assert (checkout(library.root), refs(library.root, "refs")) == before


def test_an_amend_that_changes_the_kind_moves_the_file(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    rev = git(library.root, "rev-parse", f"main:{PATH}")[:12]
    write(library, request(amend=True, rev=rev, kind="research"), caller)
    accept(library, [FINE.id], caller)
    moved = f"shelves/shared/docs/research/{FINE.id}.md"
    assert {PATH, moved} <= changed(library.root)
    assert (library.root / moved).exists()
    assert not (library.root / PATH).exists()
    assert git(library.root, "status", "--porcelain") == ""


def amended(library: Library, caller: Caller) -> None:
    """Leave an accepted episode with an amend of it pending."""
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    rev = git(library.root, "rev-parse", f"main:{PATH}")[:12]
    write(library, request(amend=True, rev=rev, title="Amended"), caller)


def changed_since(library: Library) -> None:
    text = (library.root / PATH).read_text(encoding="utf-8")
    put(library.root, PATH, text.replace("Auth tokens", "By hand"))
    commit(library.root, PATH)


def gone_since(library: Library) -> None:
    git(library.root, "rm", "--quiet", PATH)
    git(library.root, "commit", "--quiet", "--message", "by hand")


@pytest.mark.parametrize(("happens", "says"), [(changed_since, "was changed since"), (gone_since, "is gone")])
def test_an_amend_of_what_is_no_longer_there_is_refused_with_the_way_out(
    library: Library, caller: Caller, happens: Callable[[Library], None], says: str
) -> None:
    amended(library, caller)
    happens(library)
    before = checkout(library.root), refs(library.root, "refs")
    with pytest.raises(MemShelfError) as refused:
        accept(library, [FINE.id], caller)
    assert f"{says}: reject this draft, read the episode, write anew" in str(refused.value)
    assert (checkout(library.root), refs(library.root, "refs")) == before


def test_a_draft_whose_id_was_taken_meanwhile_is_refused(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    put(library.root, PATH, episode_format.render(FINE))
    commit(library.root, PATH)
    with pytest.raises(MemShelfError, match="exists by now: reject this draft"):
        accept(library, [FINE.id], caller)


def test_a_library_inside_a_code_repository_is_its_own_folder(
    tmp_path: Path, caller: Caller, run: Callable[..., Any]
) -> None:
    code = tmp_path / "code"
    git(tmp_path, "init", "--quiet", str(code))
    put(code, "src/main.py", "pass\n")
    put(code, "shelves/shared/shelf.yml", "not ours\n")
    commit(code)
    put(code, "src/main.py", "edited\n")
    git(code, "add", "--all")
    init(code / "notes/memory", today=caller.today)
    library = open_library(code / "notes/memory")
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    prefix = "notes/memory/"
    assert changed(code) == {f"{prefix}{path}" for path in {PATH} | DERIVED}
    assert (library.root / PATH).exists()
    assert git(code, "status", "--porcelain") == "M  src/main.py"
    assert run("index", "--library", library.root).out.count(FINE.id) == 1
    rev = git(code, "rev-parse", f"main:{prefix}{PATH}")[:12]
    write(library, request(amend=True, rev=rev, kind="research"), caller)
    accept(library, [FINE.id], caller)
    assert run("render", "--check", "--library", library.root).code == 0
    assert git(code, "status", "--porcelain") == "M  src/main.py"


@pytest.mark.parametrize("attributes", [True, False])
def test_converted_line_ends_leave_a_clean_status(tmp_path: Path, caller: Caller, attributes: bool) -> None:
    git(tmp_path, "config", "--global", "core.autocrlf", "true")
    init(tmp_path / "library", today=caller.today)
    library = open_library(tmp_path / "library")
    if not attributes:
        git(library.root, "rm", "--quiet", "shelves/.gitattributes")
        git(library.root, "commit", "--quiet", "--message", "by hand")
        git(library.root, "checkout", "--quiet", "main", "--", ".")
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    assert git(library.root, "status", "--porcelain") == ""
    assert b"\r" not in git(library.root, "show", f"main:{PATH}").encode()
    assert (b"\r\n" in (library.root / PATH).read_bytes()) != attributes
    rev = git(library.root, "rev-parse", f"main:{PATH}")[:12]
    write(library, request(amend=True, rev=rev, title="Amended"), caller)
    accept(library, [FINE.id], caller)
    assert git(library.root, "status", "--porcelain") == ""


def test_a_copied_library_whose_times_all_differ_is_accepted_into(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    for path in library.root.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    accept(library, [FINE.id], caller)
    assert git(library.root, "status", "--porcelain") == ""


def test_reviewers_at_once_each_get_their_commit(
    library: Library, caller: Caller, run: Callable[..., Any]
) -> None:
    names = [f"2026-07-10-topic-{number}" for number in range(4)]
    for name in names:
        write(library, request(id=name), caller)
    tip = git(library.root, "rev-parse", "main")
    command = [sys.executable, "-m", "memshelf", "review", "--library", str(library.root), "accept"]
    reviewers = [
        subprocess.Popen([*command, name], stdout=subprocess.PIPE, encoding="utf-8") for name in names
    ]
    said = [one.communicate(timeout=60)[0] for one in reviewers]
    made = git(library.root, "log", "--format=accepted: shared/%f commit %H", f"{tip}..main").splitlines()
    assert sorted(line.strip() for line in said) == sorted(line.replace("shelve-", "") for line in made)
    assert len(made) == 4
    assert git(library.root, "status", "--porcelain") == ""
    assert run("render", "--check", "--library", library.root).code == 0


def test_a_draft_that_changes_under_the_reviewer_is_not_accepted(library: Library, caller: Caller) -> None:
    """The pre-commit hook is the moment between reading the draft and moving the branch."""
    saved = write(library, request(), caller)
    other = git(library.root, "commit-tree", f"{saved.commit}^{{tree}}", "-m", "another hand")
    ref = f"refs/memshelf/draft/shared/{FINE.id}"
    hook(library, "pre-commit", f'test -e "$0.once" || git update-ref {ref} {other}; touch "$0.once"')
    before = checkout(library.root, exactly=False)
    with pytest.raises(MemShelfError):
        accept(library, [FINE.id], caller)
    assert checkout(library.root, exactly=False) == before
    assert refs(library.root) == {f"shared/{FINE.id}": other}


def test_a_branch_that_moves_meanwhile_is_built_upon(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    git(library.root, "checkout", "--quiet", "--detach")
    move = 'git update-ref refs/heads/main "$(git commit-tree main^{tree} -p main -m "another hand")"'
    hook(library, "pre-commit", f'test -e "$0.once" || {{ touch "$0.once"; {move}; }}')
    accept(library, [FINE.id], caller)
    assert git(library.root, "log", "-3", "--format=%s", "main").splitlines() == [
        f"shelve: {FINE.id}",
        "another hand",
        "memshelf init",
    ]
