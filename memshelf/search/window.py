"""The few lines of a section that a hit shows: exact text."""

from __future__ import annotations

import re

LONG = 500
"""Characters; a longer line is looked at by sentences, a longer sentence in parts."""

LINES = re.compile(r"[^\s](?:[^\n]*[^\s])?")
SENTENCES = re.compile(
    rf"\S.{{0,{LONG}}}?(?:[.!?…](?=\s)|[。！？]|$)|\S.{{0,{LONG}}}(?=\s)|\S.{{0,{LONG}}}", re.DOTALL
)
QUESTION = ("?", "？", "؟")

Span = tuple[int, int]


def units(body: str) -> list[Span]:
    """Return where lies what can be shown by itself: lines with text, of a long one its sentences."""
    lines = [found.span() for found in LINES.finditer(body)]
    return [
        span
        for start, end in lines
        for span in (
            [(start, end)]
            if end - start <= LONG
            else [found.span() for found in SENTENCES.finditer(body, start, end)]
        )
    ]


def window(body: str, spans: list[Span], at: int) -> range:
    """Return which units show what answers in unit `at`: a question is shown with what follows it."""
    follows = at + 1 < len(spans) and body[: spans[at][1]].endswith(QUESTION)
    return range(at, min(len(spans), at + 1 + follows))
