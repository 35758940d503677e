"""The few words of a section that show why it was found."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from memshelf.text import stems

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

LINE = 160
"""Characters; a longer line is looked at in parts of this length."""


def snippet(body: str, wanted: AbstractSet[str]) -> str:
    """Return the one or two neighbouring lines with most of the `wanted` stems, the earliest if several.

    It is a piece of `body` with every run of white space made one space, at most twice LINE and one
    characters long; the first line when nothing of `wanted` occurs.
    """
    flat = " ".join(body.split())
    spans = _spans(body, flat)
    if not spans:
        return ""
    found = [wanted & set(stems(flat[start:end])) for start, end in spans]
    singles = [(len(here), -at, at) for at, here in enumerate(found)]
    pairs = [(len(found[at] | found[at + 1]), -at, at) for at in range(len(found) - 1)]
    one, two = max(singles), max(pairs, default=(0, 0, 0))
    first, last = (two[2], two[2] + 1) if two[0] > one[0] else (one[2], one[2])
    return flat[spans[first][0] : spans[last][1]]


def _spans(body: str, flat: str) -> list[tuple[int, int]]:
    """Return where each line of `body`, or part of a long one, lies in `flat`."""
    spans, at = [], 0
    for line in body.split("\n"):
        for part in textwrap.wrap(" ".join(line.split()), LINE, break_on_hyphens=False):
            start = flat.index(part, at)
            at = start + len(part)
            spans.append((start, at))
    return spans
