"""Publish: push drafts to the remote as branches, and open a pull request for them or say where."""

from __future__ import annotations

import contextlib
import hashlib
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands import pull_request
from memshelf.commands.composing import checked_text
from memshelf.commands.conventions import conventions_of
from memshelf.commands.drafts import all_drafts, find_drafts
from memshelf.commands.merging import episode_of
from memshelf.errors import MemShelfError, Refused
from memshelf.formats import hosts
from memshelf.model import REV_LENGTH, Entry
from memshelf.redact import policy_of, redact
from memshelf.store import commits, gh, landing, remote, snapshot
from memshelf.store.drafts import client_identity, read_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memshelf.model import Finding
    from memshelf.redact import Policy
    from memshelf.requests import Caller
    from memshelf.store.drafts import Note
    from memshelf.store.library import Library
    from memshelf.store.remote import Link, There

    Accepted = Mapping[tuple[str, str], tuple[str, str]]

BATCH = "batch-"
"""How the branch of a batch begins: no shelf and id can be called so, for it has no slash."""


class Fate(NamedTuple):
    """What became of one draft: `published`, `already published` or `refused`; `why` it was refused."""

    name: str
    state: str
    why: str = ""


class Proposal(NamedTuple):
    """A branch on the remote with drafts: its pull request, or the page that opens one, or neither.

    `remark` says why there is no pull request where one could be.
    """

    branch: str
    drafts: tuple[str, ...]
    opened: str = ""
    page: str = ""
    remark: str = ""

    def __str__(self) -> str:
        """Return the branch, and where a person goes on."""
        where = (
            f"pull request: {self.opened}"
            if self.opened
            else f"open its pull request: {self.page}"
            if self.page
            else "open its pull request on the host"
        )
        return f"{self.branch}: {f'{self.remark}: ' if self.remark else ''}{where}"


class Published(NamedTuple):
    """What became of each draft, and the branches that hold them on `remote`."""

    remote: str
    drafts: tuple[Fate, ...]
    proposals: tuple[Proposal, ...]

    @property
    def ok(self) -> bool:
        """Whether no draft was refused."""
        return all(fate.state != "refused" for fate in self.drafts)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        drafts = [{"id": fate.name, "state": fate.state, "why": fate.why} for fate in self.drafts]
        return {
            "remote": self.remote,
            "drafts": drafts,
            "branches": [each._asdict() | {"drafts": list(each.drafts)} for each in self.proposals],
        }

    def as_text(self) -> str:
        """Return a line a draft, then a line a branch."""
        lines = [f"{fate.state}: {fate.name}{f': {fate.why}' if fate.why else ''}" for fate in self.drafts]
        return "\n".join([*lines, *map(str, self.proposals)]) or "no draft waits"


class Sheet(NamedTuple):
    """A draft that may be published: its text, and what a pull request says of it.

    `before` is the path of the accepted text that it amends, empty when it is new.
    """

    entry: Entry
    note: Note
    text: str
    findings: tuple[Finding, ...]
    policy: Policy
    before: str

    @property
    def name(self) -> str:
        """Its shelf and id."""
        return _name(self.entry)


class Branch(NamedTuple):
    """A branch to be: its name below `memshelf/` and its drafts.

    `commit` is what is pushed, empty where it is there already; `before` what is there, empty: nothing.
    """

    name: str
    sheets: tuple[Sheet, ...]
    commit: str
    before: str

    @property
    def ref(self) -> str:
        """The branch's full name on the remote."""
        return f"{remote.HEADS}{self.name}"


def publish(library: Library, ids: Sequence[str], caller: Caller, *, batch: bool = False) -> Published:
    """Push the named drafts, or all, as branches of the remote: one each, or all in one (`batch`).

    Each is held against the gate of a write and redacted again: what would be refused stays here. A branch
    is built on the remote's own tip; one that somebody else has pushed to is left alone. Raises
    MemShelfError where there is no remote or it refuses, remote.Unreachable when it cannot be reached.
    """
    link = remote.link_of(library)
    if link is None:
        raise MemShelfError("the library has no remote: `git remote add origin URL`, then try again")
    name = link.name
    wanted = find_drafts(library, ids) if ids else all_drafts(library).readable
    if not wanted:
        return Published(name, (), ())
    commits.require_person(library)
    there = remote.fetch(library, link)
    if not there.tip:
        branch = library.branch.removeprefix("refs/heads/")
        raise MemShelfError(f"{name} has no branch {branch} yet: `memshelf sync`, then try again")
    accepted = _accepted(library, there.tip)
    fates: dict[str, Fate] = {}
    sheets, branches = list[Sheet](), list[Branch]()
    for entry in wanted:
        with _told(fates, [_name(entry)]):
            sheets.append(_sheet(library, entry, accepted, caller.today))
    groups = [(_batch_name(sheets), sheets)] if batch and sheets else [(each.name, [each]) for each in sheets]
    with landing.exclusive(library) as held:
        for title, group in groups:
            with _told(fates, [sheet.name for sheet in group]):
                branches.append(_branch(held, title, tuple(group), there))
    proposals = []
    for made in branches:
        why = _pushed(library, link, made)
        state = "refused" if why else "published" if made.commit else "already published"
        fates |= {sheet.name: Fate(sheet.name, state, why) for sheet in made.sheets}
        proposals += [] if why else [_propose(library, name, made)]
    return Published(name, tuple(fates[_name(entry)] for entry in wanted), tuple(proposals))


def _name(entry: Entry) -> str:
    return f"{entry.shelf}/{entry.episode.id}"


@contextlib.contextmanager
def _told(fates: dict[str, Fate], names: Sequence[str]) -> Iterator[None]:
    """Note a refusal as the fate of the drafts; the others go on."""
    try:
        yield
    except MemShelfError as refusal:
        fates |= {name: Fate(name, "refused", " ".join(str(refusal).split())) for name in names}


def _accepted(library: Library, tip: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Return (shelf, id) -> (path from the library's folder, blob id) of each episode at `tip`."""
    blobs = library.git.blobs(tip, snapshot.folder_of(library))
    paths = {blob.path.removeprefix(library.prefix): blob.sha for blob in blobs}
    return {episode_of(path, library.layout): (path, sha) for path, sha in paths.items()}


def _sheet(library: Library, entry: Entry, accepted: Accepted, today: str) -> Sheet:
    """Return the draft as it would be published. Raises MemShelfError where it must not be."""
    note = read_note(library.git, entry.commit)
    path, sha = accepted.get((entry.shelf, entry.episode.id), ("", ""))
    if sha and sha.startswith(entry.rev):
        raise MemShelfError("is on the remote's branch already: nothing to do")
    if sha[:REV_LENGTH] != note.base:
        state = "was changed since" if sha and note.base else "is gone" if note.base else "exists by now"
        raise MemShelfError(
            f"the accepted episode {state} on the remote: reject this draft, read the episode, write anew"
        )
    conventions = conventions_of(library, entry.shelf, today)._replace(adopted=False)
    text, warnings = checked_text(entry.path, entry.episode, conventions)
    policy = policy_of(conventions)
    places = (line.partition(" ")[2] for line in note.redactions)
    if redact("\n".join((note.client, note.uuid, *places)), policy)[1]:
        raise Refused("the draft's message holds a secret: reject it, write anew")
    return Sheet(entry, note, text, warnings, policy, path)


def _batch_name(sheets: Sequence[Sheet]) -> str:
    uuids = "".join(sorted(sheet.note.uuid for sheet in sheets))
    return f"{BATCH}{hashlib.sha256(uuids.encode()).hexdigest()[:8]}"


def _branch(library: Library, name: str, sheets: tuple[Sheet, ...], there: There) -> Branch:
    """Build the branch on the remote's tip, unless it is there already.

    Raises MemShelfError where the branch that is there is not ours, or git or a hook refuses.
    """
    before = there.published.get(name, "")
    if before:
        found = library.git.read([f"{before}:{library.prefix}{sheet.entry.path}" for sheet in sheets])
        if [text for _, text in found] == [sheet.text.encode() for sheet in sheets]:
            return Branch(name, sheets, "", before)
        if read_note(library.git, before).uuid not in {sheet.note.uuid for sheet in sheets} - {""}:
            raise MemShelfError(
                "its branch on the remote holds what was not published from here: "
                "merge or close its pull request, then `memshelf sync`"
            )
    commit = there.tip
    for sheet in sheets:
        moved = {sheet.before: None} if sheet.before not in ("", sheet.entry.path) else {}
        changes = moved | {sheet.entry.path: sheet.text.encode()}
        author = commits.Author(*client_identity(sheet.note.client), date=sheet.note.date)
        message = sheet.note.render(f"shelve: {sheet.entry.episode.id}")
        commit = commits.build(library, commit, changes, message, author)
    return Branch(name, sheets, commit, before)


def _pushed(library: Library, link: Link, made: Branch) -> str:
    """Push the branch; return why the remote did not take it, empty when it did."""
    try:
        if made.commit:
            remote.push(library, link, [f"{made.commit}:{made.ref}"], {made.ref: made.before})
    except MemShelfError as error:
        return str(error)
    return ""


def _propose(library: Library, name: str, made: Branch) -> Proposal:
    """Open the pull request with gh where that can be, else say where a person does."""
    branch, base = made.ref.removeprefix("refs/heads/"), library.branch.removeprefix("refs/heads/")
    names = tuple(sheet.name for sheet in made.sheets)
    there = hosts.place(remote.url_of(library.git, name))
    if there is None:
        return Proposal(branch, names)
    page = hosts.compare_url(there, base, branch)
    if there.kind != "github" or not gh.is_ready(library.root, there.host):
        return Proposal(branch, names, page=page)
    policy = made.sheets[0].policy
    bodies = [
        pull_request.body_of(sheet.entry, sheet.note, sheet.findings, sheet.policy) for sheet in made.sheets
    ]
    wanted = gh.PullRequest(
        f"{there.host}/{there.path}",
        branch,
        base,
        pull_request.heading_of([sheet.entry for sheet in made.sheets], policy),
        pull_request.together(bodies, [sheet.note.uuid for sheet in made.sheets]),
    )
    try:
        return Proposal(branch, names, gh.propose(library.root, wanted))
    except MemShelfError as error:
        return Proposal(branch, names, page=page, remark=str(error))
