"""CLI and MCP are two spellings of the same commands: neither may drift."""

from __future__ import annotations

import importlib
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.types import Implementation
from support import FINE, request

import memshelf.cli
from memshelf.cli import VERBS, Parser, options
from memshelf.commands.write import write
from memshelf.requests import arguments, build, shape
from memshelf.server import make_server
from memshelf.server.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.types import CallToolResult
    from support import Ran

    from memshelf.requests import Caller
    from memshelf.server.tools import Tool
    from memshelf.store.library import Library

VERB_OF = {"read_index": "index", "read_episode": "read", "write_episode": "write", "search": "search"}
CLI_ONLY = {"write": {"file"}, "search": {"words"}}
"""Positional words of a verb that stand for several arguments, or for one that has a flag too."""

ARGUMENTS = {
    "read_index": "shelf tag since budget cursor",
    "read_episode": "id sections query budget cursor",
    "write_episode": "id title kind digest decisions open_threads sources timeline expected actual artifacts "
    "raw_excerpts extra tags span form summary approx_tokens supersedes notes shelf amend rev dry_run",
    "search": "query shelf kind tag since until state limit budget cursor semantic",
}
"""Tool -> the arguments that clients rely on. One more, or one less, is a change of the interface."""

SAMPLES = {"str": "text", "int": 7, "bool": True, "tuple": ["one", "two"], "dict": {"Cost": "None."}}
ERAS = ("legacy", "auto")
SCHEMA_TOKENS = 1800

PINNED = """
init DIR
write FILE --shelf S --json --library DIR
write - --shelf S --json --library DIR
write FILE --amend --rev R --library DIR
index --library DIR
read ID --section NAME --library DIR
read ID --library DIR
search WORD WORD --shelf S --limit 5 --json --library DIR
doctor --library DIR
render --library DIR
render --check --library DIR
sync --library DIR
publish --library DIR
review accept ID ID --library DIR
rollup --id ID --digest TEXT --episode ID --episode ID --library DIR
serve --library DIR
hook EVENT --host claude --library DIR
hook EVENT --host gemini --library DIR
redact --jsonl --library DIR
check FILE FILE
""".strip().split("\n")
"""Command lines that users' scripts rely on; one counts as soon as its verb exists."""


def parser_of(verb: str) -> Parser:
    parser = Parser(verb)
    importlib.import_module(f"memshelf.cli.{verb}").configure(parser)
    return parser


def names(tool: Tool) -> set[str]:
    return set(tool.request._fields)


def sample(tool: Tool, name: str) -> Any:
    choices = arguments(tool.request)[name].choices
    return choices[0] if choices else SAMPLES[shape(tool.request, name)]


def flags(name: str, value: Any) -> list[str]:
    """Return the words that pass `value` on the command line."""
    if value is True:
        return [options.flag(name)]
    if isinstance(value, dict):
        value = [f"{key}={text}" for key, text in value.items()]
    return [
        word
        for item in (value if isinstance(value, list) else [value])
        for word in (options.flag(name), str(item))
    ]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_request_fields_schema_properties_and_flags_are_the_same(tool: Tool) -> None:
    verb = VERB_OF[tool.name]
    common = ("help", "library", "json", "no_pager")
    actions = [action for action in parser_of(verb)._actions if action.dest not in common]
    arguments = {action.dest for action in actions}
    assert set(tool.schema["properties"]) == names(tool) == set(ARGUMENTS[tool.name].split())
    spelt = {action.dest for action in actions if options.flag(action.dest) in action.option_strings}
    assert spelt == {action.dest for action in actions if action.option_strings}
    assert arguments - CLI_ONLY.get(verb, set()) == names(tool)
    assert tool.command.__name__ == verb
    assert tool.command.__annotations__["request"] == tool.request.__name__


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_same_values_make_the_same_request_through_both_doors(tool: Tool) -> None:
    values = {name: sample(tool, name) for name in sorted(names(tool))}
    parser = parser_of(VERB_OF[tool.name])
    positional = {action.dest for action in parser._actions if not action.option_strings}
    words = [word for name, value in values.items() if name not in positional for word in flags(name, value)]
    words += [str(values[name]) for name in sorted(positional & names(tool))]
    assert options.request_of(parser.parse(words), tool.request) == build(tool.request, values)


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if not tool.writes], ids=lambda tool: tool.name)
def test_a_reading_command_looks_at_every_argument_it_takes(
    library: Library, caller: Caller, tool: Tool
) -> None:
    write(library, request(), caller)
    seen = set()

    class Spy(tool.request):  # type: ignore[misc,name-defined] # which request it is, the tool says
        def __getattribute__(self, name: str) -> Any:
            seen.add(name)
            return super().__getattribute__(name)

    needed = {"id": FINE.id, "query": "tokens"}
    tool.command(library, Spy(**{name: needed[name] for name in names(tool) & needed.keys()}), caller)
    assert names(tool) <= seen


def test_every_verb_is_one_module_and_every_module_one_verb() -> None:
    folder = Path(memshelf.cli.__file__).parent
    modules = {
        path.stem: importlib.import_module(f"memshelf.cli.{path.stem}") for path in folder.glob("[!_]*.py")
    }
    verbs = {name for name, module in modules.items() if {"configure", "run"} <= vars(module).keys()}
    assert verbs == set(VERBS)


@pytest.mark.parametrize("line", [line for line in PINNED if line.split()[0] in VERBS])
def test_a_pinned_command_line_parses(line: str) -> None:
    verb, *words = shlex.split(line)
    parser_of(verb).parse(words)


def ask(era: str, library: str | None, work: Callable[[Client], Any], name: str = "test-client") -> Any:
    """Do `work` over a real client in memory that calls itself `name`."""
    who = Implementation(name=name, version="1")

    async def talk() -> Any:
        server = make_server(library)
        async with Client(server, mode=era, raise_exceptions=True, client_info=who) as client:
            return await work(client)

    return anyio.run(talk)


@pytest.mark.parametrize("era", ERAS)
def test_four_tools_are_listed_and_cost_little(era: str) -> None:
    listing = ask(era, None, lambda client: client.list_tools())
    assert [tool.name for tool in listing.tools] == ["read_index", "read_episode", "write_episode", "search"]
    sent = listing.model_dump(mode="json", by_alias=True, exclude_none=True)["tools"]
    text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
    assert len(text) / 4 <= SCHEMA_TOKENS, (
        f"{len(text) // 4} tokens, limit {SCHEMA_TOKENS}: shorten what the arguments say"
    )


async def keep_fine(client: Client) -> CallToolResult:
    values = request()._asdict()
    passed = {name: value for name, value in values.items() if value is not None}
    return await client.call_tool("write_episode", passed)


@pytest.mark.parametrize("era", ERAS)
def test_a_host_is_called_what_people_call_it(library: Library, run: Callable[..., Ran], era: str) -> None:
    assert not ask(era, str(library.root), keep_fine, "Gemini-CLI-mcp-client").is_error
    read = run("read", FINE.id, "--library", library.root)
    assert "\nclient: [gemini-cli]\n" in read.out


@pytest.mark.parametrize("era", ERAS)
def test_what_one_door_writes_the_other_reads(library: Library, run: Callable[..., Ran], era: str) -> None:
    answer = ask(era, str(library.root), keep_fine)
    assert not answer.is_error
    assert f"saved as draft: shared/{FINE.id}" in answer.content[0].text
    read = run("read", FINE.id, "--section", "Digest", "--library", library.root)
    assert read.code == 0
    assert FINE.digest in read.out


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("no_such_tool", {}),
        ("read_index", {"shelff": "secret-value"}),
        ("read_index", {"budget": "secret-value"}),
        ("read_episode", {}),
        ("write_episode", {"id": "x", "kind": "secret-value"}),
        ("search", {"query": "x", "limit": "secret-value"}),
    ],
)
def test_a_refusal_is_an_error_result_that_repeats_no_value(
    library: Library, era: str, tool: str, arguments: dict[str, Any]
) -> None:
    answer = ask(era, str(library.root), lambda client: client.call_tool(tool, arguments))
    assert answer.is_error
    assert answer.content[0].text
    assert "secret-value" not in answer.model_dump_json()
