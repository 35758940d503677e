"""What a request of a client is answered with; imported at the first one, with everything heavy behind it."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import traceback
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent

from memshelf.errors import MemShelfError, UsageError, disk_said
from memshelf.requests import Caller, build
from memshelf.search import semantic
from memshelf.search.answer import Outcome
from memshelf.store import catalogue, clock, state
from memshelf.store.library import locate, open_library
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp.types import Implementation

    from memshelf.server.tools import Tool
    from memshelf.store.library import Library

T = TypeVar("T")

OF_THE_HOST = frozenset({"wait_for_previous"})
"""Arguments that a client adds to every schema for its own use and sends to the server all the same."""

CLIENT_NAME = re.compile(r"[^a-z0-9.]+")
OWN_NOUN = "-mcp-client"
"""What a host may add to its name when it speaks MCP."""

LONGEST_NAME = 40
LONGEST_ERROR = 9_500
"""Characters of an error's text: clients cut the middle out of more than 10,000."""

LARGE = "anthropic/maxResultSizeChars"
WIDEST_BUDGET = 12_000
WIDEST_OF_DATA = 4_000
"""Tokens, at most 4 characters each, data three times that: clients put another text for a result of over
50,000 characters."""

log = logging.getLogger("memshelf")


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks of which library; `library` is None where each call finds one."""

    library: str | None
    client: Implementation | None

    @property
    def caller(self) -> Caller:
        """The client's own name, its session where the host tells, the project's folder."""
        name = CLIENT_NAME.sub("-", self.client.name.lower()).strip("-.") if self.client else ""
        return Caller(
            client=name.removesuffix(OWN_NOUN)[:LONGEST_NAME] or "unknown",
            session=os.environ.get("CLAUDE_CODE_SESSION_ID", ""),
            today=clock.today(),
            folder=Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd()),
            variables=os.environ,
        )

    def open(self) -> Library:
        """Open the library. Raises MemShelfError where there is none or it cannot be opened."""
        who = self.caller
        return open_library(locate(self.library, who.variables, who.folder))


def call(tools: Sequence[Tool], asked: Asked, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Call a tool; a refusal and a bug are error results."""
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        return _said(f"no such tool: the tools are {', '.join(tool.name for tool in tools)}", is_error=True)
    try:
        return _answer(asked, tool, arguments)
    except MemShelfError as error:
        return _said(str(error), is_error=True)
    except OSError as error:
        return _said(str(disk_said(error)), is_error=True)
    except Exception as bug:  # the SDK would send and log its text, which may hold an argument's value
        return _said(_told(bug), is_error=True)


def guarded(work: Callable[[], T], refusal: int = INTERNAL_ERROR) -> T:
    """Return what `work` returns; raise its refusals as MCPError of the code `refusal`, bugs as internal."""
    try:
        return work()
    except UsageError as error:
        raise MCPError(INVALID_PARAMS, _short(str(error))) from None
    except MemShelfError as error:
        raise MCPError(refusal, _short(str(error))) from None
    except OSError as error:
        raise MCPError(INTERNAL_ERROR, _short(str(disk_said(error)))) from None
    except MCPError:
        raise
    except Exception as bug:  # as above
        raise MCPError(INTERNAL_ERROR, _told(bug)) from None


def warm(library: str | None) -> None:
    """Log why the library cannot be opened, if so; else begin to read what the catalogue lacks."""
    try:
        found = Asked(library, None).open()
    except MemShelfError as error:
        log.warning("%s", error)
    except OSError as error:
        log.warning("%s", disk_said(error))
    else:
        if state.folder_of(found.common):
            Thread(target=_fill, args=(found,), daemon=True).start()


def _fill(library: Library) -> None:
    """Read all of it, however long it takes, so that calls need not wait; they say themselves what fails.

    Where search by meaning is installed, it is made ready after that.
    """
    with contextlib.suppress(MemShelfError, OSError):
        whole = library._replace(patience=math.inf)
        catalogue.consult(whole, lambda _: None, words=True)
        meaning = semantic.door().meaning
        if meaning:
            catalogue.consult(whole, lambda _: None, words=True, meaning=meaning)


def _answer(asked: Asked, tool: Tool, arguments: dict[str, Any]) -> CallToolResult:
    ours = {name: value for name, value in arguments.items() if name not in OF_THE_HOST}
    request: Any = build(tool.request, ours)
    if LARGE not in tool.meta and getattr(request, "budget", None):
        most = WIDEST_OF_DATA if tool.structured else WIDEST_BUDGET
        request = request._replace(budget=min(request.budget, most))
    answer = tool.command(asked.open(), request, asked.caller)
    data = answer.as_dict() if tool.structured else None
    refused = data is not None and data["outcome"] == Outcome.COULD_NOT
    return _said(answer.as_text(), data=data, is_error=refused)


def _told(bug: Exception) -> str:
    """Log the type and place of a bug, never its text, and return what the client is told."""
    steps = traceback.walk_tb(bug.__traceback__)
    place = " > ".join(f"{Path(frame.f_code.co_filename).name}:{line}" for frame, line in steps)
    log.error("bug: %s at %s", type(bug).__name__, place)
    return (
        f"a bug in MemShelf ({type(bug).__name__}), not in your call: report the line about it on the "
        "server's stderr; read_index shows what is stored"
    )


def _said(text: str, *, data: dict[str, Any] | None = None, is_error: bool = False) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(type="text", text=_short(text) if is_error else text)],
        structured_content=data,
        is_error=is_error,
    )


def _short(text: str) -> str:
    return clip(text, LONGEST_ERROR)
