"""What a draft looks like to its reviewer: values in, lines for the screen out."""

from __future__ import annotations

import difflib
import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memshelf.cli.screen import Line, visible
from memshelf.cli.terminal import BOLD, CYAN, DIM, GREEN, RED, STRONG, YELLOW
from memshelf.formats.episode import KEYS
from memshelf.model import DIGEST, Level
from memshelf.requests import SECTION_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.commands.review import Shown
    from memshelf.model import Entry, Episode
    from memshelf.store.drafts import Note

MARK = re.compile(r"«redacted:[a-z][a-z0-9-]*(?:#\d+)?»")
WORD = re.compile(r"\s+|\w+|\W")
BODY, REMOVED, ADDED = "   ", "-  ", "+  "
"""What leads a line of a section; a Markdown list keeps its own hyphens apart from a diff's."""

CONTEXT = 2
LONGEST_COMPARED = 4000
"""Characters of a line up to which the words that differ are marked."""

SAID_ELSEWHERE = ("id", "kind", "title", "date", "client", "session")
UNSAID = {"approx_tokens": "0", "approx_tokens_source": "unmeasured", "mode": "live"}
SPANS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def sheet(shown: Shown, age: str) -> list[Line]:
    """Return the draft's facts, what was redacted, what the rules say, and its text or its changes."""
    entry, note = shown.entry, shown.note
    lines = [
        Line(visible(entry.episode.title), BOLD),
        Line(visible(f"{entry.shelf}/{entry.episode.id}"), CYAN),
        Line(visible(facts(entry, note, age)), DIM),
    ]
    lines += [Line(visible(shown.remark), RED, hang=2)] if shown.remark else []
    lines += [_redaction(item) for item in note.redactions] or [Line("redacted: nothing", DIM)]
    for finding in shown.findings:
        style = RED if finding.level is Level.ERROR else YELLOW
        lines.append(Line(visible(str(finding)), style, hang=2))
    body = _changes(shown.before, entry.episode) if shown.before else _whole(entry.episode)
    return [*lines, *body, Line()]


def facts(entry: Entry, note: Note, age: str) -> str:
    """Return whether the draft is new, who wrote it, when, and how much was redacted."""
    what = f"amends an accepted {entry.episode.kind}" if entry.amends else f"a new {entry.episode.kind}"
    count = len(note.redactions)
    redacted = f" · {count} redaction{'s' * (count > 1)}" if count else ""
    return f"{what} · by {note.client} · {age}{redacted}"


def ago(seconds: float) -> str:
    """Return an age in words."""
    for length, name in SPANS:
        count = int(seconds / length)
        if count > 0:
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"


def _redaction(item: str) -> Line:
    """Say `rule place:line` for a person."""
    rule, _, where = item.partition(" ")
    place, _, line = where.rpartition(":")
    place = SECTION_FIELDS.get(place, place)
    return Line(visible(f"redacted: {rule} in {place}, line {line}"), YELLOW, hang=2)


def _whole(episode: Episode) -> Iterator[Line]:
    keys = _keys(episode)
    if keys:
        yield Line()
    for name, value in keys.items():
        yield Line(visible(f"{name}: {value}"), DIM, hang=2)
    if episode.preamble:
        yield from _text("before the sections", episode.preamble)
    for part in episode.sections:
        yield from _text(part.heading, part.body)


def _keys(episode: Episode) -> dict[str, str]:
    """Return the front matter that no other line says."""
    pairs = [(key, getattr(episode, key)) for key in KEYS if key not in SAID_ELSEWHERE]
    pairs += episode.other
    texts = ((key, value if isinstance(value, str) else ", ".join(value)) for key, value in pairs)
    return {key: text for key, text in texts if text and UNSAID.get(key) != text}


def _text(heading: str, body: str, style: str = "") -> Iterator[Line]:
    yield Line()
    yield Line(visible(heading), BOLD)
    for line in body.split("\n"):
        yield _plain(BODY, line, style)


def _plain(lead: str, text: str, style: str = "") -> Line:
    seen = lead + visible(text)
    marks = tuple((*mark.span(), YELLOW) for mark in MARK.finditer(seen))
    return Line(seen, style, marks, hang=len(lead))


def _changes(before: Episode, after: Episode) -> Iterator[Line]:
    old = {part.heading: part.body for part in before.sections}
    new = {part.heading: part.body for part in after.sections}
    same = [heading for heading in new if old.get(heading) == new[heading]]
    if DIGEST in same:
        asked = "" if "Decisions" in same else ": does it still say what the decisions say?"
        yield from _text(f"{DIGEST} (unchanged{asked})", new[DIGEST], DIM)
    yield from _front_matter(before, after)
    for heading in [*new, *(name for name in old if name not in new)]:
        if heading not in same:
            yield Line()
            state = "" if heading in old and heading in new else " (new)" if heading in new else " (removed)"
            yield Line(visible(heading) + state, BOLD)
            yield from _difference(old.get(heading, ""), new.get(heading, ""))
    others = [heading for heading in same if heading != DIGEST]
    if others:
        yield Line()
        yield Line(visible(f"unchanged: {', '.join(others)}"), DIM, hang=2)


def _front_matter(before: Episode, after: Episode) -> Iterator[Line]:
    old = {"title": before.title, "kind": before.kind} | _keys(before)
    new = {"title": after.title, "kind": after.kind} | _keys(after)
    changed = [key for key in dict.fromkeys([*new, *old]) if old.get(key) != new.get(key)]
    if changed:
        yield Line()
    for key in changed:
        was = [f"{key}: {old[key]}"] if key in old else []
        yield from _replaced(was, [f"{key}: {new[key]}"] if key in new else [])


def _difference(old: str, new: str) -> Iterator[Line]:
    """Yield the lines that differ, with a few equal ones around them."""
    before, after = (text.split("\n") if text else [] for text in (old, new))
    groups = list(difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT))
    reached = 0
    for group in groups:
        if group[0][1] > reached:
            yield Line(f"{BODY}…", DIM)
        for tag, first, last, start, end in group:
            if tag == "equal":
                yield from (_plain(BODY, line, DIM) for line in before[first:last])
            else:
                yield from _replaced(before[first:last], after[start:end])
        reached = group[-1][2]
    if reached < len(before):
        yield Line(f"{BODY}…", DIM)


def _replaced(old: list[str], new: list[str]) -> Iterator[Line]:
    """Yield removed lines, then added ones; where they stand in pairs, the words that differ stand out."""
    removed, added = (
        [_plain(REMOVED, line, RED) for line in old],
        [_plain(ADDED, line, GREEN) for line in new],
    )
    if len(removed) == len(added):
        pairs = [_marked(was, now) for was, now in zip(removed, added, strict=True)]
        removed, added = [was for was, _ in pairs], [now for _, now in pairs]
    yield from (*removed, *added)


def _marked(was: Line, now: Line) -> tuple[Line, Line]:
    if max(len(was.text), len(now.text)) > LONGEST_COMPARED:
        return was, now
    before, after = WORD.findall(was.text[len(BODY) :]), WORD.findall(now.text[len(BODY) :])
    opcodes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changed = [code[1:] for code in opcodes if code[0] != "equal"]
    return (
        _accented(was, before, [(first, last) for first, last, _, _ in changed]),
        _accented(now, after, [(first, last) for _, _, first, last in changed]),
    )


def _accented(line: Line, words: list[str], changed: list[tuple[int, int]]) -> Line:
    """Mark the runs of changed words; a space between two of them belongs to both."""
    loud = {place for first, last in changed for place in range(first, last)}
    loud |= {at for at, word in enumerate(words) if word.isspace() and {at - 1, at + 1} <= loud}
    ends = list(itertools.accumulate(map(len, words), initial=len(BODY)))
    accents = tuple((ends[at], ends[at + 1], STRONG) for at in sorted(loud))
    return replace(line, accents=(*line.accents, *accents))
