"""The catalogue: always what Git has, whatever happens to its file, and never the reason of an error."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kept import kept
from support import FINE, fine, git, request

from memshelf import terms
from memshelf.commands.accept import accept
from memshelf.commands.index import index
from memshelf.commands.read import read
from memshelf.commands.search import search
from memshelf.commands.shelving import derived_files
from memshelf.commands.write import write
from memshelf.model import MAX_EPISODE_BYTES, Section, Shelf
from memshelf.requests import IndexRequest, ReadRequest, SearchRequest
from memshelf.store import catalogue, snapshot, state
from memshelf.store.catalogue import database
from memshelf.store.git import Git
from memshelf.store.library import open_library
from store.traces import commit, put, shelve_by_hand

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence

    from support import Ran

    from memshelf.lines import Line
    from memshelf.requests import Caller
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

TOPICS = "shelves/shared/docs/topics"
OTHER = fine(id="2026-07-11-other", title="Another topic")


def ask(library: Library, caller: Caller) -> tuple[str, str, list[str]]:
    """Return every reading command's answer."""
    return (
        index(library, IndexRequest(), caller).text,
        read(library, ReadRequest(id=FINE.id), caller).text,
        [hit.address for hit in search(library, SearchRequest(query="tokens rotation"), caller).hits],
    )


def files(library: Library) -> list[Path]:
    folder = state.folder_of(library.common)
    assert folder
    return sorted(folder.glob("*.sqlite"))


def whole(seen: Catalogue) -> list[Shelf]:
    return [seen.shelf(name) for name in sorted({*seen.names, *(draft.name for draft in seen.drafts())})]


def lined(seen: Catalogue) -> tuple[Sequence[Line], Counter[str]]:
    listing = seen.listing(["shared"])
    return listing.lines(0, 99), listing.months


def from_git(library: Library) -> list[Shelf]:
    seen = snapshot.take(library)
    views = seen.load(sorted({*seen.names, *(draft.shelf for draft in seen.drafts)}))
    return [
        view._replace(unreadable=tuple(each._replace(raw=b"") for each in view.unreadable)) for view in views
    ]


class Walk:
    """Random changes of a shelf: commits, moves, removals, spoilt files, drafts and accepts."""

    def __init__(self, library: Library, caller: Caller) -> None:
        self.library, self.caller, self.chance = library, caller, random.Random(7)
        self.ids = [f"2026-07-0{day}-topic-{day}" for day in range(1, 7)]

    def step(self) -> None:
        changes = [self.edit, self.edit, self.remove, self.archive, self.spoil, self.decide]
        change = self.chance.choice(changes)
        self.chance.choice([change, self.draft])(self.chance.choice(self.ids))
        if git(self.library.root, "status", "--porcelain"):
            commit(self.library.root)

    def found(self, episode_id: str) -> list[Path]:
        return list((self.library.root / "shelves").rglob(f"{episode_id}.md"))

    def edit(self, episode_id: str) -> None:
        olds = tuple(
            self.chance.sample([one for one in self.ids if one != episode_id], self.chance.randrange(2))
        )
        text = self.chance.choice(["None.", "Who rotates keys?"])
        episode = fine(id=episode_id, date=episode_id[:10], open_threads=text)
        pinned = self.chance.choice(["", "true"])
        shelve_by_hand(self.library.root, episode._replace(supersedes=olds, pinned=pinned))

    def remove(self, episode_id: str) -> None:
        for path in self.found(episode_id):
            path.unlink()

    def archive(self, episode_id: str) -> None:
        for path in self.found(episode_id):
            target = self.library.root / "shelves/shared/archive/docs/topics" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)

    def spoil(self, episode_id: str) -> None:
        text = self.chance.choice(["no front matter", "---\nid: [\n---\n"])
        put(self.library.root, f"{TOPICS}/{episode_id}.md", text)

    def draft(self, episode_id: str) -> None:
        git(self.library.root, "update-ref", "-d", f"refs/memshelf/draft/shared/{episode_id}")
        if not self.found(episode_id):
            title = f"Draft {self.chance.random()}"
            write(self.library, request(id=episode_id, title=title, shelf="shared"), self.caller)

    def decide(self, episode_id: str) -> None:
        drafted = Git(self.library.root).commit_of(f"refs/memshelf/draft/shared/{episode_id}")
        if drafted and not self.found(episode_id):
            accept(self.library, [episode_id], self.caller)


def test_it_holds_what_git_has_after_any_change(library: Library, caller: Caller) -> None:
    walk = Walk(library, caller)
    for _ in range(60):
        walk.step()
        shelves = from_git(library)
        assert catalogue.consult(library, whole) == shelves
        assert catalogue.consult(library, lined) == lined(kept(*shelves))


def test_a_new_branch_tip_without_history_in_common_is_followed(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    ask(library, caller)
    git(library.root, "checkout", "--quiet", "--orphan", "fresh")
    git(library.root, "commit", "--quiet", "--message", "anew")
    shelve_by_hand(library.root, OTHER)
    git(library.root, "branch", "--force", "main", "fresh")
    git(library.root, "reflog", "expire", "--expire=now", "--all")
    git(library.root, "gc", "--quiet", "--prune=now")
    assert catalogue.consult(library, whole) == from_git(library)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def scribble(path: Path) -> None:
    path.write_bytes(b"not a database " * 1000)


def scribble_inside(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[4096:] = os.urandom(len(raw) - 4096)
    path.write_bytes(raw)


def age(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 0")
    db.close()


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def leave_journal(path: Path) -> None:
    path.unlink()
    Path(f"{path}-journal").write_bytes(os.urandom(4096))
    Path(f"{path}-wal").write_bytes(os.urandom(4096))


FAULTS = [cut, empty, scribble, scribble_inside, age, make_folder, leave_journal, Path.unlink]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_whatever_became_of_the_file_the_answers_are_right(
    library: Library, caller: Caller, fault: Callable[[Path], None]
) -> None:
    shelve_by_hand(library.root, FINE)
    right = ask(library, caller)
    [file] = files(library)
    fault(file)
    assert ask(library, caller) == ask(library, caller) == right


def test_the_file_is_private_and_only_what_git_has_changes_it(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    right = ask(library, caller)
    [file] = files(library)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    before = file.read_bytes()
    assert ask(library, caller) == right
    assert file.read_bytes() == before


@pytest.mark.parametrize("place", ["/dev/null/state", "", "file"])
def test_without_a_state_folder_the_answers_are_right(
    library: Library, caller: Caller, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve_by_hand(library.root, FINE)
    right = ask(library, caller)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv(state.VARIABLE, str(tmp_path / place) if place == "file" else place or "/proc/none")
    assert state.folder_of(library.common) is None
    assert ask(library, caller) == right


def test_a_lock_that_is_never_given_back_is_no_error(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve_by_hand(library.root, FINE)
    right = ask(library, caller)
    monkeypatch.setattr(database, "PATIENCE", 0.1)
    with sqlite3.connect(files(library)[0]) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        assert ask(library, caller) == right
        holder.rollback()
    holder.close()


def test_text_that_is_gone_from_git_is_gone_from_the_file(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, fine(decisions="The zeppelin hangar was sold."))
    ask(library, caller)
    [file] = files(library)
    assert b"zeppelin" in file.read_bytes()
    shelve_by_hand(library.root, FINE)
    ask(library, caller)
    assert b"zeppelin" not in file.read_bytes()
    assert search(library, SearchRequest(query="zeppelin"), caller).outcome == "nothing found"


def test_words_made_another_way_are_made_anew(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve_by_hand(library.root, FINE)
    assert search(library, SearchRequest(query="tokens"), caller).outcome == "found"
    monkeypatch.setattr(terms, "version", lambda: "other")
    monkeypatch.setattr(terms, "columns", lambda _: ("", "", "zeppelin"))
    assert search(library, SearchRequest(query="zeppelin"), caller).outcome == "found"
    assert search(library, SearchRequest(query="rotation"), caller).outcome == "nothing found"


def test_words_made_another_way_can_be_taken_out(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelve_by_hand(library.root, fine(decisions="The zeppelin hangar was sold."))
    ask(library, caller)
    monkeypatch.setattr(terms, "version", lambda: "other")
    monkeypatch.setattr(terms, "columns", lambda _: ("", "", "another"))
    shelve_by_hand(library.root, FINE)
    index(library, IndexRequest(), caller)
    assert b"zeppelin" not in files(library)[0].read_bytes()


def test_what_is_not_read_yet_is_told_and_what_is_asked_for_is_read_first(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 8):
        shelve_by_hand(library.root, fine(id=f"2026-07-0{day}-auth-tokens", date=f"2026-07-0{day}"))
    monkeypatch.setattr("memshelf.store.catalogue.fill.BATCH", 2)
    hasty = library._replace(patience=-1.0)
    oldest = read(hasty, ReadRequest(id="2026-07-01-auth-tokens"), caller)
    assert oldest.entry.episode.id == "2026-07-01-auth-tokens"
    shown = index(hasty, IndexRequest(), caller)
    assert "5 of 7 episodes so far, the newest first; the next call goes on" in shown.as_text()
    assert "2026-07-07" in shown.text
    assert "2026-07-02" not in shown.text
    asks = SearchRequest(query="rotation")
    assert "2 of 7 episodes so far" in search(hasty, asks, caller).as_text()
    assert index(hasty, IndexRequest(), caller).remark == ""
    assert search(library, asks, caller).note == ""
    assert search(library, asks, caller).left_out == 0


def test_a_first_reading_tells_how_far_it_is(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 8):
        shelve_by_hand(library.root, fine(id=f"2026-07-0{day}-auth-tokens", date=f"2026-07-0{day}"))
    monkeypatch.setattr("memshelf.store.catalogue.fill.BATCH", 2)
    told: list[tuple[int, int]] = []
    watched = library._replace(progress=lambda *far: told.append(far))
    assert index(watched, IndexRequest(), caller).remark == ""
    assert told == [(2, 7), (4, 7), (6, 7), (0, 0)]


def test_a_file_over_the_limit_is_in_the_map_by_its_beginning(library: Library, caller: Caller) -> None:
    big = fine(decisions="A line of log.\n" * (MAX_EPISODE_BYTES // 10))
    shelve_by_hand(library.root, big)
    assert FINE.id in index(library, IndexRequest(), caller).text
    assert search(library, SearchRequest(query="rotation"), caller).outcome == "found"
    assert read(library, ReadRequest(id=FINE.id, sections=("Digest",)), caller).text.startswith("## Digest")


def test_what_git_had_lost_is_read_when_it_is_there_again(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    write(library, request(id="2026-07-11-draft"), caller)
    lost = [f"main:{TOPICS}/{FINE.id}.md", "refs/memshelf/draft/shared/2026-07-11-draft"]
    shas = [git(library.root, "rev-parse", name) for name in lost]
    places = [library.common / "objects" / sha[:2] / sha[2:] for sha in shas]
    kept = [place.read_bytes() for place in places]
    folder = state.folder_of(library.common)
    assert folder
    shutil.rmtree(folder)
    for place in places:
        place.unlink()
    without = index(library, IndexRequest(), caller)
    assert (without.damaged, "1 file could not be read" in without.text) == (1, True)
    for place, raw in zip(places, kept, strict=True):
        place.write_bytes(raw)
    again = index(library, IndexRequest(), caller)
    assert (again.damaged, FINE.id in again.text, "2026-07-11-draft" in again.text) == (0, True, True)


def test_linked_work_trees_share_it_and_two_branches_do_not_meet(
    library: Library, caller: Caller, tmp_path: Path
) -> None:
    shelve_by_hand(library.root, FINE)
    git(library.root, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = open_library(tmp_path / "side")
    assert ask(side, caller) == ask(library, caller)
    assert len(files(library)) == 1
    shelve_by_hand(side.root, OTHER)
    other = side._replace(branch="refs/heads/side")
    assert OTHER.id in index(other, IndexRequest(), caller).text
    assert OTHER.id not in index(library, IndexRequest(), caller).text


@pytest.fixture
def crowd(library: Library, caller: Caller, tmp_path: Path) -> Iterator[Callable[[str, int], None]]:
    """Return a function that starts a process of crowd.py; all end with the test."""
    ends, started = tmp_path / "ends", list[subprocess.Popen[str]]()
    program = Path(__file__).with_name("crowd.py")
    environment = os.environ | {"PYTHONPATH": str(program.parent.parent)}

    def start(job: str, number: int) -> None:
        words = [sys.executable, program, job, library.root, caller.folder, ends, str(number)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        started.append(subprocess.Popen(words, env=environment, **pipes))

    yield start
    ends.touch()
    done = [process.communicate(timeout=120) for process in started]
    assert [err for _, err in done if err] == []
    assert all(int(out) for out, _ in done)
    print("asked and written", [int(out) for out, _ in done])


def test_many_processes_and_one_that_deletes_the_file(
    library: Library, crowd: Callable[[str, int], None], pytestconfig: pytest.Config
) -> None:
    seconds = pytestconfig.getoption("--crowd", default=0)
    shelve_by_hand(library.root, fine(id="2026-07-01-topic-w0-n0", date="2026-07-01", title="Topic w0n0"))
    for number in range(16 if seconds else 2):
        crowd("read", number)
    for number in range(4 if seconds else 2):
        crowd("write", number + 1)
    for _ in range(seconds or 2):
        time.sleep(1)
        for file in files(library):
            file.unlink(missing_ok=True)


def test_a_draft_that_is_accepted_while_refs_are_listed_is_not_lost(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Git lists the branch before the drafts: it may see the old branch, and the draft gone already."""
    index(library, IndexRequest(), caller)
    empty = library.git.listing(library.branch, snapshot.DRAFTS)
    write(library, request(), caller)
    listing = Git.listing

    def torn(git: Git, *patterns: str) -> str:
        monkeypatch.setattr(Git, "listing", listing)
        with pytest.MonkeyPatch.context() as elsewhere:  # the other process has not told the catalogue yet
            elsewhere.setenv(state.VARIABLE, str(tmp_path / "another"))
            accept(library, [FINE.id], caller)
        return empty if len(patterns) > 1 else listing(git, *patterns)

    monkeypatch.setattr(Git, "listing", torn)
    assert FINE.id in index(library, IndexRequest(), caller).text


def test_a_settings_file_that_changed_is_read_again(library: Library) -> None:
    assert open_library(library.root).settings.review == "branch"
    put(library.root, "memshelf.yml", "branch: main\nreview: off\n")
    assert open_library(library.root).settings.review == "off"
    folder = state.folder_of(library.common)
    assert folder
    for garbage in (b"", b"{", b"[]", b'{"of": 1}'):
        (folder / "memshelf.yml.json").write_bytes(garbage)
        assert open_library(library.root).settings.review == "off"


def test_the_state_folder_can_be_thrown_away(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    right = ask(library, caller)
    folder = state.folder_of(library.common)
    assert folder
    shutil.rmtree(folder)
    assert ask(library, caller) == right


@pytest.mark.parametrize(
    "garbage", [b"", b"garbage\n", b"1" * 40 + b"\n"], ids=["empty", "garbage", "no-commit"]
)
def test_a_damaged_branch_is_never_an_empty_library(
    library: Library, run: Callable[..., Ran], garbage: bytes
) -> None:
    shelve_by_hand(library.root, FINE)
    (library.common / "refs" / "heads" / "main").write_bytes(garbage)
    for words in (["index"], ["read", FINE.id], ["search", "tokens"], ["status"], ["stats"], ["review"]):
        said = run(*words, "--library", library.root)
        assert said.code == 1, words
        assert said.err.startswith("memshelf: the branch main is damaged, its ref points at no commit"), words
    said = run("doctor", "--library", library.root)
    assert "error branch-damaged: the branch main is damaged" in said.out


def test_a_session_of_sections_is_searched_to_its_end(library: Library, caller: Caller) -> None:
    more = tuple(Section(f"Part {number}", f"wombat{number}") for number in range(5000))
    shelve_by_hand(library.root, FINE._replace(sections=(*FINE.sections, *more)))
    for word in ("wombat1", "wombat4091", "wombat4092", "wombat4999"):
        assert search(library, SearchRequest(query=word), caller).outcome == "found", word


def test_a_file_over_the_limit_is_rendered_alike_from_disk_and_from_the_catalogue(library: Library) -> None:
    shelve_by_hand(library.root, fine(decisions="A line of log.\n" * (MAX_EPISODE_BYTES // 10)))
    kept_shelf = catalogue.consult(library, lambda seen: seen.shelf("shared"))
    rendered = derived_files(library, kept_shelf, "2026-07-10")
    assert rendered == derived_files(library, snapshot.worktree_shelf(library, "shared"), "2026-07-10")
    assert rendered == derived_files(library, snapshot.take(library).load(["shared"])[0], "2026-07-10")


def test_a_settings_cache_that_is_no_file_is_left_alone(library: Library) -> None:
    folder = state.folder_of(library.common)
    assert folder
    cache = folder / "memshelf.yml.json"
    cache.unlink()
    os.mkfifo(cache)
    assert open_library(library.root).settings == library.settings
    cache.unlink(missing_ok=True)
    cache.write_text("[" * 200_000, encoding="utf-8")
    assert open_library(library.root).settings == library.settings
