"""Merge: what becomes of files that two histories changed, as a pure function. Asked by the verbs; no verb.

It does not matter which side is ours: the same texts give the same result, but for the words of a question.
"""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memshelf.commands import amending
from memshelf.formats import episode as episode_format
from memshelf.formats import manifest
from memshelf.model import MAX_ID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memshelf.formats.manifest import Manifest
    from memshelf.model import Episode

SHELVES = "shelves/"
ARCHIVE = "archive/"
NO_EPISODE = ("", "")
SUFFIX = 8
"""Hexadecimal digits of a text's SHA-256 that tell two new episodes of one id apart."""

BOTH = "was changed on both sides"


class Conflict(NamedTuple):
    """One file, by its path from the library's folder, that two sides changed since `base`; None: no file."""

    path: str
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


class Question(NamedTuple):
    """What a person must decide: the place in the file (empty: all of it), what each side says, and why."""

    path: str
    place: str
    ours: str
    theirs: str
    why: str

    def __str__(self) -> str:
        """Return the question with both sides."""
        place = f"{self.place} " if self.place else ""
        sides = ("ours", self.ours), ("theirs", self.theirs)
        shown = [f"  {name}:\n{_indented(text)}" for name, text in sides]
        return "\n".join([f"{self.path}: {place}{self.why}: write what is right", *shown])


class Merge(NamedTuple):
    """What becomes of the conflicts: path -> the file's new bytes, None to remove it.

    `named` says what a person should know of it; `questions` are left to a person, and the files they are
    about are in no other part of the answer. `derived` are to be rendered from the merged episodes.
    """

    files: Mapping[str, bytes | None]
    named: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    derived: tuple[str, ...] = ()


class Copy(NamedTuple):
    """A side's text of an episode, and where it lies."""

    path: str
    raw: bytes


class Trio(NamedTuple):
    """One episode in the common past and on both sides; None: not there. `paths` are all it was found at."""

    base: Copy | None
    ours: Copy | None
    theirs: Copy | None
    paths: tuple[str, ...]


def merge(conflicts: Sequence[Conflict], layout: Manifest) -> Merge:
    """Merge the conflicts without a model and without a guess.

    `layout` is how the files of a shelf lie; one that has a name is that of the library's only shelf, whose
    folder is the library's. Conflicts of one shelf and one id are one episode, which an amend may have moved.
    """
    derived = tuple(sorted(each.path for each in conflicts if is_derived(each.path, layout)))
    parts = []
    groups: dict[tuple[str, str], list[Conflict]] = {}
    for each in sorted(conflicts, key=lambda each: each.path):
        name = episode_of(each.path, layout)
        if name != NO_EPISODE:
            groups.setdefault(name, []).append(each)
        elif each.path not in derived:
            parts.append(_one_file(each))
    parts += [_one_episode(trio, layout) for group in groups.values() for trio in _trios(group)]
    return Merge(
        {path: content for part in parts for path, content in part.files.items()},
        tuple(line for part in parts for line in part.named),
        tuple(question for part in parts for question in part.questions),
        derived,
    )


def episode_of(path: str, layout: Manifest) -> tuple[str, str]:
    """Return (shelf, file's stem) of an episode's path from the library's folder, else NO_EPISODE."""
    shelf, rest = _inside(path, layout)
    return (shelf, PurePosixPath(rest).stem) if shelf and layout.episodes.fullmatch(rest) else NO_EPISODE


def is_derived(path: str, layout: Manifest) -> bool:
    """Tell whether a path from the library's folder is that of a file which is rendered."""
    shelf, rest = _inside(path, layout)
    return bool(shelf) and rest in (layout.index_file, layout.ledger, manifest.STATS)


def _inside(path: str, layout: Manifest) -> tuple[str, str]:
    """Return (shelf, path from its folder); no shelf for what lies outside of all."""
    if layout.name:
        return layout.name, path
    shelf, _, rest = path.removeprefix(SHELVES).partition("/")
    return (shelf, rest) if path.startswith(SHELVES) and rest else ("", path)


def _one_file(conflict: Conflict) -> Merge:
    """Merge a file that is no episode: what only one side changed is taken."""
    path, base, ours, theirs = conflict
    if base in (ours, theirs) or ours == theirs:
        return Merge({path: theirs if ours == base else ours})
    return _left(path, (ours, theirs), BOTH)


def _trios(group: Sequence[Conflict]) -> list[Trio]:
    """Join the paths of one id, unless a side has it twice: then each path stands for itself."""
    copies = [
        [Copy(each.path, raw) for each, raw in zip(group, side, strict=True) if raw is not None]
        for side in zip(*((each.base, each.ours, each.theirs) for each in group), strict=True)
    ]
    if any(len(found) > 1 for found in copies):
        return [trio for each in group for trio in _trios([each])]
    base, ours, theirs = (next(iter(found), None) for found in copies)
    return [Trio(base, ours, theirs, tuple(each.path for each in group))]


def _one_episode(trio: Trio, layout: Manifest) -> Merge:
    base, ours, theirs, _ = trio
    if ours is None or theirs is None:
        kept = ours or theirs
        if kept is None or (base and kept.raw == base.raw):
            return _moved(trio, None)
        line = f"{kept.path}: removed on one side, changed on the other: the changed text is kept"
        return _moved(trio, kept.raw, kept.path, line if base else "")
    if ours.raw == theirs.raw or (base and base.raw == theirs.raw):
        return _moved(trio, ours.raw, _place(trio))
    if base is None:
        return _both(trio, ours, theirs, layout)
    if base.raw == ours.raw:
        return _moved(trio, theirs.raw, _place(trio))
    return _amended(trio, (base.raw, ours.raw, theirs.raw), layout)


def _moved(trio: Trio, raw: bytes | None, path: str = "", line: str = "") -> Merge:
    """Return the merge that leaves `raw` at `path` and nothing where the episode lay otherwise."""
    files: dict[str, bytes | None] = dict.fromkeys(trio.paths)
    return Merge(files | ({path: raw} if raw is not None else {}), (line,) if line else ())


def _place(trio: Trio) -> str:
    """Return the path that a side has moved the episode to; the archive before any other."""
    paths = [copy.path for copy in (trio.ours, trio.theirs) if copy]
    moved = [path for path in paths if trio.base and path != trio.base.path] or paths
    return max(moved, key=lambda path: (f"/{ARCHIVE}" in f"/{path}", path))


def _both(trio: Trio, ours: Copy, theirs: Copy, layout: Manifest) -> Merge:
    """Keep two new texts of one id: one under its name, the other with a suffix made of its text.

    Their hashes decide which: so three clones that come one after the other end with the same files.
    """
    first, second = sorted((ours, theirs), key=lambda copy: hashlib.sha256(copy.raw).hexdigest())
    suffix = hashlib.sha256(second.raw).hexdigest()[:SUFFIX]
    old = PurePosixPath(second.path)
    name = f"{old.stem[: MAX_ID - SUFFIX - 1].rstrip('-')}-{suffix}"
    read = episode_format.read_document(second.path, second.raw).episode
    raw = _written(read._replace(id=name), layout) if read else second.raw
    line = f"{first.path}: two new texts have this id, both are kept: the other one is {name} now"
    kept = _moved(trio, first.raw, first.path, line)
    return kept._replace(files={**kept.files, old.with_name(f"{name}.md").as_posix(): raw})


def _amended(trio: Trio, raws: tuple[bytes, bytes, bytes], layout: Manifest) -> Merge:
    """Merge two amends of one text, where both are known to have changed it."""
    place = _place(trio)
    amended = amending.amend(*raws)
    if amended.clashes:
        return Merge({}, questions=tuple(Question(place, *clash, BOTH) for clash in amended.clashes))
    if amended.episode is None:
        return _left(place, raws[1:], f"{BOTH}, and {amended.fault}")
    line = f"{place}: amended on both sides in different places: merged"
    return _moved(trio, _written(amended.episode, layout), place, line)


def _left(path: str, sides: Sequence[bytes | None], why: str) -> Merge:
    """Leave a whole file to a person."""
    ours, theirs = ((raw or b"").decode("utf-8", "replace") for raw in sides)
    return Merge({}, questions=(Question(path, "", ours, theirs, why),))


def _written(episode: Episode, layout: Manifest) -> bytes:
    foreign = bool(layout.name) and layout.generated_by != manifest.OURS
    return episode_format.render(episode_format.with_aliases(episode) if foreign else episode).encode()


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in (text or "(not there)").rstrip("\n").split("\n"))
