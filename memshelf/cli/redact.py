"""`memshelf redact`: standard input to standard output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memshelf.commands.redact import policy_for, redact_records, redact_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from memshelf.commands.redact import Answer
    from memshelf.store.library import Library


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    parser.add_argument(
        "--jsonl",
        action="store_true",
        help="a JSON record a line: {id, text, patterns?} in, {id, text, report} out; `patterns` are "
        "[[kind, regex], ...] or {kind: regex}; a bad line goes to standard error, then the exit code is 1",
    )
    parser.add_argument(
        "--report", action="store_true", help="print where marks stand instead of the text; 1 when any"
    )
    parser.add_argument("--explain", action="store_true", help="the report with the rule behind each mark")
    parser.add_argument(
        "--shelf", metavar="SHELF", help="by this shelf's policy too; without it no library is needed"
    )
    parser.add_argument("--library", metavar="DIR", help="the library of the shelf")
    parser.set_defaults(json=False)


def run(parsed: argparse.Namespace) -> int:
    """Redact standard input; 1 when a report was asked for and is not empty, or a record is none."""
    policy = policy_for(*_shelf(parsed))
    source = (line.decode("utf-8", "surrogateescape") for line in sys.stdin.buffer)
    if parsed.jsonl:
        return _answer(redact_records(source, policy))
    done = redact_text("".join(source), policy)
    if not (parsed.report or parsed.explain):
        _put(done.text)
        return 0
    report = done.as_report(explain=parsed.explain)
    _put(report + "\n" if report else "")
    return 1 if report else 0


def _answer(answers: Iterable[Answer]) -> int:
    faults = 0
    for answer in answers:
        if answer.fault:
            faults = 1
            print(f"memshelf: {answer.fault}", file=sys.stderr)
        else:
            _put(answer.record + "\n")
    return faults


def _put(text: str) -> None:
    """Write text whose bytes come out as they came in."""
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


def _shelf(parsed: argparse.Namespace) -> tuple[Library, str, str] | tuple[()]:
    """Return library, shelf and day when a shelf was named."""
    if not parsed.shelf:
        return ()
    from memshelf.cli import options  # noqa: PLC0415 # git and the store, which a bare text does without

    return options.library_of(parsed), parsed.shelf, options.caller().today
