"""Check of commits: what a branch brings is judged, and every version of it on the way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from store.traces import commit, put
from support import TODAY, fine, git

from memshelf.commands.annotations import annotated, page
from memshelf.commands.incoming import Incoming, Piece, incoming
from memshelf.commands.init import init
from memshelf.commands.pull_request import MOST
from memshelf.errors import MemShelfError, UsageError
from memshelf.formats import episode as episode_format
from memshelf.model import Document, Finding, Level, Section
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.store.library import Library

TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE"
TOPIC = "shelves/shared/docs/topics/2026-07-10-auth-tokens.md"
INDEX = "shelves/shared/INDEX.md"


def text(**changes: object) -> str:
    return episode_format.render(fine(**changes))


def by_bot(library: Library) -> Library:
    """Leave the derived files to the bot, in a commit on main."""
    settings = (library.root / "memshelf.yml").read_text(encoding="utf-8")
    put(library.root, "memshelf.yml", settings.replace("derived: local", "derived: bot"))
    commit(library.root)
    return open_library(library.root)


def branch(library: Library) -> Path:
    git(library.root, "checkout", "--quiet", "-b", "memory")
    return library.root


def found(library: Library) -> list[tuple[str, str]]:
    return [(one.rule, one.path) for one in incoming(library, "main..HEAD", TODAY).findings]


def test_a_fine_episode_on_a_branch_is_silent(library: Library, run: Callable[..., Ran]) -> None:
    put(branch(library), TOPIC, text())
    commit(library.root)

    done = run("check", "--commits", "main..HEAD", "--library", library.root)

    assert (done.code, done.out, done.err) == (0, "", "")
    answer = incoming(library, "main..HEAD", TODAY).as_dict()
    assert answer["episodes"] == [{"shelf": "shared", "path": TOPIC, "new": True}]
    assert (answer["ok"], answer["commits"]) == (True, 1)


def test_a_breach_is_annotated_on_its_line_and_summed_up(
    library: Library, run: Callable[..., Ran], tmp_path: Path
) -> None:
    put(branch(library), TOPIC, text(digest="We talked, 100% of us."))
    commit(library.root)
    summary = tmp_path / "summary.md"

    words = ("--annotate", "--summary", summary, "--library", library.root)
    done = run("check", "--commits", "main..HEAD", *words)

    assert done.code == 1
    lines = done.out.splitlines()
    assert all(line.startswith((f"::error file={TOPIC},", f"::warning file={TOPIC},")) for line in lines)
    assert any("title=digest-says-we::Digest: says" in line for line in lines)
    shown = summary.read_text(encoding="utf-8")
    assert shown.startswith("**MemShelf:** 1 episode, ")
    assert "## Auth tokens\n\nWe talked, 100% of us.\n\n### Decisions" in shown
    assert "- `shared/2026-07-10-auth-tokens` by a person\n- redacted: nothing\n- error digest-" in shown


def test_what_base_has_wrong_is_not_told_of_the_branch(library: Library) -> None:
    put(library.root, "shelves/shared/docs/topics/2026-07-01-old.md", "no episode\n")
    put(library.root, "shelves/shared/docs/research/2026-07-01-old.md", "its id is there twice\n")
    commit(library.root)
    put(branch(library), TOPIC, text())
    commit(library.root)

    assert found(library) == []


@pytest.mark.parametrize("path", [TOPIC, "shelves/shared/POLICY.md", "memshelf.yml"])
def test_a_secret_in_the_second_to_last_commit_alone_is_found(library: Library, path: str) -> None:
    branch(library)
    before = (library.root / path).read_text(encoding="utf-8") if path != TOPIC else text()
    put(library.root, path, f"{before}\n{TOKEN}\n")
    bad = commit(library.root)
    put(library.root, path, f"{before}\n")
    commit(library.root)

    answer = incoming(library, "main..HEAD", TODAY)

    assert [(one.rule, one.path) for one in answer.findings] == [("secret-in-history", f"{bad[:12]}:{path}")]
    assert annotated(answer).startswith(f"::error file={path},title=secret-in-history::commit {bad[:12]}: ")
    assert TOKEN not in annotated(answer) + page(answer) + json.dumps(answer.as_dict())


def test_a_secret_that_a_merge_hides_is_found(library: Library) -> None:
    put(branch(library), TOPIC, text())
    commit(library.root)
    git(library.root, "checkout", "--quiet", "-b", "side")
    put(library.root, "shelves/shared/notes.txt", f"{TOKEN}\n")
    bad = commit(library.root)
    git(library.root, "checkout", "--quiet", "memory")
    git(library.root, "merge", "--quiet", "-s", "ours", "--no-edit", "side")
    git(library.root, "branch", "-D", "side")

    assert found(library) == [("secret-in-history", f"{bad[:12]}:shelves/shared/notes.txt")]


def test_what_a_merge_of_base_brings_is_not_the_branchs(library: Library) -> None:
    put(branch(library), TOPIC, text())
    commit(library.root)
    git(library.root, "checkout", "--quiet", "main")
    put(library.root, "shelves/shared/notes.txt", f"{TOKEN}\n")
    commit(library.root)
    git(library.root, "checkout", "--quiet", "memory")
    git(library.root, "merge", "--quiet", "--no-edit", "main")

    assert found(library) == []


def test_code_around_the_shelves_is_nobodys_memory(library: Library) -> None:
    put(branch(library), "main.py", f"key = '{TOKEN}'\n")
    commit(library.root)

    assert found(library) == []


def test_a_secret_that_a_merge_itself_brings_is_found(library: Library) -> None:
    put(branch(library), TOPIC, text())
    commit(library.root)
    git(library.root, "checkout", "--quiet", "-b", "side", "main")
    put(library.root, "shelves/shared/notes.txt", "one\n")
    commit(library.root)
    git(library.root, "merge", "--quiet", "--no-commit", "--no-ff", "memory")
    put(library.root, "shelves/shared/notes.txt", f"{TOKEN}\n")
    bad = commit(library.root)
    put(library.root, "shelves/shared/notes.txt", "two\n")
    commit(library.root)

    assert found(library) == [("secret-in-history", f"{bad[:12]}:shelves/shared/notes.txt")]


def test_a_secret_in_a_message_is_found_and_code_beside_the_library_is_not_looked_at(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "code")
    root = tmp_path / "code"
    init(root / "memory", today=TODAY)
    library = open_library(root / "memory")
    git(root, "checkout", "--quiet", "-b", "work")
    put(root, "main.py", f"key = '{TOKEN}'\n")
    commit(root)
    assert found(library) == []

    put(root, f"memory/{TOPIC}", text(digest="We chose it."))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", f"shelve with {TOKEN}")
    bad = git(root, "rev-parse", "HEAD")

    answer = incoming(library, "main..HEAD", TODAY)
    assert ("secret-in-history", bad[:12]) in [(one.rule, one.path) for one in answer.findings]
    assert f"::error file=memory/{TOPIC}," in annotated(answer)
    assert f"::error title=secret-in-history::commit {bad[:12]}: holds a secret" in annotated(answer)


def test_a_secret_that_stays_is_told_once_in_an_episode_and_beside_one(library: Library) -> None:
    put(branch(library), TOPIC, text(decisions=f"The key is {TOKEN}."))
    put(library.root, "shelves/shared/notes.txt", f"{TOKEN}\n")
    commit(library.root)

    assert sorted(found(library)) == [("holds-secret", TOPIC), ("secret-at-rest", "shelves/shared/notes.txt")]
    answer = incoming(library, "main..HEAD", TODAY)
    assert "The key is «redacted:github-token#" in page(answer)
    assert TOKEN not in page(answer) + annotated(answer) + json.dumps(answer.as_dict())


def test_a_derived_file_is_the_bots(library: Library) -> None:
    library = by_bot(library)
    put(branch(library), INDEX, "mine\n")
    commit(library.root)

    assert found(library) == [("derived-touched", INDEX)]

    git(library.root, "checkout", "--quiet", "main", "--", INDEX)
    commit(library.root)
    assert found(library) == []


def test_the_right_rendering_passes_alone_and_not_beside_an_episode(
    library: Library, run: Callable[..., Ran]
) -> None:
    library = by_bot(library)
    put(library.root, TOPIC, text())
    commit(library.root)
    branch(library)
    run("render", "--library", library.root)
    commit(library.root)
    assert git(library.root, "diff", "--name-only", "main").splitlines()[0] == INDEX
    assert found(library) == []

    put(library.root, TOPIC.replace("auth-tokens", "other"), text(id="2026-07-10-other"))
    commit(library.root)
    assert {rule for rule, _ in found(library)} == {"derived-touched"}


def test_a_change_of_what_judges_is_shown_to_the_reviewer(library: Library) -> None:
    put(branch(library), "shelves/homelab/POLICY.patterns", "project Bluebird\n")
    commit(library.root)

    answer = incoming(library, "main..HEAD", TODAY)
    assert (answer.findings, answer.judges) == ((), ("shelves/homelab/POLICY.patterns",))
    assert "change too:\n\n```text\nshelves/homelab/POLICY.patterns\n```" in page(answer)


def test_whoever_renders_at_each_accept_may_touch_them(library: Library, run: Callable[..., Ran]) -> None:
    branch(library)
    address = "ivan.petrov" + "@mail.ru"
    digest = f"Chosen: {address} signs auth tokens for the service."
    put(library.root, TOPIC, text(digest=digest, allow=("email Digest it is public",)))
    run("render", "--library", library.root)
    commit(library.root)
    assert address in (library.root / INDEX).read_text(encoding="utf-8")

    assert found(library) == []


def test_an_id_that_base_has_got_meanwhile_is_found(library: Library) -> None:
    put(branch(library), TOPIC.replace("topics", "research"), text(kind="research"))
    commit(library.root)
    git(library.root, "checkout", "--quiet", "main")
    put(library.root, TOPIC, text())
    commit(library.root)
    git(library.root, "checkout", "--quiet", "memory")

    assert found(library) == [("id-repeated", TOPIC.replace("topics", "research"))]


def test_a_moved_episode_repeats_no_id_and_a_removed_one_is_no_fault(library: Library) -> None:
    put(library.root, TOPIC, text())
    put(library.root, TOPIC.replace("auth-tokens", "gone"), text(id="2026-07-10-gone"))
    commit(library.root)
    branch(library)
    git(library.root, "rm", "--quiet", TOPIC.replace("auth-tokens", "gone"), TOPIC)
    put(library.root, TOPIC.replace("topics", "research"), text(kind="research"))
    commit(library.root)

    assert found(library) == []


def test_a_link_in_an_episodes_place_and_a_side_of_a_merge_are_faults(library: Library) -> None:
    put(branch(library), TOPIC, text(decisions="x\n<<<<<<< HEAD\none\n=======\ntwo\n>>>>>>> other"))
    (library.root / TOPIC.replace("auth-tokens", "link")).symlink_to("/etc/passwd")
    commit(library.root)

    findings = incoming(library, "main..HEAD", TODAY).findings
    assert "conflict-left" in {one.rule for one in findings}
    assert [one.path for one in findings if "a symbolic link" in one.message] == [
        TOPIC.replace("auth-tokens", "link")
    ]


@pytest.mark.parametrize("words", ["main", "..HEAD", "main..", "main...HEAD"])
def test_only_a_range_is_a_range(library: Library, words: str) -> None:
    with pytest.raises(UsageError, match=r"takes BASE\.\.HEAD"):
        incoming(library, words, TODAY)


def test_commits_that_are_not_here_are_a_refusal(library: Library, run: Callable[..., Ran]) -> None:
    with pytest.raises(MemShelfError, match="no such commits in this clone"):
        incoming(library, "main..nowhere", TODAY)
    assert run("check", TOPIC, "--commits", "main..HEAD").code == 2
    assert run("check", "--annotate", "--library", library.root).code == 2


def test_no_path_or_text_ends_an_annotation_or_calls_anybody() -> None:
    path = "shelves/a,b::c\n::stop-commands::x.md"
    finding = Finding("digest-missing", Level.ERROR, "no\r\n```\n::error::forged", path, 3)
    hostile = fine(digest="@everyone closes #1", title="t")
    found = Incoming((finding,), 1, (Piece("shared", Document("a.md", b"", hostile), new=False),))

    assert annotated(found) == (
        "::error file=shelves/a%2Cb%3A%3Ac%0A%3A%3Astop-commands%3A%3Ax.md,line=3,title=digest-missing::"
        "no%0D%0A```%0A::error::forged"
    )
    assert "\n```\n::error::forged\n````\n" in page(found)
    assert not {"@everyone", "#1"} & set(page(found).split())


def test_a_page_that_is_too_long_is_cut() -> None:
    long = fine(sections={"Digest": "x " * MOST})
    shown = page(Incoming((), 1, (Piece("shared", Document("a.md", b"", long), new=True),)))

    assert len(shown) < MOST + 100
    assert shown.endswith("x \n\n(the rest is in the file)\n")


def test_the_page_names_marks_and_what_was_lifted() -> None:
    marked = fine(decisions="The key «redacted:github-token#1» moved.", allow=("card Decisions a test",))
    section = Section("Timeline", "«redacted:github-token#1» again")
    marked = marked._replace(sections=(*marked.sections, section))
    shown = page(Incoming((), 1, (Piece("shared", Document("a.md", b"", marked), new=False),)))

    assert "`shared/2026-07-10-auth-tokens` (amend) by a person\n" in shown
    assert "redacted: github-token Decisions, github-token Timeline, lifted by hand: card Dec" in shown
