"""stats.svg and its figures: what is counted, by which period, and a picture that any shelf fits into."""

from __future__ import annotations

import itertools
import re
from datetime import date, timedelta
from xml.etree import ElementTree

import pytest
from derived.samples import BACKUP, DNS, OLD_DNS, SAMPLES, VLAN, crowd, entry, shelf_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import fine

from memshelf.derived import files as derived
from memshelf.derived.figures import DEAREST, Figures, figures
from memshelf.derived.index_file import listing
from memshelf.derived.stats_chart import short
from memshelf.model import Conventions, Entry, Shelf, State

PLAIN = Conventions("2026-07-10")
SVG = "{http://www.w3.org/2000/svg}"
LARGEST = 20_000
"""Bytes."""


def figures_of(shelf: Shelf) -> Figures:
    return figures(shelf, listing(shelf, PLAIN))


def chart(shelf: Shelf) -> str:
    return derived.render(shelf, PLAIN)["stats.svg"]


def on(day: str, name: str = "one", state: State = State.ACCEPTED, **changes: object) -> Entry:
    return entry(fine(id=f"{day or 'note'}-{name}", date=day, **changes), state)


def spread(count: int, days: int) -> Shelf:
    """Return `count` episodes whose days lie evenly over `days` days."""
    first = date(2021, 3, 1)
    places = ((first + timedelta(days * at // max(1, count - 1))).isoformat() for at in range(count))
    return shelf_of(*(on(day, f"n{at}") for at, day in enumerate(places)))


def words(svg: str) -> list[str]:
    """Return the texts that the picture shows."""
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def bars(svg: str) -> list[list[tuple[float, float, float]]]:
    """Return (left, width, height) of the shelved bars and of the standing ones."""
    bar = re.compile(r"M([\d.]+) 275v-([\d.]+)h([\d.]+)v\2z")
    paths = {path.get("class"): path.get("d", "") for path in ElementTree.fromstring(svg).iter(f"{SVG}path")}
    found = [[tuple(map(float, match)) for match in bar.findall(paths[kind])] for kind in ("held", "cost")]
    return [[(left, width, height) for left, height, width in each] for each in found]


def test_a_week_counts_what_there_was_by_its_end() -> None:
    said = figures_of(shelf_of(entry(VLAN), on("2026-06-07"), on("2026-06-15", open_threads="None.")))
    assert said.unit == "week"
    assert [(each.name, each.added, each.open, each.episodes) for each in said.periods] == [
        ("2026-06-01", 2, 2, 2),
        ("2026-06-08", 0, 0, 2),
        ("2026-06-15", 1, 0, 3),
    ]
    assert (said.now.episodes, said.now.open, said.undated) == (3, 2, 0)


@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_the_last_standing_cost_is_the_index_of_today(sample: str) -> None:
    shelf = SAMPLES[sample]
    assert figures_of(shelf).now.standing == len(derived.render(shelf, PLAIN)["INDEX.md"]) // 4


def test_shelved_is_the_text_of_the_sections_of_every_committed_state() -> None:
    states = (State.ACCEPTED, State.SUPERSEDED, State.ARCHIVED, State.DRAFT)
    shelf = shelf_of(*(on("2026-06-01", f"n{at}", state) for at, state in enumerate(states)))
    text = sum(len(part.body) for part in fine().sections)
    assert figures_of(shelf).now.shelved == 3 * text // 4


def test_a_replaced_line_costs_in_full_until_its_successor_comes() -> None:
    old, new = OLD_DNS._replace(summary="long " * 20), DNS._replace(supersedes=(OLD_DNS.id,))
    other = entry(BACKUP._replace(supersedes=(old.id,)))
    before = figures_of(shelf_of(entry(old))).now.standing
    struck = figures_of(shelf_of(entry(old, State.SUPERSEDED), entry(new), other)).periods
    assert {each.standing for each in struck if each.name < "2026-05-11"} == {before}
    alone = figures_of(shelf_of(entry(new), other))
    grown = struck[-1].standing - alone.now.standing
    assert 0 < grown < before - figures_of(shelf_of()).now.standing
    archived = figures_of(shelf_of(entry(old, State.ARCHIVED), entry(new), other)).periods
    assert archived[0].standing > figures_of(shelf_of(entry(old, State.ARCHIVED))).now.standing + 20
    assert struck[0].episodes == archived[0].episodes == 1


def test_what_an_undated_episode_replaces_was_never_in_full() -> None:
    old, note = (
        entry(OLD_DNS._replace(summary="long " * 20), State.SUPERSEDED),
        on("", supersedes=(OLD_DNS.id,)),
    )
    later = entry(DNS._replace(supersedes=(OLD_DNS.id,)))
    said = figures_of(shelf_of(old, note, later, entry(VLAN))).periods
    assert said[0].standing == figures_of(shelf_of(old, note)).now.standing


def test_the_open_threads_of_what_was_replaced_are_not_open() -> None:
    states = (State.ACCEPTED, State.SUPERSEDED, State.ARCHIVED)
    shelf = shelf_of(*(on("2026-06-01", f"n{at}", state) for at, state in enumerate(states)))
    assert (figures_of(shelf).now.episodes, figures_of(shelf).now.open) == (3, 1)


def test_the_standing_cost_is_never_more_than_the_map_takes() -> None:
    assert figures_of(crowd(400)).now.standing == DEAREST
    assert any("≤ 4.0k in every session" in text for text in words(chart(crowd(400))))
    assert not any("≤" in text for text in words(chart(crowd(5))))


def test_the_source_is_the_sum_of_what_is_known() -> None:
    said = figures_of(shelf_of(entry(VLAN), entry(DNS)))
    assert (said.source, said.known) == (41800, 1)
    both = words(chart(shelf_of(entry(VLAN), entry(DNS))))
    assert "kept from sessions of 42k tokens, known for 1 of them" in both
    assert "kept from sessions of 42k tokens" in words(chart(shelf_of(entry(VLAN))))
    assert not any("kept from" in text for text in words(chart(shelf_of(entry(DNS)))))


@pytest.mark.parametrize("day", ["", "2026-02-31", "0000-01-01"])
def test_an_undated_episode_counts_from_the_start(day: str) -> None:
    said = figures_of(shelf_of(on(day), entry(DNS), entry(VLAN)))
    assert said.undated == 1
    assert (said.periods[0].name, said.periods[0].episodes) == ("2026-05-11", 2)
    alone = figures_of(shelf_of(on(day)))
    assert [(each.name, each.episodes) for each in alone.periods] == [("undated", 1)]


@pytest.mark.parametrize(
    ("days", "unit", "first", "count"),
    [
        (0, "week", "2021-03-01", 1),
        (370, "week", "2021-03-01", 53),
        (371, "month", "2021-03", 13),
        (1800, "month", "2021-03", 60),
        (1850, "quarter", "2021-Q1", 21),
        (6000, "year", "2021", 17),
        (40_000, "decade", "2020", 12),
    ],
)
def test_the_period_grows_with_the_time_that_is_shown(days: int, unit: str, first: str, count: int) -> None:
    said = figures_of(spread(2, days))
    assert (said.unit, said.periods[0].name, len(said.periods)) == (unit, first, count)


def test_the_day_it_is_changes_nothing() -> None:
    shelf = SAMPLES["english"]
    assert derived.render(shelf, PLAIN._replace(today="2031-01-01"))["stats.svg"] == chart(shelf)


@pytest.mark.parametrize(("count", "days"), [(1, 0), (2, 7), (5, 40), (60, 370), (500, 1780), (2, 2_900_000)])
def test_every_bar_and_word_has_its_place(count: int, days: int) -> None:
    shelf = spread(count, days)
    svg = chart(shelf)
    assert len(svg.encode()) < LARGEST
    held, cost = bars(svg)
    assert len(held) == len(cost) == len(figures_of(shelf).periods)
    for one, following in itertools.pairwise(held):
        assert one[0] + one[1] < following[0]
        assert one[2] <= following[2]
    assert max(held[-1], cost[-1])[2] == 127
    assert held[-1][0] + held[-1][1] <= 476
    assert all(low[2] >= 1.5 for low in cost)
    texts = list(ElementTree.fromstring(svg).iter(f"{SVG}text"))
    below = sorted(float(text.get("x", "")) for text in texts if text.get("y") == "300")
    assert all(after - before >= 110 for before, after in itertools.pairwise(below))
    beside = {text.text: float(text.get("y", "")) for text in texts}
    assert abs(beside["shelved"] - beside["every session"]) >= 20
    assert (beside["shelved"] < beside["every session"]) == (held[-1][2] > cost[-1][2])
    assert max(beside["shelved"], beside["every session"]) < 275


def test_the_words_stand_apart_beside_two_low_bars() -> None:
    ids = [f"2026-06-01-n{at}" for at in range(40)]
    nothing = dict.fromkeys(("Digest", "Decisions", "Open threads", "Sources"), "x")
    old = [entry(fine(id=name, date=name[:10], sections=nothing), State.ARCHIVED) for name in ids]
    shelf = shelf_of(*old, on("2026-06-08", sections=nothing, supersedes=tuple(ids)))
    held, cost = bars(chart(shelf))
    assert max(held[-1], cost[-1])[2] < 20
    texts = ElementTree.fromstring(chart(shelf)).iter(f"{SVG}text")
    beside = {text.text: float(text.get("y", "")) for text in texts}
    assert abs(beside["shelved"] - beside["every session"]) >= 20


def test_an_empty_shelf_says_so() -> None:
    svg = chart(shelf_of())
    assert words(svg) == ["sample", "Nothing shelved yet", "The first accepted episode begins the chart."]
    assert figures_of(shelf_of()).periods == ()


@settings(deadline=None)
@given(st.text(max_size=60))
@example("\ufffe\uffff\x00\ud800")
def test_whatever_the_shelf_is_called_the_picture_is_well_formed_and_inert(name: str) -> None:
    svg = chart(shelf_of(entry(VLAN))._replace(name=f"{name}<script>&\"'"))
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("viewBox") == "0 0 640 320"
    assert [element.tag.removeprefix(SVG) for element in root][:4] == ["title", "desc", "style", "rect"]
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "text", "tspan", "path"),
    }
    assert not re.search(r"href|url\(|@import|\bon\w+=", svg)
    assert "prefers-color-scheme:dark" in svg


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (9949, "9.9k"),
        (9950, "10k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (5_500_000, "5.5M"),
        (10**9, "1.0G"),
        (10**20, "100000P"),
    ],
)
def test_a_number_is_short(number: int, said: str) -> None:
    assert short(number) == said
