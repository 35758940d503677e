"""A desk for a client: home, project and library of its own, variables made from nothing, no survivor."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from support import Ran, cleaned, git

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMIT = 90
KEPT = ("PATH", "TMPDIR", "NODE_EXTRA_CA_CERTS")
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "MCP_INSPECTOR_SECRET_STORE": "memory",
    "NO_COLOR": "1",
    "NO_UPDATE_NOTIFIER": "1",
}
"""No client asks anything of anyone but the model; the project folder is trusted, as a person would say."""


@dataclass(frozen=True)
class Desk:
    """One person's machine: the clients in `tools`, a git project `homelab`, a library that `init` made.

    `said` is what `memshelf init` printed.
    """

    tools: Path
    home: Path
    project: Path
    library: Path
    said: str = ""

    @property
    def server(self) -> tuple[str, ...]:
        """The command that starts the server."""
        return (sys.executable, "-m", "memshelf", "serve", "--library", str(self.library))

    def run(self, *words: str, variables: Mapping[str, str] | None = None) -> Ran:
        """Run one program to its end, kill whatever it left running, and return what it did.

        Raises subprocess.TimeoutExpired after LIMIT seconds.
        """
        process = subprocess.Popen(
            words,
            cwd=self.project,
            env=self._environment() | dict(variables or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=LIMIT)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        return Ran(process.returncode, out, err)

    def connect(self, client: str) -> None:
        """Paste the line that `memshelf init` printed for `client` into the shell."""
        line = next(line for line in self.said.splitlines() if line.startswith(f"{client}:"))
        done = self.run(*shlex.split(line.partition(":")[2]))
        assert done.code == 0, done.err

    def _environment(self) -> dict[str, str]:
        """Return variables that depend on nobody's session, with the clients first on PATH."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        path = os.pathsep.join((str(self.tools / "node_modules" / ".bin"), kept["PATH"]))
        return cleaned(kept, self.home) | QUIET | {"PATH": path}


def furnish(tools: Path, folder: Path) -> Desk:
    """Return a new desk in `folder`; the library's path has a space in it, as on many a machine."""
    bare = Desk(tools, folder / "home", folder / "homelab", folder / "my memory")
    bare.home.mkdir()
    bare.project.mkdir()
    git(bare.project, "init", "--quiet")
    made = bare.run(sys.executable, "-m", "memshelf", "init", str(bare.library), "--shelf", "homelab")
    assert made.code == 0, made.err
    return replace(bare, said=made.out)
