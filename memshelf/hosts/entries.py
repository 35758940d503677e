"""What stands in a client's configuration: the server's command and the hooks, for a machine or a package."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

from memshelf.hooks.hosts import MOMENTS

NAME = "memshelf"
SECONDS = 10
"""How long a host waits for a hook; it is done in a tenth of a second."""

EVENTS = {host: tuple(moments) for host, moments in MOMENTS.items()}
"""Host, as `memshelf hook --host` calls it -> its events, by the names that it gives them itself."""

UNITS = {"claude": 1, "gemini": 1000}
"""Claude Code counts a hook's time in seconds, Gemini CLI in milliseconds."""


class Launch(NamedTuple):
    """How memshelf is started: the words before the verb; the library, empty to find it from the folder."""

    words: tuple[str, ...]
    library: str = ""

    @property
    def server(self) -> dict[str, Any]:
        """Return the server's entry: `command` and `args`."""
        command, *arguments = self._full("serve")
        return {"command": command, "args": arguments}

    def hook(self, event: str, host: str) -> dict[str, Any]:
        """Return the entry of one event: a group with one hook, in the host's own shape."""
        made: dict[str, Any] = {"name": f"{NAME}-{event}"} if host == "gemini" else {}
        made |= {
            "type": "command",
            "command": shlex.join(self._full("hook", event, "--host", host)),
            "timeout": SECONDS * UNITS[host],
        }
        return {"hooks": [made]}

    def hooks(self, host: str) -> dict[str, Any]:
        """Return all hooks of a host, by event."""
        return {event: [self.hook(event, host)] for event in EVENTS[host]}

    def _full(self, *words: str) -> tuple[str, ...]:
        return (*self.words, *words, *(("--library", self.library) if self.library else ()))


ON_PATH = Launch((NAME,))
"""How a package starts it, on a machine that nobody knows."""


def launch(python: str, library: str) -> Launch:
    """Return how this machine starts it: no PATH needed, and nothing is imported from the project (-P)."""
    return Launch((python, "-P", "-m", NAME), library)


def is_our_hook(group: Any) -> bool:
    """Say whether a group holds hooks of ours and of nobody else."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return (
        bool(hooks) and isinstance(hooks, list) and all(f"-m {NAME} hook " in _command(one) for one in hooks)
    )


def _command(hook: Any) -> str:
    return str(hook.get("command", "")) if isinstance(hook, dict) else ""
