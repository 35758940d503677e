"""What a pull request says of drafts, so that a person can decide on a telephone. No verb itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memshelf.lines import squeeze, title
from memshelf.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Entry, Finding
    from memshelf.redact import Policy
    from memshelf.store.drafts import Note

MOST = 60_000
"""Characters; a host takes no more than some 65,000."""

CALLS = re.compile(
    r"(?<!\w)@(?=\w)|#(?=\d)|\bGH-(?=\d)|\b(?:clos|fix|resolv)(?=\w*:?\s+\S*/issues/\d)", re.IGNORECASE
)
"""What a host makes a notice to somebody of, or what closes an issue: text of an agent must do neither."""

UNSEEN = "\N{ZERO WIDTH SPACE}"
LATER = "\n\n(the rest is in the file)"


def heading_of(entries: Sequence[Entry], policy: Policy) -> str:
    """Return the pull request's title as one line."""
    names = ", ".join(title(entry.episode) for entry in entries)
    said = f"shelve: {names}" if len(entries) == 1 else f"shelve {len(entries)} episodes: {names}"
    clean = squeeze(redact(said, policy)[0])
    return clean if len(clean) <= 200 else f"{clean[:199]}…"


def body_of(entry: Entry, note: Note, findings: Sequence[Finding], policy: Policy) -> str:
    """Return what is to be decided on: digest, decisions, what is open, what was redacted, what rules say."""
    episode = entry.episode
    redacted = squeeze(", ".join(note.redactions)) or "nothing"
    report = [
        f"`{entry.shelf}/{entry.name}`{' (amend)' if note.base else ''} by {squeeze(note.client)}",
        f"redacted: {redacted}",
        *(squeeze(f"{found.level} {found.rule}: {found.message}") for found in findings),
    ]
    parts = [f"## {title(episode)}", episode.digest]
    parts += [
        f"### {heading}\n\n{text}"
        for heading in ("Decisions", "Open threads")
        if (text := episode.section(heading))
    ]
    clean = redact("\n\n".join(parts), policy)[0]
    listed = "\n".join(f"- {line}" for line in report)
    return CALLS.sub(rf"\g<0>{UNSEEN}", f"{clean}\n\n### Report\n\n{listed}")


def together(bodies: Sequence[str], uuids: Sequence[str]) -> str:
    """Return the body of one pull request for all of them, not longer than a host takes."""
    ends = "\n".join(f"Memshelf-Draft: {uuid}" for uuid in uuids)
    room = MOST // max(1, len(bodies)) - len(LATER)
    cut = [body if len(body) <= room else body[:room] + LATER for body in bodies]
    return "\n\n---\n\n".join(cut) + f"\n\n{ends}\n"
