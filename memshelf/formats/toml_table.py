"""One table of a TOML file, edited as text: the rest, its comments and order stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from memshelf.errors import FormatError

HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
BY_HAND = "is not written as a table of its own: edit it by hand"


def put(text: str, path: tuple[str, ...], table: dict[str, str | list[str]]) -> str:
    """Return the text with the keys of `table` in the table at `path`, which is put at the end if need be.

    Raises FormatError when the text is no TOML or the table cannot be put there without touching others.
    """
    expected = _read(text)
    _set(expected, path, table)
    if _read(text) == expected:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    span = _span(text, path)
    if span:
        body = text[slice(*span)]
        for key, value in reversed(table.items()):
            body = _keyed(body, key, f"{key} = {_value(value)}", newline)
        return _checked(text[: span[0]] + body + text[span[1] :], expected, path)
    lines = [f"[{'.'.join(path)}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return _checked(text + gap + newline.join(lines) + newline, expected, path)


def take(text: str, path: tuple[str, ...]) -> str:
    """Return the text without the table at `path`. Raises FormatError as `put` does."""
    expected = _read(text)
    holder = expected
    for key in path[:-1]:
        holder = holder.get(key, {})
    if path[-1] not in holder:
        return text
    del holder[path[-1]]
    if not holder:
        _drop_empty(expected, path[:-1])
    span = _span(text, path)
    if not span:
        raise FormatError(f"{'.'.join(path)} {BY_HAND}")
    before, after = text[: span[0]], text[span[1] :]
    gap = re.search(r"(?<=\n)\r?\n\Z", before)
    if gap and not after.strip():
        before = before[: gap.start()]
    return _checked(before + after, expected, path)


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"no TOML: {error}: mend it") from None


def _span(text: str, path: tuple[str, ...]) -> tuple[int, int] | None:
    """Return where the table's lines and those of the tables in it begin and end."""
    name = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(key)}[\"']?" for key in path)
    header = re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if not header:
        return None
    inner = re.compile(rf"[ \t]*\[[ \t]*{name}[ \t]*\.")
    others = (found for found in HEADER.finditer(text, header.end()) if not inner.match(text, found.start()))
    following = next(others, None)
    body = text[header.end() : following.start() if following else len(text)]
    own = 0
    for line in re.finditer(r"[^\n]*(?:\n|\Z)", body):
        if line[0].strip() and not line[0].lstrip().startswith("#"):
            own = line.end()
    return header.start(), header.end() + own


def _set(values: dict[str, Any], path: tuple[str, ...], table: dict[str, Any]) -> None:
    for key in path[:-1]:
        values = values.setdefault(key, {})
        if not isinstance(values, dict):
            raise FormatError(f"{key} is no table: mend it")
    values[path[-1]] = values.get(path[-1], {}) | table


def _keyed(body: str, key: str, line: str, newline: str) -> str:
    """Return a table's lines with one key's line changed, or put below the header."""
    own = re.compile(rf"^[ \t]*{key}[ \t]*=[^\r\n]*", re.MULTILINE)
    if own.search(body):
        return own.sub(lambda _: line, body, count=1)
    header, end, rest = body.partition("\n")
    return f"{header}{end or newline}{line}{newline}{rest}"


def _drop_empty(values: dict[str, Any], path: tuple[str, ...]) -> None:
    """A table that only our header made is gone with it."""
    for key in path[:-1]:
        values = values[key]
    values.pop(path[-1], None)


def _checked(changed: str, expected: dict[str, Any], path: tuple[str, ...]) -> str:
    """Return the changed text if it says what it should, to the letter of a real parser."""
    try:
        found = tomllib.loads(changed.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        found = {}
    if _without_empty(found, path) != _without_empty(expected, path):
        raise FormatError(f"{path[0]} {BY_HAND}")
    return changed


def _without_empty(values: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != path[0] or value}


def _value(value: str | list[str]) -> str:
    """Write a value as TOML; a JSON text is a TOML text but for U+007F."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
