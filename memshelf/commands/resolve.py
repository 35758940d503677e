"""Resolve: end a merge, rebase or pick that git could not, where no person is needed; ask where one is."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands import merging
from memshelf.commands.merging import Conflict
from memshelf.commands.shelving import derived_files
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.formats import manifest
from memshelf.formats.markdown import scan
from memshelf.rules.facts import OPENED, conflict_line
from memshelf.store import landing, merges, snapshot
from memshelf.store.disk import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memshelf.commands.merging import Merge, Question
    from memshelf.model import Shelf
    from memshelf.store.library import Library
    from memshelf.store.merges import Going

NEXT = {
    "merge": "git commit",
    "rebase": "git rebase --continue",
    "cherry-pick": "git cherry-pick --continue",
    "revert": "git revert --continue",
    "": "git commit",
}
MARK = re.compile(rb"<{7,} |[|]{7,} |={7,}$|>{7,} ")


class Resolved(NamedTuple):
    """What was settled and what is left to a person.

    `verb` is what git is in the middle of, empty: nothing. `settled` are files from the library's folder,
    `named` what a person should know of them. `questions` are unmerged still; `marked` are (file, line) where
    a merge left its marks; `others` are unmerged files outside of the shelves, which are nobody's here.
    """

    verb: str
    settled: tuple[str, ...]
    named: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    marked: tuple[tuple[str, int], ...] = ()
    others: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is left to a person."""
        return not (self.questions or self.marked or self.others)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "during": self.verb,
            "settled": list(self.settled),
            "named": list(self.named),
            "questions": [each._asdict() for each in self.questions],
            "marked": [{"path": path, "line": line} for path, line in self.marked],
            "others": list(self.others),
            "next": NEXT[self.verb] if self.ok and (self.settled or self.verb) else "",
        }

    def as_text(self) -> str:
        """Return what was done, what is left, and what comes next."""
        lines = [*self.named, *map(str, self.questions)]
        lines += [
            f"{path}:{line}: holds both sides of a merge: keep what is right, take the marks out"
            for path, line in self.marked
        ]
        lines += [f"{path}: no shelf's: merge it by hand, then `git add` it" for path in self.others]
        if not self.ok:
            way_out = "edit the files, then `memshelf resolve` again" if self.questions or self.marked else ""
            return "\n".join([*lines, f"{self._count()}, the rest is yours{way_out and f': {way_out}'}"])
        if not self.settled and not self.verb:
            return "nothing to resolve"
        return "\n".join([*lines, f"{self._count()}: `{NEXT[self.verb]}` goes on"])

    def _count(self) -> str:
        return f"{len(self.settled)} file{'s' * (len(self.settled) != 1)} resolved"


def resolve(library: Library, today: str) -> Resolved:
    """Settle what git left unmerged in the library's checkout; nothing is committed.

    Episodes are merged as `merging.merge` says, derived files rendered from what is merged then; under
    `derived: bot` they are left as the other side has them. A file that a person has mended already is taken
    as it is. Raises MemShelfError where a file that is to be written has changes of its own.
    """
    with landing.exclusive(library) as held:
        going = merges.look(held)
        conflicts = _conflicts(held, going)
        mended = dict(_mended(held, going))
        names = {merging.episode_of(path, held.layout) for path in mended} - {merging.NO_EPISODE}
        open_ones = [
            each
            for each in conflicts
            if each.path not in mended and merging.episode_of(each.path, held.layout) not in names
        ]
        merge = merging.merge(open_ones, held.layout)
        files = {**merge.files, **mended}
        _require_known(held, conflicts, files)
        # without its marks a file counts as mended: what belongs beside it must be there before
        merges.settle(held, {path: files[path] for path in files if path not in going.unmerged})
        merges.settle(held, {path: files[path] for path in files if path in going.unmerged})
        derived = _derived(held, going, merge, today)
        merges.settle(held, derived)
    written = [path for path, content in {**files, **derived}.items() if content is not None]
    elsewhere = [library.prefix + path for path in going.unmerged if not library.inside(path)[0]]
    marked = tuple(_marked(library, merge))
    return Resolved(
        going.verb, tuple(sorted(written)), merge.named, merge.questions, marked, (*elsewhere, *going.others)
    )


def _conflicts(library: Library, going: Going) -> list[Conflict]:
    """Return what is unmerged on the shelves; of an episode all its paths, as the trees have them.

    Git guesses which file became which, and may take two episodes for one: their ids tell better.
    """
    sides = {path: ids for path, ids in going.unmerged.items() if library.inside(path)[0]}
    if going.verb:
        names = _names(library, going, sides)
        paths = {path for tree in (*going.trees, sides) for path in tree}
        for path in sorted(path for path in paths if merging.episode_of(path, library.layout) in names):
            base, ours, theirs = (tree.get(path, "") for tree in going.trees)
            sides[path] = base, ours, theirs
    found = merges.texts(library, (sha for ids in sides.values() for sha in ids))
    return [Conflict(path, *(found.get(sha) for sha in ids)) for path, ids in sides.items()]


def _names(library: Library, going: Going, unmerged: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Return (shelf, id) of each episode that is unmerged, or that only the merge has put at two paths."""
    names = {merging.episode_of(path, library.layout) for path in unmerged}
    texts = merges.texts(library, (sha for ids in unmerged.values() for sha in ids))
    for path, ids in unmerged.items():
        read = [episode_format.read_document(path, texts[sha]).episode for sha in ids if sha in texts]
        names |= {(library.inside(path)[0], each.id) for each in read if each}
    names |= _repeated(library, going.staged)
    return (names | _strayed(library, going)) - {merging.NO_EPISODE}


def _strayed(library: Library, going: Going) -> set[tuple[str, str]]:
    """Return (shelf, id) of the episodes that git took for others: a change of one went into another's file.

    It shows where one side alone has changed a path, and what git made of it is not that side's text.
    """
    base, ours, theirs = going.trees
    strayed, lost = set(), set()
    for path in (base.keys() | ours.keys() | theirs.keys() | going.staged.keys()) - going.unmerged.keys():
        old, mine, other = base.get(path), ours.get(path), theirs.get(path)
        staged = going.staged.get(path)
        if old in (mine, other) and staged != (other if mine == old else mine):
            strayed.add(merging.episode_of(path, library.layout))
        elif old not in (mine, other) and staged is None:
            lost.add(merging.episode_of(path, library.layout))
    strayed -= lost | {merging.NO_EPISODE}  # what is in both was moved by an amend, and git has followed it
    return strayed | lost if strayed else set()


def _repeated(library: Library, paths: Iterable[str]) -> set[tuple[str, str]]:
    counts = Counter(merging.episode_of(path, library.layout) for path in paths)
    return {name for name, count in counts.items() if count > 1}


def _mended(library: Library, going: Going) -> Iterator[tuple[str, bytes]]:
    """Yield the unmerged files that a person has mended: both sides were there, and the marks are gone."""
    for path, (_, ours, theirs) in going.unmerged.items():
        if not (ours and theirs and library.inside(path)[0]) or merging.is_derived(path, library.layout):
            continue
        here = read_bytes(library.root / path)
        if here is not None and not conflict_line(here):
            yield path, here


def _require_known(
    library: Library, conflicts: Sequence[Conflict], files: Mapping[str, bytes | None]
) -> None:
    """Raise MemShelfError where a file holds what neither git nor the answer has: it would be lost."""
    texts = (_plain(text) for each in conflicts for text in each[1:] if isinstance(text, bytes))
    lines = {line for text in texts for line in text.split(b"\n")}
    for path, content in files.items():
        here = _plain(read_bytes(library.root / path) or b"")
        own = [line for line in here.split(b"\n") if line not in lines and not MARK.match(line)]
        if own and here != _plain(content or b""):
            raise MemShelfError(
                f"{path} has changes of your own: finish them and take the marks out, or "
                f"`git checkout --merge {path}` to drop them, then try again"
            )


def _derived(library: Library, going: Going, merge: Merge, today: str) -> dict[str, bytes | None]:
    """Return the derived files of every shelf that both sides changed, as they are to be."""
    if library.settings.derived == "bot" or library.foreign:
        ids = {path: going.upstream.get(path) or going.unmerged[path][2] for path in merge.derived}
        texts = merges.texts(library, ids.values())
        return {path: texts.get(sha) for path, sha in ids.items()}
    staged = merges.look(library).staged
    shelves = {library.inside(path)[0] for path in (*merge.files, *merge.derived, *_marked_derived(library))}
    shelves |= _touched(library, going, 1) & _touched(library, going, 2)
    waiting = {library.inside(each.path)[0] for each in merge.questions}
    found: dict[str, bytes | None] = {}
    for name in sorted(shelves - waiting - {""}):
        shelf, own = _shelf(library, name, staged), f"{library.home(name)}{manifest.NAME}"
        if own in staged or shelf.entries:
            found |= derived_files(library, shelf, today)
            found |= {} if own in staged else _manifest(library, going, own)
        else:
            found |= {path: None for path in merge.derived if library.inside(path)[0] == name}
    return found


def _manifest(library: Library, going: Going, path: str) -> dict[str, bytes]:
    """Return the manifest of a shelf that one side has removed, while the other went on with it."""
    ids = sorted(tree[path] for tree in going.trees if path in tree)
    return {path: merges.texts(library, ids)[ids[-1]]} if ids else {}


def _touched(library: Library, going: Going, side: int) -> set[str]:
    """Return the shelves that a side has changed."""
    base, tree = going.trees[0], going.trees[side]
    return {library.inside(path)[0] for path in base.keys() | tree.keys() if base.get(path) != tree.get(path)}


def _shelf(library: Library, name: str, staged: Mapping[str, str]) -> Shelf:
    """Return the shelf as the index has it."""
    paths = [path for path in staged if library.is_episode(path) and library.inside(path)[0] == name]
    texts = merges.texts(library, (staged[path] for path in paths))
    documents = [episode_format.read_document(path, texts.get(staged[path], b"")) for path in sorted(paths)]
    return snapshot.assembled(library, name, documents)


def _marked_derived(library: Library) -> list[str]:
    return [path for path in merges.marked(library) if merging.is_derived(path, library.layout)]


def _marked(library: Library, merge: Merge) -> Iterator[tuple[str, int]]:
    """Yield the files of the shelves with a merge's marks in them, other than those that are asked about."""
    asked = {each.path for each in merge.questions}
    for path in merges.marked(library):
        if path in asked or not library.inside(path)[0]:
            continue
        here = read_bytes(library.root / path) or b""
        line = conflict_line(here)
        if line and OPENED.search(scan(here.decode("utf-8", "replace")).prose.encode()):
            yield path, line


def _plain(raw: bytes) -> bytes:
    return raw.replace(b"\r\n", b"\n")
