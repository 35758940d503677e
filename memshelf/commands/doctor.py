"""Doctor: hold the whole library against every rule, as it lies on disk and as it is committed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memshelf.commands.conventions import conventions_of
from memshelf.commands.examination import (
    DERIVED,
    Patient,
    Unknown,
    broken_manifest,
    derived,
    files_of,
    named,
    proposed,
    ref,
    without_manifest,
)
from memshelf.commands.scope import require_branch
from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import manifest, settings
from memshelf.model import Conventions, Finding, Level
from memshelf.rules import RULES
from memshelf.rules.facts import Broken, Change, Facts, Raw
from memshelf.rules.lint import lint
from memshelf.rules.shelf import SHELF_RULES, examine
from memshelf.store import health, snapshot
from memshelf.store.git import GitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memshelf.commands.examination import Files
    from memshelf.store.snapshot import Snapshot

    Said = Finding | Unknown

POLICY = "POLICY.md"
SECRETS = ("holds-secret", "secret-at-rest")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Every finding and everything that could not be looked at.

    A path alone is that of the file on disk; `BRANCH:path`, as git writes it, is the committed file.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]

    @property
    def ok(self) -> bool:
        """Whether everything was looked at and no finding is an error."""
        return not self.unknown and not any(finding.level is Level.ERROR for finding in self.findings)

    @property
    def verdicts(self) -> dict[str, str]:
        """Return rule -> fine, finding or unknown."""
        found = {finding.rule for finding in self.findings}
        missed = {rule for unknown in self.unknown for rule in unknown.rules}
        return {
            rule: "finding" if rule in found else "unknown" if rule in missed else "fine"
            for rule in (*RULES, *SHELF_RULES)
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        keys = ("path", "line", "level", "rule", "place", "message")
        found = [{key: getattr(finding, key) for key in keys} for finding in self.findings]
        missed = [{"path": one.path, "why": one.why, "rules": list(one.rules)} for one in self.unknown]
        return {"ok": self.ok, "verdicts": self.verdicts, "findings": found, "unknown": missed}

    def as_text(self) -> str:
        """Return a line a finding, then a line for what could not be looked at; nothing when all is well."""
        return "\n".join(map(str, (*self.findings, *self.unknown)))


def doctor(root: Path, today: str) -> Diagnosis:
    """Look at everything of the library at `root`; nothing changes but what a killed landing left.

    Settings that cannot be read are a finding and the defaults hold. Raises MemShelfError when `root` is
    in no Git repository.
    """
    library, fault = health.open_as_it_is(root)
    seen, landing = health.look(library)
    said: list[Said] = []
    try:
        changes = health.changes(library)
    except GitError as error:
        changes = {}
        said.append(Unknown(("episode-not-committed",), "", str(error)))
    said += _out_of_sight(seen)
    patient = Patient(library, seen, today, changes, tuple(health.proposals(library)))
    names = sorted({*seen.names, *snapshot.worktree_names(library)})
    shelves: list[Files] = []
    for name in names:
        files, unread = files_of(patient, name)
        shelves.append(files)
        said += unread
    known = frozenset(each for files in shelves for each in files.ids)
    said += _as_far_as_it_goes(patient, _of_library(patient, shelves, fault, landing))
    for files in shelves:
        said += _as_far_as_it_goes(patient, _of_shelf(patient, files, known))
    return Diagnosis(
        tuple(one for one in said if isinstance(one, Finding)),
        tuple(one for one in said if isinstance(one, Unknown)),
    )


def _out_of_sight(seen: Snapshot) -> Iterator[Unknown]:
    """Yield the branch that is not in this clone, and the folders that are only links."""
    every = (*RULES, *SHELF_RULES)
    try:
        require_branch(seen)
    except MemShelfError as error:
        yield Unknown(every, "", str(error))
    for link in sorted(set(snapshot.linked_folders(seen.library).values())):
        yield Unknown(every, link, snapshot.FOLDER_FAULT)


def _as_far_as_it_goes(patient: Patient, said: Iterator[Said]) -> Iterator[Said]:
    """Yield what is said, and at a file that cannot be read that it ended there."""
    try:
        yield from said
    except OSError as error:
        path = str(error.filename).removeprefix(f"{patient.library.root}/")
        yield Unknown(
            (*RULES, *SHELF_RULES), path, f"cannot be read: {error.strerror}: mend it, then try again"
        )


def _of_library(
    patient: Patient, shelves: Sequence[Files], fault: FormatError | None, landing: str
) -> Iterator[Said]:
    """Yield what is to be said of the library around its shelves."""
    if landing == "held":
        yield Unknown(("landing-interrupted",), "", "another memshelf command is at work: try again")
    names = [files.view.name for files in shelves]
    ids = {(files.view.name, each) for files in shelves for each in files.ids}
    unread = [Broken(settings.NAME, fault.line, str(fault))] if fault else []
    stray = (one for one in patient.proposals if one.shelf not in names)
    facts = Facts(
        refs=tuple(ref(one, names, ids) for one in patient.proposals),
        texts=(*patient.texts(settings.NAME), *proposed(stray)),
        settings=(*unread, *without_manifest(patient.library, names)),
        landing="" if landing == "held" else landing,
    )
    yield from examine(facts, Conventions(patient.today))


def _of_shelf(patient: Patient, files: Files, known: frozenset[str]) -> Iterator[Said]:
    """Yield what is to be said of one shelf."""
    library, name = patient.library, files.view.name
    home = library.home(name)
    broken = broken_manifest(library, f"{home}{manifest.NAME}")
    try:
        conventions = conventions_of(library, name, patient.today)
    except FormatError as error:
        path = f"{home}{library.layout.patterns}"
        broken.append(Broken(path, error.line, str(error)))
        conventions = _without_patterns(patient, name)
        yield Unknown(
            (*SECRETS, *DERIVED), path, "the shelf's own patterns were not looked for: mend the file"
        )
    else:
        for one in derived(patient, files):
            yield from [one] if isinstance(one, Unknown) else examine(Facts(derived=(one,)), conventions)
    differing = [replace(each, path=patient.label + each.path) for each in files.differing]
    looked_at = [*files.disk.values(), *differing]
    for document in looked_at:
        yield from lint(document, conventions)
    unreadable = (
        Raw(each.path, each.raw.decode("utf-8", "replace")) for each in looked_at if not each.episode
    )
    facts = Facts(
        episodes=tuple(map(named, files.disk.values())),
        known=known,
        changes=tuple(_changes(patient, name)),
        texts=(
            *unreadable,
            *(raw for file in (POLICY, manifest.NAME) for raw in patient.texts(home + file)),
            *proposed(one for one in patient.proposals if one.shelf == name),
        ),
        settings=tuple(broken),
    )
    found = examine(facts, conventions)
    yield from found
    if differing:
        committed = (replace(each, path=patient.label + each.path) for each in files.branch.values())
        facts = Facts(episodes=tuple(map(named, committed)), known=known)
        yield from _news(examine(facts, conventions), found, patient.label)


def _without_patterns(patient: Patient, name: str) -> Conventions:
    own = patient.library.settings
    return Conventions(
        patient.today,
        own.shelf(name).markers,
        own.shelf(name).rules_off,
        adopted=own.contract == "adopted",
    )


def _changes(patient: Patient, name: str) -> Iterator[Change]:
    for path, state in patient.changes.items():
        if patient.library.is_episode(path) and patient.library.inside(path)[0] == name:
            yield Change(path, state)


def _news(committed: list[Finding], told: list[Finding], label: str) -> Iterator[Finding]:
    """Yield what is wrong among the committed files and has not been told of those on disk."""
    before = {(finding.rule, finding.path, finding.message) for finding in told}
    for finding in committed:
        if (finding.rule, finding.path.removeprefix(label), finding.message.replace(label, "")) not in before:
            yield finding
