"""Read: one episode, or some of its sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands.drafts import find_published
from memshelf.commands.paging import budget_of, start_of
from memshelf.commands.scope import known_shelf, nearest, require_branch, shelves_to_read
from memshelf.errors import MemShelfError
from memshelf.formats import address, envelope
from memshelf.formats import episode as episode_format
from memshelf.formats.episode import canonical, render_body, render_section
from memshelf.lines import squeeze
from memshelf.model import MAX_ID, State
from memshelf.search.fulltext import excerpts
from memshelf.store import catalogue, snapshot
from memshelf.text import clip, page, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.formats.address import Address
    from memshelf.model import Entry, Section, Shelf
    from memshelf.requests import Caller, ReadRequest
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

BUDGET = 10_000
GAP = "…"
ONLY = "only the lines that answer the query; without it the whole episode"
NOTHING = "(no line has a word of the query)\n"
ON_ORIGIN = "a draft on the remote as of the last sync: its pull request decides on it"
MAX_LISTED = 800
"""Characters of the headings that a refusal lists."""


class Reading(NamedTuple):
    """An episode's text, whole or in part; `next` is the cursor of the rest, empty at the end.

    `remarks` say what the reader must know of its state. `origin`: it is a draft that only the remote has.
    """

    entry: Entry
    text: str
    remarks: tuple[str, ...]
    next: str
    origin: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "id": self.entry.episode.id,
            "shelf": self.entry.shelf,
            "state": str(self.entry.state),
            "rev": self.entry.rev,
            "remarks": list(self.remarks),
            "text": self.text,
            "next": self.next,
        }

    def as_text(self) -> str:
        """Return one line of facts and remarks, then the text in its envelope."""
        address = f"{self.entry.shelf}/{self.entry.name}@origin" if self.origin else self.entry.address
        facts = [f"{address} {self.entry.state} rev: {self.entry.rev}", *self.remarks]
        more = [f"cut to the budget; the rest: cursor {self.next}"] if self.next else []
        return "\n".join([*facts, envelope.wrap("episode", self.text.removesuffix("\n")), *more])


def read(library: Library, request: ReadRequest, caller: Caller) -> Reading:
    """Return the accepted text of an episode, or of its draft where only that exists or `@draft` asks.

    `@origin` asks for the draft that is published on the remote, whole or in sections.

    Raises MemShelfError with the nearest ids or headings for a near miss.
    """
    wanted = address.parse(request.id)
    budget, start = budget_of(request.budget, BUDGET), start_of(request.cursor)
    sections = [*(request.sections or ()), *([wanted.section] if wanted.section else [])]
    if wanted.origin:
        return _published(find_published(library, wanted), sections, budget, start)

    def answer(kept: Catalogue) -> Reading:
        view = _shelf_of(kept, wanted, caller)
        entry = _entry_of(view, wanted)
        remarks = _remarks(view, entry)
        if request.query:
            found = excerpts(kept, entry, request.query)
            wanted_ones = _named(entry, sections) if sections else entry.episode.sections
            return Reading(entry, _lines(found, wanted_ones, budget), (*remarks, ONLY), "")
        text = _sections(entry, sections) if sections else kept.front(entry) + render_body(entry.episode)
        part, following = page(text, budget, start)
        return Reading(entry, part, remarks, str(following) if following >= 0 else "")

    return catalogue.consult(library, answer, first=wanted.id, words=bool(request.query))


def _published(entry: Entry, sections: Sequence[str], budget: int, start: int) -> Reading:
    text = _sections(entry, sections) if sections else episode_format.render(entry.episode)
    part, following = page(text, budget, start)
    return Reading(entry, part, (ON_ORIGIN,), str(following) if following >= 0 else "", origin=True)


def _shelf_of(seen: Catalogue, wanted: Address, caller: Caller) -> Shelf:
    """Return what of the one shelf that has the id is called so: those in scope first, then all."""
    has = seen.shelves_with(wanted.id)
    if wanted.shelf:
        has = [shelf for shelf in has if shelf == known_shelf(seen, wanted.shelf)]
    if len(set(has)) > 1:
        scope = shelves_to_read(seen, None, caller)
        has = [shelf for shelf in has if shelf in scope] or has
    if len(set(has)) > 1:
        names = " or ".join(f"{shelf}/{wanted.id}" for shelf in dict.fromkeys(has))
        raise MemShelfError(f"the id lies on several shelves: read {names}")
    if not has:
        require_branch(seen)
        raise _no_such(seen, wanted)
    return seen.part(has[0], wanted.id)


def _no_such(seen: Catalogue, wanted: Address) -> MemShelfError:
    known = {episode_id: f"{shelf}/{episode_id}" for shelf, episode_id in seen.ids()}
    near = [clip(squeeze(known[name]), 2 * MAX_ID) for name in nearest(wanted.id, known)]
    if near:
        return MemShelfError(f"no such episode: did you mean {' or '.join(near)}?")
    if known:
        return MemShelfError("no such episode: read_index lists what there is, search finds by words")
    return MemShelfError("no such episode: the library is empty")


def _entry_of(view: Shelf, wanted: Address) -> Entry:
    kept = [entry for entry in view.entries if _called(entry, wanted.id)]
    proposed = [entry for entry in view.drafts if _called(entry, wanted.id)]
    found = proposed if wanted.draft else [*kept, *proposed]
    if found:
        return found[0]
    if wanted.id in view.damaged:
        raise MemShelfError(snapshot.damage(view.name, wanted.id))
    if wanted.draft and kept:
        raise MemShelfError(f"no draft of {wanted.id} waits: read {kept[0].address}")
    raise MemShelfError(f"{wanted.id} is there but cannot be read: `memshelf doctor` says why")


def _called(entry: Entry, wanted: str) -> bool:
    return _same(entry.episode.id, wanted) or _same(entry.name, wanted)


def _same(one: str, other: str) -> bool:
    """Compare ids as a file system may: on adopted shelves a file's name differs from its id in case."""
    return one == other or one.casefold() == other.casefold()


def _sections(entry: Entry, names: Sequence[str]) -> str:
    return "\n".join(render_section(part) for part in _named(entry, names))


def _named(entry: Entry, names: Sequence[str]) -> list[Section]:
    """Return the sections called so. Raises MemShelfError with the headings there are."""
    has = {part.heading: part for part in entry.episode.sections}
    folded = {heading.casefold(): heading for heading in has}
    wanted = [folded.get(canonical(name.strip()).casefold(), "") for name in names]
    if not all(wanted):
        headings = ", ".join(clip(squeeze(heading), MAX_ID) for heading in has)
        raise MemShelfError(f"no such section in {entry.address}: it has {clip(headings, MAX_LISTED)}")
    return [has[heading] for heading in dict.fromkeys(wanted)]


def _lines(found: Sequence[tuple[Section, str]], sections: Sequence[Section], budget: int) -> str:
    """Return as many of the excerpts as the budget holds, the best of them, in the order of the episode."""
    left = budget
    kept: dict[Section, list[tuple[int, str]]] = {}
    for part, text in found:
        left -= tokens(f"## {part.heading}\n\n{text}\n{GAP}\n")
        if left >= 0:
            kept.setdefault(part, []).append((part.body.index(text), text))
    said = [part._replace(body=_joined(part.body, kept[part])) for part in sections if part in kept]
    return "\n".join(map(render_section, said)) or NOTHING


def _joined(body: str, excerpts: Sequence[tuple[int, str]]) -> str:
    """Return the pieces of `body` that begin there, a GAP in place of what lies between."""
    made, end = "", 0
    for start, text in sorted(excerpts):
        between = body[end:start] if not body[end:start].strip() else f"\n{GAP}\n"
        made += f"{between}{text}" if made else text
        end = start + len(text)
    return made


def _remarks(view: Shelf, entry: Entry) -> tuple[str, ...]:
    remarks = []
    pending = next((draft for draft in view.drafts if draft.episode.id == entry.episode.id), None)
    if entry.state is State.DRAFT:
        remarks.append("a draft: no person has accepted it yet")
    elif pending:
        remarks.append(f"an amend is pending: read {pending.address}")
    newer = [other.name for other in view.entries if entry.episode.id in other.episode.supersedes]
    if newer:
        remarks.append(f"superseded by {', '.join(newer)}")
    return tuple(remarks)
