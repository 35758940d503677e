"""A model API on 127.0.0.1 that replays a script and keeps every request: what the model was really shown."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class Call:
    """The model's turn: it calls `tool`, by the name that the client gave it."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Said:
    """A tool's result as the model got it; `failed` is what the client told it about the outcome."""

    text: str
    failed: bool


class FakeApi(ABC):
    """One vendor's API over one script; when the script is at its end, the model says DONE.

    `asked` are the bodies of the requests that offered tools, oldest first: the conversation proper.
    """

    DONE = "The conversation is over."

    def __init__(self, script: Sequence[Call]) -> None:
        """Keep the script; nothing listens before `serving`."""
        self.asked: list[dict[str, Any]] = []
        self.url = ""
        self._rest = list(script)
        self._lock = threading.Lock()

    def turn(self, body: dict[str, Any]) -> tuple[Call | None, int]:
        """Return the model's turn, None for DONE, and its number; keep the request when it offers tools."""
        with self._lock:
            if not self.offered(body):
                return None, 0
            self.asked.append(body)
            return (self._rest.pop(0) if self._rest else None), len(self.asked)

    @property
    def played_out(self) -> bool:
        """Tell whether the client took every turn of the script."""
        return not self._rest

    @abstractmethod
    def offered(self, body: dict[str, Any]) -> dict[str, str]:
        """Return the tools that a request names: name to schema and words, as JSON."""

    @abstractmethod
    def at_hand(self, body: dict[str, Any]) -> set[str]:
        """Return the names of the tools that the model may call without looking them up."""

    @abstractmethod
    def instructions(self, body: dict[str, Any]) -> str:
        """Return all that a request tells the model beside the tools and their results."""

    @abstractmethod
    def results(self, body: dict[str, Any]) -> list[Said]:
        """Return the results of tools that a request holds, oldest first."""

    @abstractmethod
    def answer(self, path: str, body: dict[str, Any]) -> tuple[str, str]:
        """Return the content type and the text of the answer to one request."""


@contextmanager
def serving(api: FakeApi) -> Iterator[FakeApi]:
    """Let `api` answer on a free port of 127.0.0.1; `api.url` names it."""

    class Handler(BaseHTTPRequestHandler):
        """Reads one request and sends the answer of `api`."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Answer a call of the model."""
            size = int(self.headers.get("content-length") or 0)
            self._send(*api.answer(self.path, json.loads(self.rfile.read(size) or b"{}")))

        def do_GET(self) -> None:
            """Answer what is asked beside the conversation: nothing is there."""
            self._send("application/json", "{}")

        do_HEAD = do_GET  # noqa: N815 # the base class dictates the name

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def _send(self, kind: str, text: str) -> None:
            data = text.encode()
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        api.url = f"http://127.0.0.1:{server.server_address[1]}"
        listener = threading.Thread(target=server.serve_forever, daemon=True)
        listener.start()
        try:
            yield api
        finally:
            server.shutdown()
            listener.join()
