"""The library's own commits on top of the remote's: who wins where both changed a file. No verb itself."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memshelf.commands.merging import Conflict, merge
from memshelf.commands.shelving import derived_files
from memshelf.derived.files import RENDERERS
from memshelf.errors import FormatError, Refused
from memshelf.formats import episode as episode_format
from memshelf.formats import settings
from memshelf.formats.episode import read_document
from memshelf.model import MAX_EPISODE_BYTES, Document
from memshelf.store import catalogue, replay, snapshot
from memshelf.store.git import Blob
from memshelf.store.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memshelf.store.library import Library
    from memshelf.store.replay import Original, Sides

REGULAR = "100644"
WAY_OUT = (
    "nothing was moved: `git pull --rebase` stops there, `memshelf resolve` does what it can and shows the "
    "rest, `git rebase --continue` ends it; then `memshelf sync`"
)


class Replayed(NamedTuple):
    """The new tip, how many commits it has more than the remote, and what a person should know."""

    tip: str
    commits: int
    remarks: tuple[str, ...]


class Ground(NamedTuple):
    """What a replay works on: the library as the remote sets it up, the day, and the texts read so far.

    `parsed` is blob id -> episode file, whatever its path was.
    """

    library: Library
    today: str
    parsed: dict[str, Document]

    def name(self, path: str) -> tuple[str, str]:
        """Return what a path from the repository's top holds: (shelf, id) of an episode, else ('', path)."""
        inside = path.removeprefix(self.library.prefix)
        if path.startswith(self.library.prefix) and self.library.is_episode(inside):
            return self.library.inside(inside)[0], PurePosixPath(inside).stem
        return "", path

    def shelf_of(self, path: str) -> str:
        """Return the shelf that a path from the repository's top lies in, empty: none."""
        inside = path.removeprefix(self.library.prefix)
        return self.library.inside(inside)[0] if path.startswith(self.library.prefix) else ""

    def is_derived(self, path: str) -> bool:
        """Tell whether a path from the repository's top is a file that we render, or the bot."""
        shelf = self.shelf_of(path)
        home = f"{self.library.prefix}{self.library.home(shelf)}" if shelf else ""
        return bool(shelf) and not self.library.foreign and path.removeprefix(home) in RENDERERS


def replay_all(library: Library, tip: str, there: str, today: str) -> Replayed:
    """Make every commit of `tip` that `there` lacks anew on top of it, derived files rendered.

    What would change nothing any more is left out. Raises Refused, before anything moves, where a person
    must decide. Call it inside `landing.exclusive`.
    """
    library = library._replace(settings=_settings_at(library, there))
    ground = Ground(library, today, {})
    made, count, remarks = there, 0, list[str]()
    for original in replay.originals(library.git, tip, there):
        step = replay.sides(library.git, original, made)
        changes, said = _changes(ground, original, step, made)
        tree, changed = replay.tree_of(library, made, changes)
        remarks += said
        if changed or original.empty:
            made = replay.commit_again(library, original, tree, made)
            count += 1
    return Replayed(made, count, tuple(dict.fromkeys(remarks)))


def _settings_at(library: Library, commit: str) -> settings.Settings:
    """Return the settings as they are there: who renders the derived files may have changed."""
    raw = replay.contents(library.git, [f"{commit}:{library.prefix}{settings.NAME}"])[0]
    try:
        return library.settings if raw is None else settings.parse(episode_format.decode(raw))
    except FormatError:
        return library.settings


def _changes(
    ground: Ground, original: Original, step: Sides, made: str
) -> tuple[dict[str, Blob], tuple[str, ...]]:
    """Return what the original changes on top of `made`, path from the repository's top -> file."""
    library = ground.library
    torn = _torn(ground, step)
    changes = {
        path: blob
        for path, blob in step.theirs.items()
        if path not in torn and not ground.is_derived(path) and step.ours.get(path) != blob
    }
    files, remarks = _settled(ground, original, step, made, torn)
    for path, (mode, content) in files.items():
        changes[path] = (
            Blob(mode, library.git.store(content), path) if content is not None else Blob("", "", path)
        )
    if library.settings.derived == "local" and not library.foreign:
        touched = {ground.shelf_of(path) for path in (*changes, *step.theirs)} - {""}
        for path, content in _rendered(ground, made, changes, touched):
            changes[path] = Blob(REGULAR, library.git.store(content), path)
    return changes, remarks


def _torn(ground: Ground, step: Sides) -> set[str]:
    """Return the paths that both sides changed, each in its own way.

    An episode is one thing wherever it lies: an amend may move it, and two may have got one id.
    """
    groups: dict[tuple[str, str], set[str]] = {}
    for path in (*step.ours, *step.theirs):
        groups.setdefault(ground.name(path), set()).add(path)
    torn = set()
    for paths in groups.values():
        both = paths & step.ours.keys() and paths & step.theirs.keys()
        if both and any(step.ours.get(path) != step.theirs.get(path) for path in paths):
            torn |= {path for path in paths if not ground.is_derived(path)}
    return torn


def _settled(
    ground: Ground, original: Original, step: Sides, made: str, torn: set[str]
) -> tuple[dict[str, tuple[str, bytes | None]], tuple[str, ...]]:
    """Return what becomes of the torn paths, path -> (mode, content; None: removed), and remarks.

    Raises Refused with every question.
    """
    library, paths = ground.library, sorted(torn)
    if not paths:
        return {}, ()
    read = [
        replay.contents(library.git, [f"{commit}:{path}" for path in paths])
        for commit in (step.base, original.commit, made)  # ours is what this clone has
    ]
    conflicts = [Conflict(path, *texts) for path, *texts in zip(paths, *read, strict=True)]
    episodes = [one for one in conflicts if ground.name(one.path)[0]]
    done = {one.path: _lines(library, step, one) for one in conflicts if one not in episodes}
    merged = merge(
        [one._replace(path=one.path.removeprefix(library.prefix)) for one in episodes], library.layout
    )
    questions = [str(question) for question in merged.questions]
    questions += [f"{path}: was changed on both sides" for path, result in done.items() if result is None]
    if questions:
        raise Refused("\n".join([*questions, WAY_OUT]))
    files = {path: result for path, result in done.items() if result is not None}
    files |= {library.prefix + path: (REGULAR, content) for path, content in merged.files.items()}
    return files, merged.named


def _lines(library: Library, step: Sides, one: Conflict) -> tuple[str, bytes | None] | None:
    """Merge a file that is no episode line by line; None where it must be a person's."""
    blobs = [side[one.path] for side in (step.ours, step.theirs) if one.path in side]
    modes = {blob.mode for blob in blobs}
    if None in (one.base, one.ours, one.theirs) or not modes <= set(replay.FILES):
        return None
    assert one.base is not None and one.ours is not None and one.theirs is not None  # noqa: PT018 # for mypy
    content = replay.merge_lines(library, one.base, one.ours, one.theirs)
    return None if content is None else (max(modes), content)


def _rendered(
    ground: Ground, made: str, changes: Mapping[str, Blob], touched: set[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield each derived file of the touched shelves, rendered from `made` with `changes`."""
    library = ground.library
    files = {blob.path: blob for blob in library.git.blobs(made, snapshot.folder_of(library))} | dict(changes)
    present = [blob for blob in files.values() if blob.mode]
    seen = Snapshot(library, made, tuple(present), ())
    for name in sorted(touched.intersection(seen.names)):
        shelf = snapshot.assembled(library, name, _documents(ground, seen, name))
        for path, content in derived_files(library, shelf, ground.today).items():
            yield library.prefix + path, content


def _documents(ground: Ground, seen: Snapshot, name: str) -> list[Document]:
    """Return the shelf's episode files; each text is read and parsed once in a replay."""
    library, parsed = ground.library, ground.parsed
    if not parsed:
        known = catalogue.consult(library, lambda kept: kept.parsed())
        parsed.update({sha: Document("", b"", episode) for sha, episode in known.items()})
    blobs = [blob for blob in seen.blobs if ground.name(blob.path)[0] == name]
    new = sorted({blob.sha for blob in blobs if blob.mode in replay.FILES} - parsed.keys())
    for sha, (_, raw) in zip(new, library.git.read(new, MAX_EPISODE_BYTES + 1), strict=True):
        parsed[sha] = read_document("", raw)
    link = Document("", b"", fault=snapshot.LINK_FAULT)
    return [
        parsed.get(blob.sha, link)._replace(path=blob.path.removeprefix(library.prefix)) for blob in blobs
    ]
