"""The bot's jobs, executed step by step against a bare remote: what each event leaves there."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from store.traces import commit, put
from support import TODAY, fine, git

from bot.runner import host_of, missing
from memshelf.commands.github import Asked, github
from memshelf.formats import episode as episode_format

if TYPE_CHECKING:
    from pathlib import Path

    from bot.runner import GitHub
    from memshelf.store.library import Library

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE"
SOURCE = "someone/memshelf@" + "1f" * 20
TOPICS = "shelves/shared/docs/topics"
DERIVED = [f"shelves/shared/{name}" for name in ("INDEX.md", "ledger.tsv", "stats.svg")]
PUSH = ("push", "refs/heads/main")
REFUSE = """while read -r old new ref; do
  [ "$ref" != refs/heads/main ] || { echo "GH006: Protected branch update failed." >&2; exit 1; }
done"""


class Place(NamedTuple):
    """A person's clone, and the repository on the host."""

    root: Path
    host: GitHub

    def merge(self, name: str, *, where: str = "main") -> str:
        """Put an episode on a branch of the host, as the merge of a pull request does."""
        self.back(where)
        put(self.root, f"{TOPICS}/{name}.md", episode_format.render(fine(id=name, title=name)))
        made = commit(self.root)
        git(self.root, "push", "--quiet", "origin", f"HEAD:{where}")
        return made

    def back(self, where: str = "main") -> None:
        """Take the branch as the host has it, a new one from main."""
        git(self.root, "fetch", "--quiet", "--prune", "origin", "+refs/heads/*:refs/remotes/origin/*")
        start = f"origin/{where}" if where in self.branches() else "origin/main"
        git(self.root, "checkout", "--quiet", "-B", where, start)

    def branches(self) -> list[str]:
        return git(self.host.there, "for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()

    def protect(self) -> None:
        put(self.host.there, "hooks/pre-receive", f"#!/bin/sh\n{REFUSE}\n").chmod(0o755)

    def log(self, of: str = "main") -> list[str]:
        """Return `subject by author` of each commit, newest first, up to the one that brought the bot."""
        lines = git(self.host.there, "log", "--format=%s by %an", of).splitlines()
        return lines[: lines.index("memshelf init --github by Test Person")]

    def rendered(self, of: str = "main") -> bool:
        """Tell whether the derived files are, byte for byte, what a clean render of the branch gives."""
        fresh = self.root.with_name(f"fresh-{len(list(self.root.parent.iterdir()))}")
        git(self.root.parent, "clone", "--quiet", "--branch", of, str(self.host.there), str(fresh))
        command = [sys.executable, "-m", "memshelf", "render", "--library", str(fresh)]
        subprocess.run(command, check=True, capture_output=True)
        return git(fresh, "status", "--porcelain") == ""


RENDER = "render: derived files by github-actions[bot]"
HAND = "by hand by Test Person"


@pytest.fixture
def place(library: Library, tmp_path: Path) -> Place:
    github(library.root, (), Asked(source=SOURCE, owner="@someone"), today=TODAY)
    return Place(library.root, host_of(library.root, tmp_path))


def test_a_merge_is_rendered_and_the_bots_own_commit_is_not_answered(place: Place) -> None:
    place.merge("2026-07-10-one")
    first = place.host.run("render", *PUSH)
    assert (first.code, place.log()) == (0, [RENDER, HAND]), first.log
    assert place.rendered()
    assert "shelves/shared/INDEX.md: rendered" in first.summary

    again = place.host.run("render", *PUSH)
    assert (again.code, place.log()) == (0, [RENDER, HAND])
    assert "nothing to render" in again.log
    assert "pr create" not in place.host.asked()


def test_a_merge_that_changes_no_episode_makes_no_commit(place: Place) -> None:
    place.back()
    put(place.root, "README.md", "Code lives here too.\n")
    commit(place.root)
    git(place.root, "push", "--quiet", "origin", "main")

    assert place.host.run("render", *PUSH).code == 0
    assert place.log() == [HAND]
    assert place.rendered()


def test_two_merges_at_once_are_rendered_by_the_first_of_two_jobs(place: Place) -> None:
    place.merge("2026-07-10-one")
    place.merge("2026-07-10-two")
    assert [place.host.run("render", *PUSH).code for _ in range(2)] == [0, 0]
    assert place.log() == [RENDER, HAND, HAND]
    assert place.rendered()


def test_a_second_merge_between_fetch_and_push_is_rendered_too(place: Place) -> None:
    place.merge("2026-07-10-one")

    def merge_once_more(workspace: Path) -> None:
        """Let the other merge arrive when the bot's push has begun."""
        place.back()
        put(place.root, f"{TOPICS}/2026-07-10-two.md", episode_format.render(fine(id="2026-07-10-two")))
        settings = (place.root / "memshelf.yml").read_text(encoding="utf-8")
        markers = "shelves: {shared: {markers: [tokens]}}\n"  # other sentences stand in the index now
        put(place.root, "memshelf.yml", settings + markers)
        commit(place.root)
        push = f"git -C '{place.root}' push --quiet origin main"
        hook = f'#!/bin/sh\nunset GIT_DIR GIT_INDEX_FILE GIT_PREFIX\nrm "$0"\n{push}\n'
        put(workspace, ".git/hooks/pre-push", hook).chmod(0o755)

    done = place.host.run("render", *PUSH, meanwhile=merge_once_more)

    assert done.code == 0, done.log
    assert place.log() == [RENDER, HAND, HAND]
    assert place.rendered()
    index = git(place.host.there, "show", f"main:{DERIVED[0]}")
    assert all(name in index for name in ("2026-07-10-one", "2026-07-10-two"))


def test_a_protected_branch_gets_a_pull_request_that_goes_when_it_is_merged(place: Place) -> None:
    place.merge("2026-07-10-one")
    place.protect()
    done = place.host.run("render", *PUSH)
    assert done.code == 0, done.log
    assert "GH006" in done.summary
    assert place.log() == [HAND]
    assert place.log("memshelf-render") == [RENDER, HAND]
    asked = (place.host.state / "pr" / "memshelf-render").read_text(encoding="utf-8")
    assert asked.startswith("Render the derived files\nThe derived files as the episodes on main give them")

    ref = place.host.pull_request("memshelf-render")
    assert place.host.run("check", "pull_request", ref).code == 0

    before = git(place.host.there, "rev-parse", "memshelf-render")
    assert place.host.run("render", *PUSH).code == 0
    assert git(place.host.there, "rev-parse", "memshelf-render") == before
    (place.host.there / "hooks/pre-receive").unlink()
    place.merge("2026-07-10-two")
    place.protect()
    assert place.host.run("render", *PUSH).code == 0
    assert place.log("memshelf-render") == [RENDER, HAND, HAND]
    assert place.host.asked().count("pr create") == 1

    git(place.host.there, "update-ref", "refs/heads/main", "memshelf-render")
    assert place.host.run("render", *PUSH).code == 0
    assert place.branches() == ["main"]
    assert place.rendered()


def test_where_actions_may_open_no_pull_request_the_job_says_so(place: Place) -> None:
    (place.host.state / "no-pr").touch()
    place.merge("2026-07-10-one")
    place.protect()
    done = place.host.run("render", *PUSH)
    assert done.code == 0
    assert "::warning::memshelf-render waits for a pull request" in done.log


def test_a_pull_request_from_a_fork_may_not_touch_derived_files(place: Place) -> None:
    place.merge("2026-07-10-one", where="patch-1")
    put(place.root, DERIVED[0], "mine\n")
    commit(place.root)
    git(place.root, "push", "--quiet", "origin", "HEAD:refs/pull/1/head")

    done = place.host.run("check", "pull_request", place.host.pull_request("refs/pull/1/head"))

    assert done.code == 1
    assert f"::error file={DERIVED[0]},title=derived-touched::" in done.log
    assert "`shared/2026-07-10-one` by a person" in done.summary
    assert place.host.asked() == ""


def test_a_pull_request_is_checked_beside_what_main_has_got_meanwhile(place: Place) -> None:
    place.merge("2026-07-10-one", where="patch-1")
    place.merge("2026-07-10-two")
    place.host.run("render", *PUSH)

    done = place.host.run("check", "pull_request", place.host.pull_request("patch-1"))

    assert (done.code, done.log) == (0, "")
    assert done.summary.startswith("**MemShelf:** 1 episode, no findings")


def test_a_pull_request_is_checked_against_the_branch_it_is_for(place: Place) -> None:
    place.back("release")
    put(place.root, DERIVED[0], "released\n")
    commit(place.root)
    git(place.root, "push", "--quiet", "origin", "release")
    place.merge("2026-07-10-one", where="release-patch")
    git(place.root, "rebase", "--quiet", "origin/release")
    git(place.root, "push", "--quiet", "--force", "origin", "HEAD:release-patch")

    done = place.host.run("check", "pull_request", place.host.pull_request("release-patch", "release"))

    assert (done.code, done.log) == (0, "")


def test_a_secret_in_the_second_to_last_commit_alone_stops_a_pull_request(place: Place) -> None:
    place.merge("2026-07-10-one", where="patch-1")
    file = f"{TOPICS}/2026-07-10-one.md"
    text = (place.root / file).read_text(encoding="utf-8")
    put(place.root, file, text.replace("Key rotation", f"{TOKEN} Key rotation"))
    bad = commit(place.root)
    put(place.root, file, text)
    commit(place.root)
    git(place.root, "push", "--quiet", "origin", "HEAD:patch-1")

    done = place.host.run("check", "pull_request", place.host.pull_request("patch-1"))

    assert done.code == 1
    assert f"::error file={file},title=secret-in-history::commit {bad[:12]}: holds a secret" in done.log
    assert TOKEN not in done.log + done.summary


def test_a_pushed_draft_is_checked_and_becomes_one_pull_request(place: Place) -> None:
    where = "memshelf/shared/2026-07-10-one"
    place.merge("2026-07-10-one", where=where)
    event = ("push", f"refs/heads/{where}")

    assert (place.host.run("check", *event).code, place.host.run("propose", *event).code) == (0, 0)
    assert place.host.run("propose", *event).code == 0

    asked = (place.host.state / "pr" / where).read_text(encoding="utf-8")
    assert asked.startswith("by hand\n**MemShelf:** 1 episode, no findings\n")
    assert "The auth service moved to signed tokens." in asked
    assert place.host.asked().count("pr create") == 1


def test_a_draft_that_breaks_a_rule_is_proposed_with_its_findings(place: Place) -> None:
    where = "memshelf/shared/2026-07-10-one"
    place.merge("2026-07-10-one", where=where)
    put(place.root, f"{TOPICS}/2026-07-10-one.md", episode_format.render(fine(id="2026-07-10-one", title="")))
    commit(place.root)
    git(place.root, "push", "--quiet", "origin", f"HEAD:{where}")

    assert place.host.run("propose", "push", f"refs/heads/{where}").code == 0
    asked = (place.host.state / "pr" / where).read_text(encoding="utf-8")
    assert "error title-missing" in asked


def test_the_audit_keeps_one_issue_while_there_is_something_to_say(place: Place) -> None:
    place.merge("2026-07-10-one")
    place.host.run("render", *PUSH)
    issue = place.host.state / "issue" / "1"
    fine_one = place.host.run("audit", "schedule", "refs/heads/main")
    assert (fine_one.code, issue.exists()) == (0, False), fine_one.log

    place.back()
    put(place.root, "shelves/shared/notes.txt", f"{TOKEN}\n")
    commit(place.root)
    (place.root / "shelves/shared/notes.txt").unlink()
    commit(place.root)
    git(place.root, "push", "--quiet", "origin", "main")
    for _ in range(2):
        assert place.host.run("audit", "schedule", "refs/heads/main").code == 0
    assert "secret-in-history" in issue.read_text(encoding="utf-8")
    assert TOKEN not in issue.read_text(encoding="utf-8")
    assert [place.host.asked().count(f"issue {verb}") for verb in ("create", "edit")] == [1, 1]

    git(place.host.there, "update-ref", "refs/heads/main", "main~2")
    assert place.host.run("audit", "schedule", "refs/heads/main").code == 0
    assert not issue.exists()
