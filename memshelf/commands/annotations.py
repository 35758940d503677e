"""How a Git host shows what check found: a command a finding for GitHub's runner, a page of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memshelf.model import DIGEST, SECTIONS
from memshelf.redact import redact
from memshelf.redact.marks import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.commands.incoming import Incoming, Piece
    from memshelf.model import Finding

LONGEST_PAGE = 60_000
"""Characters of a page: GitHub takes 65,536 of a pull request's text."""

SHOWN = (DIGEST, SECTIONS[1])
FENCES = re.compile(r"^ *(`{3,})", re.MULTILINE)
COMMIT = re.compile(r"[0-9a-f]{12}(?::|\Z)")


def annotated(found: Incoming) -> str:
    """Return a line `::error file=PATH,line=N,title=RULE::MESSAGE` a finding, as GitHub's runner reads it.

    Paths lead from the repository's top. Of what lies in an earlier commit the message names the commit.
    """
    return "\n".join(_annotation(one, found.prefix) for one in found.findings)


def _annotation(finding: Finding, prefix: str) -> str:
    commit = COMMIT.match(finding.path)
    path = finding.path[commit.end() :] if commit else finding.path
    words = f"{finding.place}: {finding.message}" if finding.place else finding.message
    facts = {"file": f"{prefix}{path}" if path else ""}
    facts |= {"line": str(finding.line) if finding.line and not commit else "", "title": finding.rule}
    properties = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in facts.items() if value)
    said = f"commit {commit[0].rstrip(':')}: {words}" if commit else words
    return f"::{finding.level} {properties}::{_escaped(said)}"


def _escaped(text: str, more: str = "") -> str:
    """Return the text as a workflow command carries it: what would end the line or a property is named."""
    return re.sub(f"[%\r\n{more}]", lambda found: f"%{ord(found[0]):02X}", text)


def page(found: Incoming) -> str:
    """Return what the commits bring as Markdown: each episode's digest, decisions and marks, the findings.

    Text of the episodes stands in fences: it names nobody, closes no issue and is no markup. What may not
    be kept is masked in it.
    """
    counts = Counter(str(finding.level) for finding in found.findings)
    said = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in sorted(counts.items())]
    number = len(found.pieces)
    head = f"**MemShelf:** {number} episode{'s' if number != 1 else ''}, {', '.join(said) or 'no findings'}"
    blocks = [head, *(_block(str(one)) for one in found.findings)]
    if found.judges:
        blocks += ["These decide what is found here, and change too:", _block("\n".join(found.judges))]
    for piece in found.pieces:
        blocks += _episode(piece)
    text = "\n\n".join(blocks)
    cut = "\n\nThe rest was cut: read it in the files.\n"
    return text + "\n" if len(text) <= LONGEST_PAGE else _closed(text[:LONGEST_PAGE]) + cut


def _episode(piece: Piece) -> Iterator[str]:
    episode = piece.document.episode
    stem = piece.document.path.rpartition("/")[2].removesuffix(".md")
    head = f"{'new' if piece.new else 'amended'}: {piece.shelf}/{stem}\n{episode.title if episode else ''}"
    yield _block(redact(head.rstrip(), piece.policy)[0])
    if episode is None:
        return
    for heading in SHOWN:
        yield f"{heading}:"
        yield _block(redact(episode.section(heading), piece.policy)[0] or "(nothing)")
    marks = [f"{mark[1]} ({part.heading})" for part in episode.sections for mark in MARK.finditer(part.body)]
    if marks or episode.allow:
        lifted = [f"lifted by hand: {entry}" for entry in episode.allow]
        yield "Redaction:"
        yield _block("\n".join([*dict.fromkeys(marks), *lifted]))


def _block(text: str) -> str:
    """Return the text in a fence that nothing in it can close."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", text))])
    return f"{fence}text\n{text}\n{fence}"


def _closed(text: str) -> str:
    """Return a page that was cut with the fence closed in which it was cut."""
    opened = ""
    for fence in FENCES.findall(text):
        opened = "" if fence == opened else opened or fence
    return f"{text}\n{opened}"
