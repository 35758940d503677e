"""A stdio MCP client that tells what goes over the wire."""

from __future__ import annotations

import json
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from mcp import Client, StdioServerParameters
from mcp.types import Implementation, TextContent

from memshelf import __version__

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

WIDTH = 100


class Wire:
    """One client's connection; each call is said as it goes out and as it comes back."""

    def __init__(self, client: Client, say: Callable[[str], None]) -> None:
        """Keep the connection and the voice."""
        self._client = client
        self._say = say

    async def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool, say both directions, and return the answer's text."""
        self._say(f"  -> tools/call {tool}")
        for name, value in arguments.items():
            self._say(_short(f"     {name}: {json.dumps(value, ensure_ascii=False)}"))
        result = await self._client.call_tool(tool, arguments)
        text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
        self._say("  <- isError: true" if result.is_error else "  <-")
        for line in text.split("\n"):
            self._say(f"     {line}")
        return text


@asynccontextmanager
async def connect(name: str, library: Path, say: Callable[[str], None]) -> AsyncIterator[Wire]:
    """Start the server as a client called `name` would, and end it afterwards."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "memshelf", "serve", "--library", str(library)],
        env=dict(os.environ),
    )
    async with Client(server, client_info=Implementation(name=name, version=__version__)) as client:
        yield Wire(client, say)


def _short(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
