"""Doctor: hold the whole library against every rule, as it lies on disk and as it is committed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from memshelf.commands import examination as look_at
from memshelf.commands import mending
from memshelf.commands.conventions import conventions_of
from memshelf.commands.diagnosis import EVERY, PAST, Diagnosis, Unknown
from memshelf.commands.examination import Files, Patient
from memshelf.commands.gate import gate
from memshelf.commands.history import history
from memshelf.commands.renderings import DERIVED, derived
from memshelf.commands.scope import require_branch
from memshelf.commands.surroundings import surroundings
from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import manifest, settings
from memshelf.model import Conventions, Finding
from memshelf.rules.facts import Broken, Change, Derived, Facts
from memshelf.rules.lint import lint
from memshelf.rules.shelf import examine
from memshelf.screening import Screening
from memshelf.store import health, snapshot
from memshelf.store.catalogue import sound
from memshelf.store.git import GitError
from memshelf.store.sides import Committed, both_sides

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from memshelf.model import Document
    from memshelf.store.catalogue.sound import Sound

    Said = Finding | Unknown
    Progress = Callable[[int, int], None] | None

POLICY = "POLICY.md"
SECRETS = ("holds-secret", "secret-at-rest")
CONFLICT = b"<<<<<<< "


@dataclass(frozen=True, slots=True)
class _Looked:
    """What was said, of whom, and the derived files that `--fix` may render."""

    said: tuple[Said, ...]
    patient: Patient
    stale: tuple[Derived, ...]


def doctor(
    root: Path,
    today: str,
    *,
    fix: bool = False,
    back: bool = False,
    told: object = None,
    progress: Progress = None,
) -> Diagnosis:
    """Look at everything of the library at `root`; nothing changes but what a killed landing left.

    With `fix`, mend first what is mechanical: see `mending`. With `back`, look into every version that was
    ever committed too; `progress` is told (read, all of them) meanwhile. `told`: see `gate`. Settings that
    cannot be read are a finding and the defaults hold. Raises MemShelfError when `root` is in no repository.
    """
    looked = _look(root, today)
    done: list[str] = []
    if fix:
        label = looked.patient.label
        done += mending.unlock(looked.patient.library)
        done += mending.commit_derived(looked.patient.seen, looked.stale, label)
        again = _look(root, today) if done else looked
        done += mending.write_derived(again.patient.library, again.stale, label)
        looked = _look(root, today) if done else again
    said = [*looked.said, *gate(looked.patient.library, told, today)]
    said += _of_history(looked.patient, progress) if back else ()
    said = [_runnable(one, root) if isinstance(one, Finding) else one for one in said]
    return replace(Diagnosis.of(said), mended=tuple(done), looked_back=back)


def _runnable(finding: Finding, root: Path) -> Finding:
    """Make the fix a command that runs from anywhere."""
    program, _, words = finding.fix.partition(" ")
    if program == "git":
        return finding._replace(fix=f"git -C {quote(str(root))} {words}")
    return finding._replace(fix=f"{finding.fix} --library {quote(str(root))}") if words else finding


def _look(root: Path, today: str) -> _Looked:
    library, fault = health.open_as_it_is(root)
    seen, landing = health.look(library)
    said: list[Said] = []
    try:
        changes = health.changes(library)
    except GitError as error:
        changes = {}
        said.append(Unknown(("episode-not-committed",), "", str(error)))
    proposals = tuple(health.proposals(library, today))
    known = sound.recall(library, "now")
    patient = Patient(library, seen, today, changes, proposals, Committed.of(seen), known)
    lost = _lost_branch(patient)
    said += _out_of_sight(patient, lost)
    names = sorted({*seen.names, *snapshot.worktree_names(library)})
    shelves = [Files(name, both_sides(patient.committed, name)) for name in names]
    ids = frozenset(each for files in shelves for each in files.ids)
    said += _as_far_as_it_goes(patient, _of_library(patient, shelves, fault, landing, lost))
    rendered: list[Derived] = []
    for files in shelves:
        said += look_at.unread(files, patient.label)
        said += _as_far_as_it_goes(patient, _of_shelf(patient, files, ids, rendered))
    said += surroundings(patient, shelves, _asked(patient, names), _usual(patient))
    sound.keep(library, patient.sound)
    return _Looked(
        tuple(said), patient, tuple(one for one in rendered if one.state == "stale" and not one.bot)
    )


def _lost_branch(patient: Patient) -> str:
    """Return the library's branch when it is not in this clone, though the clone has commits."""
    try:
        require_branch(patient.seen)
    except MemShelfError:
        return patient.library.branch.removeprefix("refs/heads/")
    return ""


def _out_of_sight(patient: Patient, lost: str) -> Iterator[Unknown]:
    """Yield what is not looked at without the branch, and the folders that are only links."""
    if lost:
        rest = tuple(rule for rule in EVERY if rule not in ("branch-missing", "branch-damaged"))
        yield Unknown(rest, "", f"what is committed: branch {lost} is not in this clone")
    for link in sorted(set(snapshot.linked_folders(patient.library).values())):
        yield Unknown(EVERY, link, snapshot.FOLDER_FAULT)


def _as_far_as_it_goes(patient: Patient, said: Iterator[Said]) -> Iterator[Said]:
    """Yield what is said, and at a file that cannot be read that it ended there."""
    try:
        yield from said
    except OSError as error:
        path = str(error.filename).removeprefix(f"{patient.library.root}/")
        yield Unknown(EVERY, path, f"cannot be read: {error.strerror}: mend it, then try again")


def _of_library(
    patient: Patient, shelves: Sequence[Files], fault: FormatError | None, landing: str, lost: str
) -> Iterator[Said]:
    """Yield what is to be said of the library around its shelves."""
    library = patient.library
    if landing == "held":
        yield Unknown(("landing-interrupted",), "", "another memshelf command is at work: try again")
    names = [files.name for files in shelves]
    ids = {(files.name, each) for files in shelves for each in files.ids}
    revs = {key: rev for files in shelves for key, rev in files.revs.items()}
    unread = [Broken(settings.NAME, fault.line, str(fault))] if fault else []
    stray = (one for one in patient.proposals if one.shelf not in names)
    facts = Facts(
        refs=tuple(look_at.ref(one, names, revs, ids) for one in patient.proposals),
        rejected=sum(not one.waits for one in patient.proposals),
        texts=tuple(look_at.proposed(stray)),
        merging=tuple(patient.texts(settings.NAME)),
        settings=(*unread, *look_at.without_manifest(library, names)),
        idle=() if lost else tuple(look_at.idle_settings(library, names)),
        tracked=tuple(look_at.tracked_state(patient)),
        ground=look_at.ground(patient, lost),
        landing="" if landing == "held" else landing,
    )
    yield from examine(facts, _usual(patient))


def _usual(patient: Patient) -> Conventions:
    """Return what is asked of memshelf.yml and of files in no shelf: what any shelf lets stay may."""
    own = (each.redact for each in patient.library.settings.shelves.values())
    allow = tuple(entry for each in own for entry in (*each.allow, *each.names))
    return Conventions(patient.today, screening=Screening(allow=allow))


def _asked(patient: Patient, names: Iterable[str]) -> dict[str, Conventions]:
    """Return shelf -> its conventions, without the patterns that cannot be read."""
    asked = {}
    for name in names:
        try:
            asked[name] = conventions_of(patient.library, name, patient.today)
        except FormatError:
            asked[name] = _without_patterns(patient, name)
    return asked


def _of_history(patient: Patient, progress: Progress) -> Iterator[Said]:
    """Yield what is to be said of every version that was ever committed."""
    library = patient.library._replace(progress=progress)
    asked = _asked(patient, patient.seen.names)
    if health.is_shallow(library):
        why = "the clone is shallow, so its history is not all here: `git fetch --unshallow`"
        yield Unknown((PAST,), "", why)
    try:
        yield from history(library, asked, _usual(patient))
    except GitError as error:
        yield Unknown((PAST,), "", str(error))


def _of_shelf(
    patient: Patient, files: Files, known: frozenset[str], rendered: list[Derived]
) -> Iterator[Said]:
    """Yield what is to be said of one shelf; put its derived files into `rendered`."""
    library, name = patient.library, files.name
    home = library.home(name)
    broken = look_at.broken_manifest(library, f"{home}{manifest.NAME}")
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
        for one in derived(patient, files, conventions):
            if isinstance(one, Unknown):
                yield one
            else:
                rendered.append(one)
                yield from examine(Facts(derived=(one,)), conventions)
    differing = [each._replace(path=patient.label + each.path) for each in files.differing]
    looked_at = [*files.sides.disk.values(), *differing]
    for document in looked_at:
        yield from _lint(document, conventions, patient.sound)
    found = examine(_facts(patient, files, known, looked_at, broken), conventions)
    yield from found
    if differing:
        committed = (each._replace(path=patient.label + each.path) for each in files.sides.branch.values())
        facts = Facts(episodes=tuple(map(look_at.named, committed)), known=known)
        yield from _news(examine(facts, conventions), found, patient.label)


def _lint(document: Document, conventions: Conventions, sound: Sound) -> list[Finding]:
    """Return what the rules say of a file; one that they had nothing to say of is not asked about again."""
    mark = sound.mark(document.path, document.raw, conventions, document.unread)
    found = [] if mark in sound.known else lint(document, conventions)
    if not found:
        sound.seen.add(mark)
    return found


def _facts(
    patient: Patient,
    files: Files,
    known: frozenset[str],
    looked_at: Iterable[Document],
    broken: Sequence[Broken],
) -> Facts:
    """Return what the rules about a shelf judge, its derived files aside."""
    home = patient.library.home(files.name)
    unreadable = (look_at.raw(each) for each in looked_at if not each.episode)
    words = [raw for file in (POLICY, manifest.NAME) for raw in patient.texts(home + file)]
    patterns = patient.texts(home + patient.library.layout.patterns)
    return Facts(
        episodes=tuple(map(look_at.named, files.sides.disk.values())),
        known=known,
        changes=tuple(_changes(patient, files.name)),
        texts=(
            *unreadable,
            *look_at.proposed(one for one in patient.proposals if one.shelf == files.name),
        ),
        merging=(*(look_at.raw(each) for each in looked_at if CONFLICT in each.raw), *words, *patterns),
        settings=tuple(broken),
    )


def _without_patterns(patient: Patient, name: str) -> Conventions:
    own = patient.library.settings
    return Conventions(
        patient.today,
        own.shelf(name).markers,
        own.shelf(name).rules_off,
        adopted=own.contract == "adopted",
        screening=own.shelf(name).redact,
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
