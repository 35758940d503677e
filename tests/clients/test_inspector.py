"""The protocol's own Inspector, in both eras, against the command that a client starts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hosts import BAD, EPISODE, GOOD

from memshelf.server.app import INSTRUCTIONS, TEMPLATES
from memshelf.server.prompts import PROMPTS, SHELVE
from memshelf.server.tools import TOOLS

if TYPE_CHECKING:
    from desk import Desk
    from support import Ran

ERAS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
TOOL_FAILED = 5
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "write_episode": (GOOD, f"saved as draft: homelab/{EPISODE}\n"),
    "read_index": ({}, f"\n{EPISODE} · VLANs for the home lab: "),
    "read_episode": ({"id": EPISODE, "sections": ["Decisions"]}, f"## Decisions\n\n{GOOD['decisions']}\n"),
    "search": ({"query": "bridge filtering"}, f"{EPISODE}@draft#Decisions"),
}


def inspect(desk: Desk, era: str, *words: str) -> Ran:
    """Ask the Inspector one thing."""
    return desk.run(
        "mcp-inspector", "--cli", *desk.server, "--protocol-era", era, "--format", "json", "-q", *words
    )


def call(desk: Desk, era: str, tool: str, arguments: dict[str, Any]) -> Ran:
    """Call a tool."""
    given = json.dumps(arguments)
    return inspect(desk, era, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", given)


@pytest.mark.parametrize("era", ERAS)
def test_it_introduces_itself(desk: Desk, era: str) -> None:
    said = inspect(desk, era, "--method", "initialize")

    assert said.code == 0, said.err
    result = json.loads(said.out)["result"]
    assert result["serverInfo"]["name"] == "memshelf"
    assert result["protocolVersion"] == ERAS[era]
    assert result["instructions"].removeprefix(INSTRUCTIONS) == (
        "When this session began: 0 episodes on homelab and shared."
    )


@pytest.mark.parametrize("era", ERAS)
def test_its_schemas_are_portable_and_its_hints_arrive(desk: Desk, era: str) -> None:
    said = inspect(desk, era, "--strict", "--method", "tools/list")

    assert (said.code, said.err) == (0, "")
    listed = {tool["name"]: tool for tool in json.loads(said.out)["result"]["tools"]}
    assert list(listed) == [tool.name for tool in TOOLS]
    assert all(listed[tool.name]["inputSchema"] == tool.schema for tool in TOOLS)
    assert {name for name, tool in listed.items() if not tool["annotations"]["readOnlyHint"]} == {
        "write_episode"
    }


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_answers(desk: Desk, era: str) -> None:
    assert set(CALLS) == {tool.name for tool in TOOLS}
    for tool, (arguments, answer) in CALLS.items():
        said = call(desk, era, tool, arguments)

        assert said.code == 0, said.err
        assert answer in json.loads(said.out)["result"]["content"][0]["text"]


@pytest.mark.parametrize("era", ERAS)
def test_a_refusal_counts_as_the_tools_error(desk: Desk, era: str) -> None:
    said = call(desk, era, "write_episode", BAD)

    assert said.code == TOOL_FAILED
    result = json.loads(said.out)["result"]
    assert result["isError"]
    assert result["content"][0]["text"].startswith("refused, nothing was written:\n")


@pytest.mark.parametrize("era", ERAS)
def test_its_resources_are_listed_and_read(desk: Desk, era: str) -> None:
    assert call(desk, era, "write_episode", GOOD).code == 0

    def result(*words: str) -> Any:
        said = inspect(desk, era, "--method", *words)
        assert said.code == 0, said.err
        return json.loads(said.out)["result"]

    listed = [resource["uri"] for resource in result("resources/list")["resources"]]
    templates = result("resources/templates/list")["resourceTemplates"]
    assert "memshelf://homelab/index" in listed
    assert [template["uriTemplate"] for template in templates] == [uri for uri, *_ in TEMPLATES]
    for uri, text in (
        ("memshelf://homelab/index", f"\n{EPISODE} · VLANs for the home lab: "),
        (f"memshelf://homelab/{EPISODE}", f"## Decisions\n\n{GOOD['decisions']}\n"),
        (f"memshelf://homelab/{EPISODE}#Decisions", f"## Decisions\n\n{GOOD['decisions']}\n"),
    ):
        (part,) = result("resources/read", "--uri", uri)["contents"]
        assert part["mimeType"] == "text/markdown"
        assert text in part["text"]


@pytest.mark.parametrize("era", ERAS)
def test_its_prompts_are_listed_and_given(desk: Desk, era: str) -> None:
    listed = inspect(desk, era, "--method", "prompts/list")
    given = inspect(
        desk,
        era,
        "--method",
        "prompts/get",
        "--prompt-name",
        "shelve",
        "--prompt-args",
        "topic=VLANs",
    )

    assert [prompt["name"] for prompt in json.loads(listed.out)["result"]["prompts"]] == [
        prompt.name for prompt in PROMPTS
    ]
    (message,) = json.loads(given.out)["result"]["messages"]
    assert message["content"]["text"].startswith(SHELVE)
    assert "\nVLANs\n</memshelf-topic" in message["content"]["text"]
