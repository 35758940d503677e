"""The hosts' side of a hook: what their events mean, which fields they send, what they read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from memshelf.errors import MemShelfError

MOMENTS = {
    "claude": {"SessionStart": "start", "SubagentStart": "agent"},
    "gemini": {"SessionStart": "start"},
}
"""Host -> its event -> the moment at which it takes text; at every other event nothing is said."""

MAX_INPUT = 4_000_000
"""Bytes of an event that are read; a longer one is answered as none."""


class Event(NamedTuple):
    """What happened: the moment, empty where nothing is to be said, and what the host told with it."""

    moment: str
    source: str = ""
    session: str = ""
    folder: Path | None = None


def heard(host: str, event: str, raw: bytes) -> Event:
    """Return what the host's event means. Raises MemShelfError for input that is no JSON object."""
    if host not in MOMENTS:
        raise MemShelfError(f"no such host: --host is one of {', '.join(MOMENTS)}")
    if len(raw) > MAX_INPUT:
        raise MemShelfError(f"the event is longer than {MAX_INPUT:,} bytes: nothing is said to it")
    try:
        told = json.loads(raw)
    except (ValueError, RecursionError):
        raise MemShelfError("standard input is no JSON: the host sends the event there") from None
    if not isinstance(told, dict):
        raise MemShelfError("standard input is no JSON object: the host sends the event there")
    moment = MOMENTS[host].get(event, "")
    if moment == "agent" and told.get("agent_type") == "":  # the helper that writes a compaction's summary
        moment = ""
    folder = _text(told, "cwd")
    source, session = (_text(told, name) for name in ("source", "session_id"))
    return Event(moment, source, session, Path(folder) if folder else None)


def said(event: str, text: str) -> str:
    """Return the JSON by which both hosts take text into the model's context."""
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def _text(told: dict[str, Any], name: str) -> str:
    value = told.get(name)
    return value if isinstance(value, str) and "\0" not in value else ""
