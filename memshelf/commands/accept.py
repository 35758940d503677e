"""Accept: a person makes drafts permanent, one commit each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.composing import checked_text
from memshelf.commands.conventions import conventions_of
from memshelf.commands.drafts import find_drafts, refuse_agent
from memshelf.commands.shelving import Proposal, shelve
from memshelf.errors import Refused
from memshelf.lines import squeeze
from memshelf.store.drafts import read_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Entry
    from memshelf.requests import Caller
    from memshelf.store.library import Library


@dataclass(frozen=True, slots=True)
class Accepted:
    """The accepted episodes as (address, commit)."""

    episodes: tuple[tuple[str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {"accepted": [{"id": name, "commit": commit} for name, commit in self.episodes]}

    def as_text(self) -> str:
        """Return a line an episode."""
        return "\n".join(f"accepted: {name} commit {commit}" for name, commit in self.episodes)


def accept(
    library: Library, ids: Sequence[str | Entry], caller: Caller, *, as_person: bool = False
) -> Accepted:
    """Commit the drafts to the library's branch as the person whose git this is, all or none.

    An Entry in place of an id is the draft that was looked at: no other text is accepted for it. Raises
    MemShelfError inside an agent host unless `as_person`, for an unknown draft, and where `shelve` does;
    Refused with the findings for a draft that a write would refuse today.
    """
    refuse_agent(caller.variables, as_person=as_person)
    found = find_drafts(library, ids)
    for entry in found:
        _check(library, entry, caller.today)
    proposals = [Proposal(entry, read_note(library.git, entry.commit)) for entry in found]
    done = shelve(library, proposals, caller.today)
    names = [f"{entry.shelf}/{entry.episode.id}" for entry in found]
    return Accepted(tuple(zip(names, done, strict=True)))


def _check(library: Library, entry: Entry, today: str) -> None:
    """Hold the draft against the gate of a write: it may be made by hand, or the policy be newer."""
    conventions = conventions_of(library, entry.shelf, today)._replace(adopted=False)
    try:
        checked_text(entry.path, entry.episode, conventions)
    except Refused as refusal:
        name = f"{entry.shelf}/{entry.name}"
        faults = [f"- {squeeze(str(finding))}" for finding in refusal.findings]
        way_out = f"mend it with `memshelf review edit {name}`, or reject it"
        said = "\n".join([f"{name} breaks the rules, nothing was accepted:", *faults, way_out])
        raise Refused(said, refusal.findings) from None
