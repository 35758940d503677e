"""Revise: a person edits a draft. The edited text passes the same gate as a write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memshelf.commands.composing import checked_text
from memshelf.commands.conventions import conventions_of
from memshelf.commands.drafts import find_drafts
from memshelf.errors import Refused
from memshelf.formats import episode as episode_format
from memshelf.model import Section
from memshelf.redact import Marks, Policy, policy_of, redact
from memshelf.redact.doors import refuse_personal
from memshelf.requests import SECTION_FIELDS
from memshelf.store import drafts

if TYPE_CHECKING:
    from memshelf.model import Entry, Episode, Finding
    from memshelf.redact import Redaction
    from memshelf.store.library import Library

FIXED = ("id", "date", "mode", "client", "session")
"""Keys that an edit leaves as they are: they say what the draft is and who wrote it."""

FIELDS = {heading: name for name, heading in SECTION_FIELDS.items()}


@dataclass(frozen=True, slots=True)
class Revised:
    """What became of an edit; `commit` is empty when the text is as it was and nothing was saved."""

    name: str
    rev: str
    commit: str = ""
    redactions: tuple[Redaction, ...] = ()
    warnings: tuple[Finding, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "id": self.name,
            "rev": self.rev,
            "commit": self.commit,
            "redacted": [f"{item.rule} {item.place}:{item.line}" for item in self.redactions],
            "warnings": [str(finding) for finding in self.warnings],
        }

    def as_text(self) -> str:
        """Return the answer in a few short lines."""
        if not self.commit:
            return f"unchanged: {self.name} stays as it was"
        lines = [f"edited: {self.name} rev {self.rev}"]
        if self.redactions:
            found = ", ".join(f"{item.rule} in {item.place}" for item in self.redactions)
            lines.append(f"redacted in the edit: {found}")
        return "\n".join([*lines, *map(str, self.warnings)])


def revise(library: Library, draft: str | Entry, text: str, today: str) -> Revised:
    """Replace the draft by the edited `text` of its whole file: redacted, checked, read back.

    The person may lift a redaction: the value stands in the text again, and `allow` has an entry for it. The
    draft keeps its client and its uuid; its redaction report grows by what was redacted in the edit. An
    Entry is the draft that was edited: no other text is replaced. Raises Refused with every finding, also
    for personal data that the shelf refuses, FormatError when the text is no episode, MemShelfError when
    there is no such draft or it has changed; then nothing is written.
    """
    entry = find_drafts(library, [draft])[0]
    before = episode_format.render(entry.episode)
    edited = episode_format.parse(text)
    name = f"{entry.shelf}/{entry.episode.id}"
    if episode_format.render(edited) == before:
        return Revised(name, entry.rev)
    changed = [key for key in FIXED if getattr(edited, key) != getattr(entry.episode, key)]
    if changed:
        raise Refused(f"refused, nothing was written: {', '.join(changed)} must stay as it was: put it back")
    conventions = conventions_of(library, entry.shelf, today)._replace(adopted=False)
    marks = Marks.after(before)
    marks.reserve(text)
    policy = policy_of(conventions)
    episode, redactions = _redacted(edited, policy, marks)
    if redactions:  # a value that a later section gave away may stand in an earlier one
        episode, redactions = _redacted(edited, policy, marks)
    refuse_personal(redactions, policy)
    clean, warnings = checked_text(entry.path, episode, conventions)
    note = drafts.read_note(library.git, entry.commit)
    lines = tuple(f"{item.rule} {item.place}:{item.line}" for item in redactions)
    saved = drafts.save(library, entry, clean, replace(note, redactions=note.redactions + lines))
    return Revised(name, saved.rev, saved.commit, redactions, warnings)


def _redacted(edited: Episode, policy: Policy, marks: Marks) -> tuple[Episode, tuple[Redaction, ...]]:
    """Return the episode with its prose redacted, and what was marked; the gate refuses secrets elsewhere."""
    report: list[Redaction] = []

    def clean(text: str, place: str) -> str:
        redacted, found = redact(text, policy.at(place, edited.allow), marks)
        report.extend(each._replace(place=place) for each in found)
        return redacted

    allow = tuple(clean(entry, "allow") for entry in edited.allow)
    title, summary, notes = (clean(getattr(edited, key), key) for key in ("title", "summary", "notes"))
    sections = []
    for part in edited.sections:
        heading = clean(part.heading, "a heading")
        sections.append(Section(heading, clean(part.body, FIELDS.get(heading, heading))))
    changed = edited._replace(
        title=title, summary=summary, notes=notes, sections=tuple(sections), allow=allow
    )
    return changed, tuple(report)
