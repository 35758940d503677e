"""Review: which drafts wait for a person, and what one of them holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.conventions import conventions_of
from memshelf.commands.drafts import all_drafts, others, pick
from memshelf.formats import episode as episode_format
from memshelf.lines import squeeze
from memshelf.rules.lint import lint_episode
from memshelf.store import snapshot
from memshelf.store.drafts import read_note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memshelf.model import Entry, Episode, Finding
    from memshelf.store.drafts import Note
    from memshelf.store.library import Library


@dataclass(frozen=True, slots=True)
class Waiting:
    """The drafts that wait, oldest first; `damaged` are (shelf, id) of those that cannot be read.

    `others` are the addresses of what only the remote has, published by others.
    """

    drafts: tuple[Entry, ...]
    damaged: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "drafts": [
                {
                    "id": entry.episode.id,
                    "shelf": entry.shelf,
                    "title": entry.episode.title,
                    "amends": entry.amends,
                }
                for entry in self.drafts
            ],
            "damaged": [{"id": episode_id, "shelf": shelf} for shelf, episode_id in self.damaged],
            "others": list(self.others),
        }

    def as_text(self) -> str:
        """Return a line a draft and what can be done."""
        lines = [
            f"{entry.shelf}/{entry.name}  {'(amend) ' if entry.amends else ''}{squeeze(entry.episode.title)}"
            for entry in self.drafts
        ]
        lines += [
            f"{shelf}/{episode_id}: {snapshot.damage(shelf, episode_id)}"
            for shelf, episode_id in self.damaged
        ]
        there = [f"{address}  decided on at the host; `memshelf read {address}`" for address in self.others]
        if not lines:
            return "\n".join(["no draft waits", *there])
        return "\n".join(
            [*lines, *there, "", "memshelf review show ID | accept ID... | reject ID --reason TEXT"]
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """One draft for a person's eyes: who wrote it, what was redacted, what the rules say, its text.

    `change` is the unified diff against the accepted text when the draft amends one, `before` that text.
    `remark` says why it cannot be accepted any more, empty while it can.
    """

    entry: Entry
    note: Note
    findings: tuple[Finding, ...]
    change: str = ""
    before: Episode | None = None
    remark: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "id": self.entry.episode.id,
            "shelf": self.entry.shelf,
            "rev": self.entry.rev,
            "client": self.note.client,
            "redacted": list(self.note.redactions),
            "findings": [str(finding) for finding in self.findings],
            "text": episode_format.render(self.entry.episode),
            "change": self.change,
            "remark": self.remark,
        }

    def as_text(self) -> str:
        """Return the report, then the text or what an amend changes."""
        redacted = squeeze(", ".join(self.note.redactions)) or "nothing"
        report = [
            f"draft {self.entry.shelf}/{self.entry.name} by {squeeze(self.note.client)}",
            f"redacted: {redacted}",
        ]
        report += [self.remark] if self.remark else []
        report += [squeeze(str(finding)) for finding in self.findings]
        return "\n".join([*report, "", self.change or episode_format.render(self.entry.episode)])


def review(library: Library, today: str, name: str = "", shelf: str = "") -> Waiting | Shown:
    """List what waits, or show the one draft called `name`.

    Raises MemShelfError with the nearest ids when there is no such draft.
    """
    return show(library, today, name) if name else waiting(library, shelf)


def waiting(library: Library, shelf: str = "") -> Waiting:
    """List what waits, on one shelf or on all."""
    drafts = all_drafts(library, shelf)
    return Waiting(drafts.readable, drafts.damaged, tuple(one.address for one in others(library, shelf)))


def show(library: Library, today: str, name: str) -> Shown:
    """Show the draft called `name`; raises MemShelfError as `review` does."""
    drafts = all_drafts(library)
    entry = pick(drafts, name)
    note = read_note(library.git, entry.commit)
    conventions = conventions_of(library, entry.shelf, today)._replace(adopted=False)
    findings = tuple(lint_episode(entry.episode, conventions))
    remark = _remark(drafts.kept, entry, note.base)
    if not note.base:
        return Shown(entry, note, findings, remark=remark)
    before = episode_format.read_document(entry.path, library.git.read([note.base])[0][1]).episode
    return Shown(entry, note, findings, _change(library, note.base, entry), before, remark)


def _remark(kept: Mapping[tuple[str, str], str], entry: Entry, base: str) -> str:
    rev = kept.get((entry.shelf, entry.episode.id), "")
    if rev == base:
        return ""
    state = "was changed since" if rev and base else "is gone" if base else "exists by now"
    return (
        f"cannot be accepted: the accepted episode {state}: reject this draft, read the episode, write anew"
    )


def _change(library: Library, base: str, entry: Entry) -> str:
    diff = library.git.porcelain("diff", "--no-color", "--no-ext-diff", base, entry.rev, "--")
    return "\n".join(diff.split("\n")[4:]) + "\n"
