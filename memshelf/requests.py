"""What a caller may ask for: the one source of MCP schemas, CLI flags and redaction doors.

A field that was not passed is None. Each field says through which door its text enters:
PROSE is redacted, an IDENTIFIER that holds a secret is refused, a SWITCH chooses and is stored nowhere.
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Annotated, NamedTuple, TypeVar

from memshelf.errors import UsageError
from memshelf.model import FORMS, KINDS, SECTIONS

Request = TypeVar("Request", bound=NamedTuple)
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


class Argument(NamedTuple):
    """What one argument is for, its door, and the values it may take (none: any)."""

    about: str = ""
    door: Door = Door.SWITCH
    choices: tuple[str, ...] = ()


class Caller(NamedTuple):
    """Who asks, from where, and on which day.

    `client` and `session` name the program and its session; `folder` and `variables` are where it
    runs and its environment, which decide the project; `today` is an ISO date.
    """

    client: str
    today: str
    folder: Path
    variables: Mapping[str, str]
    session: str = ""


class WriteRequest(NamedTuple):
    """Keep one closed topic, or amend one that is kept."""

    id: Annotated[
        str, Argument("date-slug, or the slug alone (today's date is put in front)", Door.IDENTIFIER)
    ]
    title: Annotated[str | None, Argument("one line, up to 120 characters", Door.PROSE)] = None
    kind: Annotated[str | None, Argument("", Door.IDENTIFIER, choices=tuple(KINDS))] = None
    digest: Annotated[
        str | None,
        Argument(
            "up to 120 words: what was decided, rejected and why, left open. Name the actors, not 'we'",
            Door.PROSE,
        ),
    ] = None
    decisions: Annotated[str | None, Argument("Markdown; 'None.' is legal here and below", Door.PROSE)] = None
    open_threads: Annotated[str | None, Argument("", Door.PROSE)] = None
    sources: Annotated[str | None, Argument("", Door.PROSE)] = None
    timeline: Annotated[str | None, Argument("for kind session and form incident", Door.PROSE)] = None
    expected: Annotated[str | None, Argument("for form experiment", Door.PROSE)] = None
    actual: Annotated[str | None, Argument("for form experiment", Door.PROSE)] = None
    artifacts: Annotated[str | None, Argument("", Door.PROSE)] = None
    raw_excerpts: Annotated[str | None, Argument("", Door.PROSE)] = None
    extra: Annotated[dict[str, str] | None, Argument("further sections: heading to text", Door.PROSE)] = None
    tags: Annotated[tuple[str, ...] | None, Argument("", Door.IDENTIFIER)] = None
    span: Annotated[
        str | None, Argument("when the work happened: YYYY-MM-DD..YYYY-MM-DD", Door.IDENTIFIER)
    ] = None
    form: Annotated[str | None, Argument("", Door.IDENTIFIER, choices=FORMS)] = None
    summary: Annotated[str | None, Argument("the index line, up to 110 characters", Door.PROSE)] = None
    approx_tokens: Annotated[int | None, Argument("estimated size of the session")] = None
    supersedes: Annotated[tuple[str, ...] | None, Argument("ids this one replaces", Door.IDENTIFIER)] = None
    notes: Annotated[str | None, Argument("one line", Door.PROSE)] = None
    shelf: Annotated[str | None, Argument("", Door.IDENTIFIER)] = None
    amend: Annotated[bool | None, Argument("change an existing episode: what is not passed stays")] = None
    rev: Annotated[str | None, Argument("with amend: the rev that read_episode printed")] = None
    dry_run: Annotated[bool | None, Argument("check only")] = None


class IndexRequest(NamedTuple):
    """Show the map: one line an episode."""

    shelf: Annotated[str | None, Argument("one shelf only")] = None
    tag: Annotated[str | None, Argument()] = None
    since: Annotated[str | None, Argument("YYYY-MM-DD")] = None
    budget: Annotated[int | None, Argument("tokens")] = None
    cursor: Annotated[str | None, Argument("from the last answer")] = None


class ReadRequest(NamedTuple):
    """Read one episode, or some of its sections."""

    id: Annotated[str, Argument("id, shelf/id, id@draft or id#Section, as index and search print them")]
    sections: Annotated[tuple[str, ...] | None, Argument("headings; none: the whole episode")] = None
    query: Annotated[str | None, Argument("only the lines that answer this")] = None
    budget: Annotated[int | None, Argument("tokens")] = None
    cursor: Annotated[str | None, Argument("from the last answer")] = None


class SearchRequest(NamedTuple):
    """Find the lines that answer, by words."""

    query: Annotated[str, Argument()]
    shelf: Annotated[str | None, Argument("one shelf only")] = None
    kind: Annotated[str | None, Argument("", choices=tuple(KINDS))] = None
    tag: Annotated[str | None, Argument()] = None
    since: Annotated[str | None, Argument("YYYY-MM-DD")] = None
    until: Annotated[str | None, Argument("YYYY-MM-DD")] = None
    state: Annotated[str | None, Argument("", choices=("accepted", "draft", "archived", "superseded"))] = None
    limit: Annotated[int | None, Argument("episodes, one hit each; without it the budget is filled")] = None
    budget: Annotated[int | None, Argument("tokens, 1,000 unless told")] = None
    cursor: Annotated[str | None, Argument("from the last answer")] = None
    semantic: Annotated[bool | None, Argument("also by meaning, where installed")] = None


class RejectRequest(NamedTuple):
    """Say no to a draft."""

    id: Annotated[str, Argument("the draft's id", Door.IDENTIFIER)]
    reason: Annotated[str, Argument("why, for the record", Door.PROSE)]
    shelf: Annotated[str | None, Argument("", Door.IDENTIFIER)] = None


WRITES = (WriteRequest, RejectRequest)
"""Every request whose text is stored: each passes `redact.doors.scrub` before anything is derived from it."""

SECTION_FIELDS = {heading.lower().replace(" ", "_"): heading for heading in SECTIONS}
"""Argument of `WriteRequest` -> canonical heading."""


def arguments(request: type[NamedTuple]) -> dict[str, Argument]:
    """Return the arguments of a request by name."""
    return {name: hint.__metadata__[0] for name, hint in request.__annotations__.items()}


def shape(request: type[NamedTuple], name: str) -> str:
    """Return what an argument takes: `str`, `int`, `bool`, `tuple` (of texts) or `dict` (text to text)."""
    taken = request.__annotations__[name].__origin__
    plain = taken.__args__[0] if isinstance(taken, UnionType) else taken
    return str(getattr(plain, "__origin__", plain).__name__)


def is_required(request: type[NamedTuple], name: str) -> bool:
    """Tell whether an argument must be passed."""
    return name not in request._field_defaults


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
    known = arguments(request)
    passed = {name: value for name, value in values.items() if value is not None}
    faults = [f"unknown argument{_meant(name, known)}" for name in passed if name not in known]
    made = {name: _value(shape(request, name), value) for name, value in passed.items() if name in known}
    for name, value in made.items():
        choices = known[name].choices
        if value is None:
            faults.append(f"{name}: takes {TAKES[shape(request, name)]}")
        elif choices and value not in ("", *choices):
            faults.append(f"{name}: takes one of {', '.join(choices)}")
    faults += [f"{name}: is missing" for name in known if is_required(request, name) and name not in passed]
    if faults:
        raise UsageError("; ".join(dict.fromkeys(faults)))
    values = request._field_defaults | made
    return request._make(values[name] for name in known)


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
