"""The clients that hold an agent: how each is started, and the conversation that its model plays."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fake_anthropic import FakeAnthropic
from fake_api import Call, FakeApi
from fake_gemini import FakeGemini

if TYPE_CHECKING:
    from desk import Desk
    from support import Ran

PROMPT = "Keep what was found about the network."
EPISODE = "2026-06-02-vlan-migration"
BAD = {"id": EPISODE, "title": "VLANs for the home lab", "digest": "We moved the network to VLANs."}
GOOD = BAD | {
    "digest": "The flat network was replaced by VLANs. Rejected: a wireless name per VLAN. Open: fixed DNS.",
    "decisions": "Bridge filtering on the router; two wireless names instead of one per VLAN.",
    "open_threads": "Devices with fixed DNS ignore the resolver.",
    "sources": "None.",
}


@dataclass(frozen=True)
class Host:
    """One client: its name in `memshelf init`, the name it gives itself, its API and its command line.

    `prefix` stands before our tools' names; `at_hand` are the tools whose schemas the model has from the
    start, the others it must look up; in `variables` {url} is the API's address; `settings` are files
    in the person's home and what they hold; `habit` are arguments that the client adds to every schema and
    its model may pass.
    """

    label: str
    client: str
    api: type[FakeApi]
    prefix: str
    words: tuple[str, ...]
    variables: dict[str, str]
    at_hand: frozenset[str]
    settings: dict[str, Any] = field(default_factory=dict)
    lookup: tuple[Call, ...] = ()
    habit: dict[str, Any] = field(default_factory=dict)

    def script(self) -> list[Call]:
        """Return the model's turns: read the map, fail to write, write, read one section, search."""
        return [
            *self.lookup,
            self._call("read_index"),
            self._call("write_episode", **BAD),
            self._call("write_episode", **GOOD),
            self._call("read_episode", id=EPISODE, sections=["Decisions"]),
            self._call("search", query="bridge filtering"),
        ]

    def talk(self, desk: Desk, url: str) -> Ran:
        """Run the client on PROMPT until it has the model's last word."""
        for name, content in self.settings.items():
            (desk.home / name).parent.mkdir(exist_ok=True)
            (desk.home / name).write_text(json.dumps(content), encoding="utf-8")
        variables = {name: value.format(url=url) for name, value in self.variables.items()}
        return desk.run(*self.words, variables=variables)

    def _call(self, tool: str, **arguments: Any) -> Call:
        return Call(self.prefix + tool, arguments | self.habit)


CLAUDE = Host(
    label="Claude Code",
    client="claude-code",
    api=FakeAnthropic,
    prefix="mcp__memshelf__",
    words=("claude", "-p", PROMPT, "--allowedTools=mcp__memshelf"),
    variables={"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "none"},
    at_hand=frozenset({"read_index", "read_episode", "search"}),
    lookup=(Call("ToolSearch", {"query": "select:mcp__memshelf__write_episode", "max_results": 1}),),
)
GEMINI = Host(
    label="Gemini CLI",
    client="gemini-cli",
    api=FakeGemini,
    prefix="mcp_memshelf_",
    words=("gemini", "-p", PROMPT, "--approval-mode", "yolo"),
    variables={
        "GOOGLE_GEMINI_BASE_URL": "{url}",
        "GEMINI_API_KEY": "none",
    },
    settings={".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}}},
    at_hand=frozenset({"read_index", "read_episode", "write_episode", "search"}),
    habit={"wait_for_previous": True},
)
HOSTS = {"claude": CLAUDE, "gemini": GEMINI}
