"""stats.svg: what a shelf holds against what every session pays, as a chart for light and dark pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from memshelf.derived.figures import DEAREST, figures
from memshelf.lines import squeeze
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memshelf.derived.figures import Figures, Period
    from memshelf.derived.index_file import Row
    from memshelf.model import Shelf

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BASE = 24, 476, 148, 275
"""Where the bars stand; right of them is room for the words beside the last one."""

WIDEST_BAR = 36
HAIRLINE = 15
"""Tenths of a unit: no bar is lower, so what is not nothing can be seen."""

TICK_ROOM = 115
LABEL_HEIGHT = 20
NAME = 36
NOT_XML = str.maketrans("", "", "\ufffe\uffff")
UNITS = ("", "k", "M", "G", "T", "P")
STYLE = """\
text{font:17px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#59636e}
.card{fill:#fff;stroke:#d1d9e0}.big{font-size:26px;fill:#1f2328}.big tspan,.name{font-weight:600}
.name{fill:#1f2328}.grid{stroke:#d1d9e0}.small{font-size:15px}
path.held{fill:#86a5ec}tspan.held,text.held{fill:#3459b8}
path.cost{fill:#c2500f}tspan.cost,text.cost{fill:#b1470b}
@media(prefers-color-scheme:dark){text{fill:#9198a1}.card{fill:#0d1117;stroke:#3d444d}.big,.name{fill:#f0f6fc}
.grid{stroke:#2a313c}path.held{fill:#3f61a8}tspan.held,text.held{fill:#8fb0ff}
path.cost{fill:#ff9b52}tspan.cost,text.cost{fill:#ffa766}}"""


def render(shelf: Shelf, rows: Sequence[Row]) -> str:
    """Return the picture as SVG, under 20 kB whatever the shelf holds."""
    said = figures(shelf, rows)
    name = clip(squeeze(shelf.name).translate(NOT_XML), NAME)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{escape(name, quote=False)}: what it holds and what it costs to carry</title>',
        f'<desc id="desc">{_described(said)}</desc>',
        f"<style>\n{STYLE}\n</style>",
        f'<rect class="card" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="10"/>',
        f'<text class="name" x="{LEFT}" y="36">{escape(name, quote=False)}</text>',
        *_headline(said),
        *_plot(said.periods),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def short(number: int) -> str:
    """Return a whole number in at most four characters up to 999P: `999`, `1.2k`, `12k`, `3.4M`."""
    if number < 1000:
        return str(number)
    power = 1
    while power + 1 < len(UNITS) and number * 2 >= 1999 * 1000**power:
        power += 1
    tenths = (number * 20 + 1000**power) // (2 * 1000**power)
    whole = (number * 2 + 1000**power) // (2 * 1000**power)
    return (f"{tenths // 10}.{tenths % 10}" if tenths < 100 else str(whole)) + UNITS[power]


def counted(said: Figures) -> str:
    """Return how many episodes there are, open ones and undated ones among them."""
    now = said.now
    parts = [f"{now.episodes:,} episode{'s' * (now.episodes != 1)}"]
    parts += [f"{now.open:,} with open threads"] if now.open else []
    parts += [f"{said.undated:,} undated"] if said.undated else []
    return ", ".join(parts)


def sourced(said: Figures) -> str:
    """Return what the sessions weighed that the episodes came from; empty when nobody knows."""
    part = "" if said.known == said.now.episodes else f", known for {said.known:,} of them"
    return f"kept from sessions of {short(said.source)} tokens{part}" if said.known else ""


def _described(said: Figures) -> str:
    if not said.periods:
        return "No episodes yet."
    now, first = said.now, said.periods[0]
    source = sourced(said)
    return (
        f"{counted(said)}. {now.shelved:,} tokens shelved; {now.standing:,} tokens of index in every session."
        + (f" {source[0].upper()}{source[1:]}." if source else "")
        + f" By {said.unit}, {first.name} to {now.name}."
    )


def _headline(said: Figures) -> Iterator[str]:
    if not said.periods:
        yield f'<text class="big" x="{LEFT}" y="71">Nothing shelved yet</text>'
        yield f'<text x="{LEFT}" y="99">The first accepted episode begins the chart.</text>'
        return
    yield f'<text class="small" x="{WIDTH - LEFT}" y="36" text-anchor="end">by {said.unit}</text>'
    held, cost = short(said.now.shelved), short(said.now.standing)
    most = "≤ " if said.now.standing == DEAREST else ""
    yield (
        f'<text class="big" x="{LEFT}" y="71"><tspan class="held">{held}</tspan> tokens shelved, '
        f'<tspan class="cost">{most}{cost}</tspan> in every session</text>'
    )
    yield f'<text x="{LEFT}" y="99">{counted(said)}</text>'
    if said.known:
        yield f'<text x="{LEFT}" y="122">{sourced(said)}</text>'


def _plot(periods: Sequence[Period]) -> Iterator[str]:
    """Yield the ground line, two bars a period from the same ground, and the words at them."""
    yield f'<path class="grid" d="M{LEFT} {BASE}.5H{WIDTH - LEFT}"/>'
    if not periods:
        return
    highest = max(max(period.shelved, period.standing) for period in periods) or 1
    slot = min(WIDEST_BAR * 10, (RIGHT - LEFT) * 10 // len(periods))
    held = [_height(period.shelved, highest) for period in periods]
    cost = [_height(period.standing, highest) for period in periods]
    both = sorted((("cost", "every session", cost), ("held", "shelved", held)), key=lambda one: one[2][-1])
    for kind, _, heights in reversed(both):  # the lower ones stand in front
        yield f'<path class="{kind}" d="{_bars(heights, slot)}"/>'
    lower = min(BASE - 8, BASE - both[0][2][-1] // 20 + 5)
    upper = min(lower - LABEL_HEIGHT, BASE - both[1][2][-1] // 10 + 12)
    x = _tenths(LEFT * 10 + slot * len(periods) + 60)
    for (kind, words, _), y in zip(both, (lower, upper), strict=True):
        yield f'<text class="{kind}" x="{x}" y="{y}">{words}</text>'
    yield from _ticks(periods, slot)


def _height(value: int, highest: int) -> int:
    """Return a bar's height in tenths of a unit."""
    return max(value * (BASE - TOP) * 10 // highest, HAIRLINE) if value else 0


def _bars(heights: Sequence[int], slot: int) -> str:
    """Return one path with a bar for each height; all lengths are tenths of a unit."""
    width = slot - max(10, slot // 5)
    return "".join(
        f"M{_tenths(LEFT * 10 + at * slot)} {BASE}v-{_tenths(height)}h{_tenths(width)}v{_tenths(height)}z"
        for at, height in enumerate(heights)
        if height
    )


def _ticks(periods: Sequence[Period], slot: int) -> Iterator[str]:
    """Yield the names of the first and the last period and of some between, as many as have room."""
    last = len(periods) - 1
    steps = last // -(-TICK_ROOM * 10 // slot)
    named = {last * step // steps for step in range(steps + 1)} if steps else {0}
    for at in sorted(named):
        until = f" – {periods[last].name}" if last and not steps else ""
        x = _tenths(LEFT * 10 + at * slot)
        yield f'<text class="small" x="{x}" y="{BASE + 25}">{periods[at].name}{until}</text>'


def _tenths(number: int) -> str:
    """Write a number of tenths."""
    return f"{number // 10}.{number % 10}" if number % 10 else str(number // 10)
