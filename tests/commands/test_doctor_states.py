"""Doctor over whole libraries: healthy in every state it is silent, sick it says just what was planted."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from store.traces import checkout, commit, put, shelve_by_hand
from support import FINE, fine, git, request

from memshelf.commands.accept import accept
from memshelf.commands.doctor import doctor
from memshelf.commands.render import render
from memshelf.commands.write import write
from memshelf.formats import episode as episode_format
from memshelf.rules.ground import MEND
from memshelf.rules.proposals import LONGEST_WAIT, MANY_REJECTED
from memshelf.store.state import folder_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

NOW = "2026-07-11"
TOPICS = "shelves/shared/docs/topics"
PATH = f"{TOPICS}/{FINE.id}.md"
INDEX = "shelves/shared/INDEX.md"
DERIVED = [INDEX, "shelves/shared/ledger.tsv", "shelves/shared/stats.svg"]
NEXT = "2026-07-11-auth-keys"
DRAFT = f"refs/memshelf/draft/shared/{NEXT}"
LOCK = f"{DRAFT}.lock"
EPOCH = date(1970, 1, 1)
CONFLICT = "<<<<<<< HEAD\nNo names.\n=======\nNo numbers.\n>>>>>>> other\n"


@pytest.fixture
def kept(library: Library, caller: Caller) -> Library:
    """Return a library with FINE accepted."""
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    return library


def told(root: Path, today: str = NOW) -> list[tuple[str, str]]:
    """Return (rule, path) of every finding; nothing may be unknown."""
    said = doctor(root, today)
    assert said.unknown == ()
    return [(found.rule, found.path) for found in said.findings]


def drafted(library: Library, caller: Caller) -> None:
    write(library, request(id=NEXT, title="Auth keys"), caller._replace(today=NOW))


def as_it_is(library: Library, _: Path) -> Path:
    return library.root


def detached(library: Library, _: Path) -> Path:
    git(library.root, "checkout", "--quiet", "--detach")
    return library.root


def shallow(library: Library, folder: Path) -> Path:
    git(folder, "clone", "--quiet", "--depth=1", f"file://{library.root}", "shallow")
    return folder / "shallow"


def cloned_from_a_bare_one(library: Library, folder: Path) -> Path:
    git(folder, "clone", "--quiet", "--bare", str(library.root), "bare.git")
    git(folder, "clone", "--quiet", "bare.git", "clone")
    return folder / "clone"


def nested(library: Library, folder: Path) -> Path:
    code = folder / "code"
    shutil.copytree(library.root, code / "memory", ignore=shutil.ignore_patterns(".git"))
    put(code, "uv.lock", "a lock that is meant to be kept\n")
    put(code, "tests/state.sqlite", "the code's own\n")
    git(folder, "init", "--quiet", "code")
    commit(code)
    return code / "memory"


def linked(library: Library, folder: Path) -> Path:
    git(library.root, "worktree", "add", "--quiet", "-b", "side", str(folder / "linked"))
    return folder / "linked"


def sparse(library: Library, _: Path) -> Path:
    git(library.root, "sparse-checkout", "set", "shelves/homelab")
    return library.root


def with_other_line_ends(library: Library, folder: Path) -> Path:
    git(folder, "clone", "--quiet", "--config", "core.autocrlf=true", str(library.root), "windows")
    return folder / "windows"


def by_sha256(library: Library, folder: Path) -> Path:
    shutil.copytree(library.root, folder / "new", ignore=shutil.ignore_patterns(".git"))
    git(folder, "init", "--quiet", "--object-format=sha256", "new")
    commit(folder / "new")
    return folder / "new"


STATES = (
    *(as_it_is, detached, shallow, cloned_from_a_bare_one, nested, linked, sparse),
    *(with_other_line_ends, by_sha256),
)


@pytest.mark.parametrize("state", STATES)
def test_a_healthy_library_is_silent_in_every_state(
    kept: Library, caller: Caller, tmp_path: Path, run: Callable[..., Ran], state: Callable[..., Path]
) -> None:
    drafted(kept, caller)
    root = state(kept, tmp_path)
    said = doctor(root, NOW)
    assert (said.as_text(), said.ok) == ("", True)
    before = checkout(root)
    done = run("doctor", "--fix", "--library", root)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert checkout(root) == before


def test_an_adopted_shelf_has_nothing_worse_than_warnings(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent.parent / "adopted/shelf", tmp_path / "adopted")
    put(tmp_path / "adopted", "uv.lock", "a lock that is meant to be kept\n")
    git(tmp_path, "init", "--quiet", "adopted")
    commit(tmp_path / "adopted")
    said = doctor(tmp_path / "adopted", NOW)
    assert said.ok
    assert {group["group"] for group in said.as_dict()["findings"]} <= {"episodes"}
    assert doctor(tmp_path / "adopted", NOW, fix=True) == said


def age(path: Path, seconds: int) -> None:
    moment = path.stat().st_mtime - seconds
    os.utime(path, (moment, moment))


def plant_tracked_state(library: Library, _: Caller) -> list[tuple[str, str]]:
    put(library.root, "shelves/shared/catalogue.sqlite-wal", "state\n")
    put(library.root, "shelves/homelab/.DS_Store", "state\n")
    commit(library.root)
    names = ("homelab/.DS_Store", "shared/catalogue.sqlite-wal")
    return [("state-tracked", f"shelves/{name}") for name in names]


def plant_conflict(library: Library, _: Caller) -> list[tuple[str, str]]:
    policy = library.root / "shelves/shared/POLICY.md"
    put(library.root, "shelves/homelab/POLICY.md", f"So it looks:\n\n```\n{CONFLICT}```\n")
    policy.write_text(policy.read_text(encoding="utf-8") + CONFLICT, encoding="utf-8")
    put(library.root, DERIVED[1], CONFLICT)
    commit(library.root)
    return [("conflict-left", "shelves/shared/POLICY.md"), ("conflict-left", DERIVED[1])]


def plant_conflict_in_an_episode(library: Library, _: Caller) -> list[tuple[str, str]]:
    shelve_by_hand(library.root, fine(decisions=f"Signed tokens.\n\n{CONFLICT}"))
    render(library, NOW)
    commit(library.root)
    return [("conflict-left", PATH)]


def plant_circle(library: Library, _: Caller) -> list[tuple[str, str]]:
    shelve_by_hand(library.root, FINE._replace(supersedes=(NEXT,)))
    shelve_by_hand(library.root, fine(id=NEXT, date=NOW, supersedes=(FINE.id,)))
    render(library, NOW)
    commit(library.root)
    return [("supersedes-circular", PATH)]


def plant_idle_settings(library: Library, _: Caller) -> list[tuple[str, str]]:
    shelves = "shelves:\n  shared:\n    projects: [site, blog.git]\n    rules_off: {digest-too-longg: slip}\n"
    put(
        library.root,
        "memshelf.yml",
        f"branch: main\n{shelves}  homelab:\n    projects: [blog]\n  lost: {{}}\n",
    )
    commit(library.root)
    return [("setting-without-effect", "memshelf.yml")] * 3


def forget_the_person() -> None:
    put(Path.home(), ".gitconfig", "[user]\n\tuseConfigOnly = true\n")


def plant_no_person(library: Library, caller: Caller) -> list[tuple[str, str]]:
    drafted(library, caller)
    forget_the_person()
    return [("person-unknown", "")]


def plant_outdated_drafts(library: Library, caller: Caller) -> list[tuple[str, str]]:
    rev = git(library.root, "rev-parse", f"main:{PATH}")[:12]
    write(library, request(amend=True, rev=rev, decisions="The auth service signs."), caller)
    drafted(library, caller)
    shelve_by_hand(library.root, fine(decisions="The auth team signs tokens; no server sessions."))
    shelve_by_hand(library.root, fine(id=NEXT, date=NOW))
    render(library, NOW)
    commit(library.root)
    return [("draft-outdated", f"{DRAFT.rpartition('/')[0]}/{FINE.id}"), ("draft-outdated", DRAFT)]


def plant_rejected(library: Library, caller: Caller) -> list[tuple[str, str]]:
    drafted(library, caller)
    text = git(library.root, "cat-file", "blob", f"{DRAFT}:{NEXT}.md") + "\n"
    git(library.root, "update-ref", "-d", DRAFT)
    names = [f"{NEXT}-{number}" for number in range(MANY_REJECTED + 1)]
    made = [
        put(library.root.parent, f"rejected/{name}.md", text.replace(f"id: {NEXT}\n", f"id: {name}\n"))
        for name in names
    ]
    blobs = git(library.root, "hash-object", "-w", *map(str, made)).split()
    lines = (f"100644 blob {blob}\t{name}.md\n" for name, blob in zip(names, blobs, strict=True))
    tree = library.git.line("mktree", data="".join(lines).encode())
    rejected = library.git.line("commit-tree", tree, data=b"reject\n")
    for name in names:
        put(library.root, f".git/refs/memshelf/rejected/shared/{name}", f"{rejected}\n")
    return [("rejected-piled-up", "")]


def plant_index_lock(library: Library, _: Caller) -> list[tuple[str, str]]:
    age(put(library.root, ".git/index.lock", ""), 4000)
    return [("lock-left", "index.lock")]


PLANTED = (
    *(plant_tracked_state, plant_conflict, plant_conflict_in_an_episode, plant_circle, plant_idle_settings),
    *(plant_no_person, plant_outdated_drafts, plant_rejected, plant_index_lock),
)


@pytest.mark.parametrize("plant", PLANTED)
def test_a_planted_fault_is_told_and_nothing_else(
    kept: Library, caller: Caller, plant: Callable[..., list[tuple[str, str]]]
) -> None:
    expected = plant(kept, caller)
    assert sorted(told(kept.root)) == sorted(expected)
    before = checkout(kept.root)
    assert doctor(kept.root, NOW, fix=True).mended == ()
    assert checkout(kept.root) == before


def test_a_lost_branch_is_told_with_the_command_that_brings_it(kept: Library, tmp_path: Path) -> None:
    root = cloned_from_a_bare_one(kept, tmp_path)
    git(root, "checkout", "--quiet", "-b", "side")
    git(root, "branch", "--quiet", "-D", "main")
    said = doctor(root, NOW)
    [found] = [one for one in said.findings if one.rule == "branch-missing"]
    assert said.verdicts["id-repeated"] == "unknown"
    followed(found.fix)
    assert told(root) == []


def followed(fix: str) -> None:
    """Run the command of a finding, from a folder that has nothing to do with the library."""
    done = subprocess.run(shlex.split(fix), cwd="/", capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_the_command_of_a_finding_runs_from_anywhere(kept: Library, caller: Caller) -> None:
    plant_tracked_state(kept, caller)
    for found in doctor(kept.root, NOW).findings:
        followed(found.fix)
    git(kept.root, "commit", "--quiet", "--message", "out of git")
    assert told(kept.root) == []
    assert (kept.root / "shelves/homelab/.DS_Store").exists()


def test_a_draft_that_waits_longer_than_a_week_is_told(kept: Library, caller: Caller) -> None:
    drafted(kept, caller)
    made = int(git(kept.root, "log", "-1", "--format=%ct", DRAFT)) // 86400
    days = [f"{EPOCH + timedelta(days=made + wait)}" for wait in (LONGEST_WAIT, LONGEST_WAIT + 1)]
    assert told(kept.root, days[0]) == []
    [found] = doctor(kept.root, days[1]).findings
    assert (found.rule, found.path) == ("draft-waiting", DRAFT)
    assert found.fix == f"memshelf review --library {kept.root}"


def test_fix_renders_and_commits_what_is_out_of_date_and_only_that(
    kept: Library, cli: Callable[..., Ran]
) -> None:
    shelve_by_hand(kept.root, fine(id=NEXT, date=NOW))
    put(kept.root, "mine.txt", "staged\n")
    git(kept.root, "add", "mine.txt")
    put(kept.root, "shelves/homelab/POLICY.md", "edited\n")
    found = doctor(kept.root, NOW).findings
    assert [(one.rule, one.path) for one in found] == [("derived-out-of-date", path) for path in DERIVED]
    assert {one.fix for one in found} == {f"{MEND} --library {kept.root}"}
    tip = git(kept.root, "rev-parse", "HEAD")
    done = cli("doctor", "--fix", "--library", kept.root, CLAUDECODE="1")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"mended\n  {INDEX}: rendered, commit ")
    assert git(kept.root, "diff", "--name-only", tip, "HEAD").split() == DERIVED
    status = git(kept.root, "status", "--porcelain").split("\n")
    assert sorted(status) == [" M shelves/homelab/POLICY.md", "A  mine.txt"]
    again = cli("doctor", "--fix", "--library", kept.root)
    assert (again.code, again.out) == (0, "")


def test_fix_writes_what_is_out_of_date_beside_an_episode_that_is_not_committed(kept: Library) -> None:
    put(kept.root, f"{TOPICS}/{NEXT}.md", episode_format.render(fine(id=NEXT, date=NOW)))
    tip = git(kept.root, "rev-parse", "HEAD")
    said = doctor(kept.root, NOW, fix=True)
    assert [line.partition(": ")[0] for line in said.mended] == DERIVED
    assert [found.rule for found in said.findings] == ["episode-not-committed"]
    assert git(kept.root, "rev-parse", "HEAD") == tip
    assert doctor(kept.root, NOW, fix=True).mended == ()


def test_fix_puts_back_a_derived_file_that_was_deleted(kept: Library) -> None:
    (kept.root / INDEX).unlink()
    assert doctor(kept.root, NOW, fix=True).mended == (f"{INDEX}: rendered: look at it, then commit it",)
    assert told(kept.root) == []
    assert git(kept.root, "status", "--porcelain") == ""


def test_fix_leaves_what_somebody_wrote_or_rendered(kept: Library) -> None:
    put(kept.root, INDEX, "Mind the gap.\n")
    assert doctor(kept.root, NOW, fix=True).mended == ()
    assert (kept.root / INDEX).read_text(encoding="utf-8") == "Mind the gap.\n"
    shelve_by_hand(kept.root, fine(id=NEXT, date=NOW))
    render(kept, NOW)
    said = doctor(kept.root, NOW, fix=True)
    assert said.mended == ()
    assert {found.message.partition(": ")[2] for found in said.findings} == {"commit that"}


def test_fix_says_why_it_did_not(kept: Library) -> None:
    forget_the_person()
    git(
        kept.root,
        "-c",
        "user.name=P",
        "-c",
        "user.email=p@example.com",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )
    file = put(kept.root, f"{TOPICS}/{NEXT}.md", episode_format.render(fine(id=NEXT, date=NOW)))
    git(kept.root, "add", str(file))
    git(kept.root, "-c", "user.name=P", "-c", "user.email=p@example.com", "commit", "-q", "-m", "x")
    said = doctor(kept.root, NOW, fix=True)
    assert "not rendered: git does not know who you are" in said.mended[0]
    assert git(kept.root, "log", "--format=%s", "-1") == "x"


def test_fix_removes_the_lock_of_a_draft_that_a_killed_git_left(kept: Library) -> None:
    young = put(kept.root, f".git/{LOCK}", "")
    assert told(kept.root) == []
    age(young, 60)
    assert told(kept.root) == [("lock-left", LOCK)]
    assert doctor(kept.root, NOW, fix=True).mended == (f"{LOCK}: removed",)
    assert told(kept.root) == []
    foreign = put(kept.root, f".git/{LOCK}", "somebody else's words\n")
    age(foreign, 60)
    assert doctor(kept.root, NOW, fix=True).mended == ()
    assert foreign.exists()


def test_groups_stand_causes_first_and_the_sum_last(kept: Library, run: Callable[..., Ran]) -> None:
    put(kept.root, PATH, "words\n")
    put(kept.root, "memshelf.yml", "branch: main\nshelves:\n  lost: {}\n")
    done = run("doctor", "--library", kept.root)
    lines = done.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")][:-1] == ["settings", "episodes", "derived"]
    assert lines[-1] == "5 errors, 1 warning; `memshelf doctor --fix` mends 3 of them"
    said = json.loads(run("doctor", "--library", kept.root, "--json").out)
    assert list(said) == ["ok", "verdicts", "findings", "unknown", "mended"]
    assert list(said["findings"][0]) == ["group", "path", "line", "level", "rule", "place", "message", "fix"]


def test_a_file_over_the_limit_is_not_read_and_what_that_hides_is_unknown(kept: Library) -> None:
    text = episode_format.render(fine(decisions="words " * 400_000)).encode()
    put(kept.root, PATH, text)
    commit(kept.root)
    for state in ("same", "gone"):
        if state == "gone":
            (kept.root / PATH).unlink()
        said = doctor(kept.root, NOW)
        where = PATH if state == "same" else f"main:{PATH}"
        assert ("file-too-large", where) in [(found.rule, found.path) for found in said.findings]
        assert [one.path for one in said.unknown] == [where, "shelves/shared/"]
        assert said.verdicts["holds-secret"] == "unknown"


def test_what_was_sound_is_judged_again_when_what_judges_it_changes(kept: Library) -> None:
    assert told(kept.root) == told(kept.root) == []
    put(kept.root, "shelves/shared/POLICY.patterns", "codeword rotation\n")
    assert {rule for rule, _ in told(kept.root)} == {"holds-secret"}
    put(kept.root, "shelves/shared/POLICY.patterns", "codeword lanterns\n")
    assert told(kept.root) == []


def test_what_was_not_sound_is_told_every_time(kept: Library) -> None:
    shelve_by_hand(kept.root, fine(digest="We chose tokens."))
    first = told(kept.root)
    assert "digest-says-we" in [rule for rule, _ in first]
    assert told(kept.root) == first


def test_a_secret_that_was_ever_committed_is_found_when_asked_for(kept: Library) -> None:
    path = "shelves/shared/POLICY.md"
    before = (kept.root / path).read_bytes()
    put(kept.root, path, "The admin's password: garden-Lantern-42\n")
    commit(kept.root)
    guilty = git(kept.root, "rev-parse", "HEAD")
    put(kept.root, path, before)
    commit(kept.root)
    assert told(kept.root) == []
    assert "secret-in-history" not in doctor(kept.root, NOW).verdicts
    for _ in range(2):
        said = doctor(kept.root, NOW, back=True)
        [found] = said.findings
        assert (found.rule, said.verdicts["secret-in-history"]) == ("secret-in-history", "finding")
        commit_of, _, place = found.path.partition(":")
        assert (guilty.startswith(commit_of), place) == (True, path)
        assert "only rewriting history removes it" in found.message
        assert "Lantern" not in str(said.as_dict())


def test_a_merge_that_took_nothing_hides_no_history(kept: Library) -> None:
    git(kept.root, "checkout", "--quiet", "-b", "side")
    put(kept.root, "shelves/shared/notes.txt", "The admin's password: garden-Lantern-42\n")
    commit(kept.root)
    git(kept.root, "checkout", "--quiet", "main")
    git(kept.root, "merge", "--quiet", "--no-edit", "-s", "ours", "side")
    git(kept.root, "branch", "--quiet", "-D", "side")
    git(kept.root, "reflog", "expire", "--expire=now", "--all")
    [found] = doctor(kept.root, NOW, back=True).findings
    assert (found.rule, found.path.partition(":")[2]) == ("secret-in-history", "shelves/shared/notes.txt")


def test_a_rejected_draft_is_looked_at_as_history(kept: Library) -> None:
    blob = kept.git.store(episode_format.render(fine(decisions="The password: garden-Lantern-42")).encode())
    tree = kept.git.line("mktree", data=f"100644 blob {blob}\t{FINE.id}.md\n".encode())
    git(
        kept.root,
        "update-ref",
        f"refs/memshelf/rejected/shared/{FINE.id}",
        kept.git.line("commit-tree", tree),
    )
    found = [one.rule for one in doctor(kept.root, NOW, back=True).findings]
    assert found == ["secret-at-rest", "secret-in-history"]


def test_a_shallow_clone_does_not_know_its_history(kept: Library, tmp_path: Path) -> None:
    git(kept.root, "commit", "--quiet", "--allow-empty", "--message", "another")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{kept.root}", "shallow")
    said = doctor(tmp_path / "shallow", NOW, back=True)
    assert said.verdicts["secret-in-history"] == "unknown"
    assert "git fetch --unshallow" in said.as_text()


def test_what_git_has_lost_is_told_though_the_disk_has_it(kept: Library) -> None:
    blob = git(kept.root, "rev-parse", f"main:{PATH}")
    (kept.common / "objects" / blob[:2] / blob[2:]).unlink()
    found = doctor(kept.root, NOW).findings
    assert [one.path for one in found] == [f"main:{PATH}"]
    assert "git has lost its text" in found[0].message


def test_a_garbled_catalogue_is_no_matter_to_doctor(kept: Library) -> None:
    assert told(kept.root) == []
    folder = folder_of(kept.common)
    assert folder
    [file] = folder.glob("*.sqlite")
    file.write_bytes(b"not a database " * 1000)
    assert told(kept.root) == []
