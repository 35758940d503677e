"""Publish: drafts become branches of the remote and pull requests; nobody's work there is written over."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from store.traces import checkout, commit, put, shelve_by_hand
from support import FINE, fine, git, objects_contain, request

from memshelf.commands.accept import accept
from memshelf.commands.publish import publish
from memshelf.commands.pull_request import LATER, MOST, body_of, heading_of, together
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.model import Entry, State
from memshelf.redact import Policy
from memshelf.store.drafts import Note, save
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

PATH = f"shelves/shared/docs/topics/{FINE.id}.md"
NAME = f"shared/{FINE.id}"
BRANCH = f"memshelf/{NAME}"
OTHER = "2026-07-10-backups"
PAGE = f"https://github.com/me/lab/compare/main...{BRANCH}?expand=1"
GH = """#!/bin/sh
case "$1 $2" in
"auth status") exit ${GH_OUT:-0};;
"pr list") echo "$GH_OPEN"; exit 0;;
esac
printf '%s\\n' "$@" > "$GH_LOG"
cat > "$GH_LOG.body"
[ -z "$GH_FAILS" ] || { echo "no rights" >&2; exit 1; }
echo "https://github.com/me/lab/pull/7"
"""
SSH = """#!/bin/sh
for last; do :; done
cd "$SSH_ROOT" && exec sh -c "$last"
"""


@pytest.fixture
def origin(library: Library, tmp_path: Path) -> Path:
    """Return a bare repository that is the library's `origin`."""
    bare = tmp_path / "me/lab.git"
    git(tmp_path, "clone", "--quiet", "--bare", str(library.root), str(bare))
    git(library.root, "remote", "add", "origin", str(bare))
    return bare


@pytest.fixture
def github(library: Library, origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Serve the remote as github.com behind a stand-in for ssh, beside one for gh; return gh's log."""
    git(library.root, "remote", "set-url", "origin", "git@github.com:me/lab.git")
    for name, text in (("ssh", SSH), ("gh", GH)):
        put(tmp_path, f"bin/{name}", text).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("SSH_ROOT", str(origin.parent.parent))
    monkeypatch.setenv("GH_LOG", str(tmp_path / "gh.log"))
    return tmp_path / "gh.log"


def there(origin: Path, branch: str = BRANCH) -> str:
    """Return the commit of the branch on the remote, empty where there is none."""
    return git(origin, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")


def rev_of(library: Library, ref: str, path: str) -> str:
    return git(library.root, "rev-parse", f"{ref}:{path}")[:12]


def test_a_draft_becomes_a_branch_on_the_tip_of_the_remote(
    library: Library, origin: Path, caller: Caller, run: Callable[..., Ran]
) -> None:
    write(library, request(), caller)
    before = checkout(library.root)

    done = run("publish", "--library", library.root)

    assert (done.code, done.err) == (0, "")
    assert done.out == f"published: {NAME}\n{BRANCH}: open its pull request on the host\n"
    assert checkout(library.root) == before
    assert git(origin, "diff", "--name-only", f"main...{BRANCH}") == PATH
    assert git(origin, "rev-list", "--count", f"main..{BRANCH}") == "1"
    assert git(origin, "show", f"{BRANCH}:{PATH}") + "\n" == episode_format.render(
        episode_format.parse(git(library.root, "show", f"refs/memshelf/draft/{NAME}:{FINE.id}.md") + "\n")
    )
    said = git(origin, "log", "-1", "--format=%an <%ae>%n%cn%n%B", BRANCH)
    assert said.startswith(f"test-client <test-client@memshelf.invalid>\nTest Person\nshelve: {FINE.id}\n")
    assert "Memshelf-Draft: " in said

    first = there(origin)
    assert git(library.root, "rev-parse", f"refs/memshelf/origin/draft/{NAME}") == first
    again = publish(library, [], caller)
    assert [fate.state for fate in again.drafts] == ["already published"]
    assert there(origin) == first


def test_an_amended_draft_takes_the_place_of_its_branch(
    library: Library, origin: Path, caller: Caller
) -> None:
    saved = write(library, request(), caller)
    publish(library, [], caller)
    first = there(origin)
    write(library, request(amend=True, rev=saved.rev, decisions="Opaque tokens."), caller)
    assert publish(library, [FINE.id], caller).drafts[0].state == "published"
    assert there(origin) != first
    assert "Opaque tokens." in git(origin, "show", f"{BRANCH}:{PATH}")
    assert git(origin, "rev-list", "--count", f"main..{BRANCH}") == "1"


def test_an_amend_of_accepted_text_moves_its_file(library: Library, origin: Path, caller: Caller) -> None:
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    git(library.root, "push", "--quiet", "origin", "main")
    write(library, request(amend=True, rev=rev_of(library, "main", PATH), kind="research"), caller)
    publish(library, [], caller)
    changed = git(origin, "diff", "--name-status", "--no-renames", f"main...{BRANCH}").splitlines()
    assert changed == [f"A\t{PATH.replace('topics', 'research')}", f"D\t{PATH}"]


def test_what_others_have_pushed_to_a_branch_is_left_alone(
    library: Library, origin: Path, caller: Caller, tmp_path: Path
) -> None:
    saved = write(library, request(), caller)
    publish(library, [], caller)
    git(tmp_path, "clone", "--quiet", "--branch", BRANCH, str(origin), "other")
    put(tmp_path / "other", PATH, episode_format.render(fine(decisions="Edited on the host.")))
    commit(tmp_path / "other")
    git(tmp_path / "other", "push", "--quiet")
    edited = there(origin)
    write(library, request(amend=True, rev=saved.rev, decisions="Here."), caller)

    fate = publish(library, [], caller).drafts[0]

    assert fate.state == "refused"
    assert "holds what was not published from here" in fate.why
    assert there(origin) == edited


def test_another_clones_draft_of_the_same_id_is_left_alone(
    library: Library, origin: Path, caller: Caller, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", str(origin), "second")
    second = open_library(tmp_path / "second")
    write(library, request(), caller)
    write(second, request(decisions="Another text."), caller)
    publish(library, [], caller)
    first = there(origin)
    assert publish(second, [], caller).drafts[0].state == "refused"
    assert there(origin) == first


def test_what_the_remote_has_taken_or_changed_is_not_published(
    library: Library, origin: Path, caller: Caller, tmp_path: Path
) -> None:
    write(library, request(), caller)
    publish(library, [], caller)
    git(tmp_path, "clone", "--quiet", str(origin), "other")
    other = tmp_path / "other"
    git(other, "merge", "--quiet", "--squash", f"origin/{BRANCH}")
    commit(other)
    git(other, "push", "--quiet")
    assert "on the remote's branch already" in publish(library, [], caller).drafts[0].why
    shelve_by_hand(other, fine(decisions="Edited after the merge."))
    git(other, "push", "--quiet")
    done = publish(library, [], caller)
    assert (done.ok, done.proposals) == (False, ())
    assert "exists by now on the remote" in done.drafts[0].why


def test_a_batch_is_one_branch_with_a_commit_each(
    library: Library, origin: Path, caller: Caller, run: Callable[..., Ran]
) -> None:
    write(library, request(), caller)
    write(library, request(id=OTHER, title="Backups", shelf="homelab"), caller)

    done = run("publish", "--batch", "--json", "--library", library.root)

    answer = json.loads(done.out)
    branch = answer["branches"][0]
    assert branch["branch"].startswith("memshelf/batch-")
    assert branch["drafts"] == [NAME, f"homelab/{OTHER}"]
    assert git(origin, "rev-list", "--count", f"main..{branch['branch']}") == "2"
    assert len(git(origin, "diff", "--name-only", f"main...{branch['branch']}").splitlines()) == 2
    again = publish(library, [], caller, batch=True)
    assert {fate.state for fate in again.drafts} == {"already published"}


def test_gh_opens_the_pull_request_and_brings_it_up_to_date(
    library: Library, github: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "garden" + "-Lantern-42"
    saved = write(library, request(decisions=f"Signed tokens. The admin's password: {password}"), caller)

    done = publish(library, [], caller)

    assert done.proposals[0].opened == "https://github.com/me/lab/pull/7"
    assert "pull request: https://github.com/me/lab/pull/7" in done.as_text()
    said = github.read_text(encoding="utf-8").splitlines()
    assert said[:8] == ["pr", "create", "--repo", "github.com/me/lab", "--head", BRANCH, "--base", "main"]
    assert said[said.index("--title") + 1] == "shelve: Auth tokens"
    body = github.with_name("gh.log.body").read_text(encoding="utf-8")
    for part in (
        FINE.digest,
        "### Decisions",
        "Signed tokens.",
        "Key rotation has no owner.",
        "Memshelf-Draft: ",
    ):
        assert part in body
    assert "redacted: password decisions:1" in body
    assert password not in body

    monkeypatch.setenv("GH_OPEN", "https://github.com/me/lab/pull/5")
    write(library, request(amend=True, rev=saved.rev, decisions="Opaque tokens."), caller)
    assert publish(library, [], caller).proposals[0].opened == "https://github.com/me/lab/pull/5"
    assert github.read_text(encoding="utf-8").startswith("pr\nedit\nhttps://github.com/me/lab/pull/5\n")
    assert "Opaque tokens." in github.with_name("gh.log.body").read_text(encoding="utf-8")


def test_without_gh_the_page_that_opens_it_is_told(
    library: Library, github: Path, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(library, request(), caller)
    monkeypatch.setenv("GH_OUT", "1")
    assert publish(library, [], caller).as_text().endswith(f"{BRANCH}: open its pull request: {PAGE}")
    monkeypatch.delenv("GH_OUT")
    monkeypatch.setenv("GH_FAILS", "1")
    done = publish(library, [], caller)
    assert done.ok
    assert done.as_text().endswith(f"{BRANCH}: gh pr create: no rights: open its pull request: {PAGE}")
    monkeypatch.setenv("GH_FAILS", "")
    github.parent.joinpath("bin/gh").unlink()
    assert publish(library, [], caller).proposals[0].page == PAGE


def test_a_draft_that_a_write_would_refuse_stays_here(library: Library, origin: Path, caller: Caller) -> None:
    secret = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE"
    planted = fine(id=OTHER, decisions=f"Token {secret}")
    beside = fine(id="2026-07-10-beside", other=(("note-to-self", secret),))
    client = fine(id="2026-07-10-client")
    for episode in (planted, beside, client):
        entry = Entry("shared", library.episode_path("shared", episode), "", State.DRAFT, episode)
        note = Note(f"by-{secret}" if episode is client else "by-hand")
        save(library, entry, episode_format.render(episode), note)
    write(library, request(), caller)

    done = publish(library, [], caller)

    assert {fate.name: fate.state for fate in done.drafts} == {
        f"shared/{OTHER}": "refused",
        "shared/2026-07-10-beside": "refused",
        "shared/2026-07-10-client": "refused",
        NAME: "published",
    }
    assert secret not in done.as_text()
    assert not objects_contain(origin, secret)


def test_a_remote_that_refuses_is_told_in_one_line(library: Library, origin: Path, caller: Caller) -> None:
    put(origin, "hooks/pre-receive", "#!/bin/sh\necho 'drafts are closed' >&2\nexit 1\n").chmod(0o755)
    write(library, request(), caller)
    done = publish(library, [], caller)
    assert done.drafts[0].state == "refused"
    assert "drafts are closed" in done.drafts[0].why
    assert "\n" not in done.drafts[0].why
    assert there(origin) == ""


def test_where_there_is_nowhere_to_publish_to_it_is_said(
    library: Library, tmp_path: Path, caller: Caller, run: Callable[..., Ran]
) -> None:
    done = run("publish", "--library", library.root)
    assert (done.code, done.err) == (
        1,
        "memshelf: the library has no remote: `git remote add origin URL`, then try again\n",
    )
    git(tmp_path, "init", "--quiet", "--bare", "empty.git")
    git(library.root, "remote", "add", "origin", str(tmp_path / "empty.git"))
    assert run("publish", "--library", library.root).out == "no draft waits\n"
    write(library, request(), caller)
    with pytest.raises(MemShelfError, match="has no branch main yet: `memshelf sync`"):
        publish(library, [], caller)
    login = "me:" + "top" + "-secret"
    git(library.root, "remote", "set-url", "origin", f"http://{login}@127.0.0.1:1/lab.git")
    with pytest.raises(MemShelfError, match="try again when the remote takes it") as refusal:
        publish(library, [], caller)
    assert login not in str(refusal.value)


def test_a_library_that_publishes_by_itself_does_so_on_write(
    library: Library, origin: Path, caller: Caller
) -> None:
    put(library.root, "memshelf.yml", "branch: main\npublish: auto\n")
    auto = open_library(library.root)
    answer = write(auto, request(), caller)
    assert f"{BRANCH}: open its pull request" in answer.as_text()
    assert there(origin) != ""
    origin.rename(origin.with_name("away.git"))
    answer = write(auto, request(id=OTHER, title="Backups"), caller)
    assert answer.state == "draft"
    assert "not published: " in answer.as_text()
    assert "`memshelf publish` tries again" in answer.as_text()


def test_the_text_of_an_agent_calls_nobody_and_closes_nothing() -> None:
    text = "Ask @somebody about #12, GH-3. Fixes #4, closes https://github.com/me/lab/issues/5 and me/lab#6."
    entry = Entry("shared", PATH, "", State.DRAFT, fine(decisions=text, title="For @all"))
    body = body_of(entry, Note("c", uuid="u"), (), Policy())
    for call in ("@somebody", "@all", "#12", "GH-3", "#4", "closes https", "#6"):
        assert call not in body
    assert body.replace("\N{ZERO WIDTH SPACE}", "").count(text) == 1
    secret = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE"
    entry = Entry("shared", PATH, "", State.DRAFT, fine(decisions=f"Token {secret}"))
    assert secret not in body_of(entry, Note("c", uuid="u"), (), Policy())


def test_a_body_fits_what_a_host_takes() -> None:
    whole = together(["x" * MOST, "short"], ["one", "two"])
    assert len(whole) < MOST + 1000
    assert LATER in whole
    assert "short" in whole
    assert whole.endswith("Memshelf-Draft: one\nMemshelf-Draft: two\n")
    entries = [Entry("shared", PATH, "", State.DRAFT, fine(title="t" * 120))] * 9
    assert len(heading_of(entries, Policy())) == 200
