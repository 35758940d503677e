"""`memshelf hook`, as real processes: what a host reads, and that nothing stops a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support import FINE, request

from memshelf.commands.write import write
from memshelf.store import deliveries

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

MOST = 9500


def event(caller: Caller, **more: object) -> bytes:
    return json.dumps({"session_id": "1", "cwd": str(caller.folder)} | more).encode()


def heard(ran: Ran) -> str:
    assert (ran.code, ran.err) == (0, "")
    return str(json.loads(ran.out)["hookSpecificOutput"]["additionalContext"])


@pytest.mark.parametrize("host", ["claude", "gemini"])
def test_a_session_begins_with_the_map_and_leaves_a_proof(
    library: Library, caller: Caller, cli: Callable[..., Ran], host: str
) -> None:
    write(library, request(), caller)
    words = ("hook", "SessionStart", "--host", host, "--library", library.root)
    text = heard(cli(*words, data=event(caller, source="startup")))
    assert FINE.id in text
    assert "wait for a person's `memshelf review`: 1" in text
    assert [(one.host, one.size) for one in deliveries.last(library.common)] == [(host, len(text))]


def test_after_a_compaction_the_task_goes_on(
    library: Library, caller: Caller, cli: Callable[..., Ran]
) -> None:
    write(library, request(), caller)
    words = ("hook", "SessionStart", "--host", "claude", "--library", library.root)
    text = heard(cli(*words, data=event(caller, source="compact")))
    assert "Continue the current task" in text
    assert FINE.id in text


def test_a_long_shelf_is_cut_at_lines(library: Library, caller: Caller, cli: Callable[..., Ran]) -> None:
    for number in range(90):
        write(library, request(id=f"2026-07-10-token-{number}", title=f"Токены, часть {number} " * 4), caller)
    words = ("hook", "SessionStart", "--host", "claude", "--library", library.root)
    text = heard(cli(*words, data=event(caller, source="resume")))
    assert MOST / 2 < len(text) <= MOST
    assert "of 90 episodes" in text
    assert "Folded: " in text


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'"x"', b" " * 5_000_000, b"\xff"])
def test_input_that_is_no_event_stops_nothing(library: Library, cli: Callable[..., Ran], data: bytes) -> None:
    ran = cli("hook", "SessionStart", "--host", "claude", "--library", library.root, data=data)
    assert (ran.code, ran.out, ran.err.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("name", ["Stop", "PreCompact", "SessionEnd", "UserPromptSubmit", "Never"])
def test_an_event_without_words_is_silent(
    library: Library, caller: Caller, cli: Callable[..., Ran], name: str
) -> None:
    ran = cli("hook", name, "--host", "claude", "--library", library.root, data=event(caller))
    assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_no_library_is_one_line(caller: Caller, cli: Callable[..., Ran]) -> None:
    ran = cli("hook", "SessionStart", "--host", "claude", data=event(caller))
    assert (ran.code, ran.out, ran.err.count("\n")) == (0, "", 1)


def test_a_session_of_no_project_is_told_of_no_projects_shelf(
    library: Library, caller: Caller, cli: Callable[..., Ran]
) -> None:
    write(library, request(shelf="homelab", title="A kettle of the home lab"), caller)
    write(library, request(id="2026-07-10-for-all", title="What all may know"), caller)
    words = ("hook", "SessionStart", "--host", "claude", "--library", library.root)
    text = heard(cli(*words, data=event(caller, source="startup")))
    assert "What all may know" in text
    assert "kettle" not in text


def test_a_call_without_a_host_stops_nothing(library: Library, cli: Callable[..., Ran]) -> None:
    ran = cli("hook", "SessionStart", "--library", library.root, data=b"{}")
    assert (ran.code, ran.out) == (0, "")
    assert "--host is one of claude, gemini" in ran.err


@pytest.mark.parametrize("kind", ["researcher", ""])
def test_a_sub_agent_is_told_where_research_goes(
    library: Library, caller: Caller, cli: Callable[..., Ran], kind: str
) -> None:
    write(library, request(), caller)
    words = ("hook", "SubagentStart", "--host", "claude", "--library", library.root)
    ran = cli(*words, data=event(caller, agent_type=kind))
    if kind:
        assert "kept with `write_episode`" in heard(ran)
    else:  # the helper that writes a compaction's summary
        assert (ran.code, ran.out, ran.err) == (0, "", "")
