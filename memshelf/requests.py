"""What a caller may ask for: the one source of MCP schemas, CLI flags and redaction doors.

A field that was not passed is None. Each field says through which door its text enters:
PROSE is redacted, an IDENTIFIER that holds a secret is refused, a SWITCH chooses and is stored nowhere.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, fields
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from memshelf.errors import UsageError
from memshelf.model import FORMS, KINDS, SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Request = TypeVar("Request")
MAX_DIGITS = 12
NUMBER = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}")
TAKES = {
    "str": "text",
    "int": f"a whole number of up to {MAX_DIGITS} digits",
    "bool": "true or false",
    "tuple": "a list of texts",
    "dict": "heading to text",
}


class Door(StrEnum):
    """How the text of an argument may enter the shelf."""

    PROSE = "prose"
    IDENTIFIER = "identifier"
    SWITCH = "switch"


def argument(
    about: str, door: Door = Door.SWITCH, *, default: Any = None, choices: tuple[str, ...] = ()
) -> Any:
    """Declare one argument: what it is for, its door, and the values it may take."""
    return field(default=default, metadata={"about": about, "door": door, "choices": choices})


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, from where, and on which day.

    `client` and `session` name the program and its session; `folder` and `variables` are where it
    runs and its environment, which decide the project; `today` is an ISO date.
    """

    client: str
    today: str
    folder: Path
    variables: Mapping[str, str]
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteRequest:
    """Keep one closed topic, or amend one that is kept."""

    id: str = argument("date-slug, or the slug alone (today's date is put in front)", Door.IDENTIFIER)
    title: str | None = argument("one line, up to 120 characters", Door.PROSE)
    kind: str | None = argument("", Door.IDENTIFIER, choices=tuple(KINDS))
    digest: str | None = argument(
        "up to 120 words: what was decided, rejected and why, left open. Name the actors, not 'we'",
        Door.PROSE,
    )
    decisions: str | None = argument("Markdown; 'None.' is legal here and below", Door.PROSE)
    open_threads: str | None = argument("", Door.PROSE)
    sources: str | None = argument("", Door.PROSE)
    timeline: str | None = argument("for kind session and form incident", Door.PROSE)
    expected: str | None = argument("for form experiment", Door.PROSE)
    actual: str | None = argument("for form experiment", Door.PROSE)
    artifacts: str | None = argument("", Door.PROSE)
    raw_excerpts: str | None = argument("", Door.PROSE)
    extra: dict[str, str] | None = argument("further sections: heading to text", Door.PROSE)
    tags: tuple[str, ...] | None = argument("", Door.IDENTIFIER)
    span: str | None = argument("when the work happened: YYYY-MM-DD..YYYY-MM-DD", Door.IDENTIFIER)
    form: str | None = argument("", Door.IDENTIFIER, choices=FORMS)
    summary: str | None = argument("the index line, up to 110 characters", Door.PROSE)
    approx_tokens: int | None = argument("estimated size of the session")
    supersedes: tuple[str, ...] | None = argument("ids this one replaces", Door.IDENTIFIER)
    notes: str | None = argument("one line", Door.PROSE)
    shelf: str | None = argument("", Door.IDENTIFIER)
    amend: bool | None = argument("change an existing episode: what is not passed stays")
    rev: str | None = argument("with amend: the rev that read_episode printed")
    dry_run: bool | None = argument("check only")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRequest:
    """Show the map: one line an episode."""

    shelf: str | None = argument("one shelf only")
    tag: str | None = argument("")
    since: str | None = argument("YYYY-MM-DD")
    budget: int | None = argument("tokens")
    cursor: str | None = argument("from the last answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """Read one episode, or some of its sections."""

    id: str = argument("id, shelf/id, id@draft or id#Section, as index and search print them")
    sections: tuple[str, ...] | None = argument("headings; none: the whole episode")
    query: str | None = argument("only the lines that answer this")
    budget: int | None = argument("tokens")
    cursor: str | None = argument("from the last answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """Find the lines that answer, by words."""

    query: str = argument("")
    shelf: str | None = argument("one shelf only")
    kind: str | None = argument("", choices=tuple(KINDS))
    tag: str | None = argument("")
    since: str | None = argument("YYYY-MM-DD")
    until: str | None = argument("YYYY-MM-DD")
    state: str | None = argument("", choices=("accepted", "draft", "archived", "superseded"))
    limit: int | None = argument("episodes, one hit each; without it the budget is filled")
    budget: int | None = argument("tokens, 1,000 unless told")
    cursor: str | None = argument("from the last answer")
    semantic: bool | None = argument("also by meaning, where installed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectRequest:
    """Say no to a draft."""

    id: str = argument("the draft's id", Door.IDENTIFIER)
    shelf: str | None = argument("", Door.IDENTIFIER)
    reason: str = argument("why, for the record", Door.PROSE)


WRITES = (WriteRequest, RejectRequest)
"""Every request whose text is stored: each passes `redact.doors.scrub` before anything is derived from it."""

SECTION_FIELDS = {heading.lower().replace(" ", "_"): heading for heading in SECTIONS}
"""Argument of `WriteRequest` -> canonical heading."""


def shape(request: type, name: str) -> str:
    """Return what an argument takes: `str`, `int`, `bool`, `tuple` (of texts) or `dict` (text to text)."""
    annotation = str(request.__dataclass_fields__[name].type)  # type: ignore[attr-defined] # a dataclass
    return annotation.split(" ")[0].split("[")[0]


def offset(cursor: str | None) -> int:
    """Return the offset that a cursor stands for, 0 when none was passed, -1 when no answer gave it."""
    if not cursor:
        return 0
    return int(cursor) if NUMBER.fullmatch(cursor) else -1


def build(request: type[Request], values: Mapping[str, object]) -> Request:
    """Make a request of named values, as JSON gives them; None counts as not passed.

    A list may come as one comma-separated string, a list or a map as JSON text, a number or a truth value
    as text. Raises UsageError that names every argument at fault and never repeats a value.
    """
    known = {field.name: field for field in fields(request)}  # type: ignore[arg-type] # a dataclass
    passed = {name: value for name, value in values.items() if value is not None}
    faults = [f"unknown argument{_meant(name, known)}" for name in passed if name not in known]
    made = {name: _value(shape(request, name), value) for name, value in passed.items() if name in known}
    for name, value in made.items():
        choices = known[name].metadata["choices"]
        if value is None:
            faults.append(f"{name}: takes {TAKES[shape(request, name)]}")
        elif choices and value not in ("", *choices):
            faults.append(f"{name}: takes one of {', '.join(choices)}")
    faults += [
        f"{name}: is missing"
        for name, field in known.items()
        if field.default is None and "None" not in str(field.type) and name not in passed
    ]
    if faults:
        raise UsageError("; ".join(dict.fromkeys(faults)))
    return request(**made)


def require_days(**days: str | None) -> None:
    """Raise UsageError that names every argument which is no real day; None and empty: not passed."""
    faults = [f"{name}: takes a day as YYYY-MM-DD" for name, day in days.items() if day and not _is_day(day)]
    if faults:
        raise UsageError("; ".join(faults))


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _meant(name: str, known: Iterable[str]) -> str:
    import difflib  # noqa: PLC0415 # only a mistake needs it

    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]}?)" if near else f": known are {', '.join(known)}"


def _value(shape: str, value: object) -> object:
    """Return `value` in its shape, None when it does not fit."""
    if shape == "str":
        return value if isinstance(value, str) else None
    if shape == "bool":
        return value if isinstance(value, bool) else {"true": True, "false": False}.get(str(value).lower())
    if shape == "int":
        number = str(value).strip()
        return int(number) if NUMBER.fullmatch(number) else None
    return _texts(value) if shape == "tuple" else _map(value)


def _texts(value: object) -> object:
    if isinstance(value, str):
        as_json = value.lstrip().startswith("[")
        value = _json(value) if as_json else [part.strip() for part in value.split(",") if part.strip()]
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _map(value: object) -> object:
    if isinstance(value, str):
        value = _json(value)
    if isinstance(value, dict) and all(isinstance(text, str) for text in value.values()):
        return dict(value)
    return None


def _json(text: str) -> object:
    """Read JSON; None when it is none, or nested too deep to be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
