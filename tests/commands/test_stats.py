"""Stats: the chart's figures as a table and as JSON, of the shelves in scope."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from store.traces import checkout, put, shelve_by_hand, stored
from support import FINE, fine, git

from memshelf.commands.stats import BAR, SHOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.store.library import Library

KEYS = {"name", "added", "open", "episodes", "shelved", "standing"}


@pytest.fixture
def kept(library: Library) -> Library:
    """Return a library with FINE and a smaller one of three weeks before on `shared`."""
    early = fine(id="2026-06-19-logi", date="2026-06-19", title="Логи", open_threads="None.")
    shelve_by_hand(library.root, early)
    shelve_by_hand(library.root, FINE)
    return library


def test_a_table_of_the_weeks_with_the_words_of_the_chart(kept: Library, run: Callable[..., Ran]) -> None:
    run("render", "--library", kept.root)
    done = run("stats", "--library", kept.root, "--shelf", "shared")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:7] == [
        "shared: 2 episodes, 1 with open threads",
        "",
        "week        added  open  episodes  shelved  standing  growth",
        "2026-06-15      1     0         1       49        63  █████████████████",
        "2026-06-22      0     0         1       49        63",
        "2026-06-29      0     0         1       49        63",
        f"2026-07-06      1     1         2      104        94  {'█' * BAR}",
    ]
    assert lines[-1] == "characters / 4, as in ledger.tsv and stats.svg"
    svg = (kept.root / "shelves/shared/stats.svg").read_text(encoding="utf-8")
    for said in (">104</tspan> tokens shelved", ">94</tspan> in every session", ">2 episodes, 1 with open"):
        assert said in svg


def test_the_json_keys_are_what_scripts_rely_on(kept: Library, run: Callable[..., Ran]) -> None:
    said = json.loads(run("stats", "--library", kept.root, "--json").out)
    assert set(said) == {"shelves", "unreadable"}
    assert [shelf["shelf"] for shelf in said["shelves"]] == ["homelab", "shared"]
    for shelf in said["shelves"]:
        assert set(shelf) == {"shelf", "unit", "now", "periods", "source", "known", "undated"}
        assert all(set(each) == KEYS for each in (shelf["now"], *shelf["periods"]))
    assert said["shelves"][0]["periods"] == []


def test_a_long_time_is_cut_on_the_screen_and_whole_in_json(kept: Library, run: Callable[..., Ran]) -> None:
    shelve_by_hand(kept.root, fine(id="2026-01-05-first", date="2026-01-05"))
    lines = run("stats", "--library", kept.root, "--shelf", "shared").out.splitlines()
    assert "… 15 earlier: --json has them" in lines
    assert sum(line.startswith("2026-") for line in lines) == SHOWN
    said = json.loads(run("stats", "--library", kept.root, "--json").out)
    assert len(said["shelves"][1]["periods"]) == SHOWN + 15


def test_the_least_growth_has_a_bar_and_none_has_none(kept: Library, run: Callable[..., Ran]) -> None:
    large = fine(id="2026-07-07-large", date="2026-07-07", decisions="The auth service signs tokens. " * 500)
    shelve_by_hand(kept.root, large)
    lines = run("stats", "--library", kept.root, "--shelf", "shared").out.splitlines()
    assert [line.count("█") for line in lines if line.startswith("2026-")] == [1, 0, 0, BAR]


def test_it_counts_what_is_committed_and_changes_nothing(kept: Library, run: Callable[..., Ran]) -> None:
    put(kept.root, "shelves/shared/docs/topics/2026-07-09-broken.md", "words\n")
    git(kept.root, "add", "--all")
    git(kept.root, "commit", "--quiet", "--message=broken")
    put(kept.root, "shelves/shared/docs/topics/2026-07-08-more.md", "not committed\n")
    before = checkout(kept.root), stored(kept.root)
    done = run("stats", "--library", kept.root, "--shelf", "shared")
    assert done.out.startswith("shared: 2 episodes")
    assert "1 file is left out, nobody can read it: `memshelf doctor` names it" in done.out
    assert (checkout(kept.root), stored(kept.root)) == before


def test_an_empty_shelf_is_one_line_and_an_unknown_one_refused(
    library: Library, run: Callable[..., Ran]
) -> None:
    assert run("stats", "--library", library.root, "--shelf", "shared").out == "shared: 0 episodes\n"
    done = run("stats", "--library", library.root, "--shelf", "shred")
    assert (done.code, done.out) == (1, "")
    assert "did you mean shared?" in done.err
