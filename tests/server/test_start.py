"""What the server may load and touch before it has answered who it is and what it can do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from wire import frame, opening, raw

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"git", "yaml", "frontmatter", "pyromark", "rapidfuzz", "sqlite3", "Stemmer", "portalocker"}
OURS = {"commands", "rules", "derived", "search", "redact", "formats", "store"}
"""Parts of ours that only an answer needs."""

FIRST = """
import json, subprocess, sys, threading
import mcp.server.lowlevel, mcp.server.stdio, mcp.types
sdk = set(sys.modules)
from memshelf.server import app

def refuse(*words, **named):
    raise AssertionError("a process was started")

real, subprocess.Popen = subprocess.Popen, refuse
seen = {}

def warm(library):
    seen["loaded"] = sorted(set(sys.modules) - sdk)
    subprocess.Popen = real

app._warm = warm
app.serve(sys.argv[1])
print(json.dumps(seen), file=sys.stderr)
"""
"""A server that tells what it had loaded, beside the SDK, once the first list was answered."""


def test_nothing_heavy_is_loaded_and_no_process_started_before_the_lists_are_answered(
    empty: Path, era: str
) -> None:
    begin = opening(era) or [frame(era, 0, "server/discover", {})]
    lists = ("tools/list", "prompts/list", "resources/templates/list")
    lines = begin + [frame(era, at, method, {}) for at, method in enumerate(lists, 1)]

    messages, code, errors = raw(["-c", FIRST, str(empty)], lines, 4)

    assert all("result" in messages[at] for at in range(4))
    loaded = json.loads(errors)["loaded"]
    assert "memshelf.server.app" in loaded
    assert {name for name in loaded if name.split(".")[0] in HEAVY} == set()
    assert {name for name in loaded if name.startswith("memshelf.") and name.split(".")[1] in OURS} == set()
    assert code == 0


@pytest.mark.parametrize("asked", [0, 1])
def test_a_missing_library_is_told_once_after_the_answers(tmp_path: Path, era: str, asked: int) -> None:
    nowhere = tmp_path / "nowhere"
    begin = opening(era) or [frame(era, 0, "server/discover", {})]
    lines = begin + [frame(era, at, "tools/list", {}) for at in range(1, 1 + asked)]

    messages, code, errors = raw(["-m", "memshelf", "serve", "--library", str(nowhere)], lines, 1 + asked)

    assert all("result" in message for message in messages.values())
    assert errors.count(f"memshelf: {nowhere} does not exist: check the path") == 1
    assert code == 0
