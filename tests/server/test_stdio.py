"""The server as a process: real stdio, real git, what stands on stdout and on stderr."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

import anyio
from support import git
from wire import BROKEN, ERAS, GOOD, PLANTED, SECRET, answer, frame, opening, raw, stdio

from memshelf import __version__
from memshelf.store import clock

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.store.library import Library

SERVE = ("-m", "memshelf", "serve", "--library")
PIPELINED = 12


def test_a_host_starts_it_and_calls_every_tool(library: Library, era: str, tmp_path: Path) -> None:
    errors, episode_id = tmp_path / "stderr", f"{clock.today()}-auth-tokens"

    async def work() -> None:
        async with stdio(library.root, era, errors) as client:
            assert client.protocol_version == ERAS[era]
            assert client.server_info
            assert client.server_info.version == __version__
            assert client.instructions
            assert len((await client.list_tools()).tools) == 4
            refused, said = await answer(client, "write_episode", **GOOD)
            assert (refused, said.split(":")[0]) == (False, "saved as draft")
            for tool, arguments in (
                ("read_index", {}),
                ("read_episode", {"id": episode_id}),
                ("search", {"query": "signed tokens"}),
            ):
                refused, said = await answer(client, tool, **arguments)
                assert not refused
                assert episode_id in said

    anyio.run(work)

    assert errors.read_text(encoding="utf-8") == ""
    stored = git(library.root, "show", f"refs/memshelf/draft/shared/{episode_id}:{episode_id}.md")
    assert "client: [test-agent]\n" in stored


def test_pipelined_writes_are_all_answered_and_all_stored(library: Library, era: str) -> None:
    hello = opening(era)
    writes = [
        frame(era, number, "tools/call", {"name": "write_episode", "arguments": GOOD | {"id": f"n-{number}"}})
        for number in range(1, PIPELINED + 1)
    ]

    messages, code, errors = raw([*SERVE, str(library.root)], hello + writes, PIPELINED + bool(hello))

    stored = dict(
        reversed(line.split(" "))
        for line in git(
            library.root, "for-each-ref", "--format=%(objectname) %(refname)", "refs/memshelf/draft/"
        ).splitlines()
    )
    assert len(stored) == PIPELINED
    for number in range(1, PIPELINED + 1):
        said = messages[number]["result"]["content"][0]["text"]
        draft = f"shared/{clock.today()}-n-{number}"
        assert said.startswith(f"saved as draft: {draft}\n")
        assert f"commit {stored['refs/memshelf/draft/' + draft]}\n" in said
    assert (code, errors) == (0, "")


def test_a_missing_library_is_told_on_stderr_and_at_each_call(tmp_path: Path, era: str) -> None:
    nowhere = tmp_path / "nowhere"
    hello = opening(era)
    calls = [frame(era, at, "tools/call", {"name": "read_index", "arguments": {}}) for at in (1, 2)]

    messages, code, errors = raw([*SERVE, str(nowhere)], hello + calls, 2 + bool(hello))

    for at in (1, 2):
        assert messages[at]["result"]["isError"]
        assert "does not exist: check the path, or make one with `memshelf init" in str(messages[at])
    assert errors.startswith(f"memshelf: {nowhere} does not exist: check the path")
    assert code == 0


def test_no_value_of_a_bad_call_reaches_stdout_or_stderr(empty: Path, era: str) -> None:
    bad = [
        {"name": "read_index", "arguments": {"budget": PLANTED}},
        {"name": "read_index", "arguments": {PLANTED: PLANTED}},
        {"name": "read_episode", "arguments": {"id": f"../{PLANTED}#{PLANTED}"}},
        {"name": "read_index", "arguments": {"cursor": PLANTED}},
        {"name": "write_episode", "arguments": GOOD | {"id": PLANTED.upper(), "tags": [SECRET]}},
        {"name": "write_episode", "arguments": GOOD | {"digest": f"We kept {SECRET}."}},
        {"name": "search", "arguments": [PLANTED]},
        {"name": "search", "arguments": PLANTED},
        {"name": {"of": PLANTED}, "arguments": {}},
        {"name": PLANTED, "arguments": {}},
    ]
    hello = opening(era)
    lines = hello + [frame(era, at, "tools/call", params) for at, params in enumerate(bad, 1)]
    lines += [frame(era, len(bad) + 1, PLANTED, {"value": PLANTED})]

    messages, code, errors = raw([*SERVE, str(empty)], lines, len(bad) + 1 + bool(hello))

    answers = [messages[at] for at in range(1, len(bad) + 1)]
    assert all(said.get("error") or said["result"]["isError"] for said in answers)
    assert "error" in messages[len(bad) + 1]
    assert PLANTED not in str(messages[len(bad) + 1])
    assert PLANTED not in str(answers)
    assert SECRET not in str(answers)
    assert (code, errors) == (0, "")


def test_a_bug_leaves_its_type_and_place_on_stderr_and_the_server_alive(empty: Path, era: str) -> None:
    hello = opening(era)
    calls = [
        frame(era, 1, "tools/call", {"name": "write_episode", "arguments": GOOD | {"title": PLANTED}}),
        frame(era, 2, "tools/call", {"name": "search", "arguments": {"query": PLANTED}}),
    ]

    messages, code, errors = raw(["-c", BROKEN, str(empty)], hello + calls, 2 + bool(hello))

    assert all(messages[at]["result"]["isError"] for at in (1, 2))
    assert PLANTED not in str(messages)
    assert PLANTED not in errors
    lines = errors.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("memshelf: bug: LookupError at answers.py:") for line in lines)
    assert code == 0


def test_a_client_that_hangs_up_has_every_call_answered_first(library: Library, era: str) -> None:
    calls = [
        frame(era, number, "tools/call", {"name": "write_episode", "arguments": GOOD | {"id": f"n-{number}"}})
        for number in range(1, 4)
    ]

    messages, code, errors = raw([*SERVE, str(library.root)], opening(era) + calls, answers=0)

    assert [messages[number]["result"]["isError"] for number in range(1, 4)] == [False, False, False]
    assert (code, errors) == (0, "")


def test_a_line_that_is_no_message_is_answered_and_not_repeated(empty: Path, era: str) -> None:
    call = frame(era, 1, "tools/call", {"name": "search", "arguments": {"query": "HALF"}})
    lines = [*opening(era), frame(era, 2, "tools/list", {}), f"{PLANTED}\n", call.replace("HALF", "\\ud83d")]

    messages, code, errors = raw([*SERVE, str(empty)], lines, answers=0)

    assert messages[None]["error"]["code"] == -32700  # type: ignore[index] # JSON-RPC's id of no request
    assert PLANTED not in str(messages)
    assert "result" in messages[2]
    assert "result" in messages[1], "half a surrogate pair is answered to its own id"
    assert (code, errors) == (0, "")


def test_a_client_that_closes_our_stdout_ends_it_without_a_word(library: Library, era: str) -> None:
    command = [sys.executable, *SERVE, str(library.root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, encoding="utf-8", **pipes) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        server.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            server.stdin.write("".join([*opening(era), *(frame(era, n, "tools/list", {}) for n in range(5))]))
            server.stdin.close()
        assert (server.wait(30), server.stderr.read()) == (0, "")
