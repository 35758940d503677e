"""The four tools in both protocol eras, through the SDK's own client in this process."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from wire import ERAS, GOOD, SECRET, answer, call, converse, text_of

from memshelf import __version__
from memshelf.requests import IndexRequest, ReadRequest, SearchRequest, WriteRequest, build
from memshelf.server.tools import TOOLS
from memshelf.store import clock

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

    from memshelf.store.library import Library


def test_a_client_is_told_what_this_is_and_when_to_call_it(empty: Path, era: str) -> None:
    async def look(client: Client) -> tuple[Any, str, str]:
        return client.server_info, client.instructions or "", client.protocol_version

    server, instructions, version = converse(empty, era, look)

    assert version == ERAS[era]
    assert (server.name, server.version) == ("memshelf", __version__)
    assert server.title == "MemShelf: memory across sessions"
    first = instructions.split(".")[0]
    assert "earlier sessions decided" in first
    assert "call read_index when a session starts" in first
    assert len(instructions) <= 2000
    assert all(tool.name in instructions for tool in TOOLS if tool.name != "search")


def test_four_tools_are_listed_with_true_annotations_and_closed_schemas(empty: Path, era: str) -> None:
    listed = converse(empty, era, lambda client: client.list_tools()).tools

    hints = {
        tool.name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
            tool.annotations.open_world_hint,
        )
        for tool in listed
        if tool.annotations
    }
    reads = (True, False, True, False)
    assert hints == {
        "read_index": reads,
        "read_episode": reads,
        "write_episode": (False, False, True, False),
        "search": reads,
    }
    assert all(tool.title and tool.description for tool in listed)
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed)
    assert sum((tool.meta or {}).get("anthropic/alwaysLoad", False) for tool in listed) == 3


def test_the_schemas_as_sent_take_1800_tokens_at_most(empty: Path, era: str) -> None:
    listed = converse(empty, era, lambda client: client.list_tools())

    sent = json.dumps(listed.model_dump(mode="json", by_alias=True, exclude_none=True), separators=(",", ":"))
    assert len(listed.tools) == 4
    assert len(sent) / 4 <= 1800


def test_a_tool_takes_exactly_what_its_request_holds(empty: Path, era: str) -> None:
    listed = converse(empty, era, lambda client: client.list_tools()).tools

    taken = {tool.name: set(tool.input_schema["properties"]) for tool in listed}
    required = {tool.name: tool.input_schema.get("required", []) for tool in listed}
    requests = (IndexRequest, ReadRequest, WriteRequest, SearchRequest)
    assert [*taken.values()] == [set(request._fields) for request in requests]
    assert required == {
        "read_index": [],
        "read_episode": ["id"],
        "write_episode": ["id"],
        "search": ["query"],
    }


def test_an_agent_keeps_a_topic_and_finds_it_again(library: Library, era: str) -> None:
    episode_id = f"{clock.today()}-auth-tokens"

    async def work(client: Client) -> None:
        ask = partial(answer, client)
        assert "No episodes yet on homelab, shared" in (await ask("read_index"))[1]
        refused, said = await ask("write_episode", **GOOD | {"digest": "We moved on."})
        assert refused
        assert 'says "We": name the actor' in said
        assert "No episodes yet" in (await ask("read_index"))[1]
        refused, said = await ask("write_episode", **GOOD)
        assert not refused
        assert said.startswith(f"saved as draft: shared/{episode_id}\n")
        assert f"{episode_id} · Auth tokens" in (await ask("read_index"))[1]
        assert f"shared/{episode_id}@draft#" in (await ask("search", query="signed tokens"))[1]
        refused, read = await ask("read_episode", id=f"shared/{episode_id}", sections="Decisions")
        assert not refused
        assert f"shared/{episode_id}@draft draft rev: {_rev(said)}\n" in read
        assert GOOD["decisions"] in read
        assert GOOD["open_threads"] not in read

    converse(library.root, era, work)


def test_an_agent_amends_only_the_text_it_has_read(library: Library, era: str) -> None:
    change = {"id": f"{clock.today()}-auth-tokens", "shelf": "shared", "amend": True, "open_threads": "None."}

    async def work(client: Client) -> None:
        ask = partial(answer, client)
        rev = _rev((await ask("write_episode", **GOOD))[1])
        refused, said = await ask("write_episode", **change)
        assert refused
        assert f"an amend must quote rev: read_episode shared/{change['id']}@draft prints it" in said
        refused, said = await ask("write_episode", **change, rev=rev)
        assert not refused
        read = (await ask("read_episode", id=change["id"]))[1]
        assert _rev(said) in read
        assert "## Open threads\n\nNone.\n" in read
        assert GOOD["decisions"] in read
        refused, said = await ask("write_episode", **change | {"notes": "late"}, rev=rev)
        assert refused
        assert f"rev is stale, the text has changed: read_episode shared/{change['id']}@draft" in said
        assert (await ask("read_episode", id=change["id"]))[1] == read

    converse(library.root, era, work)


def _rev(said: str) -> str:
    words = said.split()
    return words[words.index("rev") + 1]


def test_only_search_answers_with_data(library: Library, era: str) -> None:
    call(library.root, era, "write_episode", GOOD)
    asked = {
        "read_index": {},
        "read_episode": {"id": f"{clock.today()}-auth-tokens"},
        "write_episode": GOOD,
        "search": {"query": "tokens"},
    }
    results = {tool: call(library.root, era, tool, arguments) for tool, arguments in asked.items()}

    assert not any(result.is_error for result in results.values())
    assert [tool for tool, result in results.items() if result.structured_content] == ["search"]
    assert "already saved" in text_of(results["write_episode"])


def test_search_gives_the_same_facts_as_data_and_as_text(library: Library, era: str) -> None:
    call(library.root, era, "write_episode", GOOD)
    result = call(library.root, era, "search", {"query": "server sessions"})

    data, said = result.structured_content or {}, text_of(result)
    (hit,) = data["hits"]
    assert data["outcome"] == "found"
    assert said.startswith("found: 1 hit in 1 episode on homelab, shared\n")
    address = hit["address"]
    assert address == f"{hit['shelf']}/{hit['id']}@draft#{hit['section']}"
    assert f"{address} [{hit['state']}] · {hit['title']}\n  {hit['snippet']}" in said
    assert not call(library.root, era, "read_episode", {"id": address}).is_error


def test_an_argument_that_a_host_adds_for_itself_is_not_ours(empty: Path, era: str) -> None:
    assert not call(empty, era, "read_index", {"wait_for_previous": True}).is_error


def test_a_hit_on_another_shelf_is_an_answer_and_not_an_error(library: Library, era: str) -> None:
    call(library.root, era, "write_episode", GOOD)
    result = call(library.root, era, "search", {"query": "signed tokens", "shelf": "homelab"})

    assert not result.is_error
    assert (result.structured_content or {})["outcome"] == "wrong scope"
    assert "Another shelf has it, shared: name that shelf." in text_of(result)


def test_arguments_may_come_as_text(library: Library, era: str) -> None:
    loose = GOOD | {
        "tags": "auth, web",
        "supersedes": '["2026-07-01-sessions"]',
        "extra": '{"Numbers": "4 ms a signature."}',
        "approx_tokens": "12000",
        "dry_run": "False",
        "notes": None,
        "amend": None,
    }

    assert not call(library.root, era, "write_episode", loose).is_error
    stored = text_of(call(library.root, era, "read_episode", {"id": f"{clock.today()}-auth-tokens"}))

    assert "tags: [auth, web]\n" in stored
    assert (
        'supersedes: ["2026-07-01-sessions"]\n' in stored or "supersedes: [2026-07-01-sessions]\n" in stored
    )
    assert "approx_tokens: 12000\n" in stored
    assert "## Numbers\n\n4 ms a signature.\n" in stored
    assert "notes" not in stored


@pytest.mark.parametrize(
    ("name", "loose", "strict"),
    [
        ("tags", "a,b , c,", ("a", "b", "c")),
        ("tags", ["a, b"], ("a, b",)),
        ("tags", ' ["a", "b"]', ("a", "b")),
        ("tags", "", ()),
        ("approx_tokens", " 12 ", 12),
        ("dry_run", "TRUE", True),
        ("amend", "false", False),
        ("extra", '{"Numbers": "4"}', {"Numbers": "4"}),
        ("extra", {"Numbers": "4"}, {"Numbers": "4"}),
        ("summary", None, None),
    ],
)
def test_a_loose_value_is_read_as_what_it_means(name: str, loose: object, strict: object) -> None:
    assert getattr(build(WriteRequest, {"id": "x", name: loose}), name) == strict


def test_a_write_is_answered_in_150_tokens(library: Library, era: str) -> None:
    long = GOOD | {
        "id": "auth-tokens-" + "-".join(["words"] * 9),
        "decisions": f"key {SECRET}",
        "title": SECRET,
    }
    result = call(library.root, era, "write_episode", long)

    assert not result.is_error
    assert "redacted: github-token in title, github-token in decisions" in text_of(result)
    assert SECRET not in result.model_dump_json()
    assert len(text_of(result)) / 4 <= 150
