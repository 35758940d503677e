"""Resolve: what git could not end is ended without a person, or asked; nothing of either side is lost."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from store.traces import checkout, commit, put
from support import FINE, TODAY, fine, git

from memshelf.commands.render import render
from memshelf.commands.resolve import resolve
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.store import disk
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.model import Episode
    from memshelf.store.library import Library

SHELF = "shelves/shared/"
TOPICS = f"{SHELF}docs/topics/"
PATH = f"{TOPICS}{FINE.id}.md"
RESEARCH = f"{SHELF}docs/research/{FINE.id}.md"
DERIVED = tuple(f"{SHELF}{name}" for name in ("INDEX.md", "ledger.tsv", "stats.svg"))
OTHER = fine(id="2026-07-09-backups", date="2026-07-09", title="Backups")
Change = dict[str, "Episode | bytes | None"]


def keep(library: Library, change: Change) -> None:
    """Commit the files (None: remove) as an accept does, with the derived files."""
    for path, content in change.items():
        if content is None:
            (library.root / path).unlink()
        else:
            put(library.root, path, content if isinstance(content, bytes) else episode_format.render(content))
    render(library, TODAY)
    commit(library.root)


def fork(library: Library, base: Change, ours: Change, theirs: Change) -> None:
    """Commit `base`, and on top of it `theirs` on the branch `other` and `ours` on `main`."""
    if base:
        keep(library, base)
    git(library.root, "switch", "--quiet", "--create", "other")
    keep(library, theirs)
    git(library.root, "switch", "--quiet", "main")
    keep(library, ours)


def stops(library: Library, *arguments: str) -> None:
    """Run a git command that must stop over a conflict."""
    command = ["git", "-C", str(library.root), *arguments]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def merged(library: Library) -> Any:
    stops(library, "merge", "other")
    return resolve(library, TODAY)


def read(library: Library, path: str = PATH) -> Episode:
    return episode_format.parse((library.root / path).read_text(encoding="utf-8"))


def ends_well(library: Library, run: Callable[..., Ran], *arguments: str) -> None:
    """End what git is in the middle of: nothing is left over, and doctor has nothing to say."""
    git(library.root, "-c", "core.editor=true", *(arguments or ("commit", "--no-edit")))
    assert git(library.root, "status", "--porcelain") == ""
    done = run("doctor", "--library", library.root)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert run("render", "--check", "--library", library.root).code == 0


def test_derived_files_are_rendered_in_a_merge(library: Library, run: Callable[..., Ran]) -> None:
    fork(library, {}, {PATH: FINE}, {f"{TOPICS}{OTHER.id}.md": OTHER})
    stops(library, "merge", "other")
    assert not any(b"<<<<<<<" in (library.root / path).read_bytes() for path in DERIVED)
    done = run("resolve", "--library", library.root)
    assert (done.code, done.err) == (0, "")
    assert done.out == "3 files resolved: `git commit` goes on\n"
    ends_well(library, run)
    index = (library.root / DERIVED[0]).read_text(encoding="utf-8")
    assert FINE.id in index
    assert OTHER.id in index


@pytest.mark.parametrize("named", [True, False])
def test_derived_files_are_rendered_in_a_rebase(
    library: Library, run: Callable[..., Ran], named: bool
) -> None:
    if not named:  # an older library, whose derived files git may merge line by line
        put(library.root, "memshelf.yml", "review: branch\n")
        put(library.root, "shelves/.gitattributes", "* text eol=lf\n")
        commit(library.root)
    third = fine(id="2026-07-08-third", date="2026-07-08", title="Third")
    fork(library, {}, {PATH: FINE}, {f"{TOPICS}{OTHER.id}.md": OTHER})
    keep(library, {f"{TOPICS}{third.id}.md": third})
    stops(library, "rebase", "other")
    for _ in range(2):
        assert open_library(library.root).branch == "refs/heads/main"
        done = run("resolve", "--library", library.root)
        assert (done.code, done.out) == (0, "3 files resolved: `git rebase --continue` goes on\n")
        subprocess.run(
            ["git", "-C", str(library.root), "-c", "core.editor=true", "rebase", "--continue"],
            capture_output=True,
            check=False,
        )
    ends_well(library, run, "status")
    assert git(library.root, "log", "--merges", "--oneline") == ""


def test_a_pick_and_a_revert_are_resolved(library: Library, run: Callable[..., Ran]) -> None:
    changed = fine(decisions="Signed tokens, kept for a day.")
    fork(library, {PATH: FINE}, {f"{TOPICS}{OTHER.id}.md": OTHER}, {PATH: changed})
    stops(library, "cherry-pick", "other")
    assert resolve(library, TODAY).verb == "cherry-pick"
    ends_well(library, run, "cherry-pick", "--continue")
    assert read(library) == changed
    keep(library, {PATH: changed._replace(tags=("auth",))})
    keep(library, {PATH: changed._replace(tags=("auth",), summary="Tokens")})
    stops(library, "revert", "--no-edit", "HEAD~1")
    assert b"<<<<<<<" in (library.root / PATH).read_bytes()
    assert resolve(library, TODAY).verb == "revert"
    ends_well(library, run, "revert", "--continue")
    assert read(library) == changed._replace(summary="Tokens")


def test_the_same_new_id_on_both_sides_keeps_both_texts(library: Library, run: Callable[..., Ran]) -> None:
    fork(library, {}, {PATH: FINE}, {PATH: fine(decisions="Opaque tokens.")})
    done = merged(library)
    assert "both are kept" in done.named[0]
    ends_well(library, run)
    found = [
        read(library, path.relative_to(library.root).as_posix()) for path in (library.root / TOPICS).iterdir()
    ]
    assert {each.section("Decisions") for each in found} == {"Opaque tokens.", FINE.section("Decisions")}


@pytest.mark.parametrize("fatal", range(5))
def test_a_resolve_that_is_killed_is_done_by_the_next_one(
    library: Library, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, fatal: int
) -> None:
    fork(library, {}, {PATH: FINE}, {PATH: fine(decisions="Opaque tokens.")})
    stops(library, "merge", "other")
    writes: list[Path] = []

    def write_bytes(path: Path, *rest: Any) -> None:
        if len(writes) == fatal:
            raise KeyboardInterrupt
        writes.append(path)
        whole(path, *rest)

    whole = disk.write_bytes
    with monkeypatch.context() as patch:
        patch.setattr(disk, "write_bytes", write_bytes)
        with pytest.raises(KeyboardInterrupt):
            resolve(library, TODAY)
    assert resolve(library, TODAY).ok
    ends_well(library, run)
    assert git(library.root, "ls-files", TOPICS).count(".md") == 2


def test_a_new_id_of_two_kinds_keeps_both_texts(library: Library, run: Callable[..., Ran]) -> None:
    fork(library, {}, {PATH: FINE}, {RESEARCH: fine(kind="research", title="Two")})
    merged(library)
    ends_well(library, run)
    assert git(library.root, "ls-files", f"{SHELF}docs/topics", f"{SHELF}docs/research").count(".md") == 2


def test_amends_of_different_sections_are_put_together(library: Library, run: Callable[..., Ran]) -> None:
    fork(library, {PATH: FINE}, {PATH: fine(decisions="A.")}, {PATH: fine(open_threads="B.")})
    assert merged(library).ok
    ends_well(library, run)
    assert read(library) == fine(decisions="A.", open_threads="B.")


def test_amends_of_one_section_are_asked_and_a_persons_answer_is_taken(
    library: Library, run: Callable[..., Ran]
) -> None:
    third = fine(id="2026-07-08-third", date="2026-07-08", title="Third")
    fork(
        library,
        {PATH: FINE},
        {PATH: fine(decisions="A."), f"{TOPICS}{OTHER.id}.md": OTHER},
        {PATH: fine(decisions="B."), f"{TOPICS}{third.id}.md": third},
    )
    stops(library, "merge", "other")
    before = (library.root / PATH).read_bytes()

    done = run("resolve", "--library", library.root)

    assert done.code == 1
    assert f"{PATH}: Decisions was changed on both sides" in done.out
    assert "    A.\n  theirs:\n    B." in done.out
    assert "edit the files, then `memshelf resolve` again" in done.out
    assert (library.root / PATH).read_bytes() == before
    assert "holds both sides of a merge" not in done.out
    unmerged = git(library.root, "status", "--porcelain", "--untracked-files=no").splitlines()
    assert {f"UU {path}" for path in (PATH, *DERIVED)} <= set(unmerged)

    put(library.root, PATH, episode_format.render(fine(decisions="A and B.")))
    assert run("resolve", "--library", library.root).code == 0
    ends_well(library, run)
    assert read(library).section("Decisions") == "A and B."


def test_what_a_stash_left_unmerged_is_resolved_too(library: Library) -> None:
    keep(library, {PATH: FINE})
    put(library.root, PATH, episode_format.render(fine(summary="Tokens")))
    git(library.root, "stash", "--quiet")
    keep(library, {PATH: fine(tags=())})
    stops(library, "stash", "pop")
    done = resolve(library, TODAY)
    assert (done.verb, done.ok) == ("", True)
    assert done.as_text().endswith("`git commit` goes on")
    assert read(library) == fine(summary="Tokens", tags=())
    assert render(library, TODAY, check=True).stale == ()


def test_an_amend_against_a_purge_keeps_the_text(library: Library, run: Callable[..., Ran]) -> None:
    fork(library, {PATH: FINE}, {PATH: fine(decisions="A.")}, {PATH: None})
    assert "the changed text is kept" in merged(library).named[0]
    ends_well(library, run)
    assert read(library).section("Decisions") == "A."


def test_an_amend_that_moves_the_file_meets_one_that_does_not(
    library: Library, run: Callable[..., Ran]
) -> None:
    fork(
        library,
        {PATH: FINE},
        {PATH: None, RESEARCH: fine(kind="research", decisions="A.")},
        {PATH: fine(open_threads="B.")},
    )
    assert merged(library).ok
    ends_well(library, run)
    assert read(library, RESEARCH) == fine(kind="research", decisions="A.", open_threads="B.")
    assert not (library.root / PATH).exists()


def test_a_move_that_git_has_followed_is_left_as_it_is(library: Library, run: Callable[..., Ran]) -> None:
    body = ["First.", *(f"Paragraph {number}." for number in range(8)), "Last."]
    first, last = (body.copy() for _ in range(2))
    first[0], last[-1] = "First, amended.", "Last, amended."
    texts = ["\n\n".join(each) for each in (body, first, last)]
    fork(
        library,
        {PATH: fine(sections={"Cost": texts[0]})},
        {PATH: None, RESEARCH: fine(kind="research", sections={"Cost": texts[1]})},
        {PATH: fine(sections={"Cost": texts[2]})},
    )
    assert merged(library).ok
    ends_well(library, run)
    assert read(library, RESEARCH).section("Cost") == "\n\n".join([*first[:-1], last[-1]])


def test_a_shelf_that_one_side_removed_lives_on_with_what_the_other_wrote(
    library: Library, run: Callable[..., Ran]
) -> None:
    path = PATH.replace("shared", "homelab")
    keep(library, {path: OTHER})
    git(library.root, "switch", "--quiet", "--create", "other")
    git(library.root, "rm", "--quiet", "-r", "shelves/homelab")
    commit(library.root)
    git(library.root, "switch", "--quiet", "main")
    keep(library, {path: None, path.replace(FINE.id, OTHER.id): OTHER})
    stops(library, "merge", "other")
    assert resolve(library, TODAY).ok
    ends_well(library, run)
    assert read(library, path.replace(FINE.id, OTHER.id)) == OTHER


@pytest.mark.parametrize("clash", [True, False])
def test_git_taking_one_episode_for_another_loses_neither(
    library: Library, run: Callable[..., Ran], clash: bool
) -> None:
    new = fine(id="2026-07-10-like-it", title="Like it", open_threads="Its own." if clash else "None.")
    amended = fine(**{"open_threads" if clash else "sources": "Who rotates the keys?"})
    fork(library, {PATH: FINE}, {PATH: None, f"{TOPICS}{new.id}.md": new}, {PATH: amended})
    stops(library, "merge", "other")
    assert "Who rotates" in (library.root / f"{TOPICS}{new.id}.md").read_text(encoding="utf-8")
    assert resolve(library, TODAY).ok
    ends_well(library, run)
    assert read(library) == amended
    assert read(library, f"{TOPICS}{new.id}.md") == new


def test_edits_between_the_marks_are_not_written_over(library: Library) -> None:
    fork(
        library,
        {PATH: FINE},
        {PATH: fine(summary="Tokens")},
        {PATH: fine(tags=())},
    )
    stops(library, "merge", "other")
    file = library.root / PATH
    file.write_text(
        file.read_text(encoding="utf-8") + "My own line.\n<<<<<<< x\n=======\n>>>>>>> y\n", encoding="utf-8"
    )
    before = checkout(library.root, exactly=False)
    with pytest.raises(MemShelfError, match="has changes of your own"):
        resolve(library, TODAY)
    assert checkout(library.root, exactly=False) == before


def test_an_untracked_file_in_the_way_stays(library: Library) -> None:
    fork(library, {}, {PATH: FINE}, {PATH: fine(decisions="B.")})
    stops(library, "merge", "other")
    settled = resolve(library, TODAY).settled
    wanted = next(path for path in settled if path.startswith(TOPICS) and path != PATH)
    git(library.root, "reset", "--quiet", "--hard")
    put(library.root, wanted, "mine\n")
    stops(library, "merge", "other")
    with pytest.raises(MemShelfError, match="has changes of your own"):
        resolve(library, TODAY)
    assert (library.root / wanted).read_text(encoding="utf-8") == "mine\n"


def test_marks_that_were_staged_are_told_and_not_called_resolved(
    library: Library, run: Callable[..., Ran]
) -> None:
    fork(library, {PATH: FINE}, {PATH: fine(decisions="A.")}, {PATH: fine(decisions="B.")})
    stops(library, "merge", "other")
    git(library.root, "add", "--all")

    done = run("resolve", "--library", library.root)

    assert done.code == 1
    assert f"{PATH}:" in done.out
    assert "holds both sides of a merge" in done.out
    assert "goes on" not in done.out


def test_marks_of_a_conflict_within_a_conflict_are_marks_too(library: Library) -> None:
    put(library.root, f"{SHELF}POLICY.md", "<<<<<<<< a\nx\n========\ny\n>>>>>>>> b\n")
    put(library.root, "shelves/homelab/POLICY.md", "```\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n```\n")
    commit(library.root)
    assert resolve(library, TODAY).marked == ((f"{SHELF}POLICY.md", 1),)


def test_marks_in_a_committed_derived_file_go(library: Library, run: Callable[..., Ran]) -> None:
    put(library.root, DERIVED[1], "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
    commit(library.root)
    assert resolve(library, TODAY).settled == DERIVED
    ends_well(library, run, "commit", "--quiet", "--message", "derived")


def test_other_files_are_left_to_their_owner(library: Library, run: Callable[..., Ran]) -> None:
    fork(
        library,
        {},
        {PATH: FINE, "code.py": b"a\n", f"{SHELF}POLICY.md": b"a\n"},
        {f"{TOPICS}{OTHER.id}.md": OTHER, "code.py": b"b\n", f"{SHELF}POLICY.md": b"b\n"},
    )
    done = merged(library)
    assert (done.ok, done.others) == (False, ("code.py",))
    assert [each.path for each in done.questions] == [f"{SHELF}POLICY.md"]
    assert "code.py: no shelf's" in done.as_text()
    put(library.root, f"{SHELF}POLICY.md", "both\n")
    put(library.root, "code.py", "both\n")
    git(library.root, "add", "code.py")
    assert resolve(library, TODAY).ok
    ends_well(library, run)


def test_a_library_in_a_folder_of_another_repository(tmp_path: Path, run: Callable[..., Ran]) -> None:
    git(tmp_path, "init", "--quiet", "code")
    root = tmp_path / "code/memory"
    run("init", root)
    library = open_library(root)
    fork(library, {}, {PATH: FINE, "../a.py": b"a\n"}, {PATH: fine(decisions="B."), "../a.py": b"b\n"})
    git(root.parent, "add", "--all")
    git(root.parent, "commit", "--quiet", "--amend", "--no-edit")
    git(root.parent, "switch", "--quiet", "--detach", "other")
    git(root.parent, "switch", "--quiet", "main")
    done = merged(library)
    assert any("both are kept" in line for line in done.named)
    assert f"{TOPICS}{FINE.id}.md" in done.settled


def test_what_the_bot_renders_is_left_as_the_other_side_has_it(library: Library) -> None:
    put(library.root, "memshelf.yml", "branch: main\nderived: bot\n")
    commit(library.root)
    fork(library, {}, {PATH: FINE}, {f"{TOPICS}{OTHER.id}.md": OTHER})
    bot = open_library(library.root)
    stops(bot, "merge", "other")
    assert resolve(bot, TODAY).ok
    assert git(library.root, "diff", "--name-only", "other", "--", *DERIVED) == ""
    git(library.root, "commit", "--no-edit", "--quiet")
    git(library.root, "reset", "--quiet", "--hard", "HEAD~1")
    stops(bot, "rebase", "other")
    assert resolve(bot, TODAY).ok
    assert git(library.root, "diff", "--name-only", "other", "--", *DERIVED) == ""


def test_where_there_is_nothing_to_resolve_it_is_said(library: Library, run: Callable[..., Ran]) -> None:
    before = checkout(library.root)
    done = run("resolve", "--library", library.root)
    assert (done.code, done.out) == (0, "nothing to resolve\n")
    assert checkout(library.root) == before
