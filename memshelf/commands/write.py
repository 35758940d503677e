"""Write: redact, check, render, read back, and only then store."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from memshelf.commands.composing import base_of, checked_text, compose
from memshelf.commands.conventions import conventions_of
from memshelf.commands.scope import shelf_to_write
from memshelf.commands.shelving import Proposal, shelve
from memshelf.errors import MemShelfError, Refused
from memshelf.formats import episode as episode_format
from memshelf.model import REV_LENGTH, Entry, Episode, State
from memshelf.redact import Marks, policy_of, redact
from memshelf.redact.doors import Lifted, scrub
from memshelf.search.likeness import alike
from memshelf.store import catalogue, drafts, snapshot

if TYPE_CHECKING:
    from memshelf.model import Finding, Shelf
    from memshelf.redact import Policy, Redaction
    from memshelf.requests import Caller, WriteRequest
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

DATED = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:-|$)")
"""How an id begins that has a date of its own, well written or not."""

TRIES = 3


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a write.

    `state` is `draft`, `accepted` (review is off), `already saved` or `checked` (dry run); `commit` is
    empty for the last two. `near` are the addresses of episodes that say much the same. `published` tells
    of the draft on the remote, under `publish: auto`.
    """

    shelf: str
    id: str
    state: str
    rev: str = ""
    commit: str = ""
    redactions: tuple[Redaction, ...] = ()
    warnings: tuple[Finding, ...] = ()
    near: tuple[str, ...] = ()
    published: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "shelf": self.shelf,
            "id": self.id,
            "state": self.state,
            "rev": self.rev,
            "commit": self.commit,
            "redacted": [f"{item.rule} {item.place}" for item in self.redactions],
            "warnings": [str(finding) for finding in self.warnings],
            "near": list(self.near),
            "published": self.published,
        }

    def as_text(self) -> str:
        """Return the answer in a few short lines."""
        name = f"{self.shelf}/{self.id}"
        first = {
            "draft": f"saved as draft: {name}",
            "accepted": f"saved: {name}",
            "already saved": f"already saved: {name} has this very text",
            "checked": f"nothing wrong, nothing saved (dry run): {name}",
        }[self.state]
        lines = [first, f"rev {self.rev} commit {self.commit}" if self.commit else ""]
        if self.redactions:
            lines.append("redacted: " + ", ".join(f"{item.rule} in {item.place}" for item in self.redactions))
        lines += map(str, self.warnings)
        if self.near:
            lines.append(f"much the same is in {', '.join(self.near)}: amend or supersede instead?")
        lines.append(self.published)
        if self.state == "draft":
            lines.append(f"A person accepts it with `memshelf review accept {self.id}`.")
        return "\n".join(filter(None, lines))


def write(library: Library, request: WriteRequest, caller: Caller) -> Written:
    """Keep one topic, or amend one that is kept.

    Raises Refused with every finding at once; a refused write leaves no trace in the repository.
    """
    for _ in range(TRIES):
        try:
            return _write(library, request, caller)
        except drafts.Taken:
            continue
    raise MemShelfError("another writer keeps changing this draft: read it again, then amend it")


def _write(library: Library, request: WriteRequest, caller: Caller) -> Written:
    wanted = request.id if DATED.match(request.id) else f"{caller.today}-{request.id}"
    view, base = catalogue.consult(library, lambda kept: _before(kept, wanted, request, caller), first=wanted)
    shelf = view.name
    conventions = conventions_of(library, shelf, caller.today)._replace(adopted=False)
    policy = policy_of(conventions)
    if redact(f"{caller.client}\n{caller.session}", policy)[1]:
        raise Refused("the client's name or session id holds a secret: start the client without it")
    request, redactions = _scrubbed(request, policy, base)
    episode = compose(base.episode if base else Episode(wanted), request, caller)
    if library.foreign:
        episode = episode_format.with_aliases(episode)
    path = library.episode_path(shelf, episode)
    entry = Entry(shelf, path, "", State.DRAFT, episode, base.commit if base else "", base is not None)
    text, warnings = checked_text(entry.path, episode, conventions)
    answer = Written(shelf, wanted, "checked", redactions=redactions, warnings=warnings)
    if wanted in view.damaged:
        raise Refused(f"refused, nothing was written: {snapshot.damage(shelf, wanted)}")
    if base is None and _is_taken(view, wanted):
        same = _same_text(view, wanted, text)
        if same:
            return replace(answer, state="already saved", rev=same.rev)
        raise Refused(f"{wanted} is taken on shelf {shelf}: amend it (amend, rev), or choose another id")
    answer = replace(answer, near=() if base else _near(library, shelf, episode))
    if request.dry_run:
        return answer
    note = _note(library, base, caller, redactions)
    if library.settings.review == "off":
        commit = shelve(library, [Proposal(entry, note)], caller.today)[0]
        rev = library.git.line("rev-parse", f"{commit}:{library.prefix}{entry.path}")[:REV_LENGTH]
        return replace(answer, state="accepted", rev=rev, commit=commit)
    saved = drafts.save(library, entry, text, note)
    answer = replace(answer, state="draft", rev=saved.rev, commit=saved.commit)
    return replace(answer, published=_published(library, f"{shelf}/{wanted}", caller))


def _published(library: Library, name: str, caller: Caller) -> str:
    """Publish the draft where memshelf.yml says so; a remote that cannot be reached is no reason to fail."""
    if library.settings.publish != "auto":
        return ""
    from memshelf.commands.publish import publish  # noqa: PLC0415 # only a library that asks for it pays

    try:
        return publish(library, [name], caller).as_text()
    except MemShelfError as error:
        return f"not published: {error}; `memshelf publish` tries again"


def _scrubbed(
    request: WriteRequest, policy: Policy, base: Entry | None
) -> tuple[WriteRequest, tuple[Redaction, ...]]:
    """Redact the request; what a person let stand in the text that is amended stands."""
    if base is None:
        return scrub(request, policy)
    before = episode_format.render(base.episode)
    return scrub(request, policy, Marks.after(before), Lifted(base.episode.allow, before))


def _before(
    kept: Catalogue, wanted: str, request: WriteRequest, caller: Caller
) -> tuple[Shelf, Entry | None]:
    """Return what the shelf holds under the id, and what of it an amend starts from."""
    shelf = shelf_to_write(kept, request.shelf, caller)
    view = kept.part(shelf, wanted)
    if not request.amend:
        return view, None
    return view, base_of(view, wanted, request.rev, lambda: kept.ids_of(shelf))


def _near(library: Library, shelf: str, episode: Episode) -> tuple[str, ...]:
    """Return the addresses of what says much the same and is not superseded, as far as words are kept now."""
    hasty = library._replace(patience=0.0)
    found = catalogue.consult(hasty, lambda kept: alike(kept, shelf, episode), words=True)
    known = {episode.id, *episode.supersedes}
    live = [entry for entry in found if entry.episode.id not in known and entry.state is not State.SUPERSEDED]
    return tuple(entry.address for entry in live)


def _is_taken(view: Shelf, episode_id: str) -> bool:
    """Tell whether a draft or a file of this name is there, readable or not."""
    files = [entry.path for entry in view.entries] + [document.path for document in view.unreadable]
    names = [PurePosixPath(path).stem for path in files] + [draft.episode.id for draft in view.drafts]
    return episode_id in names


def _same_text(view: Shelf, episode_id: str, text: str) -> Entry | None:
    """Return the entry that already holds this very text: a killed caller's write often landed."""
    mine = [entry for entry in (*view.drafts, *view.entries) if entry.episode.id == episode_id]
    return next((entry for entry in mine if episode_format.render(entry.episode) == text), None)


def _note(
    library: Library, base: Entry | None, caller: Caller, redactions: tuple[Redaction, ...]
) -> drafts.Note:
    lines = tuple(f"{item.rule} {item.place}:{item.line}" for item in redactions)
    if base and base.commit:
        before = drafts.read_note(library.git, base.commit)
        note = drafts.Note(caller.client, before.base, redactions=before.redactions + lines)
        return replace(note, uuid=before.uuid or note.uuid)
    return drafts.Note(caller.client, base.rev if base else "", redactions=lines)
