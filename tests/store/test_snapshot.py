"""The snapshot: one moment of the branch and the drafts, whatever is broken in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from support import FINE, fine, git, request

from memshelf.commands.accept import accept
from memshelf.commands.write import write
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.model import State
from memshelf.store import snapshot, state
from store.traces import commit, put, refs, shelve_by_hand

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller
    from memshelf.store.library import Library

OTHER = "2026-07-10-other"


def break_object(library: Library, name: str, damage: bytes | None) -> None:
    sha = git(library.root, "rev-parse", name)
    file = library.common / "objects" / sha[:2] / sha[2:]
    file.unlink()
    if damage is not None:
        file.write_bytes(damage)


DAMAGES = pytest.mark.parametrize("damage", [None, b"", b"garbage"], ids=["deleted", "empty", "garbage"])
PARTS = pytest.mark.parametrize("part", ["", "^{tree}", f":{FINE.id}.md"], ids=["commit", "tree", "blob"])


@DAMAGES
@PARTS
def test_a_damaged_draft_hides_no_other_and_the_map_says_so(
    library: Library, caller: Caller, run: Callable[..., Any], part: str, damage: bytes | None
) -> None:
    write(library, request(), caller)
    write(library, request(id=OTHER), caller)
    ref = f"refs/memshelf/draft/shared/{FINE.id}"
    break_object(library, ref + part, damage)
    shutil.rmtree(str(state.folder_of(library.common)))  # what the catalogue has read it does not forget

    where = ("--library", library.root)
    shown = run("index", *where)
    assert (shown.code, f"{OTHER} · " in shown.out, FINE.id in shown.out) == (0, True, False)
    assert "1 of the drafts cannot be read: memshelf review says which" in shown.out
    listed = run("review", *where)
    assert f"shared/{OTHER}  Auth tokens" in listed.out
    assert f"shared/{FINE.id}: the draft cannot be read: `git update-ref -d {ref}` frees its id" in listed.out
    assert run("read", OTHER, *where).code == run("search", "tokens", *where).code == 0
    for words in (["read", FINE.id], ["review", "accept", FINE.id], ["review", "show", FINE.id]):
        refused = run(*words, *where)
        assert (refused.code, f"`git update-ref -d {ref}` frees" in refused.err) == (1, True)
    with pytest.raises(MemShelfError, match="frees its id"):
        write(library, request(), caller)

    subprocess.run(["git", "-C", str(library.root), "update-ref", "-d", ref], check=True)
    assert FINE.id not in run("review", *where).out
    if damage is None:
        assert write(library, request(), caller).state == "draft"


@DAMAGES
def test_a_lost_accepted_text_hides_no_other(
    library: Library, run: Callable[..., Any], damage: bytes | None
) -> None:
    path = shelve_by_hand(library.root, FINE)
    shelve_by_hand(library.root, fine(id=OTHER))
    break_object(library, f"main:{path}", damage)
    view = snapshot.take(library).load(["shared"])[0]
    assert [entry.episode.id for entry in view.entries] == [OTHER]
    assert [(lost.path, lost.fault) for lost in view.unreadable] == [(path, snapshot.LOST_FAULT)]
    shown = run("index", "--library", library.root)
    assert (shown.code, OTHER in shown.out) == (0, True)


def test_a_committed_link_is_never_followed(library: Library) -> None:
    path = library.root / "shelves/shared/docs/topics" / f"{FINE.id}.md"
    put(path.parent, "real.txt", episode_format.render(FINE))
    path.symlink_to("real.txt")
    commit(library.root)
    view = snapshot.take(library).load(["shared"])[0]
    assert view.entries == ()
    assert [document.fault for document in view.unreadable] == [snapshot.LINK_FAULT]


def test_a_ref_that_is_no_draft_hides_no_other(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    tip = git(library.root, "rev-parse", "main")
    for name in ("shared/no-such-file", "shared/a/b", "nowhere/2026-07-10-x"):
        git(library.root, "update-ref", f"refs/memshelf/draft/{name}", tip)
    put(library.common, "refs/memshelf/draft/shared/2026-07-10-empty", "")
    view = snapshot.take(library).load(["shared"])[0]
    assert [entry.episode.id for entry in view.drafts] == [FINE.id]
    assert view.damaged == ("a/b", "no-such-file")


def test_the_committed_tree_is_served_and_an_edit_on_disk_is_not(library: Library) -> None:
    path = shelve_by_hand(library.root, FINE)
    text = (library.root / path).read_text(encoding="utf-8")
    put(library.root, path, text.replace("Auth tokens", "Edited"))
    put(library.root, path.replace(FINE.id, OTHER), text.replace(FINE.id, OTHER))
    kept = snapshot.take(library).load(["shared"])[0].entries
    assert [(entry.episode.id, entry.episode.title) for entry in kept] == [(FINE.id, "Auth tokens")]
    on_disk = snapshot.worktree_shelf(library, "shared").entries
    assert [entry.episode.title for entry in on_disk] == ["Edited", "Auth tokens"]


def test_drafts_are_on_the_shelf_but_not_among_what_is_accepted(library: Library, caller: Caller) -> None:
    saved = write(library, request(), caller)
    seen = snapshot.take(library)
    assert ("shared", FINE.id) in seen.ids()
    view = seen.load(["shared"])[0]
    assert view.entries == ()
    (draft,) = view.drafts
    assert (draft.state, draft.rev, draft.commit, draft.amends) == (
        State.DRAFT,
        saved.rev,
        saved.commit,
        False,
    )
    assert draft.address == f"shared/{FINE.id}@draft"


def test_archived_and_superseded_episodes_say_so(library: Library) -> None:
    shelve_by_hand(library.root, FINE)
    shelve_by_hand(library.root, fine(id=OTHER, supersedes=(FINE.id,)))
    old = fine(id="2025-01-01-old", date="2025-01-01", span="")
    shelve_by_hand(library.root, old, f"shelves/shared/archive/docs/topics/{old.id}.md")
    view = snapshot.take(library).load(["shared"])[0]
    assert {entry.episode.id: entry.state for entry in view.entries} == {
        FINE.id: State.SUPERSEDED,
        OTHER: State.ACCEPTED,
        old.id: State.ARCHIVED,
    }


def test_packed_refs_are_read_too(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    git(library.root, "pack-refs", "--all")
    assert [draft.id for draft in snapshot.take(library).drafts] == [FINE.id]
    accept(library, [FINE.id], caller)
    assert refs(library.root) == {}


def test_a_file_whose_name_is_not_utf_8_hides_no_other(library: Library, run: Callable[..., Any]) -> None:
    shelve_by_hand(library.root, FINE)
    shelve_by_hand(library.root, fine(id=OTHER), os.fsdecode(b"shelves/shared/docs/topics/caf\xe9.md"))
    for words in (["index"], ["index", "--json"], ["read", FINE.id], ["search", "tokens", "--json"]):
        assert run(*words, "--library", library.root).code == 0
    found = run("check", "--library", library.root)
    assert (found.code, "id-not-file-name" in found.out) == (1, True)
