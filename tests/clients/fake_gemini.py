"""The Gemini API (generateContent, streamGenerateContent, countTokens), as far as `gemini -p` needs it."""

from __future__ import annotations

import json
from typing import Any

from fake_api import FakeApi, Said

ROUTING = {"reasoning": "none", "model_choice": "pro", "complexity_score": 50, "complexity_reasoning": "none"}
"""What the client's own side questions (which model, who speaks next) take as an answer."""


class FakeGemini(FakeApi):
    """Answers as one event of a stream, or at once."""

    def offered(self, body: dict[str, Any]) -> dict[str, str]:
        """Return the function declarations."""
        declared = [one for tool in body.get("tools") or [] for one in tool.get("functionDeclarations", [])]
        return {one["name"]: json.dumps(one) for one in declared}

    def at_hand(self, body: dict[str, Any]) -> set[str]:
        """Return every tool: this client defers none."""
        return set(self.offered(body))

    def instructions(self, body: dict[str, Any]) -> str:
        """Return the system instruction and the texts of the conversation."""
        turns = [body.get("systemInstruction") or {"parts": []}, *body["contents"]]
        return "\n".join(part.get("text", "") for turn in turns for part in turn["parts"])

    def results(self, body: dict[str, Any]) -> list[Said]:
        """Return the texts of the functionResponse parts."""
        parts = [part for turn in body["contents"] for part in turn["parts"]]
        return [_said(part["functionResponse"]["response"]) for part in parts if "functionResponse" in part]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """Play the next turn."""
        if "countTokens" in path:
            return "application/json", json.dumps({"totalTokens": 100})
        call, _ = self.turn(body)
        wants_json = (body.get("generationConfig") or {}).get("responseMimeType") == "application/json"
        part: dict[str, Any] = {
            "text": json.dumps(ROUTING | {"next_speaker": "user"}) if wants_json else self.DONE
        }
        if call:
            part = {"functionCall": {"name": call.tool, "args": call.arguments}, "thoughtSignature": "c2ln"}
        answer = {
            "candidates": [
                {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
            ],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
            "modelVersion": "fake",
            "responseId": "fake",
        }
        if "streamGenerateContent" in path:
            return "text/event-stream", f"data: {json.dumps(answer)}\r\n\r\n"
        return "application/json", json.dumps(answer)


def _said(response: dict[str, Any]) -> Said:
    failed = "error" in response
    return Said(str(response["error" if failed else "output"]), failed)
