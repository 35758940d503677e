"""Sync where both clones changed one episode: what is kept, and that all clones agree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hosting import TOPICS, Host, host_of, shelved, synced, tree
from support import TODAY, git, request

from memshelf.commands.accept import accept
from memshelf.commands.doctor import doctor
from memshelf.commands.render import render
from memshelf.commands.write import write
from memshelf.errors import Refused

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library

ONE = "2026-07-01-one"
FILE = f"{TOPICS}/{ONE}.md"


@pytest.fixture
def host(library: Library, tmp_path: Path) -> Host:
    return host_of(library, tmp_path)


@pytest.fixture
def other(library: Library, host: Host, caller: Caller) -> Library:
    """Return a clone that has one episode, as the library has."""
    shelved(library, caller, ONE)
    synced(library)
    return host.clone("other")


def amend(library: Library, caller: Caller, **changes: object) -> None:
    rev = git(library.root, "rev-parse", f"main:{FILE}")[:12]
    texts = dict.fromkeys(("digest", "decisions", "open_threads", "sources", "tags", "span", "title"))
    write(
        library, request(**(texts | {"id": ONE, "amend": True, "rev": rev, "kind": None} | changes)), caller
    )
    accept(library, [ONE], caller)


def agree(library: Library, other: Library) -> bool:
    """Tell whether both have the same, doctor is content, and derived files are a clean render."""
    synced(library)
    fine = doctor(other.root, TODAY).ok and render(other, TODAY, check=True).ok
    return fine and tree(library) == tree(other) and git(other.root, "status", "--porcelain") == ""


def test_two_new_episodes_of_one_id_are_both_kept_and_named(
    library: Library, host: Host, caller: Caller
) -> None:
    other = host.clone("other")
    shelved(library, caller, ONE, sources="Mine.")
    shelved(other, caller, ONE, sources="Theirs.")
    synced(library)
    done = synced(other)
    assert len(done.remarks) == 1
    assert ONE in done.remarks[0]
    assert agree(library, other)
    first, second = sorted(host.ids(), key=len)
    assert first == ONE
    assert re.fullmatch(rf"{ONE}-[0-9a-f]{{8}}", second)
    texts = [git(host.there, "show", f"main:{TOPICS}/{name}.md") for name in (first, second)]
    assert sorted(text.rpartition("\n")[2] for text in texts) == ["Mine.", "Theirs."]


def test_two_of_one_id_and_different_kinds_are_both_kept(
    library: Library, host: Host, caller: Caller
) -> None:
    other = host.clone("other")
    shelved(library, caller, ONE)
    shelved(other, caller, ONE, kind="research")
    synced(library)
    assert len(synced(other).remarks) == 1
    assert agree(library, other)
    paths = git(other.root, "ls-tree", "-r", "--name-only", "main", "shelves/shared/docs").split("\n")
    assert sum(ONE in path for path in paths) == 2


def test_amends_of_different_sections_are_joined(library: Library, other: Library, caller: Caller) -> None:
    amend(library, caller, open_threads="Nothing is open.")
    amend(other, caller, sources="The minutes.", title="A better title")
    synced(library)
    assert synced(other).pushed == 1
    text = (other.root / FILE).read_text(encoding="utf-8")
    assert "Nothing is open." in text
    assert "The minutes." in text
    assert "A better title" in text
    assert agree(library, other)


def test_an_amend_that_moves_the_file_and_one_that_does_not_are_joined(
    library: Library, other: Library, caller: Caller
) -> None:
    amend(library, caller, open_threads="Nothing is open.")
    amend(other, caller, kind="research")
    synced(library)
    synced(other)
    assert not (other.root / FILE).exists()
    text = (other.root / FILE.replace("topics", "research")).read_text(encoding="utf-8")
    assert "Nothing is open." in text
    assert agree(library, other)


def test_amends_of_the_same_section_are_a_persons_to_decide_and_nothing_moves(
    library: Library, other: Library, caller: Caller
) -> None:
    amend(library, caller, sources="The minutes.")
    amend(other, caller, sources="The log.")
    synced(library)
    before = git(other.root, "rev-parse", "main")
    with pytest.raises(Refused) as question:
        synced(other)
    said = str(question.value)
    assert f"{FILE}: Sources was changed on both sides" in said
    assert said.index("ours:") < said.index("The log.") < said.index("theirs:") < said.index("The minutes.")
    assert said.endswith("then `memshelf sync`")
    assert git(other.root, "rev-parse", "main") == before
    assert git(other.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("removed_here", [True, False])
def test_what_one_removes_and_the_other_amends_is_kept(
    library: Library, other: Library, caller: Caller, *, removed_here: bool
) -> None:
    amender, purger = (library, other) if removed_here else (other, library)
    amend(amender, caller, sources="The minutes.")
    git(purger.root, "rm", "--quiet", FILE)
    render(purger, TODAY)
    git(purger.root, "commit", "--quiet", "--all", "--message", "purge")
    synced(library)
    assert len(synced(other).remarks) == 1
    assert "The minutes." in (other.root / FILE).read_text(encoding="utf-8")
    assert agree(library, other)
