"""Markdown seen through a CommonMark parser. The only module that knows pyromark.

pyromark's ranges are offsets into the UTF-8 bytes; what leaves here is text and 1-based lines.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyromark

from memshelf.model import Section

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLOSING_FENCE = re.compile(r"[ >\t]*(`{3,}|~{3,})[ \t]*")
BLANK = " \t\n"
CONTAINERS = ("List", "Item", "BlockQuote", "FootnoteDefinition")
HIDDEN = ("CodeBlock", "HtmlBlock", "BlockQuote")


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text holds beside prose.

    `headings` are (line, source line) at any depth; `fences` the lines where code blocks open;
    `open_fence` the line of a fence that is never closed, else 0; `comments` the lines of HTML blocks
    and inline HTML; `links` their targets; `prose` the text with code, HTML, block quotes and link
    targets replaced by spaces.
    """

    headings: tuple[tuple[int, str], ...]
    fences: tuple[int, ...]
    open_fence: int
    comments: tuple[int, ...]
    links: tuple[str, ...]
    prose: str


def trim(text: str) -> str:
    """Return `text` without blank lines at either end; the indent of its first line stays."""
    kept = text.rstrip(BLANK)
    if not kept:
        return ""
    last_line_end = text[len(kept) :].partition("\n")[0]
    first_line = kept.rfind("\n", 0, len(kept) - len(kept.lstrip(BLANK))) + 1
    return kept[first_line:] + last_line_end


def split_sections(text: str) -> tuple[str, list[Section]]:
    """Split at every level-2 ATX heading that stands in no list, quote, fence or HTML block.

    Returns the text before the first one and the sections, bodies trimmed of blank lines.
    """
    text = _encodable(text)
    raw = text.encode()
    line_of = _line_counter(raw)
    starts = [start for start, end in _headings(text) if raw[start:end].startswith(b"##")]
    edges = [*starts, len(raw)]
    sections = []
    for start, end in itertools.pairwise(edges):
        heading, _, body = raw[start:end].decode().partition("\n")
        sections.append(Section(_heading_text(heading), trim(body), line_of(start)))
    return trim(raw[: edges[0]].decode()), sections


def scan(text: str) -> Scan:
    """Look for what the rules ask about: see `Scan`."""
    text = _encodable(text)
    raw = text.encode()
    line_of = _line_counter(raw)
    prose = bytearray(raw)
    found: dict[str, list[Any]] = {"Heading": [], "CodeBlock": [], "Html": [], "Link": []}
    open_fence = blanked = 0
    for name, detail, start, end in _events(text):
        line = line_of(start)
        if name == "Heading":
            found[name].append((line, raw[start:end].decode().split("\n")[0]))
        elif name == "CodeBlock":
            found[name].append(line)
            open_fence = open_fence or (line if _is_open(raw[start:end].decode(), detail) else 0)
        elif name in ("HtmlBlock", "InlineHtml"):
            found["Html"].append(line)
        elif name in ("Link", "Image"):
            found["Link"].append(detail["dest_url"])
            _blank_target(prose, start, end)
        if end > blanked and name in (*HIDDEN, "Code", "InlineHtml"):
            _blank(prose, start, end)
            blanked = end
    return Scan(
        headings=tuple(found["Heading"]),
        fences=tuple(found["CodeBlock"]),
        open_fence=open_fence,
        comments=tuple(found["Html"]),
        links=tuple(found["Link"]),
        prose=prose.decode(),
    )


def _line_counter(raw: bytes) -> Callable[[int], int]:
    """Return a function from an offset into `raw` to its 1-based line."""
    ends = [end.start() for end in re.finditer(b"\n", raw)]
    return lambda offset: bisect_left(ends, offset) + 1


def _encodable(text: str) -> str:
    """Replace lone surrogates, which no parser takes."""
    return text.encode("utf-8", "replace").decode()


def _headings(text: str) -> Iterator[tuple[int, int]]:
    """Yield byte ranges of level-2 headings outside lists and quotes."""
    depth = 0
    for event, span in _raw_events(text):
        if not isinstance(event, dict):
            continue
        name = _name(event.get("Start", event.get("End")))
        if name in CONTAINERS:
            depth += 1 if "Start" in event else -1
        elif (
            name == "Heading"
            and not depth
            and "Start" in event
            and event["Start"]["Heading"]["level"] == "H2"
        ):
            yield span["start"], span["end"]


def _events(text: str) -> Iterator[tuple[str, Any, int, int]]:
    """Yield (name, detail, start, end) of every opening or lone event."""
    for event, span in _raw_events(text):
        if not isinstance(event, dict) or "End" in event:
            continue
        tag: Any = event.get("Start", event)
        name = _name(tag)
        yield name, tag[name] if isinstance(tag, dict) else None, span["start"], span["end"]


def _raw_events(text: str) -> Iterator[tuple[Any, Any]]:
    """Return pyromark's events; its types name every kind of event, more than is asked here."""
    return pyromark.events_with_range(text)


def _name(tag: object) -> str:
    return next(iter(tag)) if isinstance(tag, dict) else str(tag)


def _heading_text(line: str) -> str:
    return re.sub(r"(?:^|[ \t]+)#+[ \t]*$", "", line.strip().removeprefix("##").strip())


def _is_open(block: str, detail: Any) -> bool:
    lines = block.rstrip("\n").split("\n")
    fenced = isinstance(detail, dict) and "Fenced" in detail
    return fenced and (len(lines) == 1 or not CLOSING_FENCE.fullmatch(lines[-1]))


def _blank(prose: bytearray, start: int, end: int) -> None:
    prose[start:end] = re.sub(rb"[^\n]", b" ", prose[start:end])


def _blank_target(prose: bytearray, start: int, end: int) -> None:
    """Blank what follows a link's text: `](target)` or `<target>`."""
    edge = prose.rfind(b"](", start, end)
    _blank(prose, edge if edge >= 0 else start, end)
