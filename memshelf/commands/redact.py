"""Redact: a text of anybody's with marks where secrets stood, and what stood where. It stores nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.errors import MemShelfError
from memshelf.redact import Marks, Policy, checked_patterns, policy_of, redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memshelf.redact import Redaction
    from memshelf.store.library import Library

NO_RECORD = "no JSON object with `id` and the text `text`: write one a line"
NO_NUMBER = "`id` holds a number that JSON has not: write it as a text"
NO_PATTERNS = "`patterns` is neither [[kind, regex], ...] nor {kind: regex}, all texts: mend it"
SECRET_ID = "`id` holds a secret and was not printed: give the record another"


class Answer(NamedTuple):
    """What became of one record: its JSON line, or what is wrong with it; the other is empty."""

    record: str
    fault: str = ""


class Redacted(NamedTuple):
    """The text with its marks, and what was marked; no value of it."""

    text: str
    redactions: tuple[Redaction, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the text and the report as JSON values."""
        report = [
            {
                "rule": item.rule,
                "by": item.origin.rule,
                "class": item.origin.class_,
                "line": item.line,
                "column": item.column,
                "mark": item.mark,
            }
            for item in self.redactions
        ]
        return {"text": self.text, "report": report}

    def as_text(self) -> str:
        """Return the redacted text."""
        return self.text

    def as_report(self, *, explain: bool) -> str:
        """Return a line a mark: line and column in the redacted text; `explain` adds the rule behind it."""
        rows = []
        for item in self.redactions:
            because = f"  {item.origin.class_}, by {item.origin.rule}" if explain else ""
            rows.append(f"{item.line}:{item.column}: {item.mark}{because}")
        return "\n".join(rows)


def policy_for(library: Library | None = None, shelf: str = "", today: str = "") -> Policy:
    """Return a shelf's policy, the built-in one without a library. MemShelfError: no such shelf."""
    if library is None:
        return Policy()
    from memshelf.commands.conventions import conventions_of  # noqa: PLC0415 # the store; a bare text needs none

    if not (library.root / library.home(shelf)).is_dir():
        raise MemShelfError("no such shelf: `memshelf status` names them")
    return policy_of(conventions_of(library, shelf, today))


def redact_text(text: str, policy: Policy) -> Redacted:
    """Return the text redacted by the built-in rules and the shelf's policy."""
    return Redacted(*redact(text, policy))


def redact_records(lines: Iterable[str], policy: Policy) -> Iterator[Answer]:
    """Yield one JSON line `{id, text, report}` for each line `{id, text, patterns?}`.

    `patterns` are `[kind, regex]` pairs beside the policy's, or a map of kind to regex. `id` is any JSON
    value and comes back as it is. A line that cannot be answered has its fault, with its number and no
    value of it, instead; a byte order mark before the first line and empty lines are skipped.
    """
    for number, line in enumerate(lines, 1):
        bare = line.removeprefix("\ufeff") if number == 1 else line
        if bare.strip():
            try:
                yield Answer(_answered(bare, policy))
            except MemShelfError as error:
                yield Answer("", f"line {number}: {error}")


def _answered(line: str, policy: Policy) -> str:
    name, text, patterns = _record(line)
    policy = policy.with_patterns(checked_patterns(patterns)) if patterns else policy
    marks = Marks.after(text)
    done = Redacted(*redact(text, policy, marks))
    shown = name if isinstance(name, str) else _dumped(name)
    if any(item.origin.class_ == "secret" for item in redact(shown, policy, marks)[1]):
        raise MemShelfError(SECRET_ID)
    return _dumped({"id": name} | done.as_dict())


def _dumped(record: object) -> str:
    """Return JSON that can be written as UTF-8: lone surrogates stay escapes."""
    text = json.dumps(record, ensure_ascii=False)
    return json.dumps(record) if re.search("[\ud800-\udfff]", text) else text


def _record(line: str) -> tuple[object, str, list[tuple[str, str]]]:
    """Return id, text and patterns of a record. MemShelfError: it is none."""
    try:
        record = json.loads(line)
        name, text = record["id"], record["text"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise MemShelfError(NO_RECORD) from None
    if not isinstance(text, str):
        raise MemShelfError(NO_RECORD)
    try:
        json.dumps(name, allow_nan=False)
    except ValueError:
        raise MemShelfError(NO_NUMBER) from None
    return name, text, _patterns(record.get("patterns") or [])


def _patterns(given: object) -> list[tuple[str, str]]:
    pairs = list(given.items()) if isinstance(given, dict) else given
    if not (isinstance(pairs, list) and all(map(_is_pair, pairs))):
        raise MemShelfError(NO_PATTERNS)
    return [(kind, regex) for kind, regex in pairs]


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
