"""A shelf of another tool: served without changing a byte, made ours in one commit when a person says so."""

from __future__ import annotations

import json
import shutil
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from store.traces import commit, files, put, refs
from support import FINE, git, request

from memshelf.commands.accept import accept
from memshelf.commands.adopt import adopt
from memshelf.commands.init import init
from memshelf.commands.write import write
from memshelf.errors import FormatError, MemShelfError, Refused
from memshelf.formats import front_matter, manifest, settings
from memshelf.store import snapshot
from memshelf.store.library import Library, is_library, locate, open_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller

SHELF = Path(__file__).parent.parent / "adopted" / "shelf"
NAME = "home-lab"
ROLLUP, AMENDED, ARCHIVED = "2026-04-30-network-rollup", "2026-03-23-ci-cache", "2026-02-03-resolver"
RUSSIAN = "2026-02-12-rezervnye-kopii"
OURS = {".gitattributes", "INDEX.md", "memshelf.yml", "shelf.yml", "stats.svg"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository that holds the other tool's shelf."""
    folder = shutil.copytree(SHELF, tmp_path / "their-shelf")
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def everything(root: Path) -> dict[str, bytes]:
    """Return path -> bytes of every file there is, Git's own included."""
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def episodes(root: Path) -> dict[str, bytes]:
    return {path: text for path, text in files(root).items() if "docs/" in path}


def rewrite(root: Path, path: str, old: str, new: str) -> None:
    text = (root / path).read_text(encoding="utf-8")
    assert old in text
    put(root, path, text.replace(old, new))
    commit(root)


def test_reading_and_checking_change_no_byte(root: Path, run: Callable[..., Any]) -> None:
    before = everything(root)
    for words in (
        ["index", "--budget", 20_000],
        ["read", AMENDED, "--section", "Decisions"],
        ["search", "backup"],
        ["check"],
        ["render"],
        ["render", "--check"],
        ["review"],
        ["adopt"],
    ):
        done = run(*words, "--library", root)
        assert (done.code, done.err) == (0, ""), words
        assert everything(root) == before, words


def test_the_index_names_every_episode_with_its_own_title_and_words(
    root: Path, run: Callable[..., Any]
) -> None:
    shown = run("index", "--budget", 20_000, "--library", root).out
    ids = [Path(path).stem for path in episodes(root) if path.startswith("docs/") and path.endswith(".md")]
    assert len(ids) == 22
    assert "22 of 22 episodes" in shown
    assert all(name in shown for name in ids)
    assert f"{RUSSIAN} · Резервные копии: " in shown
    assert f"{AMENDED} · Cache of the build: Build cache, amended" in shown


@pytest.mark.parametrize(
    ("episode", "section", "says"),
    [
        (RUSSIAN, "Решения", "restic, каждую ночь"),
        ("2026-02-23-postgres-upgrade", "timeline", "10:30 cause found"),
        (ROLLUP, "Archived", f"`{ARCHIVED}`"),
        (ARCHIVED, "Decisions", "Unbound runs on the router"),
        (f"docs/topics/{AMENDED}.md", "Digest", "Found: eviction"),
        (f"{NAME}/{AMENDED}", "Digest", "Found: eviction"),
    ],
)
def test_an_episode_is_read_by_section(
    root: Path, run: Callable[..., Any], episode: str, section: str, says: str
) -> None:
    done = run("read", episode, "--section", section, "--library", root)
    assert done.code == 0, done.err
    assert says in done.out
    assert done.out.count("## ") == 1


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("резервное копирование", RUSSIAN), ("flaky clock", "2026-03-19-flaky-tests"), ("NXDOMAIN", ARCHIVED)],
)
def test_a_search_finds_it_in_both_languages_and_in_the_archive(
    root: Path, run: Callable[..., Any], words: str, wanted: str
) -> None:
    found = json.loads(run("search", words, "--json", "--library", root).out)
    assert found["hits"][0]["id"] == wanted
    assert found["hits"][0]["state"] == ("archived" if wanted == ARCHIVED else "accepted")


def test_what_the_other_tool_did_not_demand_is_a_warning(root: Path, run: Callable[..., Any]) -> None:
    done = run("check", "--json", "--library", root)
    findings = json.loads(done.out)["findings"]
    assert done.code == 0
    assert json.loads(done.out)["files"] == 25
    assert {finding["level"] for finding in findings} == {"warning"}
    assert {finding["rule"] for finding in findings} == {"section-missing"}
    for words in ([root], [root / f"docs/topics/{AMENDED}.md"]):
        assert run("check", *words).code == 0


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("## Digest\n", "## Digest\nWe did it. ", "digest-says-we"),
        ("## Digest\n", "## Digest\n" + "word " * 120, "digest-too-long"),
        ("## Digest\n", "## Summary\n", "digest-missing"),
        ("## Decisions\n", "## Decisions\ntoken: gh" + "p_" + "a1B2" * 9 + "\n", "holds-secret"),
        ("kind: topic", "kind: [topic", "front-matter-broken"),
        ("id: 2026", "id: 2025", "id-not-file-name"),
    ],
)
def test_what_every_tool_demands_stays_an_error(
    root: Path, run: Callable[..., Any], old: str, new: str, rule: str
) -> None:
    rewrite(root, f"docs/topics/{AMENDED}.md", old, new)
    done = run("check", "--library", root)
    assert done.code == 1
    assert f"error {rule}: " in done.out


def test_the_settings_can_ask_for_the_full_contract(root: Path, run: Callable[..., Any]) -> None:
    put(root, "memshelf.yml", "branch: main\n")
    assert "error section-missing" in run("check", "--library", root).out
    put(root, "memshelf.yml", "contract: adopted\n")
    assert run("check", "--library", root).code == 0


def test_derived_files_of_another_tool_are_left_alone_and_told_of(
    root: Path, run: Callable[..., Any]
) -> None:
    for words in (["render"], ["render", "--check"]):
        done = run(*words, "--library", root)
        assert (done.code, done.err) == (0, "")
        assert [line.split(":")[0] for line in done.out.splitlines()] == ["INDEX.md", "ledger.tsv"]
        assert "`memshelf adopt`" in done.out


@pytest.mark.parametrize("spelling", ["NFC", "NFD"])
def test_an_id_of_another_shape_is_read(root: Path, run: Callable[..., Any], spelling: str) -> None:
    name = unicodedata.normalize(spelling, "2026-05-02-Ёлка")
    text = (root / f"docs/topics/{AMENDED}.md").read_text(encoding="utf-8").replace(AMENDED, name)
    put(root, f"docs/topics/{name.lower()}.md", text)
    commit(root)
    assert unicodedata.normalize("NFC", name) in run("index", "--budget", 20_000, "--library", root).out
    done = run("read", unicodedata.normalize("NFC", name), "--section", "Decisions", "--library", root)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("Home Lab", "Домашняя сеть", "domashnyaya-set"),
        ("Home Lab", "x" * 60, "x" * 40),
        ('name: "Home Lab"\n', "", "their-shelf"),
    ],
)
def test_the_shelf_is_called_like_its_manifest_or_its_folder(
    root: Path, old: str, new: str, wanted: str
) -> None:
    rewrite(root, "shelf.yml", old, new)
    assert snapshot.take(open_library(root)).names == [wanted]


def test_a_linked_work_tree_has_the_same_shelf(root: Path, tmp_path: Path) -> None:
    rewrite(root, "shelf.yml", 'name: "Home Lab"\n', "")
    git(root, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    assert snapshot.take(open_library(tmp_path / "side")).names == ["their-shelf"]


def test_the_manifest_says_where_episodes_lie(root: Path, caller: Caller) -> None:
    (root / "DOCS").mkdir()
    git(root, "mv", "docs", "DOCS/notes")
    (root / "archive/DOCS").mkdir()
    git(root, "mv", "archive/docs", "archive/DOCS/notes")
    put(root, "DOCS/notes/drafts/2026-05-02-x.md", "no episode\n")
    put(root, f"DOCS/notes/topics/{AMENDED}/01-part.md", "no episode\n")
    rewrite(root, "shelf.yml", "docs_root: docs", "docs_root: DOCS/notes")
    library = open_library(root)
    view = snapshot.take(library).load([NAME])[0]
    assert (len(view.entries), view.unreadable) == (25, ())
    assert len(snapshot.worktree_files(library, NAME)) == 25
    write(library, request(shelf=None), caller)
    accept(library, [FINE.id], caller)
    assert (root / f"DOCS/notes/topics/{FINE.id}.md").is_file()


@pytest.mark.parametrize(
    ("categories", "kind", "folder"),
    [
        ("", "session", "docs/sessions"),
        ("categories: [topics, research, sessions]\n", "research", "docs/research"),
        ("categories: [topic, log]\n", "topic", "docs/topic"),
        ("categories: [notes, log]\n", "session", "docs/notes"),
    ],
)
def test_new_episodes_go_to_a_category_of_the_manifest(categories: str, kind: str, folder: str) -> None:
    read = manifest.parse(f"profile: memory\n{categories}")
    assert read.folder(kind) == folder
    assert read.episodes.fullmatch(f"{folder}/x.md")


@pytest.mark.parametrize("key", ["docs_root: ../x", "docs_root: /x", "categories: topics", "index: INDEX.md"])
def test_a_manifest_that_leads_elsewhere_is_told(root: Path, run: Callable[..., Any], key: str) -> None:
    put(root, "shelf.yml", f"profile: memory\n{key}\n")
    done = run("index", "--library", root)
    assert done.code == 1
    assert done.err.startswith(f"memshelf: {root / 'shelf.yml'}: {key.split(':')[0]}: write ")


@pytest.mark.parametrize(
    ("path", "ours", "theirs"),
    [
        ("shelves/a/docs/topics/x.md", True, False),
        ("shelves/a/archive/docs/topics/x.md", True, False),
        ("shelves/a/docs/x.md", True, False),
        ("shelves/a/INDEX.md", False, False),
        ("shelves/a/docs.md", False, False),
        ("shelves/docs/topics/x.md", False, False),
        ("shelves/a/b/docs/topics/x.md", False, False),
        ("docs/topics/x.md", False, True),
        ("archive/docs/topics/x.md", False, True),
        ("archive/INDEX.md", False, False),
        ("docs/other/x.md", False, False),
    ],
)
def test_where_an_episode_lies(library: Library, root: Path, path: str, ours: bool, theirs: bool) -> None:
    assert (library.is_episode(path), open_library(root).is_episode(path)) == (ours, theirs)


def test_a_shelf_of_a_library_is_no_library_of_its_own(library: Library, root: Path) -> None:
    assert locate(None, {}, library.root / "shelves/shared/docs") == library.root
    assert locate(None, {}, root / "docs/topics") == root
    put(root, "shelf.yml", "profile: document\n")
    assert not is_library(root)


def test_a_shelf_with_shelves_below_it_is_refused(root: Path) -> None:
    put(root, "shelves/x/shelf.yml", manifest.render("x"))
    with pytest.raises(MemShelfError, match=r"others below shelves/: move its files to shelves/NAME/$"):
        open_library(root)


def test_init_adds_nothing_to_it(root: Path, caller: Caller) -> None:
    before = files(root), refs(root, "refs")
    with pytest.raises(MemShelfError, match=r"is one shelf, home-lab: `memshelf init DIR`"):
        init(root, ["work"], today=caller.today)
    assert (files(root), refs(root, "refs")) == before


def test_without_a_repository_the_way_out_is_told(root: Path) -> None:
    shutil.rmtree(root / ".git")
    with pytest.raises(MemShelfError, match=r"no Git repository: make it one with `git init`, then commit"):
        open_library(root)


def test_a_write_obeys_the_full_contract_and_renders_nothing_of_theirs(root: Path, caller: Caller) -> None:
    library, before = open_library(root), files(root)
    with pytest.raises(Refused, match="Sources: not there"):
        write(library, request(shelf=None, sources=None), caller)
    write(library, request(shelf=None), caller)
    assert list(refs(root)) == [f"{NAME}/{FINE.id}"]
    assert files(root) == before
    accept(library, [FINE.id], caller)
    after = files(root)
    assert set(after) - set(before) == {f"docs/topics/{FINE.id}.md"}
    assert {path: after[path] for path in before} == before
    assert git(root, "status", "--porcelain") == ""


def test_an_amend_keeps_what_the_other_tool_wrote_and_reads(root: Path, caller: Caller) -> None:
    library = open_library(root)
    view = snapshot.take(library).load([NAME])[0]
    old = next(entry for entry in view.entries if entry.episode.id == AMENDED)
    write(library, request_of(AMENDED, rev=old.rev, sources="None.", title="Build cache"), caller)
    accept(library, [AMENDED], caller)
    text = (root / f"docs/topics/{AMENDED}.md").read_text(encoding="utf-8")
    assert text.startswith(f"---\nid: {AMENDED}\n")
    assert '\ntitle: "Build cache"\n' in text
    assert '\nsummary: "Build cache, amended"\n' in text
    assert '\ndisplay_title: "Build cache"\n' in text
    assert '\ndescription: "Build cache, amended"\n' in text
    assert old.episode.section("Decisions") in text


def request_of(name: str, **changes: object) -> Any:
    """Return a request to amend `name` that passes only what is named."""
    nothing = dict.fromkeys(("title", "kind", "digest", "decisions", "open_threads", "tags", "span"))
    return request(**(nothing | {"id": name, "shelf": None, "amend": True} | changes))


def test_a_dry_run_shows_what_adopting_changes(root: Path, run: Callable[..., Any]) -> None:
    shown = run("adopt", "--library", root)
    assert shown.code == 0
    assert shown.out == run("adopt", "--dry-run", "--library", root).out
    assert all(f"  {path}: " in shown.out for path in OURS)
    assert "error section-missing: " in shown.out
    assert "docs/topics/.meta.json" in shown.out
    assert "`memshelf adopt --yes`" in shown.out
    plan = json.loads(run("adopt", "--json", "--library", root).out)
    assert {file["path"] for file in plan["files"]} == OURS
    assert (plan["episodes"], plan["commit"]) == (25, "")


def test_adopting_is_one_commit_that_changes_no_episode(root: Path, run: Callable[..., Any]) -> None:
    before, old = files(root), git(root, "rev-parse", "HEAD")
    done = run("adopt", "--yes", "--library", root)
    assert (done.code, done.err) == (0, "")
    assert git(root, "rev-parse", "HEAD~1") == old
    assert git(root, "status", "--porcelain") == ""
    after = files(root)
    assert {path for path in after if after[path] != before.get(path)} == OURS
    assert set(before) <= set(after)
    theirs = before["shelf.yml"].decode().replace("docshelf-mcp", "external")
    assert after["shelf.yml"].decode() == theirs
    for words in (["render", "--check"], ["render"]):
        shown = run(*words, "--library", root)
        assert (shown.code, shown.out, shown.err) == (0, "", "")
    assert run("check", "--library", root).code == 0
    again = run("adopt", "--yes", "--library", root)
    assert (again.code, again.out) == (0, f"{NAME} is ours already: nothing to do\n")


def test_after_adopting_an_accept_renders(root: Path, caller: Caller) -> None:
    adopt(open_library(root), caller, yes=True)
    library = open_library(root)
    write(library, request(shelf=None), caller)
    accept(library, [FINE.id], caller)
    assert FINE.id in (root / "INDEX.md").read_text(encoding="utf-8")
    assert FINE.id in (root / "ledger.tsv").read_text(encoding="utf-8")


def test_a_shelf_that_keeps_the_full_contract_is_adopted_into_it(root: Path, caller: Caller) -> None:
    for folder in ("docs", "archive"):
        shutil.rmtree(root / folder)
    commit(root)
    write(open_library(root), request(shelf=None), caller)
    accept(open_library(root), [FINE.id], caller)
    adopt(open_library(root), caller, yes=True)
    read = settings.parse((root / "memshelf.yml").read_text(encoding="utf-8"))
    assert (read.contract, read.branch) == ("full", "main")


def test_an_agent_host_may_look_but_not_adopt(root: Path, cli: Callable[..., Any]) -> None:
    assert cli("adopt", "--library", root, CLAUDECODE="1").code == 0
    done = cli("adopt", "--yes", "--library", root, CLAUDECODE="1")
    assert done.code == 1
    assert "--as-person" in done.err
    assert cli("adopt", "--yes", "--as-person", "--library", root, CLAUDECODE="1").code == 0


@pytest.mark.parametrize("path", sorted(OURS))
def test_a_change_of_the_persons_own_in_the_way_is_refused(root: Path, caller: Caller, path: str) -> None:
    library, before = open_library(root), git(root, "rev-parse", "HEAD")
    text = (root / path).read_bytes() if (root / path).exists() else b""
    put(root, path, text + b"# mine\n")
    if path == "memshelf.yml":
        library = open_library(root)
        put(root, ".git/info/exclude", "memshelf.yml\n")
    with pytest.raises(MemShelfError, match="has changes of its own: "):
        adopt(library, caller, yes=True)
    assert git(root, "rev-parse", "HEAD") == before
    assert (root / path).read_bytes() == text + b"# mine\n"


def test_what_cannot_be_adopted_is_told(root: Path, library: Library, caller: Caller) -> None:
    with pytest.raises(MemShelfError, match="its shelves are ours already"):
        adopt(library, caller)
    rewrite(root, "shelf.yml", "path: INDEX.md", "path: docs/MAP.md")
    with pytest.raises(MemShelfError, match=r"^shelf.yml: index: path: MemShelf writes INDEX.md: move"):
        adopt(open_library(root), caller)
    git(root, "rm", "--quiet", "--cached", "shelf.yml")
    git(root, "commit", "--quiet", "--message", "by hand")
    with pytest.raises(MemShelfError, match="not on the branch yet: commit the shelf"):
        adopt(open_library(root), caller)


@pytest.mark.parametrize(
    "index",
    [
        "",
        "index:\n  path: INDEX.md\n",
        "index: # theirs\n  generated_by: docshelf-mcp # the tool\n  path: INDEX.md\n",
        'index: {generated_by: "docshelf-mcp", path: INDEX.md}\n',
        "index:\n  generated_by: external\n",
    ],
)
def test_the_manifest_is_claimed_in_place(index: str) -> None:
    text = f"# a note\nprofile: memory\n{index}ledger:\n  path: ledger.tsv\n"
    claimed = manifest.claim(text)
    assert manifest.parse(claimed).generated_by == "external"
    was, now = front_matter.load(text), front_matter.load(claimed)
    was.setdefault("index", {})["generated_by"] = "external"
    assert now == was
    assert {"# a note", "# the tool"} & set(text.split("\n")) <= set(claimed.split("\n"))


@pytest.mark.parametrize("index", ["index: {path: INDEX.md}\n", "index:\n    path: INDEX.md\n"])
def test_a_manifest_that_cannot_be_claimed_is_left_to_the_person(index: str) -> None:
    with pytest.raises(FormatError, match=r"^write `index: \{generated_by: external\}` into it yourself"):
        manifest.claim(f"profile: memory\n{index}")
