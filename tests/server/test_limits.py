"""What clients cut or replace: no answer is longer, however large and hostile the library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from mcp.shared.exceptions import MCPError
from support import TODAY, git
from wire import GOOD, PLANTED, converse, text_of

from memshelf.commands.init import init
from memshelf.server import uris
from memshelf.server.uris import Target
from memshelf.text import tokens

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

CHARACTERS = 50_000
TOKENS = 25_000
ERROR = 10_000
LARGE = 100_000
"""What read_episode declares in `anthropic/maxResultSizeChars`."""

EPISODES = {"latin": 400}
"""Enough for every answer to be cut; FEW of the other scripts, whose large episode is enough."""

FEW = 60
BIG = "2026-06-30-big"
WIDE = "2026-06-30-wide"
TEXT = {
    "latin": "The team chose signed tokens (server sessions tie a user to a node).\n",
    "emoji": "決定🎉" * 40 + "\n",
}


def episode(episode_id: str, title: str, body: str) -> str:
    sections = "\n".join(f"## {name}\n\n{body}\n" for name in ("Decisions", "Open threads", "Sources"))
    digest = "The team chose tokens. Open: rotation."
    return f'---\nid: {episode_id}\nkind: topic\ntitle: "{title}"\n---\n\n## Digest\n\n{digest}\n\n{sections}'


@pytest.fixture(scope="session", params=TEXT)
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a library with one episode of 2 MB and one of 2,000 headings, filled with one script."""
    root = tmp_path_factory.mktemp("hostile") / "library"
    init(root, [], today=TODAY)
    docs, text = root / "shelves/shared/docs/topics", TEXT[request.param]
    docs.mkdir(parents=True, exist_ok=True)
    title = " ".join(text.split())[:110]
    for number in range(EPISODES.get(request.param, FEW)):
        name = f"2026-0{1 + number % 6}-{1 + number % 28:02}-n-{number}"
        (docs / f"{name}.md").write_text(episode(name, title, "tokens"), encoding="utf-8")
    once = len((text * 3).encode())
    (docs / f"{BIG}.md").write_text(
        episode(BIG, title, text * ((1_990_000 if request.param in EPISODES else 300_000) // once)),
        encoding="utf-8",
    )
    headings = "\n".join(f"## {'Heading ' * 12}{number}\n\nx\n" for number in range(2_000))
    (docs / f"{WIDE}.md").write_text(episode(WIDE, title, "x") + headings, encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "many")
    return root


def test_every_answer_stays_within_what_clients_take(hostile: Path) -> None:
    asked: tuple[tuple[str, dict[str, Any], int], ...] = (
        ("read_index", {}, CHARACTERS),
        ("read_index", {"budget": 20_000}, CHARACTERS),
        ("read_episode", {"id": BIG}, CHARACTERS),
        ("read_episode", {"id": BIG, "budget": 20_000}, LARGE),
        ("read_episode", {"id": WIDE, "budget": 20_000}, LARGE),
        ("search", {"query": "tokens chose"}, CHARACTERS),
        ("search", {"query": "tokens chose", "limit": 300, "budget": 20_000}, CHARACTERS),
        ("write_episode", GOOD | {"dry_run": True}, CHARACTERS),
    )
    read = [
        uris.spell(target)
        for target in (
            Target("shared"),
            Target("shared", BIG),
            Target("shared", WIDE),
            Target("shared", BIG, "Sources"),
        )
    ]

    async def work(client: Client) -> list[tuple[str, str, int]]:
        got = []
        for tool, arguments, most in asked:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, text_of(result)
            got.append((tool, text_of(result), most))
            got.append((f"{tool} data", json.dumps(result.structured_content, ensure_ascii=False), most))
        for uri in read:
            got.append((uri, (await client.read_resource(uri)).contents[0].text, CHARACTERS))  # type: ignore[union-attr]
        for about in ({}, {"about": BIG}, {"about": "tokens"}):
            result = await client.get_prompt("resume", about)
            got.append(("resume", result.messages[0].content.text, CHARACTERS))  # type: ignore[union-attr]
        return got

    for name, text, most in converse(hostile, "auto", work):
        assert len(text) <= most, name
        assert tokens(text) <= TOKENS, name


def test_the_text_of_every_error_stays_within_what_clients_take(hostile: Path) -> None:
    wrong = "Digest that says nothing at all " * 20_000
    refused: tuple[tuple[str, dict[str, Any]], ...] = (
        ("read_episode", {"id": "2026-01-01-nn"}),
        ("read_episode", {"id": WIDE, "sections": [PLANTED]}),
        ("read_index", {f"a{number}": 1 for number in range(5_000)}),
        ("search", {f"a{number}": 1 for number in range(5_000)}),
        ("write_episode", GOOD | {"digest": wrong, "kind": "session"}),
        ("write_episode", {"id": "x", "shelf": "shared", "extra": {f"h{at}\n": "" for at in range(3_000)}}),
    )

    async def work(client: Client) -> list[str]:
        got = [await client.call_tool(tool, arguments) for tool, arguments in refused]
        assert all(result.is_error for result in got)
        try:
            await client.read_resource(uris.spell(Target("shared", WIDE, PLANTED)))
        except MCPError as error:
            return [*map(text_of, got), error.error.message]
        return []

    said = converse(hostile, "auto", work)

    assert said
    assert max(map(len, said)) <= ERROR
