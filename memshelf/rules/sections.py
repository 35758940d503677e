"""Rules about an episode's sections."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memshelf.formats.markdown import scan, split_sections
from memshelf.model import DIGEST, MANDATORY, SECTIONS, Level
from memshelf.rules.registry import Breach, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions, Episode, Section

BY_KIND = {"session": ("Timeline",)}
BY_FORM = {"incident": ("Timeline",), "experiment": ("Expected", "Actual")}
"""Kind and form -> the sections they need beside the mandatory ones."""

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
FENCE = re.compile("```|~~~")
SENTINEL = "end"
CLOSING = re.compile(r"(?:^|\s)#+$")


def needed(kind: str, form: str) -> tuple[str, ...]:
    """Return the headings that an episode of `kind` and `form` must have, in written order."""
    wanted = {*MANDATORY, *BY_KIND.get(kind, ()), *BY_FORM.get(form, ())}
    return tuple(heading for heading in SECTIONS if heading in wanted)


def _place(index: int, part: Section) -> str:
    """Return the section's heading when it is safe to print, else its number."""
    return part.heading if part.heading in SECTIONS else f"section {index}"


@rule(Level.ERROR, bad={"sections": {"Sources": None}}, good={"sources": "None."})
def section_missing(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A section that this kind or form of episode needs is not there.

    Who looks for the open threads or the sources must find them, or read that there are none. Add the
    section; `None.` is an honest body. The digest has its own rule.
    """
    there = {part.heading for part in episode.sections}
    for heading in needed(episode.kind, episode.form):
        if heading not in there and heading != DIGEST:
            yield Breach('not there: add it, "None." will do', heading)


@rule(Level.ERROR, bad={"open_threads": " \n"}, good={"open_threads": "Нет."})
def section_empty(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A section that this kind or form of episode needs has no text.

    Empty may mean none, or forgotten. Say which: `None.` is an honest body.
    """
    wanted = needed(episode.kind, episode.form)
    for part in episode.sections:
        if part.heading in wanted and part.heading != DIGEST and not part.body.strip():
            yield Breach('empty: write it, "None." will do', part.heading, part.line)


@rule(
    Level.ERROR,
    bad={"sections": {"Costs": "One node.", "costs": "Two nodes."}},
    good={"sections": {"Costs": "One node.", "Costs in detail": "Two nodes."}},
)
def section_repeated(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """Two sections have the same heading, upper and lower case aside.

    A section is fetched by its heading, so the second one could never be read. Join them or rename one.
    """
    seen: Counter[str] = Counter()
    for index, part in enumerate(episode.sections, 1):
        heading = part.heading.strip().lower()
        seen[heading] += 1
        if seen[heading] == 2:
            yield Breach("stands twice: join the two or rename one", _place(index, part), part.line)


@rule(Level.ERROR, bad={"preamble": "Some words."}, good={"preamble": ""})
def text_before_sections(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """There is text between the front matter and the first section.

    Text that belongs to no section is neither indexed nor served by section. Move it under a heading.
    """
    if episode.preamble.strip():
        yield Breach("text before the first section: move it under a heading")


@rule(
    Level.ERROR,
    bad={"sections": {"# Costs": "One node."}},
    good={"sections": {"Costs in C# [draft] — 中文": "One node."}},
)
def heading_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A heading cannot be written as one Markdown heading and read back the same.

    A heading is one line, not empty, without `#` at either end: Markdown takes those for its own.
    """
    for index, part in enumerate(episode.sections, 1):
        heading = part.heading
        edges = heading != heading.strip() or heading.startswith("#") or CLOSING.search(heading)
        if edges or not heading or "\n" in heading:
            yield Breach(
                "the heading is no single plain line: write words, no # at its ends",
                f"section {index}",
                part.line,
            )


@rule(
    Level.ERROR,
    bad={"decisions": "The auth service signs tokens.\x07"},
    good={"decisions": "The auth service signs tokens.\n\n\tindented\u2028and parted"},
)
def control_character(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A section holds a control character or half a surrogate pair.

    Such characters hide text on a terminal or cannot be written as UTF-8. Newline and tab are fine; take
    the others out, or write them as an escape.
    """
    for index, part in enumerate(episode.sections, 1):
        found = CONTROL.search(f"{part.heading}\n{part.body}")
        if found:
            yield Breach(f"holds U+{ord(found[0]):04X}: take it out", _place(index, part), part.line)


@rule(
    Level.ERROR,
    bad={"decisions": "The auth service signs tokens:\n\n```sh\nsign\n"},
    good={"decisions": "The auth service signs tokens:\n\n```sh\nsign\n## not a heading\n```"},
)
def unclosed_fence(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A code block is opened and never closed.

    All sections after it become part of the code and are lost to the index. Close the fence with the marks
    that opened it.
    """
    for index, part in enumerate(episode.sections, 1):
        at = scan(part.body).open_fence if FENCE.search(part.body) else 0
        if at:
            yield Breach(
                f"the code block opened in its line {at} is never closed: close it",
                _place(index, part),
                part.line,
            )


@rule(
    Level.ERROR,
    bad={"decisions": "The auth service signs tokens.\n\n## Costs\n\nNone."},
    good={"decisions": "The auth service signs tokens.\n\n### Costs\n\n- ## none\n\n> ## none"},
)
def section_holds_heading(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The text of a section holds a `##` heading of its own.

    It would begin a section when the file is read, and the rest of the text would move there. Use `###`,
    or pass the part as a section of its own. The digest has its own rule.
    """
    for index, part in enumerate(episode.sections, 1):
        inner = split_sections(part.body)[1] if "##" in part.body else []
        if inner and part.heading != DIGEST:
            yield Breach(
                f"its line {inner[0].line} is a ## heading: use ###, or make it a section of its own",
                _place(index, part),
                part.line,
            )


@rule(
    Level.ERROR,
    bad={"decisions": "The auth service signs tokens.\n\n<!-- a thought"},
    good={"decisions": "The auth service signs tokens.\n\n<!-- a thought -->"},
)
def unclosed_html(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """An HTML comment or block is opened and never closed.

    Markdown takes everything after it for HTML, the headings of later sections too. Close it, or write the
    `<` as `&lt;`.
    """
    for index, part in enumerate(episode.sections, 1):
        if "<" not in part.body:
            continue
        followed = split_sections(f"{part.body}\n\n## {SENTINEL}\n")[1]
        swallowed = not followed or followed[-1].heading != SENTINEL
        if swallowed and not scan(part.body).open_fence:
            yield Breach("an HTML comment or block is never closed: close it", _place(index, part), part.line)
