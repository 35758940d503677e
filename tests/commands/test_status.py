"""Status: one screen in numbers, what waits, what is only here; and the hooks for pre-commit."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hosting import host_of, publish, shelved, synced
from store.traces import checkout, commit, put, shelve_by_hand, stored
from support import FINE, TODAY, fine, git, request

from memshelf.commands.accept import accept
from memshelf.commands.index import index
from memshelf.commands.status import SHOWN, Cost, Status, status
from memshelf.commands.write import write
from memshelf.derived.map import BUDGET
from memshelf.formats import episode as episode_format
from memshelf.requests import Caller, IndexRequest
from memshelf.text import tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.store.library import Library

ROOT = Path(__file__).parent.parent.parent
NEXT = "2026-07-09-auth-keys"
PATH = f"shelves/shared/docs/topics/{FINE.id}.md"


@pytest.fixture
def kept(library: Library, caller: Caller) -> Library:
    """Return a library with FINE accepted."""
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    return library


def seen(library: Library, today: str = TODAY, folder: Path = Path("/"), **variables: str) -> Status:
    """Return the status as a caller in `folder` sees it."""
    return status(library, Caller(client="test", today=today, folder=folder, variables=variables))


def on(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """Let git commit at `moment`."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", moment)


def test_an_empty_library_is_its_facts_and_a_table(library: Library, run: Callable[..., Ran]) -> None:
    done = run("status", "--library", library.root)
    assert done.code == 0
    assert done.out.splitlines() == [
        f"library  {library.root}",
        "branch   main: no remote, this disk has the only copy",
        f"index    36 tokens a session for homelab and shared, 1 % of the budget of {BUDGET:,}",
        "",
        "episodes  drafts  open  shelf",
        "       0       0     0  homelab",
        "       0       0     0  shared",
    ]


def test_it_counts_and_lists_what_waits_oldest_first(
    kept: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, moment in (
        ("young", "2026-07-10T09:00Z"),
        ("old", "2026-07-01T09:00Z"),
        ("mid", "2026-07-09T09:00Z"),
    ):
        on(monkeypatch, moment)
        write(kept, request(id=f"2026-07-10-{name}", title=name.capitalize()), caller)
    write(kept, request(id="2026-07-10-done", shelf="homelab", open_threads="None."), caller)
    accept(kept, ["2026-07-10-done"], caller)
    said = seen(kept)
    assert [(row.shelf, row.episodes, row.drafts, row.open_threads) for row in said.shelves] == [
        ("homelab", 1, 0, 0),
        ("shared", 1, 3, 1),
    ]
    assert [(draft.title, draft.days) for draft in said.drafts] == [("Old", 9), ("Mid", 1), ("Young", 0)]
    lines = said.as_text().splitlines()
    assert "  shared/2026-07-10-old  Old  (9 days)" in lines
    assert "  shared/2026-07-10-mid  Mid  (1 day)" in lines
    assert "  shared/2026-07-10-young  Young  (today)" in lines


@pytest.mark.parametrize(("moment", "days"), [("2026-07-10T01:00+05:00", 0), ("2026-07-09T23:00-03:00", 1)])
def test_the_day_of_a_draft_is_the_day_where_it_was_written(
    kept: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch, moment: str, days: int
) -> None:
    on(monkeypatch, moment)
    write(kept, request(id=NEXT, title="Auth keys"), caller)
    assert [draft.days for draft in seen(kept).drafts] == [days]


def test_the_open_threads_of_what_was_superseded_do_not_count(kept: Library) -> None:
    shelve_by_hand(
        kept.root,
        fine(id="2026-07-11-auth-keys", date="2026-07-11", supersedes=(FINE.id,), open_threads="None."),
    )
    row = seen(kept, "2026-07-11").shelves[1]
    assert (row.shelf, row.episodes, row.open_threads) == ("shared", 2, 0)


def test_a_long_list_is_cut_on_the_screen_and_whole_in_json(
    kept: Library, caller: Caller, run: Callable[..., Ran]
) -> None:
    for number in range(SHOWN + 3):
        write(kept, request(id=f"2026-07-10-number-{number}"), caller)
    lines = run("status", "--library", kept.root).out.splitlines()
    assert "  … and 3 more" in lines
    assert sum("  (today)" in line or " days)" in line for line in lines) == SHOWN
    said = json.loads(run("status", "--library", kept.root, "--json").out)
    assert len(said["drafts"]) == SHOWN + 3
    assert said["shelves"][1] == {"shelf": "shared", "episodes": 1, "drafts": SHOWN + 3, "open_threads": 1}


def test_the_index_costs_what_read_index_answers_here(kept: Library, caller: Caller) -> None:
    for number in range(30):
        shelve_by_hand(kept.root, fine(id=f"2026-07-{number + 1:02}-keys", date=f"2026-07-{number + 1:02}"))
    here = caller._replace(variables={"MEMSHELF_SHELF": "shared"})
    for who, shelves in ((caller, ("homelab", "shared")), (here, ("shared",))):
        answer = index(kept, IndexRequest(), who).as_text()
        cost = status(kept, who).index
        assert cost == Cost(shelves, tokens(answer), BUDGET)
        assert f"{round(100 * tokens(answer) / BUDGET)} % of the budget of" in status(kept, who).as_text()


def test_a_folder_bound_to_no_shelf_has_no_cost_and_is_told_why(kept: Library) -> None:
    said = seen(kept, MEMSHELF_SHELF="nowhere")
    assert said.index is None
    assert [fault for fault in said.faults if fault.startswith("the index: no such shelf")]
    assert "tokens a session" not in said.as_text()


def test_it_tells_what_is_not_committed_and_what_is_out_of_date(
    kept: Library, run: Callable[..., Ran]
) -> None:
    put(kept.root, PATH, "words\n")
    put(kept.root, f"shelves/shared/docs/topics/{NEXT}.md", episode_format.render(fine(id=NEXT)))
    put(kept.root, "notes.md", "Not an episode.\n")
    before = checkout(kept.root), stored(kept.root)
    said = seen(kept)
    assert said.uncommitted == (f"shelves/shared/docs/topics/{NEXT}.md", PATH)
    assert said.stale == tuple(f"shelves/shared/{name}" for name in ("INDEX.md", "ledger.tsv", "stats.svg"))
    assert "episodes that are not committed: `memshelf doctor`" in said.as_text()
    assert run("status", "--library", kept.root).code == 0
    assert (checkout(kept.root), stored(kept.root)) == before


def test_it_tells_what_a_remote_lacks_without_asking_it(kept: Library, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "there.git")
    git(kept.root, "remote", "add", "origin", str(tmp_path / "there.git"))
    assert "branch   main: never pushed to origin\n" in seen(kept).as_text()
    git(kept.root, "push", "--quiet", "origin", "main")
    (tmp_path / "there.git").rename(tmp_path / "gone.git")
    assert "branch   main: all of it pushed to origin\n" in seen(kept).as_text()
    shelve_by_hand(kept.root, fine(id=NEXT, date="2026-07-09"))
    said = seen(kept)
    assert said.remote
    assert said.remote[:3] == ("origin", 1, 0)
    assert "branch   main: 1 commit not pushed to origin: `memshelf sync`\n" in said.as_text()


def test_it_tells_what_the_last_sync_saw_on_the_remote(
    kept: Library, caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = host_of(kept, tmp_path).clone("other")
    on(monkeypatch, "2026-07-08T09:00Z")
    shelved(kept, caller, NEXT)
    synced(kept)
    write(kept, request(id="2026-07-10-proposed"), caller)
    publish(kept, "2026-07-10-proposed")
    synced(other)
    shelved(kept, caller, "2026-07-10-third")
    synced(kept)
    git(other.root, "fetch", "--quiet")
    said = seen(other)
    assert said.remote == ("origin", 0, 1, "", 1)
    assert "branch   main: 1 commit of origin not pulled: `memshelf sync`\n" in said.as_text()
    assert "remote   last push unknown, 1 draft published there as of the last sync\n" in said.as_text()
    assert "remote   last push 2026-07-08, 1 draft published" in seen(kept).as_text()
    assert said.as_dict()["remote"] == {
        "name": "origin",
        "unpushed": 0,
        "unpulled": 1,
        "pushed": "",
        "published": 1,
    }


def test_what_cannot_be_read_is_told_and_hides_nothing_else(kept: Library, caller: Caller) -> None:
    write(kept, request(id=NEXT, title="Auth keys"), caller)
    git(kept.root, "update-ref", "refs/memshelf/draft/nowhere/2026-07-01-x", "main")
    put(kept.root, "shelves/homelab/POLICY.patterns", "name [\n")
    put(kept.root, PATH, "words\n")
    commit(kept.root)
    said = seen(kept)
    assert [draft.id for draft in said.drafts] == [NEXT]
    assert [fault.partition(": ")[0] for fault in said.faults] == [
        PATH,
        "nowhere/2026-07-01-x",
        "the work tree",
    ]
    assert "could not be read\n" in said.as_text()


def hooks() -> dict[str, dict[str, object]]:
    listed = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return {hook["id"]: hook for hook in listed}


def test_the_pre_commit_hooks_hold_back_a_bad_episode_a_stale_index_and_a_secret(
    kept: Library, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kept.root)
    check, render, doctor = (hooks()[f"memshelf-{verb}"] for verb in ("check", "render", "doctor"))
    assert check["types"] == ["markdown"]
    assert re.search(str(check["files"]), PATH)
    assert not re.search(str(check["files"]), "README.md")
    assert render["pass_filenames"] is doctor["pass_filenames"] is False

    def outcome(hook: dict[str, object], *files: str) -> int:
        program, *words = shlex.split(str(hook["entry"]))
        assert program == "memshelf"
        return run(*words, *files).code

    assert (outcome(check, PATH), outcome(render), outcome(doctor)) == (0, 0, 0)
    put(kept.root, "shelves/shared/POLICY.md", f"Not the password: {'kettle' + '77!x'}\n")
    assert (outcome(check, PATH), outcome(render), outcome(doctor)) == (0, 0, 1)
    put(kept.root, PATH, episode_format.render(fine(digest="We chose signed tokens for the auth service.")))
    assert (outcome(check, PATH), outcome(render)) == (1, 1)
