"""How a Git host shows what check found: a command a finding for GitHub's runner, a page of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from memshelf.commands.pull_request import LATER, MOST, body_of
from memshelf.model import Entry, Episode, State
from memshelf.redact.marks import MARK
from memshelf.store.drafts import Note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.commands.incoming import Incoming, Piece
    from memshelf.model import Finding

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
    """Return what the commits bring as Markdown: findings, then each episode as a pull request shows it.

    Text of the episodes names nobody and closes no issue; what may not be kept is masked in it.
    """
    counts = Counter(str(finding.level) for finding in found.findings)
    said = [f"{count} {name}{'s' if count > 1 else ''}" for name, count in sorted(counts.items())]
    number = len(found.pieces)
    head = f"**MemShelf:** {number} episode{'s' if number != 1 else ''}, {', '.join(said) or 'no findings'}"
    shown = {piece.document.path for piece in found.pieces if piece.document.episode}
    blocks = [head, *(_block(str(one)) for one in found.findings if one.path not in shown)]
    if found.judges:
        blocks += ["These decide what is found here, and change too:", _block("\n".join(found.judges))]
    blocks += [_episode(piece, found.findings) for piece in found.pieces if piece.document.episode]
    text = "\n\n".join(blocks)
    return f"{text if len(text) <= MOST else text[:MOST] + LATER}\n"


def _episode(piece: Piece, findings: Sequence[Finding]) -> str:
    document = piece.document
    episode = document.episode or Episode("")
    marks = [f"{mark[1]} {part.heading}" for part in episode.sections for mark in MARK.finditer(part.body)]
    lifted = [f"lifted by hand: {entry}" for entry in episode.allow]
    told = tuple(dict.fromkeys([*marks, *lifted]))
    note = Note(
        ", ".join(episode.client) or "a person", base="" if piece.new else "accepted", redactions=told
    )
    entry = Entry(piece.shelf, document.path, "", State.DRAFT, episode)
    return body_of(entry, note, [one for one in findings if one.path == document.path], piece.policy)


def _block(text: str) -> str:
    """Return the text in a fence that nothing in it can close."""
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", text))])
    return f"{fence}text\n{text}\n{fence}"
