"""The map that read_index answers: honest counts, everything reachable, within its budget."""

from __future__ import annotations

from typing import Any

import pytest
from derived.samples import BACKUP, DNS, OLD_DNS, SAMPLES, VLAN, crowd, entry, shelf_of
from kept import kept
from support import fine

from memshelf.derived.map import BUDGET, render_map
from memshelf.model import MAX_ANSWER_TOKENS, Shelf, State
from memshelf.text import tokens


def ids(text: str) -> list[str]:
    return [line.lstrip("~").split(" · ")[0] for line in text.split("\n") if " · " in line]


def whole(*shelves: Shelf, **filters: Any) -> str:
    text, following = shown(*shelves, **filters)
    assert following == -1
    return text


def shown(
    *shelves: Shelf, budget: int = BUDGET, start: int = 0, tag: str = "", since: str = ""
) -> tuple[str, int]:
    listing = kept(*shelves).listing([shelf.name for shelf in shelves], tag, since)
    return render_map(listing, budget, start)


def test_small_map_shows_every_episode_whole():
    text = whole(SAMPLES["english"])
    assert text.startswith("3 of 3 episodes")
    assert "Pinned:\n2026-05-11-dns · DNS resolver: Chosen: one resolver for every VLAN.\n" in text
    assert "…" not in text


def test_pinned_and_open_stand_above_newer_ones():
    closed = fine(id="2026-08-01-closed", open_threads="None.")
    assert ids(whole(shelf_of(entry(closed), entry(VLAN), entry(DNS._replace(pinned="true"))))) == [
        DNS.id,
        VLAN.id,
        closed.id,
    ]


def test_superseded_is_struck_and_points_forward():
    assert f"~~{OLD_DNS.id} · Old DNS resolver~~ → {DNS.id}" in whole(SAMPLES["english"])


def test_superseded_never_stands_on_top():
    old = entry(OLD_DNS._replace(id="2026-09-01-old"), State.SUPERSEDED)
    assert ids(whole(shelf_of(old, entry(VLAN), entry(BACKUP)))) == [VLAN.id, "2026-09-01-old", BACKUP.id]


def test_draft_is_labelled_and_counted():
    text = whole(shelf_of(entry(VLAN), drafts=(entry(DNS, State.DRAFT),)))
    assert text.startswith("2 of 2 episodes")
    assert "Chosen: one resolver for every VLAN. [draft]" in text


def test_amend_is_a_label_on_the_accepted_text():
    amended = entry(VLAN._replace(title="Changed title"), State.DRAFT, amends=True)
    text = whole(shelf_of(entry(VLAN), drafts=(amended,)))
    assert ids(text) == [VLAN.id]
    assert text.count("[amend pending]") == 1
    assert "Changed title" not in text


def test_archived_are_counted_not_listed():
    text = whole(SAMPLES["english"])
    assert "3 archived: search finds them" in text
    assert "2026-01-05-first" not in text


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (("a.md",), "1 file could not be read: memshelf doctor names it"),
        (("a.md", "b.md"), "2 files could not be read: memshelf doctor names them"),
    ],
)
def test_unreadable_files_are_counted(files: tuple[str, ...], said: str):
    assert said in whole(shelf_of(entry(VLAN), unreadable=files))
    assert said in whole(shelf_of(unreadable=files))


def test_empty_shelf_says_so():
    assert whole(shelf_of(name="shared")) == "No episodes yet on shared: write_episode keeps the first"
    assert whole() == "No shelf to show: name one"


def test_filters_count_what_matches_and_what_there_is():
    text = whole(SAMPLES["english"], tag="homelab")
    assert text.startswith("1 of 1 episodes that match, 3 in all")
    assert ids(text) == [VLAN.id]
    assert ids(whole(SAMPLES["english"], since="2026-05-11")) == [DNS.id, VLAN.id]
    assert whole(SAMPLES["english"], tag="no-such").startswith("0 of 0 episodes that match, 3 in all: widen")


def test_several_shelves_have_a_heading_each():
    work = shelf_of(entry(DNS, shelf="work"), name="work")
    lines = whole(shelf_of(entry(VLAN)), work, shelf_of(name="shared")).split("\n")
    assert [line for line in lines if line.startswith("## ")] == [
        "## sample",
        "## work",
        "## shared: no episodes yet",
    ]
    assert lines.index("## work") + 2 == next(at for at, line in enumerate(lines) if DNS.id in line)
    assert "## " not in whole(work)


def test_title_cannot_forge_a_line():
    text = whole(shelf_of(entry(fine(title="a\n## b\u2028c"))))
    assert len(text.splitlines()) == 3


def test_157_episodes_fit_whole_with_their_text_as_wide_as_the_budget_allows():
    text = whole(crowd(157))
    assert text.startswith("157 of 157 episodes")
    assert len(ids(text)) == 157
    assert 4400 < tokens(text) <= 5000
    assert 3900 < len(text) / 4 <= 4000


def test_no_budget_is_more_than_an_answer_may_cost():
    text, following = shown(crowd(1000), budget=1_000_000)
    assert tokens(text) <= MAX_ANSWER_TOKENS
    assert following > 0


def test_wider_budget_shows_wider_text_up_to_110_characters():
    narrow, wide = shown(crowd(30), budget=900)[0], shown(crowd(30), budget=20_000)[0]
    widths = [
        max(len(line.split(" · ")[1].removesuffix(" [open]")) for line in text.split("\n") if " · " in line)
        for text in (narrow, wide)
    ]
    assert 48 <= widths[0] < widths[1] <= 110
    assert tokens(narrow) <= 900


@pytest.mark.parametrize(("count", "budget"), [(157, 1000), (600, 4000), (7, 60), (5, 1)])
def test_walking_the_cursors_shows_every_episode_once(count: int, budget: int):
    shelves = [
        crowd(count),
        shelf_of(*(entry(fine(id=f"2026-05-0{n}-other"), shelf="work") for n in range(1, 4)), name="work"),
    ]
    listing = kept(*shelves).listing(["sample", "work"])
    seen: list[str] = []
    start = 0
    while start >= 0:
        text, following = render_map(listing, budget, start)
        page = ids(text)
        assert text.startswith(f"{len(page)} of {count + 3} episodes")
        assert tokens(text) <= budget or len(page) == 1
        assert following in (-1, start + len(page))
        seen += page
        start = following
    assert len(seen) == count + 3
    assert len(set(seen)) == count + 3


def test_fold_counts_every_episode_that_is_not_shown():
    text, following = shown(crowd(600), budget=1500)
    folded = text.split("\n")[-1]
    counts = [int(part.split()[-1]) for part in folded.removeprefix("Folded: ").split(". ")[0].split(", ")]
    assert len(ids(text)) + sum(counts) == 600
    assert folded.endswith(f"Next: cursor {following}")
    assert folded.count(", ") == 12
    assert ", earlier " in folded


def test_cursor_past_the_end_is_said():
    assert whole(shelf_of(entry(VLAN)), start=9).startswith(
        "0 of 1 episodes, from number 10: widen the filter or drop"
    )
