"""A library on GitHub: what `init --github` writes and leaves, and what doctor sees of what guards it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from store.traces import checkout, commit, put
from support import TODAY, git

from bot.runner import ACTION, ROOT
from memshelf.commands.doctor import doctor
from memshelf.commands.github import Asked, Hosted, github
from memshelf.commands.init import init
from memshelf.commands.workflows import LOCAL, NAMES, action_of, github_of, templates, unowned
from memshelf.errors import MemShelfError, UsageError
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.store.library import Library

COMMIT = "1f" * 20
SOURCE = f"someone/memshelf@{COMMIT}"
ASKED = Asked(source=SOURCE, owner="@someone")
OWNERS = ".github/CODEOWNERS"
GUARDED = ["shelves/", "memshelf.yml", ".github/"]
RULES = [
    {
        "type": "pull_request",
        "parameters": {
            "required_approving_review_count": 1,
            "require_code_owner_review": True,
            "dismiss_stale_reviews_on_push": True,
        },
    },
    {
        "type": "required_status_checks",
        "parameters": {"required_status_checks": [{"context": "memshelf check"}]},
    },
]


@pytest.fixture(autouse=True)
def noted(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where pip's note of the installation's origin goes; there is none unless a test writes one."""
    folder = tmp_path_factory.mktemp("site")
    put(folder, "memshelf-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: memshelf\nVersion: 0\n")
    monkeypatch.syspath_prepend(folder)
    return folder / "memshelf-0.dist-info" / "direct_url.json"


def hosted(library: Library, asked: Asked = ASKED) -> Hosted:
    return github(library.root, (), asked, today=TODAY)


def said(library: Library, told: object = None) -> list[tuple[str, str]]:
    return [(one.rule, one.path) for one in doctor(library.root, TODAY, told=told).findings]


def test_the_workflows_the_owners_and_the_bot_come_in_one_commit(
    library: Library, run: Callable[..., Ran]
) -> None:
    put(library.root, "memshelf.yml", "# mine\nbranch: main\nderived:  local # for now\n")
    commit(library.root)

    done = run("init", library.root, "--github", "--source", SOURCE, "--owner", "@someone")

    assert (done.code, done.err) == (0, "")
    added = git(library.root, "show", "--format=%s", "--name-only", "HEAD").split("\n")
    assert added == ["memshelf init --github", "", OWNERS, *sorted(NAMES), "memshelf.yml"]
    settings = git(library.root, "show", "HEAD:memshelf.yml")
    assert settings == "# mine\nbranch: main\nderived:  bot # for now"
    assert git(library.root, "status", "--porcelain") == ""
    assert f"uses: someone/memshelf/.github/actions/memshelf@{COMMIT} # memshelf " in (
        library.root / NAMES[0]
    ).read_text(encoding="utf-8")
    assert list(unowned(library)) == []
    assert "allow Actions to create pull requests" in done.out
    assert said(library) == []


@pytest.mark.parametrize("text", ["", "review: off", "derived: bot\n"])
def test_settings_that_say_little_are_completed(library: Library, text: str) -> None:
    put(library.root, "memshelf.yml", text)
    commit(library.root)
    hosted(library)
    config = open_library(library.root).settings
    assert (config.derived, config.branch, config.review) == (
        "bot",
        "main",
        "off" if "off" in text else "branch",
    )


def test_twice_is_once(library: Library) -> None:
    hosted(library)
    before = checkout(library.root)
    again = hosted(library, Asked())
    assert (again.written, again.kept) == ((), ())
    assert checkout(library.root) == before


def test_an_edited_workflow_stays_until_it_is_updated(library: Library) -> None:
    hosted(library)
    put(library.root, NAMES[1], (library.root / NAMES[1]).read_text(encoding="utf-8") + "# mine\n")
    commit(library.root)
    assert said(library) == [("workflow-outdated", NAMES[1])]

    again = hosted(library, Asked())
    assert (again.written, again.kept) == ((), (NAMES[1],))
    assert f"{NAMES[1]}: left as it is" in again.as_text()

    assert hosted(library, Asked(update=True)).written == (NAMES[1],)
    assert said(library) == []


def test_line_ends_of_windows_are_no_edit(library: Library) -> None:
    hosted(library)
    put(library.root, NAMES[1], (library.root / NAMES[1]).read_bytes().replace(b"\n", b"\r\n"))
    assert said(library) == []


def test_an_update_moves_all_to_another_commit_of_memshelf(library: Library) -> None:
    hosted(library)
    moved = hosted(library, Asked(source=f"someone/memshelf@{'2e' * 20}", update=True))
    assert sorted(moved.written) == sorted(NAMES)
    assert "2e2e" in (library.root / NAMES[3]).read_text(encoding="utf-8")
    assert said(library) == []


def test_without_a_commit_of_memshelf_nothing_is_written(library: Library) -> None:
    before = checkout(library.root)
    for root, shelf in ((library.root, "work"), (library.root.with_name("new"), "homelab")):
        with pytest.raises(MemShelfError, match=r"pass --source OWNER/NAME@COMMIT"):
            github(root, [shelf], Asked(), today=TODAY)
    assert checkout(library.root) == before
    assert not library.root.with_name("new").exists()


def test_a_memshelf_that_pip_installed_from_github_is_the_one_that_runs(
    library: Library, noted: Path, tmp_path: Path
) -> None:
    url = {"url": "https://github.com/someone/memshelf.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}
    noted.write_text(json.dumps(url), encoding="utf-8")
    assert f"someone/memshelf/.github/actions/memshelf@{COMMIT} #" in hosted(library, Asked()).action

    git(tmp_path, "init", "--quiet", "clone")
    put(tmp_path, "clone/README.md", "MemShelf\n")
    head = commit(tmp_path / "clone")
    git(tmp_path / "clone", "remote", "add", "origin", "git@github.com:other/memshelf.git")
    noted.write_text(json.dumps({"url": (tmp_path / "clone").as_uri(), "dir_info": {}}), encoding="utf-8")
    assert f"other/memshelf/.github/actions/memshelf@{head} #" in hosted(library, Asked(update=True)).action


@pytest.mark.parametrize(
    "asked",
    [Asked(source="someone/memshelf@main"), Asked(source=f"x/{SOURCE}"), Asked(SOURCE, owner="someone; x")],
)
def test_a_source_is_a_whole_commit_and_an_owner_a_name(library: Library, asked: Asked) -> None:
    with pytest.raises(UsageError, match=r"--(?:source|owner) takes"):
        hosted(library, asked)


def test_the_flags_go_together(library: Library, run: Callable[..., Ran]) -> None:
    assert run("init", library.root, "--update").code == 2
    assert run("render", "--check", "--push", "--library", library.root).code == 2


@pytest.mark.parametrize("path", [OWNERS, "CODEOWNERS", "docs/CODEOWNERS"])
def test_owners_that_are_there_stay_and_are_told_where_they_leave_a_gap(library: Library, path: str) -> None:
    put(library.root, path, "* @someone\n/shelves/shared/\n")
    commit(library.root)
    made = hosted(library)
    assert (OWNERS in made.written, made.kept) == (False, ())
    assert made.unowned == ("shelves/",)
    assert said(library) == [("memory-without-owner", OWNERS)]


def test_the_owner_of_the_remote_is_the_owner_of_the_memory(library: Library) -> None:
    git(library.root, "remote", "add", "origin", "git@github.com:somebody/library.git")
    hosted(library, Asked(source=SOURCE))
    assert "/shelves/ @somebody\n" in (library.root / OWNERS).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("lines", "open_paths"),
    [
        ("", GUARDED),
        ("* @a", []),
        ("*.md @a", GUARDED),
        ("/shelves/** @a\n/memshelf.yml @a\n.github @a", []),
        ("/shelves/* @a", GUARDED),
        ("* @a # all\n*.md", ["shelves/"]),
        ("* @a\nmemshelf.yml # nobody", ["memshelf.yml"]),
        ("* @a\n/docs/\n/Shelves/", []),
    ],
)
def test_the_last_line_that_matches_decides(library: Library, lines: str, open_paths: list[str]) -> None:
    put(library.root, "docs/CODEOWNERS", lines + "\n")
    assert list(unowned(library)) == open_paths


def test_a_library_inside_a_repository_is_named_in_full(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "code")
    put(tmp_path, "code/main.py", "pass\n")
    commit(tmp_path / "code")
    root = tmp_path / "code" / "memory"
    github(root, (), ASKED, today=TODAY)
    assert 'library: "memory"' in (root.parent / NAMES[0]).read_text(encoding="utf-8")
    owners = (root.parent / OWNERS).read_text(encoding="utf-8")
    assert "/memory/shelves/ @someone\n/memory/memshelf.yml @someone\n/.github/ @someone\n" in owners
    assert said(open_library(root)) == []
    assert git(root, "status", "--porcelain") == ""


def test_a_workflow_that_is_gone_is_missed(library: Library) -> None:
    hosted(library)
    git(library.root, "rm", "--quiet", NAMES[2])
    commit(library.root)
    assert said(library) == [("workflow-missing", NAMES[2])]


def test_another_hosts_bot_is_not_missed(library: Library) -> None:
    put(library.root, "memshelf.yml", "branch: main\nderived: bot\n")
    commit(library.root)
    assert said(library) == [("workflow-missing", NAMES[1])]
    git(library.root, "remote", "add", "origin", "https://codeberg.org/someone/library.git")
    assert said(library) == []


def test_what_cannot_be_seen_is_unknown_and_no_fault(library: Library) -> None:
    assert doctor(library.root, TODAY).unknown == ()
    hosted(library)

    for told in (None, [], {"message": "Not Found"}):
        found = doctor(library.root, TODAY, told=told)
        assert (found.ok, found.verdicts["branch-without-gate"]) == (True, "unknown")
        assert [one.rules for one in found.unknown] == [("branch-without-gate",)]
    assert "unknown: whether the branch on GitHub can be changed" in doctor(library.root, TODAY).as_text()


def test_the_branchs_rules_are_judged_where_they_are_told(
    library: Library, run: Callable[..., Ran], tmp_path: Path
) -> None:
    hosted(library)
    assert doctor(library.root, TODAY, told=RULES).verdicts["branch-without-gate"] == "fine"

    weak: list[Any] = json.loads(json.dumps(RULES))
    weak[0]["parameters"]["require_code_owner_review"] = False
    (tmp_path / "rules").write_text(json.dumps(weak), encoding="utf-8")
    done = run("doctor", "--branch-rules", tmp_path / "rules", "--library", library.root)
    assert done.code == 0
    assert "do not demand the approval of a code owner" in done.out
    assert len(said(library, [{"type": "deletion"}])) == 5

    (tmp_path / "rules").write_text("gh: Not Found", encoding="utf-8")
    assert run("doctor", "--branch-rules", tmp_path / "rules", "--library", library.root).code == 1


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://github.com/a/b.git", ("a", "b")),
        ("ssh://git@github.com/a/b", ("a", "b")),
        ("git@github.com:a/b.c.git", ("a", "b.c")),
        ("https://x-access-token:t@github.com/a/b/", ("a", "b")),
        ("https://github.com.example.org/a/b", None),
        ("https://gitlab.com/a/b", None),
        ("/srv/github.com/a/b", None),
    ],
)
def test_only_github_is_github(url: str, named: tuple[str, str] | None) -> None:
    assert github_of(url) == named


def test_our_own_workflows_are_the_templates() -> None:
    library = open_library(ROOT)
    for path, raw in templates(library._replace(branch="refs/heads/main"), action_of(LOCAL, "")).items():
        assert (ROOT / path).read_bytes() == raw


def test_every_action_is_pinned_by_a_whole_commit() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / ".github").rglob("*.yml")]
    used = [use for text in texts for use in re.findall(r"uses: (\S+)", text)]
    assert len(used) > 8
    pinned = r"actions/[a-z-]+@[0-9a-f]{40}|\$/\.github/actions/memshelf"
    assert [use for use in used if not re.fullmatch(pinned, use)] == []


def test_the_actions_lock_holds_all_that_memshelf_needs_by_hash() -> None:
    lock = (ACTION / "requirements.txt").read_text(encoding="utf-8")
    entries = re.findall(
        r"^([a-z0-9-]+)==[\w.]+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", lock, re.M
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needs = project["project"]["dependencies"] + project["build-system"]["requires"]

    assert len(entries) == len(re.findall(r"^[a-z]", lock, re.M))
    assert {re.split("[><=]", need)[0] for need in needs} - {name for name, _ in entries} == set()


@pytest.mark.parametrize("tool", ["actionlint", "zizmor", "shellcheck"])
def test_the_linters_of_workflows_have_nothing_to_say(library: Library, tmp_path: Path, tool: str) -> None:
    program = shutil.which(tool, path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip(f"{tool} is not installed")
    hosted(library)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    shutil.copytree(ROOT / ".github", ours / ".github")
    shutil.copytree(library.root / ".github", theirs / ".github")
    for place in (ours, theirs):
        git(place, "init", "--quiet")
    scripts = [str(ours / ".github/actions/memshelf" / name) for name in ("install", "run")]
    words = {"zizmor": ["--offline", "--quiet", ".github"], "shellcheck": scripts}.get(tool, [])

    for place in (ours, theirs):
        done = subprocess.run(
            [program, *words], cwd=place, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_new_library_needs_but_one_call(tmp_path: Path) -> None:
    made = github(tmp_path / "library", ["homelab"], ASKED, today=TODAY)
    assert made.made.shelves == ("homelab", "shared")
    assert git(made.made.root, "log", "--format=%s") == "memshelf init --github\nmemshelf init"
    assert init(made.made.root, today=TODAY).added == ()
