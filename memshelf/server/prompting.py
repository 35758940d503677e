"""A prompt with its arguments: checks them and puts in what the library holds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, GetPromptResult, PromptMessage, TextContent

from memshelf.commands.index import index
from memshelf.commands.read import read
from memshelf.commands.scope import known_shelf
from memshelf.commands.search import search
from memshelf.errors import MemShelfError
from memshelf.formats import envelope
from memshelf.requests import IndexRequest, ReadRequest, SearchRequest
from memshelf.server import prompts
from memshelf.server.answers import guarded
from memshelf.store import snapshot
from memshelf.text import clip

if TYPE_CHECKING:
    from memshelf.server.answers import Asked

BUDGET = 3_000
"""Tokens of what `resume` shows."""

LONGEST_TOPIC = 500


def get_prompt(asked: Asked, name: str, arguments: dict[str, str]) -> GetPromptResult:
    """Return the prompt as one message of the user's. Raises MCPError for what there is not."""
    prompt = next((prompt for prompt in prompts.PROMPTS if prompt.name == name), None)
    if prompt is None:
        names = ", ".join(prompt.name for prompt in prompts.PROMPTS)
        raise MCPError(INVALID_PARAMS, f"no such prompt: the prompts are {names}")
    if not arguments.keys() <= prompt.arguments.keys():
        raise MCPError(INVALID_PARAMS, f"unknown argument: {name} takes {', '.join(prompt.arguments)}")
    given = {key: value.strip() for key, value in arguments.items()}
    make = {"shelve": _shelve, "resume": _resume}[name]
    text = guarded(partial(make, asked, given), INVALID_PARAMS)
    message = PromptMessage(role="user", content=TextContent(type="text", text=text))
    return GetPromptResult(description=prompt.about, messages=[message])


def _shelve(asked: Asked, given: dict[str, str]) -> str:
    topic, shelf = clip(given.get("topic", ""), LONGEST_TOPIC), given.get("shelf", "")
    if shelf:
        known_shelf(snapshot.take(asked.open()), shelf)
    return prompts.shelve(envelope.wrap("topic", topic) if topic else "", shelf)


def _resume(asked: Asked, given: dict[str, str]) -> str:
    library, shelf, about = asked.open(), given.get("shelf") or None, given.get("about", "")
    if not about:
        return prompts.resume(
            index(library, IndexRequest(shelf=shelf, budget=BUDGET), asked.caller).as_text()
        )
    address = f"{shelf}/{about}" if shelf and "/" not in about else about
    try:
        return prompts.resume(read(library, ReadRequest(id=address, budget=BUDGET), asked.caller).as_text())
    except MemShelfError:
        request = SearchRequest(query=about, shelf=shelf, budget=BUDGET)
        return prompts.resume(search(library, request, asked.caller).as_text())
