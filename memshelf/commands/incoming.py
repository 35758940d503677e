"""Incoming: hold a range of commits against every rule, as a pull request brings it. Asked by check."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.commands.conventions import conventions_of, of_derived
from memshelf.commands.examination import named, raw
from memshelf.commands.shelving import derived_files
from memshelf.derived.files import RENDERERS
from memshelf.formats import settings
from memshelf.formats.episode import read_document
from memshelf.model import MAX_EPISODE_BYTES, Conventions, Document, Finding, Level
from memshelf.redact import Policy, policy_of
from memshelf.rules.facts import Facts, Named, Raw
from memshelf.rules.lint import lint
from memshelf.rules.shelf import examine
from memshelf.store import brought, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memshelf.store.brought import Range
    from memshelf.store.git import Blob
    from memshelf.store.library import Library

KEYS = ("path", "line", "level", "rule", "place", "message")


class Piece(NamedTuple):
    """An episode that the commits bring, as they leave it; `shelf` is where, `new` that it was not there.

    `policy` masks what may not be shown of it.
    """

    shelf: str
    document: Document
    new: bool
    policy: Policy = Policy()


class Incoming(NamedTuple):
    """Every finding about a range of commits, how many commits it has, and the episodes they bring.

    A finding about an earlier content is at `COMMIT:path`, one about a commit's message at `COMMIT`;
    `judges` are changed files that decide what is a finding; `prefix` leads from the repository's top to
    the library.
    """

    findings: tuple[Finding, ...]
    commits: int
    pieces: tuple[Piece, ...]
    judges: tuple[str, ...] = ()
    prefix: str = ""

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.level is Level.ERROR for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        found = [{key: getattr(finding, key) for key in KEYS} for finding in self.findings]
        episodes = [{"shelf": one.shelf, "path": one.document.path, "new": one.new} for one in self.pieces]
        facts = {"ok": self.ok, "commits": self.commits, "judges": list(self.judges)}
        return facts | {"episodes": episodes, "findings": found}

    def as_text(self) -> str:
        """Return a line a finding; nothing when all is well."""
        return "\n".join(map(str, self.findings))


def incoming(library: Library, words: str, today: str) -> Incoming:
    """Check what the commits `BASE..HEAD` bring, as Git holds it; nothing on disk is looked at.

    Every rule judges the episodes as the last commit leaves them, beside those of BASE; every content that
    any of the commits gave to a file is searched for secrets, and so are their messages; derived files must
    not be touched where only the bot renders. Settings and patterns are those on disk. Raises UsageError
    for words that are no range, MemShelfError when the clone lacks it or a policy cannot be read.
    """
    span = brought.range_of(library, words)
    changed = brought.sum_of(library, span)
    asked = _Asked(library, span, today)
    pieces = _pieces(library, span, changed, asked)
    findings = [finding for one in pieces for finding in lint(one.document, asked.of(one.document.path))]
    findings += _together(library, span, changed, pieces, asked)
    findings += _touched(library, span, changed, today)
    findings += _secrets(library, span, changed, pieces, asked)
    ordered = sorted(findings, key=lambda one: one.level is not Level.ERROR)
    judges = tuple(blob.path for blob in changed if _judges(library, blob.path))
    return Incoming(tuple(ordered), len(span.commits), tuple(pieces), judges, library.prefix)


class _Asked:
    """What is asked of a file: its shelf's conventions, read once; of no shelf: the built-in ones."""

    def __init__(self, library: Library, span: Range, today: str) -> None:
        self.library, self.span = library, span
        self.known = {"": Conventions(today)}
        self.derived: dict[str, Conventions] = {}

    def of(self, path: str) -> Conventions:
        shelf, inside = self.library.inside(path)
        if shelf not in self.known:
            self.known[shelf] = conventions_of(self.library, shelf, self.known[""].today)
        own = self.known[shelf]
        if shelf and inside == self.library.layout.patterns:
            return own._replace(patterns=())  # a pattern may match itself
        return self._of_derived(shelf, own) if shelf and inside in RENDERERS else own

    def _of_derived(self, shelf: str, own: Conventions) -> Conventions:
        if shelf not in self.derived:
            loaded = brought.at(self.library, self.span.head).load([shelf])[0]
            self.derived[shelf] = of_derived(own, (entry.episode for entry in loaded.entries))
        return self.derived[shelf]


def _pieces(library: Library, span: Range, changed: Sequence[Blob], asked: _Asked) -> list[Piece]:
    """Return the episode files that the commits change or bring, as the last one leaves them."""
    files = [blob for blob in changed if blob.sha and library.is_episode(blob.path)]
    before = set(library.git.paths(span.fork))
    texts = library.git.read([blob.sha for blob in files], MAX_EPISODE_BYTES + 1)
    found = []
    for blob, (_, content) in zip(files, texts, strict=True):
        link = blob.mode == snapshot.SYMLINK
        document = (
            Document(blob.path, b"", fault=snapshot.LINK_FAULT) if link else read_document(blob.path, content)
        )
        new = library.prefix + blob.path not in before
        found.append(Piece(library.inside(blob.path)[0], document, new, policy_of(asked.of(blob.path))))
    return found


def _together(
    library: Library, span: Range, changed: Sequence[Blob], pieces: Sequence[Piece], asked: _Asked
) -> Iterator[Finding]:
    """Yield what is wrong with the changed episodes beside those that BASE has."""
    gone = {blob.path for blob in changed}
    base = (blob.path.removeprefix(library.prefix) for blob in brought.at(library, span.base).blobs)
    rest = [path for path in base if library.is_episode(path) and path not in gone]
    stay = [Named(path, PurePosixPath(path).stem) for path in rest]
    known = frozenset(one.id for one in stay) | {named(one.document).id for one in pieces}
    for shelf in sorted({one.shelf for one in pieces}):
        ours = [one.document for one in pieces if one.shelf == shelf]
        facts = Facts(
            episodes=(*(one for one in stay if library.inside(one.path)[0] == shelf), *map(named, ours)),
            known=known,
            merging=tuple(map(raw, ours)),
        )
        paths = {one.path for one in ours}
        yield from (one for one in examine(facts, asked.of(ours[0].path)) if one.path in paths)


def _touched(library: Library, span: Range, changed: Sequence[Blob], today: str) -> list[Finding]:
    """Return the derived files that the commits change; a clean rendering that comes alone may pass."""
    touched = {blob.path: blob.sha for blob in changed if _is_derived(library, blob.path)}
    if not touched or library.settings.derived != "bot" or library.foreign:
        return []
    if len(touched) == len(changed) and touched == _rendered(library, span, touched, today):
        return []
    return examine(Facts(touched=tuple(sorted(touched))), Conventions(today))


def _rendered(library: Library, span: Range, paths: Iterable[str], today: str) -> dict[str, str]:
    """Return path -> blob id of the derived files at `paths` as BASE's episodes give them."""
    shelves = {library.inside(path)[0] for path in paths}
    base = brought.at(library, span.base)
    fresh: dict[str, bytes] = {}
    for shelf in base.load(shelves & set(base.names)):
        fresh |= derived_files(library, shelf, today)
    ids = {path: library.git.line("hash-object", "--stdin", data=text) for path, text in fresh.items()}
    return {path: ids[path] for path in paths if path in ids}


def _secrets(
    library: Library, span: Range, changed: Sequence[Blob], pieces: Sequence[Piece], asked: _Asked
) -> Iterator[Finding]:
    """Yield a secret that a file holds at the end, and one that any of the commits ever held."""
    now = {blob.path: blob.sha for blob in changed}
    linted = {one.document.path for one in pieces if one.document.episode}
    for one in brought.texts(library, span):
        if now.get(one.path) != one.blob:
            commit = one.commit[: brought.SHOWN]
            past = Raw(f"{commit}:{one.path}" if one.path else commit, one.text)
            yield from examine(Facts(past=(past,)), asked.of(one.path))
        elif one.path not in linted:
            yield from examine(Facts(texts=(Raw(one.path, one.text),)), asked.of(one.path))


def _is_derived(library: Library, path: str) -> bool:
    shelf, inside = library.inside(path)
    return bool(shelf) and inside in RENDERERS


def _judges(library: Library, path: str) -> bool:
    return path == settings.NAME or library.inside(path)[1] == library.layout.patterns
