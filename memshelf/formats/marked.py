"""A paragraph of ours in somebody's Markdown, between two marks: the rest stays as it is."""

from __future__ import annotations

import re

START, END = "<!-- memshelf -->", "<!-- /memshelf -->"
BLOCK = re.compile(rf"(?:(?<=\n)\r?\n)?{START}.*?{END}(?:\r?\n|\Z)", re.DOTALL)


def put(text: str, paragraph: str) -> str:
    """Return the text with the paragraph in the place of the one that is there, else at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{START}\n{paragraph.strip()}\n{END}\n".replace("\n", newline)
    found = BLOCK.search(text)
    if found:
        lead = found[0][: found[0].index(START)]
        return text[: found.start()] + lead + block + text[found.end() :]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + block


def take(text: str) -> str:
    """Return the text without the paragraph."""
    return BLOCK.sub("", text, count=1)
