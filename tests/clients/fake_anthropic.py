"""The Anthropic Messages API, as far as `claude -p` needs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fake_api import FakeApi, Said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fake_api import Call

Content = str | list[dict[str, Any]]
USAGE = {
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


class FakeAnthropic(FakeApi):
    """Answers as a stream of events, or at once when the client wants no stream."""

    def offered(self, body: dict[str, Any]) -> dict[str, str]:
        """Return the tools, deferred ones too."""
        return {tool["name"]: json.dumps(tool) for tool in body.get("tools") or []}

    def at_hand(self, body: dict[str, Any]) -> set[str]:
        """Return the tools that are not deferred, or that the client itself has loaded since."""
        blocks = [block for said in body["messages"] for block in _blocks(said["content"])]
        loaded = {block["tool"]["name"] for block in blocks if block["type"] == "tool_addition"}
        return loaded | {tool["name"] for tool in body["tools"] if not tool.get("defer_loading")}

    def instructions(self, body: dict[str, Any]) -> str:
        """Return the system prompt and the texts of the conversation."""
        return "\n".join(
            (_text(body.get("system", "")), *(_text(said["content"]) for said in body["messages"]))
        )

    def results(self, body: dict[str, Any]) -> list[Said]:
        """Return the texts of the tool_result blocks."""
        blocks = [block for said in body["messages"] for block in _blocks(said["content"])]
        results = [block for block in blocks if block["type"] == "tool_result"]
        return [Said(_text(block["content"]), bool(block.get("is_error"))) for block in results]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """Play the next turn; other questions (counting tokens) get an empty answer."""
        if not path.partition("?")[0].endswith("/messages"):
            return "application/json", "{}"
        call, number = self.turn(body)
        message = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [_block(call, number)],
            "stop_reason": "tool_use" if call else "end_turn",
            "stop_sequence": None,
            "usage": USAGE,
        }
        if not body.get("stream"):
            return "application/json", json.dumps(message)
        events = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(message))
        return "text/event-stream", "".join(events)


def _block(call: Call | None, number: int) -> dict[str, Any]:
    if call is None:
        return {"type": "text", "text": FakeApi.DONE}
    return {"type": "tool_use", "id": f"toolu_{number}", "name": call.tool, "input": call.arguments}


def _events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    block = message["content"][0]
    empty: dict[str, Any]
    if block["type"] == "text":
        empty, delta = {"text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {"input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "message_start", "message": message | {"content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": block | empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": stop, "usage": USAGE}
    yield {"type": "message_stop"}


def _blocks(content: Content) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: Content) -> str:
    """Return the text of a message, a prompt or a result; a tool that was looked up is its name."""
    return "\n".join(block.get("text") or block.get("tool_name") or "" for block in _blocks(content))
