"""Redact: a text of anybody's with marks where secrets stood, and what stood where. It stores nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.errors import MemShelfError, UsageError
from memshelf.redact import Policy, checked_patterns, policy_of, redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memshelf.redact import Redaction
    from memshelf.store.library import Library

NO_RECORD = "no JSON object with the texts `id` and `text`: write one a line"


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


def redact_records(lines: Iterable[str], policy: Policy) -> Iterator[str]:
    """Yield one JSON line `{id, text, report}` for each line `{id, text, patterns?}`.

    `patterns` are `[kind, regex]` pairs beside the policy's. Raises UsageError with the number of a line
    that is no such record, and FormatError for a pattern that is refused.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            name, text, patterns = _record(line, number)
            done = redact_text(text, policy.with_patterns(checked_patterns(patterns)) if patterns else policy)
            yield _dumped({"id": name} | done.as_dict())


def _dumped(record: dict[str, Any]) -> str:
    """Return JSON that can be written as UTF-8: lone surrogates stay escapes."""
    text = json.dumps(record, ensure_ascii=False)
    return json.dumps(record) if re.search("[\ud800-\udfff]", text) else text


def _record(line: str, number: int) -> tuple[Any, str, list[tuple[str, str]]]:
    try:
        record = json.loads(line)
        patterns = [(str(kind), str(regex)) for kind, regex in record.get("patterns") or ()]
        return record["id"], _text(record["text"]), patterns
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"line {number}: {NO_RECORD}") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
