"""The values every part speaks: episode, shelf, finding. No behaviour beyond reading itself."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from memshelf.screening import Screening

if TYPE_CHECKING:
    from collections.abc import Mapping


KINDS = {"topic": "topics", "research": "research", "session": "sessions"}
"""Kind of episode -> folder under `docs/`."""

FORMS = ("decision", "incident", "experiment", "feedback")

DIGEST = "Digest"
SECTIONS = (
    DIGEST,
    "Decisions",
    "Open threads",
    "Sources",
    "Timeline",
    "Expected",
    "Actual",
    "Artifacts",
    "Raw excerpts",
)
"""Canonical section headings in the order they are written."""

MANDATORY = SECTIONS[:4]

MAX_TITLE = 120
MAX_SUMMARY = 110
MAX_TAGS = 12
MAX_ID = 80
MAX_EPISODE_BYTES = 2_000_000
MAX_ANSWER_TOKENS = 20_000
REV_LENGTH = 12
"""Characters of a blob's id that name an episode's exact text."""

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
NAME = re.compile(rf"[\w.+-]{{1,{MAX_ID}}}")
"""An id of any tool that can stand in a sentence of ours: one word."""

Value = str | tuple[str, ...]
"""A front-matter value: text, or a list of texts."""


def squeeze(text: str) -> str:
    """Return `text` as one line: no control characters, single spaces."""
    return " ".join(CONTROL.sub(" ", text).split())


class Level(StrEnum):
    """How much a finding matters: an error stops a write, a warning is only said."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """One breach of a rule.

    `message` holds the fact, then the way out. `line` is 1-based, 0 when unknown. `place` is the
    field or section the breach lies in, empty when it is the file as a whole. `fix` is the command that
    mends it, empty where a person must decide.
    """

    rule: str
    level: Level
    message: str
    path: str = ""
    line: int = 0
    place: str = ""
    fix: str = ""

    def __str__(self) -> str:
        """Return `path:line: level rule: place: message`, leaving out what is unknown."""
        where = (
            f"{self.path}:{self.line}: " if self.line and self.path else f"{self.path}: " if self.path else ""
        )
        place = f"{self.place}: " if self.place else ""
        return f"{where}{self.level} {self.rule}: {place}{self.message}"


class Section(NamedTuple):
    """One `##` heading and its text, without blank lines at either end; equal wherever it stands."""

    heading: str
    body: str
    line: int = 0

    def __eq__(self, other: object) -> bool:
        """Compare heading and body."""
        return isinstance(other, Section) and self[:2] == other[:2]

    def __ne__(self, other: object) -> bool:
        """Compare heading and body: a tuple has its own idea of it."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same for equal sections."""
        return hash(self[:2])


class Episode(NamedTuple):
    """One closed topic: the front matter's values and the sections in the order they are written.

    `preamble` is text found before the first section; `other` holds front-matter keys that MemShelf
    does not know, kept as they are.
    """

    id: str
    kind: str = "topic"
    title: str = ""
    sections: tuple[Section, ...] = ()
    form: str = ""
    tags: tuple[str, ...] = ()
    span: str = ""
    summary: str = ""
    date: str = ""
    approx_tokens: str = "0"
    approx_tokens_source: str = "unmeasured"
    mode: str = "live"
    supersedes: tuple[str, ...] = ()
    retain_until: str = ""
    pinned: str = ""
    notes: str = ""
    client: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    preamble: str = ""
    other: tuple[tuple[str, Value], ...] = ()

    def section(self, heading: str) -> str:
        """Return the body under `heading`, or an empty string."""
        return next((part.body for part in self.sections if part.heading == heading), "")

    @property
    def digest(self) -> str:
        """The text of the Digest section."""
        return self.section(DIGEST)


class Document(NamedTuple):
    """One episode file: its bytes and what was made of them.

    `unread` is the size in bytes of a file over the limit, of which only the beginning was read, or nothing:
    then neither `episode` nor `fault` is set, else exactly one of them. `path` is relative to the library,
    with `/`.
    """

    path: str
    raw: bytes
    episode: Episode | None = None
    fault: str = ""
    fault_line: int = 0
    unread: int = 0

    @property
    def size(self) -> int:
        """The file's size in bytes."""
        return self.unread or len(self.raw)


class State(StrEnum):
    """Where an episode stands in its life."""

    ACCEPTED = "accepted"
    DRAFT = "draft"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"


class Entry(NamedTuple):
    """An episode as it lies on a shelf.

    `rev` names the exact text (an abbreviated blob id) and is what an amend must quote. `commit` is
    the draft's commit, empty for accepted text. `amends` says that this draft changes an episode
    that is already accepted.
    """

    shelf: str
    path: str
    rev: str
    state: State
    episode: Episode
    commit: str = ""
    amends: bool = False

    @property
    def name(self) -> str:
        """The id where it is one word of at most MAX_ID characters, else the file's stem as one line."""
        if NAME.fullmatch(self.episode.id):
            return self.episode.id
        return squeeze(unicodedata.normalize("NFC", PurePosixPath(self.path).stem))[:MAX_ID]

    @property
    def address(self) -> str:
        """What `read_episode` accepts for exactly this entry."""
        return f"{self.shelf}/{self.name}" + ("@draft" if self.state is State.DRAFT else "")


class Shelf(NamedTuple):
    """A frozen view of one shelf: what was readable, the files that were not, and ids of damaged drafts."""

    name: str
    entries: tuple[Entry, ...] = ()
    drafts: tuple[Entry, ...] = ()
    unreadable: tuple[Document, ...] = ()
    damaged: tuple[str, ...] = ()


_NONE: Mapping[str, str] = {}


class Conventions(NamedTuple):
    """What one shelf asks of its episodes beside the built-in rules.

    `today` is an ISO date. `markers` are further words that count as digest markers. `rules_off`
    maps a rule's name to the reason it is off. `patterns` are `(kind, regex)` from POLICY.patterns.
    `screening` is how it bends redaction. `adopted`: another tool wrote the shelf, so what it did not demand
    is only warned of.
    """

    today: str
    markers: tuple[str, ...] = ()
    rules_off: Mapping[str, str] = _NONE
    patterns: tuple[tuple[str, str], ...] = ()
    adopted: bool = False
    screening: Screening = Screening()
