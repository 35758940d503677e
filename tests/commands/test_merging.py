"""Merge: deterministic, the same from either side, and no text is lost."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import FINE, fine

from memshelf.commands.merging import Conflict, Merge, Question, merge
from memshelf.formats import episode as episode_format
from memshelf.formats.manifest import OURS, Manifest
from memshelf.model import Episode

LAYOUT = Manifest(generated_by=OURS)
SHELF = "shelves/shared/"
PATH = f"{SHELF}docs/topics/{FINE.id}.md"
RESEARCH = f"{SHELF}docs/research/{FINE.id}.md"
ARCHIVED = f"{SHELF}archive/docs/topics/{FINE.id}.md"
NEW_DIGEST = "The auth service moved to opaque tokens. Rejected: signed tokens. Open: key rotation."


def raw(**changes: Any) -> bytes:
    return episode_format.render(fine(**changes)).encode()


def episode(merged: Merge, path: str = PATH) -> Episode:
    text = merged.files[path]
    assert text is not None
    return episode_format.parse(text.decode())


def ask(*conflicts: Conflict, layout: Manifest = LAYOUT) -> Merge:
    """Merge, from either side: the answer must be the same."""
    found = merge(conflicts, layout)
    turned = merge([each._replace(ours=each.theirs, theirs=each.ours) for each in conflicts[::-1]], layout)
    questions = tuple(each._replace(ours=each.theirs, theirs=each.ours) for each in turned.questions)
    assert turned._replace(questions=questions) == found
    return found


def one(base: bytes | None, ours: bytes | None, theirs: bytes | None, path: str = PATH) -> Merge:
    return ask(Conflict(path, base, ours, theirs))


@pytest.mark.parametrize("name", ["INDEX.md", "ledger.tsv", "stats.svg"])
def test_a_derived_file_is_rendered_and_never_merged(name: str) -> None:
    assert one(b"a\n", b"b\n", b"c\n", SHELF + name) == Merge({}, derived=(SHELF + name,))


def test_amends_of_different_sections_and_keys_are_both_made() -> None:
    merged = one(
        raw(),
        raw(decisions="Signed tokens, for a day.", client=("claude-code",), summary="Tokens"),
        raw(open_threads="Who rotates?", client=("gemini-cli",), tags=("auth",), sections={"Cost": "None."}),
    )
    assert merged.questions == ()
    assert "amended on both sides" in merged.named[0]
    found = episode(merged)
    assert (found.section("Decisions"), found.section("Open threads")) == (
        "Signed tokens, for a day.",
        "Who rotates?",
    )
    assert (found.client, found.tags, found.summary) == (("claude-code", "gemini-cli"), ("auth",), "Tokens")
    assert found.section("Cost") == "None."
    assert found.digest == FINE.digest


def test_amends_of_the_same_section_or_key_are_a_question_with_both_sides() -> None:
    merged = one(
        raw(), raw(decisions="A.", title="One", sources="x"), raw(decisions="B.", title="Two", sources="x")
    )
    assert merged.files == {}
    assert [each[:4] for each in merged.questions] == [
        (PATH, "title", "One", "Two"),
        (PATH, "Decisions", "A.", "B."),
    ]
    assert str(merged.questions[1]) == (
        f"{PATH}: Decisions was changed on both sides: write what is right\n"
        "  ours:\n    A.\n  theirs:\n    B."
    )


def test_a_section_that_one_side_took_out_and_the_other_changed_is_a_question() -> None:
    base, changed = raw(sections={"Cost": "Much."}), raw(sections={"Cost": "Little."})
    assert [each.place for each in one(base, raw(), changed).questions] == ["Cost"]
    tags = [raw(tags=each) for each in (("auth", "web"), ("auth",), ("auth", "web", "new"))]
    assert episode(one(*tags)).tags == ("auth", "new")
    assert episode(one(base, raw(title="New"), base.replace(b"None.", b"Mail."))).section("Cost") == ""


def test_two_changes_that_break_a_rule_only_together_are_a_question() -> None:
    tags = [tuple(f"{side}{number}" for number in range(9)) for side in "ab"]
    merged = one(raw(tags=()), raw(tags=tags[0]), raw(tags=tags[1]))
    assert merged.files == {}
    assert "do not go together" in merged.questions[0].why


def test_what_is_wrong_with_a_side_already_stops_no_merge() -> None:
    wrong = {"digest": "Talk.", "sections": {"Cost": ""}}
    merged = one(raw(**wrong), raw(**wrong, title="New"), raw(**wrong, sources="Mail."))
    assert "Cost" in [part.heading for part in episode(merged).sections]


def test_a_code_block_that_is_never_closed_swallows_no_section_of_the_other_side() -> None:
    cost = "```\nmuch\n"
    base = raw(sections={"Cost": cost})
    merged = one(
        base, raw(sections={"Cost": f"{cost}more\n"}), raw(sections={"Who": "Me.", "Cost": cost}, title="A")
    )
    assert merged.questions != ()
    merged = one(raw(), raw(sections={"Cost": cost}), raw(sections={"Who": "Me."}))
    assert merged.files == {}


def test_amend_against_purge_keeps_the_content() -> None:
    changed = raw(decisions="Kept.")
    merged = one(raw(), changed, None)
    assert merged.files == {PATH: changed}
    assert "the changed text is kept" in merged.named[0]
    assert one(raw(), raw(), None).files == {PATH: None}


def test_two_new_texts_of_one_id_are_both_kept() -> None:
    ours, theirs = raw(), raw(decisions="Other.")
    merged = one(None, ours, theirs)
    kept = {path: episode(merged, path) for path in merged.files}
    other = next(path for path in kept if path != PATH)
    assert {kept[PATH].section("Decisions"), kept[other].section("Decisions")} == {
        "Other.",
        FINE.section("Decisions"),
    }
    assert other == f"{SHELF}docs/topics/{kept[other].id}.md"
    assert kept[other].id.startswith(f"{FINE.id}-")
    assert FINE.id in merged.named[0]
    assert kept[other].id in merged.named[0]


def test_clones_that_come_one_after_the_other_end_with_the_same_files() -> None:
    texts = [raw(decisions=f"Clone {number}.") for number in range(3)]
    ends = []
    for order in itertools.permutations(texts):
        shelf: dict[str, bytes | None] = {}
        for text in order:
            shelf |= one(None, shelf[PATH], text).files if PATH in shelf else {PATH: text}
        ends.append(shelf)
    assert all(end == ends[0] for end in ends)
    assert len(ends[0]) == 3


def test_a_long_id_still_has_room_for_the_suffix() -> None:
    name = "2026-07-10-" + "x" * 69
    merged = one(None, raw(id=name), raw(id=name, decisions="B."), f"{SHELF}docs/topics/{name}.md")
    assert {len(episode(merged, path).id) for path in merged.files} == {80}


def test_an_amend_that_moved_the_file_is_an_amend_all_the_same() -> None:
    moved = raw(kind="research", decisions="A.")
    amended = raw(open_threads="B.")
    merged = ask(Conflict(PATH, raw(), None, amended), Conflict(RESEARCH, None, moved, None))
    found = episode(merged, RESEARCH)
    assert (found.kind, found.section("Decisions"), found.section("Open threads")) == ("research", "A.", "B.")
    assert merged.files[PATH] is None


def test_what_one_side_archived_and_the_other_amended_is_archived_as_amended() -> None:
    amended = raw(decisions="A.")
    merged = ask(Conflict(PATH, raw(), None, amended), Conflict(ARCHIVED, None, raw(), None))
    assert merged.files == {PATH: None, ARCHIVED: amended}


def test_an_archiving_and_a_move_end_in_the_archive() -> None:
    merged = ask(
        Conflict(PATH, raw(), None, None),
        Conflict(ARCHIVED, None, raw(), None),
        Conflict(RESEARCH, None, None, raw(kind="research")),
    )
    assert merged.files == {PATH: None, RESEARCH: None, ARCHIVED: raw(kind="research")}


def test_new_texts_of_one_id_and_two_kinds_are_both_kept() -> None:
    merged = ask(
        Conflict(PATH, None, raw(), None), Conflict(RESEARCH, None, None, raw(kind="research", title="Two"))
    )
    assert len({episode(merged, path).id for path, text in merged.files.items() if text}) == 2


def test_what_cannot_be_read_is_left_to_a_person() -> None:
    for texts in ((raw(), b"no front matter\n", raw(title="A")), (raw(), b"\xff", raw(title="A"))):
        assert [each.place for each in one(*texts).questions] == [""]
    twice = raw() + b"\n## Sources\n\nAgain.\n"
    assert one(raw(), twice, raw(title="A")).files == {}
    assert b"\xff\n" in one(None, b"\xff\n", raw()).files.values()


def test_another_file_is_left_to_a_person_unless_one_side_alone_changed_it() -> None:
    path = f"{SHELF}POLICY.md"
    assert one(b"a\n", b"b\n", b"c\n", path).questions == (
        Question(path, "", "b\n", "c\n", "was changed on both sides"),
    )
    assert one(b"a\n", b"a\n", b"c\n", path).files == {path: b"c\n"}
    assert one(b"a\n", None, b"a\n", path).files == {path: None}
    assert one(b"a\n", b"b\n", b"c\n", "docs/topics/2026-07-10-x.md").questions != ()


def test_a_library_that_is_one_shelf_is_merged_as_its_files_lie() -> None:
    alone = Manifest(name="lone", categories=("topics",))
    path = f"docs/topics/{FINE.id}.md"
    merged = ask(
        Conflict(path, raw(), raw(title="New"), raw(sources="Mail.")),
        Conflict("INDEX.md", b"a", b"b", b"c"),
        layout=alone,
    )
    assert (merged.derived, list(merged.files)) == (("INDEX.md",), [path])
    assert b'display_title: "New"' in (merged.files[path] or b"")


PROSE = st.lists(st.sampled_from(("Chosen: a.", "Open: b.", "c", "- d", "é")), min_size=1, max_size=3).map(
    "\n".join
)
TEXT = st.builds(
    raw,
    title=st.sampled_from(("Auth tokens", "T1", "T2")),
    summary=st.sampled_from(("", "S1", "S2")),
    tags=st.sampled_from(((), ("a",), ("b", "a"), ("c",))),
    decisions=st.sampled_from((FINE.section("Decisions"), "D1.", "D2.")) | PROSE,
    open_threads=st.sampled_from(("None.", "O1.")) | PROSE,
    sections=st.dictionaries(st.sampled_from(("Timeline", "Cost", "Who")), PROSE, max_size=2),
)
SIDES = st.tuples(*([st.none() | TEXT] * 3))


def lines(*texts: bytes | str | None) -> set[str]:
    """Return what a person would miss: lists item by item, the id aside, which two new texts share."""
    whole = [text.decode() if isinstance(text, bytes) else text for text in texts if text]
    found = {line for text in whole for line in text.split("\n") if line and not line.startswith("id: ")}
    listed = {line for line in found if line.startswith("tags: ")}
    return found - listed | {f"tag {item}" for line in listed for item in line[7:-1].split(", ") if item}


@settings(deadline=None, max_examples=150)
@given(SIDES, SIDES)
def test_any_merge_is_deterministic_symmetric_and_loses_no_text(
    one_path: tuple[bytes | None, ...], other_path: tuple[bytes | None, ...]
) -> None:
    conflicts = [
        Conflict(path, *sides)
        for path, sides in ((PATH, one_path), (RESEARCH, other_path))
        if sides[1] != sides[2]
    ]
    merged = ask(*conflicts)
    assert merge(conflicts, LAYOUT) == merged
    asked = {question.path for question in merged.questions}
    assert not asked & merged.files.keys()
    kept = lines(*merged.files.values(), *(side for each in merged.questions for side in each[2:4]))
    before = lines(*(conflict.base for conflict in conflicts))  # two paths may be one episode that was moved
    for conflict in () if asked else conflicts:
        for side in (conflict.ours, conflict.theirs):
            assert lines(side) - before <= kept
