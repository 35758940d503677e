"""The four clients: where each keeps its configuration, what of ours goes into it, how it is asked."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memshelf.errors import UsageError
from memshelf.hosts.entries import EVENTS, NAME, is_our_hook
from memshelf.hosts.parts import Element, File, Member, Table, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memshelf.hosts.entries import Launch

SCOPES = ("user", "project")
PARAGRAPH = Path(__file__).with_name("paragraph.md")
SERVERS = ("mcpServers", NAME)


class Place(NamedTuple):
    """Whose configuration: a home, a project's top folder, the environment, the system's name."""

    home: Path
    project: Path
    variables: Mapping[str, str]
    system: str = sys.platform

    def named(self, variable: str, otherwise: str) -> Path:
        """Return the folder that a variable names, else one in the home."""
        return Path(self.variables.get(variable) or self.home / otherwise)


class Client(NamedTuple):
    """One client: its name here and in prose, its program, its files, and how it tells that it is connected.

    `question` are the program's arguments, and `answer` is what it prints when all is well (a regex);
    both are empty where nothing can be asked. `host` is its name in `memshelf hook`, empty without hooks.
    """

    name: str
    label: str
    program: str
    host: str
    files: Callable[[Place, str, Launch], tuple[File, ...]]
    question: tuple[str, ...] = ()
    answer: str = ""
    note: str = ""


def client_of(name: str) -> Client:
    """Return the client of that name. Raises UsageError when there is none."""
    for client in CLIENTS:
        if client.name == name:
            return client
    raise UsageError(f"no such client: it is one of {', '.join(client.name for client in CLIENTS)}")


def _hooks(host: str, launch: Launch) -> tuple[Element, ...]:
    return tuple(
        Element("hooks", ("hooks", event), launch.hook(event, host), is_our_hook) for event in EVENTS[host]
    )


def _claude_code(place: Place, scope: str, launch: Launch) -> tuple[File, ...]:
    """A project's server stands in the person's own file: in `.mcp.json` it would wait for an approval."""
    project = scope == "project"
    named = place.variables.get("CLAUDE_CONFIG_DIR")
    settings = place.named("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    if project:
        settings = place.project / ".claude" / "settings.local.json"
    path = ("projects", str(place.project), *SERVERS) if project else SERVERS
    server = Member("server", path, {"type": "stdio"} | launch.server)
    servers = (Path(named) if named else place.home) / ".claude.json"
    return File(servers, (server,)), File(settings, _hooks("claude", launch))


def _claude_desktop(place: Place, scope: str, launch: Launch) -> tuple[File, ...]:
    if scope == "project":
        raise UsageError("Claude Desktop knows no projects: leave --scope out")
    folder = {
        "darwin": place.home / "Library" / "Application Support",
        "win32": place.named("APPDATA", "AppData/Roaming"),
    }.get(place.system, place.named("XDG_CONFIG_HOME", ".config"))
    path = folder / "Claude" / "claude_desktop_config.json"
    return (File(path, (Member("server", SERVERS, launch.server),)),)


def _gemini(place: Place, scope: str, launch: Launch) -> tuple[File, ...]:
    folder = place.project if scope == "project" else place.named("GEMINI_CLI_HOME", "")
    server = Member("server", SERVERS, launch.server)
    return (File(folder / ".gemini" / "settings.json", (server, *_hooks("gemini", launch))),)


def _codex(place: Place, scope: str, launch: Launch) -> tuple[File, ...]:
    project = scope == "project"
    folder = place.project / ".codex" if project else place.named("CODEX_HOME", ".codex")
    words = Words("words", PARAGRAPH.read_text(encoding="utf-8"))
    return (
        File(folder / "config.toml", (Table("server", ("mcp_servers", NAME), launch.server),)),
        File((place.project if project else folder) / "AGENTS.md", (words,)),
    )


CLIENTS = (
    Client(
        "claude-code",
        "Claude Code",
        "claude",
        "claude",
        _claude_code,
        ("mcp", "get", NAME),
        r"Status: ✔ Connected",
    ),
    Client(
        "claude-desktop",
        "Claude Desktop",
        "",
        "",
        _claude_desktop,
        note="Claude Desktop has no command to ask: restart it and look for memshelf among its connectors",
    ),
    Client(
        "gemini",
        "Gemini CLI",
        "gemini",
        "gemini",
        _gemini,
        ("mcp", "list"),
        rf"✓ {NAME}: .* - Connected",
    ),
    Client(
        "codex",
        "Codex",
        "codex",
        "",
        _codex,
        ("mcp", "get", NAME),
        NAME,
        "Codex says only that it knows the server: it connects when a session starts",
    ),
)
