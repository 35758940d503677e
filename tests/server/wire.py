"""How the tests speak to the server: the SDK's client in both eras, and raw lines to a real process."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ErrorData, Implementation, TextContent
from support import FINE

from memshelf.requests import SECTION_FIELDS
from memshelf.server import make_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

T = TypeVar("T")

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""`mode` of the client -> the revision it agrees on with the server."""

PLANTED = "planted-value-1f83d9ab"
"""An argument's value that no answer and no log line may hold."""

GOOD = {name: FINE.section(heading) for name, heading in SECTION_FIELDS.items() if FINE.section(heading)} | {
    "id": "auth-tokens",
    "title": FINE.title,
    "shelf": "shared",
}
"""The arguments of a fine write_episode."""

SECRET = "gh" + "p_" + hashlib.sha256(b"tools").hexdigest()[:36]

WHO = Implementation(name="Test Agent", version="1")
MODERN_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": ERAS["auto"],
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

BROKEN = """
import sys
from dataclasses import replace
from memshelf.server import app

def break_off(library, request, caller):
    raise LookupError(str(request))

app.TOOLS = tuple(replace(tool, command=break_off) for tool in app.TOOLS)
app.serve(sys.argv[1])
"""
"""A server whose every command has a bug that puts the caller's arguments into an exception."""


def converse(library: Path | str, era: str, talk: Callable[[Client], Awaitable[T]]) -> T:
    """Connect to the server in this process and return what `talk` returns."""

    async def go() -> T:
        async with Client(make_server(str(library)), mode=era, client_info=WHO) as client:
            return await talk(client)

    return anyio.run(go)


def refused(library: Path | str, era: str, talk: Callable[[Client], Awaitable[Any]]) -> ErrorData:
    """Return the protocol error in which `talk` ends."""

    async def go(client: Client) -> ErrorData | None:
        try:
            await talk(client)
        except MCPError as error:
            return error.error
        return None

    error = converse(library, era, go)
    assert error, "nothing was refused"
    return error


def call(library: Path | str, era: str, tool: str, arguments: dict[str, Any]) -> CallToolResult:
    """Return the answer to one call, made in this process."""
    return converse(library, era, lambda client: client.call_tool(tool, arguments))


async def answer(client: Client, tool: str, **arguments: object) -> tuple[bool, str]:
    """Call a tool; return whether the answer is an error, and its text."""
    result = await client.call_tool(tool, arguments)
    return bool(result.is_error), text_of(result)


def text_of(result: CallToolResult) -> str:
    """Return the text of an answer."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@asynccontextmanager
async def stdio(library: Path, era: str, errors: Path) -> AsyncIterator[Client]:
    """Start `memshelf serve` as a host does; its stderr goes to the file `errors`."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memshelf", "serve", "--library", str(library)],
        env=dict(os.environ),
    )
    with errors.open("w", encoding="utf-8") as log:
        async with Client(stdio_client(command, errlog=log), mode=era, client_info=WHO) as client:
            yield client


def frame(era: str, number: int, method: str, params: dict[str, Any]) -> str:
    """Return one request as a JSON-RPC line."""
    envelope = {} if era == "legacy" else {"_meta": MODERN_ENVELOPE}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params | envelope}) + "\n"


def opening(era: str) -> list[str]:
    """Return the lines that open a connection: the handshake, or nothing in the modern era."""
    if era != "legacy":
        return []
    hello = {"protocolVersion": ERAS[era], "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    ready = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"
    return [frame(era, 0, "initialize", hello), ready]


def raw(
    command: Sequence[str], lines: Sequence[str], answers: int
) -> tuple[dict[int, dict[str, Any]], int, str]:
    """Send every line before reading any, read `answers` lines, close stdin.

    Returns the messages by their id, the exit code and stderr. Every line on stdout must be a message.
    """
    with subprocess.Popen(
        [sys.executable, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.writelines(lines)
        server.stdin.flush()
        got = [server.stdout.readline() for _ in range(answers)]
        try:
            rest, errors = server.communicate(timeout=60)
        finally:
            server.kill()
    messages = [json.loads(line) for line in (*got, *rest.splitlines())]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return {message.get("id"): message for message in messages}, server.returncode, errors
