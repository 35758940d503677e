"""Replays the `$ memshelf ...` lines of a document and compares what they print."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support import Ran

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ "
ELSEWHERE = (
    (re.compile(r"\b[0-9a-f]{40}\b"), "COMMIT"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "REV"),
    (re.compile(r"nonce=[0-9a-f]{8}"), "nonce=NONCE"),
    (re.compile(r"\b20\d\d-\d\d-\d\d(?=-vlan)"), "TODAY"),
    (re.compile(r"(?:/[\w.-]+)+/library\b"), "LIBRARY"),
)
"""What differs from run to run, and what is compared in its place."""


@dataclass(frozen=True)
class Step:
    """One command and what the document says it prints; a line `...` stands for any lines."""

    command: str
    expected: str


def steps(document: Path) -> Iterator[Step]:
    """Yield every command of the document's console blocks, in order."""
    for block in BLOCK.findall(document.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.replace("\\\n", "").partition("\n")
            yield Step(command, expected.rstrip("\n"))


def replay(step: Step, run: Callable[..., Ran]) -> str:
    """Run the command and return what it printed, with `[exit N]` when N is not 0."""
    program, *words = shlex.split(step.command)
    assert program == "memshelf", f"only memshelf is replayed: {step.command}"
    done = run(*words)
    return (done.out + done.err).rstrip("\n") + (f"\n[exit {done.code}]" if done.code else "")


def matches(expected: str, printed: str) -> bool:
    """Tell whether the document still tells the truth."""
    for pattern, name in ELSEWHERE:
        expected, printed = pattern.sub(name, expected), pattern.sub(name, printed)
    lines = [".*" if line.strip() == "..." else re.escape(line.rstrip()) for line in expected.split("\n")]
    plain = "\n".join(line.rstrip() for line in printed.split("\n"))
    return re.fullmatch("\n".join(lines), plain, re.DOTALL) is not None
