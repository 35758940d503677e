"""`memshelf setup` and the packages in the real clients: connected, undone, valid by the vendors' tools."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fake_anthropic import FakeAnthropic
from fake_api import serving
from hosts import EPISODE, GOOD

if TYPE_CHECKING:
    from desk import Desk
    from support import Ran

ROOT = Path(__file__).parent.parent.parent
LISTED = {
    "claude-code": (("claude", "mcp", "list"), r"^memshelf: .* - ✔ Connected$"),
    "gemini": (("gemini", "mcp", "list"), r"^✓ memshelf: .* - Connected$"),
    "codex": (("codex", "mcp", "list"), r"^memshelf .* enabled "),
}


def memshelf(desk: Desk, *words: str) -> Ran:
    """Run one command line of ours at the desk."""
    done = desk.run(sys.executable, "-m", "memshelf", *words)
    assert done.code == 0, done.out + done.err
    return done


def need(desk: Desk, program: str) -> None:
    """Skip where this client is not installed: the large ones are installed by hand."""
    if not (desk.tools / "node_modules" / ".bin" / program).exists():
        pytest.skip(f"no {program} in {desk.tools}")


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("name", LISTED)
def test_setup_connects_the_client_and_undo_disconnects_it(desk: Desk, name: str, scope: str) -> None:
    question, answer = LISTED[name]
    need(desk, question[0])
    trusted = f'[projects."{desk.project}"]\ntrust_level = "trusted"\n'
    if name == "codex":
        (desk.home / ".codex").mkdir()
        (desk.home / ".codex" / "config.toml").write_text(trusted, encoding="utf-8")

    done = memshelf(desk, "setup", name, "--scope", scope, "--library", str(desk.library))
    said = desk.run(*question)
    assert "\nverified: " in done.out
    assert re.search(answer, said.out + said.err, re.M), said.out + said.err

    memshelf(desk, "setup", name, "--scope", scope, "--undo")
    said = desk.run(*question)
    assert not re.search(answer, said.out + said.err, re.M)


@pytest.fixture
def dist(desk: Desk) -> Path:
    """Return the folder of the packages."""
    folder = desk.home / "dist"
    memshelf(desk, "bundle", str(folder))
    return folder


@pytest.fixture
def on_path(desk: Desk) -> dict[str, str]:
    """Return variables with a `memshelf` on the PATH that knows the library, as a package needs it."""
    folder = desk.home / "bin"
    folder.mkdir()
    script = folder / "memshelf"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memshelf "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    tools = desk.tools / "node_modules" / ".bin"
    git = Path(shutil.which("git") or "").parent
    return {"PATH": f"{folder}:{tools}:{git}:/usr/bin:/bin", "MEMSHELF_LIBRARY": str(desk.library)}


@pytest.mark.parametrize("place", ["checkout", "dist"])
def test_the_plugin_is_valid_installs_and_costs_what_the_readme_says(
    desk: Desk, dist: Path, on_path: dict[str, str], place: str
) -> None:
    market = {"checkout": ROOT, "dist": dist / "claude-code"}[place]
    plugin = {"checkout": ROOT, "dist": market / "plugins" / "memshelf"}[place]
    for words in (
        ("validate", "--strict", str(market)),
        ("validate", "--profile", "directory", str(plugin)),
        ("marketplace", "add", str(market)),
        ("install", "memshelf@memshelf"),
    ):
        done = desk.run("claude", "plugin", *words, variables=on_path)
        assert done.code == 0, done.out + done.err
    details = desk.run("claude", "plugin", "details", "memshelf", variables=on_path).out
    listed = desk.run("claude", "mcp", "list", variables=on_path).out

    assert re.search(r"^plugin:memshelf:memshelf: memshelf serve - ✔ Connected$", listed, re.M)
    assert re.search(r"Skills \(3\)  drafts, recall, shelve$", details, re.M)
    assert re.search(r"Hooks \(2\)  SessionStart, ", details)
    cost = re.search(r"Always-on: +~(\d+) tok", details)
    stated = re.search(
        r"costs about (\d+) tokens a session", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert cost
    assert stated
    assert abs(int(cost[1]) - int(stated[1])) <= int(stated[1]) / 10


def test_the_extension_is_valid_and_installs(desk: Desk, dist: Path, on_path: dict[str, str]) -> None:
    extension = str(dist / "gemini")
    for words in (("validate", extension), ("install", extension, "--consent", "--skip-settings")):
        done = desk.run("gemini", "extensions", *words, variables=on_path)
        assert done.code == 0, done.out + done.err
    said = desk.run("gemini", "mcp", "list", variables=on_path)
    assert re.search(r"^✓ memshelf \(from memshelf\): .* - Connected$", said.out + said.err, re.M)


def test_the_bundle_for_claude_desktop_is_valid(desk: Desk, dist: Path) -> None:
    need(desk, "mcpb")
    shutil.unpack_archive(dist / "memshelf.mcpb", desk.home / "unpacked", "zip")
    done = desk.run("mcpb", "validate", str(desk.home / "unpacked" / "manifest.json"))
    assert done.code == 0, done.out + done.err


def said_to_the_model(desk: Desk, *turns: tuple[str, ...]) -> list[str]:
    """Hold a conversation, a run of the client a turn; return what its model was told, by request."""
    with serving(FakeAnthropic([])) as api:
        for words in turns:
            variables = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "none"}
            done = desk.run("claude", *words, variables=variables)
            assert done.code == 0, done.out + done.err
        return [api.instructions(body) for body in api.asked]


@pytest.fixture
def kept(desk: Desk) -> Desk:
    """Return a desk with one episode on the shelf, after `memshelf setup claude-code`."""
    flags = [f"--{name.replace('_', '-')}={text}" for name, text in GOOD.items()]
    memshelf(desk, "write", *flags, "--shelf", "homelab", "--library", str(desk.library))
    memshelf(desk, "review", "accept", EPISODE, "--as-person", "--library", str(desk.library))
    memshelf(desk, "setup", "claude-code", "--library", str(desk.library))
    return desk


def index_line(desk: Desk) -> str:
    """Return the episode's line of the map."""
    text = memshelf(desk, "index", "--library", str(desk.library)).out
    return next(line for line in text.splitlines() if line.startswith(EPISODE))


def test_the_index_stands_in_the_request_at_startup_and_on_resume(kept: Desk) -> None:
    first, second = said_to_the_model(kept, ("-p", "Begin."), ("-p", "Go on.", "--continue"))
    assert index_line(kept) in first
    assert index_line(kept) in second


def test_the_index_stands_in_the_request_after_clear(kept: Desk) -> None:
    told = said_to_the_model(kept, ("-p", "Begin."), ("-p", "/clear", "--continue"), ("-p", "Anew."))
    assert "Begin." not in told[-1]
    assert index_line(kept) in told[-1]


def test_the_memory_check_stands_in_the_request_after_a_manual_compaction(kept: Desk) -> None:
    told = said_to_the_model(
        kept, ("-p", "Begin."), ("-p", "/compact", "--continue"), ("-p", "Go on.", "--continue")
    )
    assert "Begin." in told[0]
    assert "Continue the current task" in told[-1]
    assert EPISODE in told[-1]
