"""Reject: a person says no to a draft, and why. The text stays, out of search and index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.conventions import conventions_of
from memshelf.commands.drafts import find_drafts
from memshelf.errors import UsageError
from memshelf.lines import squeeze
from memshelf.redact import policy_of
from memshelf.redact.doors import scrub
from memshelf.store import drafts

if TYPE_CHECKING:
    from memshelf.model import Entry
    from memshelf.requests import RejectRequest
    from memshelf.store.library import Library


@dataclass(frozen=True, slots=True)
class Rejected:
    """The draft that was rejected."""

    name: str

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {"rejected": self.name}

    def as_text(self) -> str:
        """Return one line."""
        return f"rejected: {self.name} (its text stays on {drafts.REJECTED}{self.name})"


def reject(library: Library, request: RejectRequest, today: str, *, seen: Entry | None = None) -> Rejected:
    """Move a draft to the rejected ones with the reason, redacted.

    `seen` is the draft that was looked at: no other text is rejected for it. Raises UsageError without
    a reason, or for one with control characters or surrogates; MemShelfError when there is no such draft.
    """
    spaced = " ".join(request.reason.split())
    if squeeze(spaced) != spaced:
        raise UsageError("reason: holds a control character or broken text: write plain words")
    name = request.id if not request.shelf else f"{request.shelf}/{request.id}"
    entry = find_drafts(library, [seen or name])[0]
    policy = policy_of(conventions_of(library, entry.shelf, today))
    reason = " ".join(scrub(request, policy)[0].reason.split())
    if not reason:
        raise UsageError("a rejection needs its reason: pass --reason TEXT")
    drafts.reject(library, entry, reason)
    return Rejected(f"{entry.shelf}/{entry.episode.id}")
