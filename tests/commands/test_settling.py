"""What becomes of drafts that the host decided on, on real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hosting import MESSAGE, TOPICS, Host, host_of, publish, shelved, synced
from store.traces import refs
from support import TODAY, git, request

from memshelf.commands.accept import accept
from memshelf.commands.read import read
from memshelf.commands.rejected import rejected
from memshelf.commands.review import review
from memshelf.commands.revise import revise
from memshelf.commands.status import status
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.requests import ReadRequest

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library

ONE, TWO = "2026-07-01-one", "2026-07-02-two"
NAME = f"shared/{ONE}"
EDIT = ("signed tokens", "signed, short-lived tokens")
PUBLISHED = "refs/memshelf/origin/draft"


@pytest.fixture
def host(library: Library, tmp_path: Path) -> Host:
    return host_of(library, tmp_path)


@pytest.fixture
def proposed(library: Library, host: Host, caller: Caller) -> Library:
    """Return a library with one draft that is published, and another commit on the host since."""
    write(library, request(id=ONE, title="One"), caller)
    publish(library, ONE)
    other = host.clone("before")
    shelved(other, caller, TWO)
    synced(other)
    return library


def settled(library: Library) -> list[tuple[str, str]]:
    return [tuple(one) for one in synced(library).settled]  # type: ignore[misc]


def rev_of(library: Library, name: str) -> str:
    return git(library.root, "rev-parse", f"main:{TOPICS}/{name}.md")[:12]


def rejections(library: Library) -> list[tuple[str, str]]:
    return [(f"{item.shelf}/{item.id}", item.reason) for item in rejected(library).items]


def nothing_waits(library: Library, host: Host) -> bool:
    """Tell whether neither draft nor published branch is left, here and on the host."""
    branches = git(host.there, "for-each-ref", "refs/heads/memshelf")
    return not (refs(library.root) or refs(library.root, PUBLISHED) or branches)


@pytest.mark.parametrize("squash", ["", "Add an episode (#1)"], ids=["merge", "squash"])
def test_what_was_merged_as_it_is_goes_and_its_branch_with_it(
    proposed: Library, host: Host, squash: str
) -> None:
    host.merge(NAME, squash=squash)
    done = synced(proposed)
    assert done.as_text().split("\n")[1:] == [f"  {NAME}  merged"]
    assert nothing_waits(proposed, host)
    assert rejections(proposed) == []
    assert settled(proposed) == []


@pytest.mark.parametrize("closed", [False, True], ids=["branch stays", "branch removed"])
@pytest.mark.parametrize(
    "squash", [f"Add an episode\n\n{MESSAGE}", "Add an episode (#1)"], ids=["trailer", "id"]
)
def test_what_was_merged_with_edits_stays_readable(
    proposed: Library, host: Host, squash: str, closed: bool
) -> None:
    host.merge(NAME, squash=squash, edit=EDIT)
    if closed:
        host.close(NAME)
    done = synced(proposed)
    if not closed and MESSAGE not in squash:  # the id alone: a pull request that is open may still be merged
        assert done.settled == ()
        host.close(NAME)
        done = synced(proposed)
    assert done.as_text().split("\n")[1:] == [
        f"  {NAME}  merged with edits: `memshelf review show {NAME} --rejected` has your text"
    ]
    assert refs(proposed.root) == {}
    assert rejections(proposed) == [(NAME, "merged with edits")]
    assert EDIT[0] in rejected(proposed, NAME).text
    assert EDIT[1] in (proposed.root / TOPICS / f"{ONE}.md").read_text(encoding="utf-8")
    assert settled(proposed) == []


@pytest.mark.parametrize("prune", ["false", "true"])
def test_a_closed_pull_request_is_a_rejection(
    proposed: Library, host: Host, caller: Caller, prune: str
) -> None:
    assert settled(proposed) == []
    git(proposed.root, "config", "fetch.prune", prune)
    host.close(NAME)
    if prune == "true":  # something new, so that there is a fetch
        other = host.clone("other")
        write(other, request(id=TWO, title="Two", amend=True, rev=rev_of(other, TWO)), caller)
        publish(other, TWO)
        assert settled(proposed) == [(NAME, "closed on the host")]
        host.close(f"shared/{TWO}")
        assert settled(proposed) == []
        assert rejections(proposed) == [(NAME, "closed on the host")]
        return
    assert settled(proposed) == [(NAME, "closed on the host")]
    assert rejections(proposed) == [(NAME, "closed on the host")]
    assert nothing_waits(proposed, host)
    assert settled(proposed) == []


@pytest.mark.parametrize(
    ("by", "fate"), [("agent", "edited"), ("person", "merged"), ("person", "edited"), ("person", "closed")]
)
def test_a_draft_that_was_amended_since_it_was_published_stays(
    proposed: Library, host: Host, caller: Caller, fate: str, by: str
) -> None:
    if by == "agent":
        rev = git(proposed.root, "rev-parse", f"refs/memshelf/draft/{NAME}:{ONE}.md")[:12]
        write(proposed, request(id=ONE, title="Anew", amend=True, rev=rev), caller)
    else:
        revise(
            proposed,
            ONE,
            git(proposed.root, "show", f"refs/memshelf/draft/{NAME}:{ONE}.md").replace("One", "Anew") + "\n",
            TODAY,
        )
    before = refs(proposed.root)
    if fate != "closed":
        host.merge(NAME, squash=f"x\n\n{MESSAGE}", edit=EDIT if fate == "edited" else ("", ""))
    if fate != "merged":
        host.close(NAME)
    for _ in range(2):
        assert [name for name, how in settled(proposed) if how != "merged"] == []
        assert refs(proposed.root) == before
    assert rejections(proposed) == []


def test_an_open_pull_request_and_a_draft_that_was_never_published_wait_on(
    proposed: Library, caller: Caller
) -> None:
    write(proposed, request(id="2026-07-05-alone", title="Alone"), caller)
    before = refs(proposed.root)
    assert settled(proposed) == []
    assert refs(proposed.root) == before
    assert list(refs(proposed.root, PUBLISHED)) == [NAME]


def test_another_episode_of_the_same_id_settles_nothing(library: Library, host: Host, caller: Caller) -> None:
    other = host.clone("other")
    write(library, request(id=ONE, title="Mine"), caller)
    shelved(other, caller, ONE)
    synced(other)
    assert settled(library) == []
    assert list(refs(library.root)) == [NAME]


def test_an_amend_is_closed_merged_or_merged_with_edits_like_any_draft(
    library: Library, host: Host, caller: Caller
) -> None:
    shelved(library, caller, ONE)
    synced(library)
    rev = rev_of(library, ONE)
    for number, fate in enumerate(("closed on the host", "merged with edits", "merged")):
        write(library, request(id=ONE, title=f"Amended {number}", amend=True, rev=rev), caller)
        publish(library, ONE)
        assert settled(library) == []
        if fate != "closed on the host":
            host.merge(NAME, squash="Amend", edit=EDIT if fate == "merged with edits" else ("", ""))
        host.close(NAME)
        assert settled(library) == [(NAME, fate)]
        rev = rev_of(library, ONE)
    assert nothing_waits(library, host)


def test_a_draft_that_was_published_and_then_accepted_here_closes_its_branch(
    proposed: Library, host: Host, caller: Caller
) -> None:
    accept(proposed, [ONE], caller)
    done = synced(proposed)
    assert (done.pushed, [tuple(one) for one in done.settled]) == (1, [(NAME, "merged")])
    assert nothing_waits(proposed, host)


@pytest.mark.parametrize("squash", ["", "Two episodes"], ids=["merge", "squash"])
def test_a_branch_of_several_drafts_goes_when_all_of_them_are_merged(
    library: Library, host: Host, caller: Caller, squash: str
) -> None:
    for name in (ONE, TWO):
        write(library, request(id=name, title=name), caller)
    first = publish(library, ONE)
    publish(library, TWO)
    web = host.clone("batch").root
    git(web, "checkout", "--quiet", "-b", "both", first)
    git(web, "cherry-pick", f"origin/memshelf/shared/{TWO}")
    git(
        web,
        "push",
        "--quiet",
        "origin",
        "both:memshelf/batch-1",
        f":memshelf/{NAME}",
        f":memshelf/shared/{TWO}",
    )
    for name in (NAME, f"shared/{TWO}"):
        git(library.root, "update-ref", "-d", f"{PUBLISHED}/{name}")
    assert settled(library) == []
    assert list(refs(library.root, PUBLISHED)) == ["batch-1"]
    host.merge("batch-1", squash=squash)
    assert settled(library) == [(NAME, "merged"), (f"shared/{TWO}", "merged")]
    assert nothing_waits(library, host)


def test_a_host_that_keeps_its_branches_is_left_as_it_is(proposed: Library, host: Host) -> None:
    host.hook("update", 'case "$1" in refs/heads/memshelf/*) exit 1;; esac')
    host.merge(NAME)
    assert settled(proposed) == [(NAME, "merged")]
    assert settled(proposed) == []
    assert list(refs(proposed.root, PUBLISHED)) == [NAME]


def test_drafts_of_others_are_there_to_read_until_the_host_decides(
    proposed: Library, host: Host, caller: Caller
) -> None:
    other, third = host.clone("other"), host.clone("third")
    for clone in (other, third):
        synced(clone)
        assert list(refs(clone.root, PUBLISHED)) == [NAME]
        assert status(clone, caller).others == (f"{NAME}@origin",)
    said = read(other, ReadRequest(id=f"{ONE}@origin#digest"), caller).as_text()
    assert said.startswith(f"{NAME}@origin draft rev: ")
    assert "a draft on the remote as of the last sync: its pull request decides on it" in said
    assert "## Digest\n\nThe auth service moved to signed tokens." in said
    assert f"\nid: {ONE}\n" in read(other, ReadRequest(id=f"{NAME}@origin"), caller).text
    assert review(other, TODAY).as_text().startswith(f"no draft waits\n{NAME}@origin  decided on at the host")
    assert review(proposed, TODAY).as_dict()["others"] == []
    with pytest.raises(MemShelfError, match="no such draft on the remote: 1 were there"):
        read(other, ReadRequest(id=f"{TWO}@origin"), caller)

    host.merge(NAME)
    git(other.root, "pull", "--quiet")
    assert review(other, TODAY).as_dict()["others"] == []
    host.close(NAME)
    assert settled(third) == []
    assert refs(third.root, PUBLISHED) == {}
    assert rejections(third) == []
