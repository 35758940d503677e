"""Between stdio and the server: answers what cannot be read, and every call of a client that hangs up."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp.types import (
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from anyio.abc import ObjectSendStream
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

GRACE = 60.0
"""Seconds that calls may still take once the client has closed its end."""

STREAM = "subscriptions/listen"
UNREADABLE = "not a JSON-RPC message: write one JSON object a line, in UTF-8"


@dataclass(frozen=True, slots=True)
class Open:
    """The calls that wait for an answer: their ids and methods."""

    ids: dict[int | str, str] = field(default_factory=dict)

    def came(self, message: object) -> None:
        """Note a message of the client's; a stream of notices has no answer to wait for."""
        if isinstance(message, JSONRPCRequest) and message.method != STREAM:
            self.ids[message.id] = message.method
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self.ids.pop((message.params or {}).get("requestId", ""), "")

    def went(self, message: object) -> str:
        """Note a message of the server's; return the method that it answers, empty for a notice."""
        return self.ids.pop(getattr(message, "id", ""), "")


@asynccontextmanager
async def relayed(
    reader: ReadStream[SessionMessage | Exception],
    writer: WriteStream[SessionMessage],
    answered: Callable[[str], None],
) -> AsyncIterator[tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]]:
    """Yield streams for the server that end only when every call has been answered.

    `answered` is called with the method of each request once its answer has gone out.

    The SDK drops an unreadable line in silence, and the open calls of a client that has closed its end.
    """
    calls = Open()
    inward, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    server_writes, outward = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_inward, reader, inward, server_writes.clone(), calls)
        tasks.start_soon(_outward, outward, writer, calls, answered)
        yield server_reads, server_writes
        await server_writes.aclose()


async def _inward(
    reader: ReadStream[SessionMessage | Exception],
    inward: MemoryObjectSendStream[SessionMessage | Exception],
    answers: ObjectSendStream[SessionMessage],
    calls: Open,
) -> None:
    async with inward, answers:
        async for item in reader:
            message = _repaired(item) if isinstance(item, Exception) else item
            if message is None:
                await answers.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=_unreadable())))
                continue
            calls.came(message.message)
            await inward.send(message)
        with anyio.move_on_after(GRACE):
            while calls.ids:
                await anyio.sleep(0.02)


async def _outward(
    outward: MemoryObjectReceiveStream[SessionMessage],
    writer: WriteStream[SessionMessage],
    calls: Open,
    answered: Callable[[str], None],
) -> None:
    async with outward, writer:
        async for item in outward:
            if isinstance(item.message, JSONRPCError) and item.message.error.code == METHOD_NOT_FOUND:
                item.message.error.data = None  # the SDK repeats the name there, whatever it is
            await writer.send(item)
            method = calls.went(item.message)
            if method:
                answered(method)


def _repaired(error: Exception) -> SessionMessage | None:
    """Return the message that the SDK could not read for half a surrogate pair, with `?` in its place."""
    try:
        line = error.errors()[0]["input"]  # type: ignore[attr-defined] # pydantic's, which the SDK hands on
        whole = json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8", "replace")
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError):
        return None


def _unreadable() -> ErrorData:
    return ErrorData(code=PARSE_ERROR, message=UNREADABLE)
