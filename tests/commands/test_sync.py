"""Sync on real repositories: what clones and their remote make of each other's commits."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hosting import TOPICS, Host, at_once, host_of, publish, shelved, synced, tree
from store.traces import checkout, commit, put, refs
from support import TODAY, git, request

from memshelf.commands.doctor import doctor
from memshelf.commands.init import init
from memshelf.commands.render import render
from memshelf.commands.write import write
from memshelf.errors import MemShelfError, Refused
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

ONE, TWO, THREE = "2026-07-01-one", "2026-07-02-two", "2026-07-03-three"
CROWD, WRITES = 4, 5


@pytest.fixture
def host(library: Library, tmp_path: Path) -> Host:
    return host_of(library, tmp_path)


@pytest.fixture
def other(host: Host) -> Library:
    return host.clone("other")


def line(root: Path, form: str, commit: str = "main") -> str:
    return git(root, "log", "-1", f"--format={form}", commit)


def of(library: Library) -> tuple[str, str, object]:
    """Return what a sync that stops leaves as it is."""
    facts = git(library.root, "rev-parse", "main"), git(library.root, "status", "--porcelain")
    return (*facts, checkout(library.root)["files"])


def is_whole(library: Library) -> bool:
    """Tell whether git and doctor find nothing, and derived files are what a clean render makes."""
    assert git(library.root, "status", "--porcelain") == ""
    return render(library, TODAY, check=True).ok and doctor(library.root, TODAY).ok


def test_two_clones_get_each_others_episodes_with_all_that_commits_say(
    library: Library, other: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelved(library, caller, ONE)
    assert synced(library).as_text() == "pulled 0, pushed 1, settled 0"
    monkeypatch.setenv("GIT_COMMITTER_NAME", "Zoë Other")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-07-05T10:00:00+03:00")
    old = [shelved(other, caller, name) for name in (TWO, THREE)]
    monkeypatch.delenv("GIT_COMMITTER_NAME")
    monkeypatch.delenv("GIT_COMMITTER_DATE")

    assert synced(other).as_text() == "pulled 1, pushed 2, settled 0"
    assert synced(library).as_text() == "pulled 2, pushed 0, settled 0"

    form = "%an %ae %ad %cn %ce %cd %B"
    assert [line(other.root, form, f"main~{back}") for back in (1, 0)] == [
        line(other.root, form, made) for made in old
    ]
    assert git(library.root, "log", "--format=%s", "-3").split("\n") == [
        f"shelve: {name}" for name in (THREE, TWO, ONE)
    ]
    assert tree(library) == tree(other)
    assert is_whole(library)
    assert is_whole(other)
    assert synced(other).as_text() == "nothing to do: this clone and origin/main have the same"


def test_each_replayed_commit_has_its_own_derived_files(
    library: Library, other: Library, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    shelved(other, caller, TWO)
    shelved(other, caller, THREE)
    synced(other)
    index = [git(other.root, "show", f"main~{back}:shelves/shared/INDEX.md") for back in (2, 1, 0)]
    assert [sum(f"{name}.md" in text for name in (ONE, TWO, THREE)) for text in index] == [1, 2, 3]


def test_where_the_bot_renders_derived_files_stay_as_the_remote_has_them(
    library: Library, other: Library, caller: Caller
) -> None:
    shelved(other, caller, TWO)
    put(library.root, "memshelf.yml", "derived: bot\n")
    put(library.root, "shelves/shared/INDEX.md", "the bot's\n")
    commit(library.root)
    library = open_library(library.root)
    shelved(library, caller, ONE)
    synced(library)
    assert synced(other).pushed == 1
    assert git(other.root, "show", "main:shelves/shared/INDEX.md") == "the bot's"
    assert git(other.root, "diff", "--name-only", "main~1", "main") == f"{TOPICS}/{TWO}.md"


def test_a_draft_that_two_people_accepted_is_there_once(
    library: Library, other: Library, caller: Caller
) -> None:
    for clone in (library, other):
        shelved(clone, caller, ONE)
    synced(library)
    done = synced(other)
    assert (done.pulled, done.pushed) == (1, 0)
    assert git(other.root, "rev-parse", "main") == git(library.root, "rev-parse", "main")


def test_the_persons_own_commits_and_merges_come_along(
    library: Library, other: Library, caller: Caller
) -> None:
    put(library.root, "code.py", "".join(f"line {number}\n" for number in range(20)))
    put(library.root, "gone.py", "old\n")
    commit(library.root)
    synced(library)
    synced(other)
    shelved(library, caller, ONE)
    put(library.root, "code.py", (library.root / "code.py").read_text().replace("line 1\n", "one\n"))
    commit(library.root)
    synced(library)
    put(other.root, "code.py", (other.root / "code.py").read_text().replace("line 18\n", "eighteen\n"))
    put(other.root, "tool.sh", "#!/bin/sh\n").chmod(0o755)
    (other.root / "link").symlink_to("code.py")
    (other.root / "gone.py").unlink()
    commit(other.root)
    git(other.root, "checkout", "--quiet", "-b", "feature", "main~1")
    commit(put(other.root, "feature.py", "feature\n").parent)
    git(other.root, "checkout", "--quiet", "main")
    git(other.root, "merge", "--quiet", "--no-ff", "--message", "Merge the feature", "feature")
    git(other.root, "commit", "--quiet", "--allow-empty", "--message", "A mark")

    assert synced(other).pushed == 3
    assert git(other.root, "log", "--format=%s", "-3").split("\n") == [
        "A mark",
        "Merge the feature",
        "by hand",
    ]
    text = (other.root / "code.py").read_text()
    assert "one\n" in text
    assert "eighteen\n" in text
    listing = git(other.root, "ls-tree", "main", "code.py", "tool.sh", "link", "feature.py", "gone.py")
    assert re.findall(r"^(\d+)", listing, re.MULTILINE) == ["100644", "100644", "120000", "100755"]
    assert is_whole(other)
    synced(library)
    assert tree(library) == tree(other)
    assert is_whole(library)


@pytest.mark.parametrize("kind", ["text", "binary", "removed"])
def test_what_a_person_must_decide_stops_it_before_anything_moves(
    library: Library, other: Library, kind: str
) -> None:
    put(library.root, "code.py", "one\n")
    commit(library.root)
    synced(library)
    synced(other)
    put(library.root, "code.py", b"\0two\n" if kind == "binary" else "two\n")
    commit(library.root)
    synced(library)
    if kind == "removed":
        (other.root / "code.py").unlink()
    else:
        put(other.root, "code.py", "three\n")
    commit(other.root)
    before = of(other)
    with pytest.raises(
        Refused, match=r"code\.py: was changed on both sides\nnothing was moved: `git pull"
    ) as no:
        synced(other)
    assert "memshelf resolve" in str(no.value)
    assert of(other) == before
    assert Path(other.common / "memshelf").exists()
    assert {path.name for path in (other.common / "memshelf").iterdir()} == {"lock"}


def test_a_changed_file_in_the_way_is_named_and_others_stay_as_they_are(
    library: Library, other: Library, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    put(other.root, "mine.txt", "mine\n")
    put(other.root, "shelves/shared/INDEX.md", "edited\n")
    with pytest.raises(MemShelfError, match=r"INDEX\.md is derived and has changes of its own"):
        synced(other)
    git(other.root, "restore", ".")
    put(other.root, "shelves/shared/POLICY.md", "edited\n")
    assert synced(other).pulled == 1
    assert git(other.root, "status", "--porcelain").split("\n") == [
        " M shelves/shared/POLICY.md",
        "?? mine.txt",
    ]


def test_offline_is_no_error_and_what_waits_is_counted(
    library: Library, host: Host, caller: Caller, run: Callable[..., Ran]
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    shelved(library, caller, TWO)
    host.there.rename(host.there.with_name("away.git"))
    done = run("sync", "--library", library.root)
    assert done.code == 0
    assert done.out.startswith("origin/main is out of reach, 1 commit waits here: git ls-remote: '")
    assert len(done.out.splitlines()) == 1
    host.there.with_name("away.git").rename(host.there)
    said = json.loads(run("sync", "--library", library.root, "--json").out)
    assert said == {
        "remote": "origin/main",
        "pulled": 0,
        "pushed": 1,
        "settled": [],
        "waiting": 0,
        "offline": "",
        "remarks": [],
    }


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ssh: Could not resolve hostname host.invalid: Name or service not known", 0),
        ("ssh: connect to host host.invalid port 22: Connection refused", 0),
        ("git@host.invalid: Permission denied (publickey).", 1),
        ("ERROR: Repository not found.", 1),
    ],
)
def test_it_tells_offline_from_credentials_that_were_refused(
    library: Library,
    tmp_path: Path,
    run: Callable[..., Ran],
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    expected: int,
) -> None:
    script = put(tmp_path, "ssh", f"#!/bin/sh\necho '{words}' >&2\nexit 255\n")
    script.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(script))
    git(library.root, "remote", "add", "origin", "ssh://git@host.invalid/memory.git")
    done = run("sync", "--library", library.root)
    said = done.err if expected else done.out
    assert done.code == expected
    assert len(said.splitlines()) == 1
    assert words.split(":")[-1].strip(" .") in said
    if expected:
        assert said.startswith("memshelf: origin refused your credentials, nothing was changed there: ")
        assert "`git ls-remote origin` must work first" in said


def test_no_message_repeats_who_logs_in_and_how(
    library: Library, tmp_path: Path, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://me:wo" + "rd@127.0.0.1:1/memory.git"
    git(library.root, "remote", "add", "origin", url)
    done = run("sync", "--library", library.root)
    assert done.code == 0
    assert done.out.startswith("origin/main is out of reach")
    script = put(tmp_path, "ssh", f"#!/bin/sh\necho 'fatal: {url} is odd' >&2\nexit 255\n")
    script.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(script))
    git(library.root, "remote", "set-url", "origin", "ssh://host.invalid/memory.git")
    odd = run("sync", "--library", library.root)
    assert odd.code == 1
    assert (
        odd.err == "memshelf: git ls-remote: https://127.0.0.1:1/memory.git is odd: mend it, then try again\n"
    )
    assert "rd@" not in done.out
    assert "me:" not in done.out


def test_a_protected_branch_is_told_with_the_hosts_words_and_a_way_out(
    library: Library, host: Host, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    host.hook("pre-receive", "echo 'GH006: Protected branch update failed' >&2; exit 1")
    with pytest.raises(MemShelfError) as refusal:
        synced(library)
    said = str(refusal.value)
    assert "\n" not in said
    assert said.startswith("origin refused the push, your commits stay here: git push: ")
    assert "GH006: Protected branch update failed" in said
    assert "`git push origin main:NAME` and a pull request" in said
    assert git(library.root, "log", "-1", "--format=%s") == f"shelve: {ONE}"


def test_a_push_that_was_overtaken_is_tried_again_and_never_forced(
    library: Library, other: Library, host: Host, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    shelved(other, caller, TWO)
    script = (
        f"unset $(git rev-parse --local-env-vars); cd {other.root}; test -e once || git push -q; touch once"
    )
    put(library.common, "hooks/pre-push", f"#!/bin/sh\n{script}\n").chmod(0o755)
    done = synced(library)
    assert (done.pulled, done.pushed) == (1, 1)
    assert host.ids() == [ONE, TWO]
    assert only_forward(host)


def only_forward(host: Host) -> bool:
    """Tell whether the host's branch never lost a commit."""
    tips = git(host.there, "log", "-g", "--format=%H", "main").split("\n")
    pairs = zip(tips[1:], tips, strict=False)
    return all(git(host.there, "merge-base", old, new) == old for old, new in pairs)


def test_syncs_of_one_clone_at_the_same_time_take_turns(
    library: Library, other: Library, host: Host, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    shelved(other, caller, TWO)
    command = [sys.executable, "-m", "memshelf", "sync", "--library", str(other.root)]
    done = at_once(command, command, command)
    assert [code for code, _ in done] == [0, 0, 0], done
    assert host.ids() == [ONE, TWO]
    assert is_whole(other)


def test_a_crowd_of_clones_loses_nothing_and_agrees_at_the_end(host: Host, tmp_path: Path) -> None:
    clones = [host.clone(f"clone-{number}") for number in range(CROWD)]
    program = Path(__file__).parent.parent / "store" / "syncer.py"
    done = at_once(
        *(
            [sys.executable, str(program), str(one.root), str(tmp_path), str(number), str(WRITES)]
            for number, one in enumerate(clones)
        )
    )
    assert done == [(0, "")] * CROWD
    for one in clones:
        synced(one)
    assert len(host.ids()) == CROWD * WRITES
    assert len({git(one.root, "rev-parse", "main") for one in clones}) == 1
    assert only_forward(host)
    assert is_whole(clones[0])
    assert not refs(clones[0].root)


def test_published_drafts_are_no_branches_of_a_clone(
    library: Library, other: Library, caller: Caller
) -> None:
    before = refs(other.root, "refs/remotes")
    write(library, request(id=ONE), caller)
    publish(library, ONE)
    synced(other)
    assert list(refs(other.root, "refs/memshelf/origin/draft")) == [f"shared/{ONE}"]
    assert refs(other.root, "refs/remotes") == before
    assert git(other.root, "branch", "--list") == "* main"


@pytest.mark.parametrize("options", [["--single-branch"], ["--depth", "1"]], ids=["single", "shallow"])
def test_a_clone_that_has_little_syncs_as_any_other(
    library: Library, host: Host, caller: Caller, options: list[str]
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    clone = host.clone("little", *options, url=f"file://{host.there}")
    shelved(library, caller, TWO)
    synced(library)
    write(library, request(id="2026-07-04-published"), caller)
    publish(library, "2026-07-04-published")
    shelved(clone, caller, THREE)
    config = (clone.common / "config").read_bytes()
    done = synced(clone)
    assert (done.pulled, done.pushed) == (1, 1)
    assert host.ids() == [ONE, TWO, THREE]
    assert list(refs(clone.root, "refs/memshelf/origin/draft")) == ["shared/2026-07-04-published"]
    assert (clone.common / "config").read_bytes() == config
    assert is_whole(clone)


def test_a_shallow_clone_brings_the_history_that_it_needs(
    library: Library, host: Host, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    clone = host.clone("little", "--depth", "1", url=f"file://{host.there}")
    shelved(clone, caller, TWO)
    git(clone.root, "fetch", "--quiet", "--depth", "1", "origin", "main")
    shelved(library, caller, THREE)
    synced(library)
    git(clone.root, "fetch", "--quiet", "--depth", "1", "origin", "main")
    done = synced(clone)
    assert done.pushed == 1
    assert host.ids() == [ONE, TWO, THREE]


def test_the_branch_may_have_another_name_on_the_remote(library: Library, host: Host, caller: Caller) -> None:
    put(library.root, "memshelf.yml", "review: branch\n")
    commit(library.root)
    git(library.root, "push", "--quiet", "origin", "main:trunk")
    git(host.there, "symbolic-ref", "HEAD", "refs/heads/trunk")
    git(host.there, "branch", "--delete", "--force", "main")
    clone = host.clone("other")
    assert clone.branch == "refs/heads/trunk"
    git(library.root, "fetch", "--quiet", "origin")
    git(library.root, "branch", "--quiet", "--set-upstream-to=origin/trunk", "main")
    shelved(library, caller, ONE)
    assert synced(library).as_text() == "pulled 0, pushed 1, settled 0"
    shelved(clone, caller, TWO)
    assert synced(clone).pushed == 1
    assert synced(library).pulled == 1
    assert git(host.there, "for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/trunk"
    assert tree(library) == tree(clone)


def test_a_clone_without_the_librarys_branch_gets_it(library: Library, host: Host, caller: Caller) -> None:
    git(host.there, "branch", "develop", "main")
    git(host.there, "symbolic-ref", "HEAD", "refs/heads/develop")
    shelved(library, caller, ONE)
    synced(library)
    clone = host.clone("other")
    before = of_checkout(clone)
    assert (clone.branch, synced(clone).pulled) == ("refs/heads/main", 2)
    assert tree(clone, "main") == tree(library)
    assert of_checkout(clone) == before


def of_checkout(library: Library) -> tuple[str, object]:
    """Return what a person sees in the checkout."""
    return git(library.root, "status", "--porcelain", "--branch"), checkout(library.root)["files"]


def test_a_library_inside_a_repository_of_code_syncs_with_it(caller: Caller, tmp_path: Path) -> None:
    (tmp_path / "code" / "memory").mkdir(parents=True)
    git(tmp_path / "code", "init", "--quiet")
    commit(put(tmp_path / "code", "shelves/shared/INDEX.md", "not ours\n").parent)
    init(tmp_path / "code" / "memory", today=TODAY)
    git(tmp_path, "clone", "--quiet", "--bare", "code", "there.git")
    git(tmp_path / "code", "remote", "add", "origin", str(tmp_path / "there.git"))
    git(tmp_path, "clone", "--quiet", "there.git", "other")
    library, other = (open_library(tmp_path / name / "memory") for name in ("code", "other"))
    shelved(library, caller, ONE)
    put(tmp_path / "code", "shelves/shared/INDEX.md", "not ours, changed\n")
    commit(tmp_path / "code")
    synced(library)
    shelved(other, caller, TWO)
    write(other, request(id=THREE), caller)
    assert (synced(other).pushed, synced(library).pulled) == (1, 1)
    assert tree(library) == tree(other)
    assert is_whole(library)
    text = (tmp_path / "code" / "shelves/shared/INDEX.md").read_text(encoding="utf-8")
    assert text == "not ours, changed\n"
    assert f"{TWO}.md" in (library.root / "shelves/shared/INDEX.md").read_text(encoding="utf-8")


def test_a_library_that_was_never_pushed_is_pushed_and_one_of_another_origin_is_refused(
    library: Library, tmp_path: Path
) -> None:
    with pytest.raises(MemShelfError, match="no remote: `git remote add origin URL` names one"):
        synced(library)
    git(tmp_path, "init", "--quiet", "--bare", "there.git")
    git(library.root, "remote", "add", "origin", str(tmp_path / "there.git"))
    assert synced(library).pushed == 1
    stranger = tmp_path / "stranger"
    init(stranger, today="2026-07-09")
    put(stranger, "other.txt", "other\n")
    commit(stranger)
    git(stranger, "commit", "--quiet", "--amend", "--message", "another beginning")
    git(stranger, "checkout", "--quiet", "--orphan", "lone")
    git(stranger, "commit", "--quiet", "--message", "alone")
    git(stranger, "branch", "--quiet", "--move", "--force", "lone", "main")
    git(stranger, "remote", "add", "origin", str(tmp_path / "there.git"))
    with pytest.raises(MemShelfError, match="no commit in common: it is another library"):
        synced(open_library(stranger))


def test_an_empty_clone_gets_everything(library: Library, host: Host, caller: Caller, tmp_path: Path) -> None:
    shelved(library, caller, ONE)
    synced(library)
    git(tmp_path, "init", "--quiet", "empty")
    git(tmp_path / "empty", "remote", "add", "origin", str(host.there))
    clone = open_library(tmp_path / "empty")
    assert synced(clone).pulled == 2
    assert tree(clone) == tree(library)
    assert is_whole(clone)


@pytest.mark.parametrize("ahead", [False, True], ids=["rewound", "rewritten"])
def test_what_the_remote_has_dropped_is_not_put_back_unasked(
    library: Library, other: Library, host: Host, caller: Caller, *, ahead: bool
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    synced(other)
    shelved(other, caller, TWO)
    git(library.root, "reset", "--quiet", "--hard", "main~1")
    if ahead:
        shelved(library, caller, THREE)
    git(host.there, "config", "receive.denyNonFastForwards", "false")
    git(library.root, "push", "--quiet", "--force", "origin", "main")
    before = of(other)
    for _ in range(2):
        with pytest.raises(
            MemShelfError,
            match=r"was rewritten, nothing was moved, commits that it has dropped: 1: `git pull",
        ):
            synced(other)
    assert of(other) == before
    git(other.root, "merge", "--quiet", "--strategy", "ours", "origin/main")
    git(other.root, "push", "--quiet", "origin", "HEAD:main")
    assert synced(other).pushed == 0
    assert host.ids() == [ONE, TWO]


def test_replayed_commits_are_signed_where_the_person_signs(
    library: Library, other: Library, caller: Caller
) -> None:
    script = r"""cat > /dev/null; printf '\n[GNUPG:] SIG_CREATED \n' >&2; echo signed-by-a-person"""
    signer = put(other.common, "signer", f"#!/bin/sh\n{script}\n")
    signer.chmod(0o755)
    git(other.root, "config", "commit.gpgsign", "true")
    git(other.root, "config", "gpg.program", str(signer))
    shelved(library, caller, ONE)
    synced(library)
    shelved(other, caller, TWO)
    git(other.root, "config", "gpg.program", "false")
    before = of(other)
    with pytest.raises(MemShelfError, match=r"mend the signer that commit\.gpgsign asks for"):
        synced(other)
    assert of(other) == before
    git(other.root, "config", "gpg.program", str(signer))
    assert synced(other).pushed == 1
    assert git(other.root, "cat-file", "commit", "main").count("signed-by-a-person") == 1


def test_line_ends_that_git_changes_on_checkout_are_no_changes(
    library: Library, host: Host, caller: Caller
) -> None:
    clone = host.clone("windows", "--config", "core.autocrlf=true")
    shelved(library, caller, ONE)
    put(library.root, "code.py", "one\ntwo\n")
    commit(library.root)
    synced(library)
    shelved(clone, caller, TWO)
    put(clone.root, "more.py", "three\r\n")
    commit(clone.root)
    done = synced(clone)
    assert (done.pulled, done.pushed) == (2, 2)
    assert (clone.root / "code.py").read_bytes() == b"one\r\ntwo\r\n"
    assert is_whole(clone)
    synced(library)
    assert b"\r" not in library.git.run("cat-file", "blob", "main:more.py")
    assert is_whole(library)


def test_other_checkouts_of_the_branch_follow(
    library: Library, other: Library, caller: Caller, tmp_path: Path
) -> None:
    git(other.root, "checkout", "--quiet", "-b", "elsewhere")
    git(other.root, "worktree", "add", "--quiet", str(tmp_path / "linked"), "main")
    shelved(library, caller, ONE)
    synced(library)
    before = checkout(other.root)["files"]
    assert synced(other).pulled == 1
    assert (tmp_path / "linked" / TOPICS / f"{ONE}.md").exists()
    assert git(tmp_path / "linked", "status", "--porcelain") == ""
    assert checkout(other.root)["files"] == before
