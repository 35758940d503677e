"""Setup on the configurations that people have: only our entries come and go, to the byte."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memshelf.formats import jsonc
from memshelf.hosts.clients import CLIENTS, Place
from memshelf.hosts.entries import EVENTS, launch
from memshelf.store import deliveries
from memshelf.store.configuration import BACKUP

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.store.library import Library

NAMES = [client.name for client in CLIENTS]
FILES = {
    "claude-code": (".claude.json", ".claude/settings.json"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json",),
    "gemini": (".gemini/settings.json",),
    "codex": (".codex/config.toml", ".codex/AGENTS.md"),
}
PROJECT = {
    "claude-code": (".claude/settings.local.json",),
    "gemini": (".gemini/settings.json",),
    "codex": (".codex/config.toml", "AGENTS.md"),
}
HOOK = '{"hooks": [{"type": "command", "command": "other.sh"}]}'
JSON = {
    "comments": '{\n  // mine\n  "mcpServers": {"o": {"command": "x"}}, /* b */\n'
    f'  "hooks": {{"Stop": [{HOOK}]}} // c\n}}\n',
    "trailing commas": '{\n  "mcpServers": {\n    "o": {"command": "x",},\n  },\n}\n',
    "CRLF": '{\r\n\t"mcpServers": {\r\n\t\t"o": {}\r\n\t}\r\n}\r\n',
    "empty": "",
    "empty object": "{ }",
    "empty containers": '{"mcpServers": {}, "hooks": {"Stop": []}}',
}
TOML = {
    "comments": '# mine\n[mcp_servers.o] # o\ncommand = "x"\n\n# p\n[p]\na = 1\n',
    "trailing commas": 'a = [1, 2,]\n[mcp_servers.o]\nargs = ["x",]\n',
    "CRLF": 'a = 1\r\n[mcp_servers.o]\r\ncommand = "x"\r\n',
    "empty": "",
    "empty object": "\n",
    "empty containers": "[mcp_servers]\n",
}
WORDS = "# Mine\r\n\r\nKeep it short.\r\n"


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the one folder of the PATH: git is there and no client."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "git").symlink_to(shutil.which("git") or "")
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def setup(run: Callable[..., Ran], library: Library, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Return `memshelf setup` for the library, from a project `work` beside it."""
    project = library.root.parent / "work"
    (project / ".git").mkdir(parents=True)
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")

    def call(*words: str) -> Ran:
        return run("setup", *words, "--library", str(library.root))

    return call


def state(folder: Path) -> dict[str, tuple[bytes, int, str]]:
    """Return every file of a folder: bytes, mode, and where a link leads."""
    return {
        str(path.relative_to(folder)): (
            path.read_bytes(),
            stat.S_IMODE(path.stat().st_mode),
            str(path.readlink()) if path.is_symlink() else "",
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".local/state" not in str(path)
    }


def place(folder: Path, name: str, case: str, names: tuple[str, ...]) -> None:
    """Write the client's files as a person of that case has them."""
    for file in names:
        kinds = {".toml": TOML[case], ".md": WORDS}
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(kinds.get(path.suffix, JSON[case]).encode())
        path.chmod(0o600)
    assert name in NAMES


@pytest.mark.parametrize("case", JSON)
@pytest.mark.parametrize("name", NAMES)
def test_twice_is_once_and_undo_gives_every_byte_back(
    setup: Callable[..., Ran], home: Path, name: str, case: str
) -> None:
    place(home, name, case, FILES[name])
    before = state(home)

    first = setup(name)
    once = state(home)
    second = setup(name)

    assert (first.code, first.err) == (0, "")
    assert {file for file in once if before.get(file) != once[file]} == {
        each for file in FILES[name] for each in (file, file + BACKUP)
    }
    assert all(once[file + BACKUP] == before[file] for file in FILES[name])
    assert {mode for _, mode, _ in (once[file] for file in FILES[name])} == {0o600}
    assert second.out.startswith(f"{next(c.label for c in CLIENTS if c.name == name)}: set up already")
    assert state(home) == once
    assert setup(name, "--undo").code == 0
    assert state(home) == before
    assert "nothing of MemShelf" in setup(name, "--undo").out


@pytest.mark.parametrize("name", NAMES)
def test_files_that_were_not_there_are_gone_again(setup: Callable[..., Ran], home: Path, name: str) -> None:
    before = state(home)

    assert setup(name).code == 0
    assert state(home).keys() - before.keys() == set(FILES[name])
    assert setup(name, "--undo").code == 0
    assert state(home) == before


@pytest.mark.parametrize("name", PROJECT)
def test_a_project_has_its_own_files(
    setup: Callable[..., Ran], home: Path, library: Library, name: str
) -> None:
    project, before = library.root.parent / "work", state(home)

    assert setup(name, "--scope", "project").code == 0
    assert state(project).keys() == set(PROJECT[name])
    assert state(home).keys() - before.keys() == ({".claude.json"} if name == "claude-code" else set())
    assert setup(name, "--scope", "project", "--undo").code == 0
    assert (state(project), state(home)) == ({}, before)


def test_claude_code_keeps_a_projects_server_in_the_persons_own_file(
    setup: Callable[..., Ran], home: Path, library: Library
) -> None:
    (home / ".claude.json").write_text('{"projects": {"/other": {}}}', encoding="utf-8")
    setup("claude-code", "--scope", "project")

    value = json.loads((home / ".claude.json").read_text(encoding="utf-8"))
    assert value.keys() == {"projects"}
    assert value["projects"].keys() == {"/other", str(library.root.parent / "work")}


def test_claude_desktop_has_no_projects(setup: Callable[..., Ran]) -> None:
    assert setup("claude-desktop", "--scope", "project").code == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_dry_run_shows_the_change_and_writes_nothing(
    setup: Callable[..., Ran], home: Path, name: str
) -> None:
    place(home, name, "comments", FILES[name])
    before = state(home)

    shown = setup(name, "--dry-run")
    assert state(home) == before
    lines = shown.out.splitlines()
    removed = [line for line in lines if line.startswith("-") and not line.startswith("---")]
    assert any(line.startswith("+") and "memshelf" in line for line in lines)
    assert len(removed) <= len(FILES[name]) * 3
    assert lines[-1] == "nothing was written: --dry-run"

    written = setup(name)
    assert written.out.splitlines()[: len(lines) - 1] == lines[:-1]
    after = state(home)
    setup(name, "--undo", "--dry-run")
    assert state(home) == after


def test_the_entries_of_others_and_their_comments_stay_as_they_are(
    setup: Callable[..., Ran], home: Path
) -> None:
    place(home, "gemini", "comments", FILES["gemini"])

    assert setup("gemini").code == 0
    text = (home / ".gemini" / "settings.json").read_text(encoding="utf-8")
    value = jsonc.read(text)
    assert all(comment in text for comment in ("// mine\n", '"o": {"command": "x"}', "/* b */", "// c\n"))
    assert value["mcpServers"]["o"] == {"command": "x"}
    assert value["hooks"]["Stop"] == [json.loads(HOOK)]
    assert value["hooks"].keys() == {"Stop", *EVENTS["gemini"]}


def test_undo_keeps_what_the_client_wrote_since(setup: Callable[..., Ran], home: Path) -> None:
    file = home / ".claude.json"
    file.write_text('{"a": 1}', encoding="utf-8")
    setup("claude-code")
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {"b": 2}), encoding="utf-8")

    assert setup("claude-code", "--undo").code == 0
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 1, "b": 2}
    assert not file.with_name(file.name + BACKUP).exists()


def test_a_link_stays_a_link(setup: Callable[..., Ran], home: Path) -> None:
    real = home / "dotfiles" / "gemini.json"
    real.parent.mkdir()
    real.write_text('{"a": 1}\n', encoding="utf-8")
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").symlink_to(real)
    before = state(home)

    assert setup("gemini").code == 0
    assert (home / ".gemini" / "settings.json").is_symlink()
    assert "memshelf" in real.read_text(encoding="utf-8")
    assert setup("gemini", "--undo").code == 0
    assert state(home) == before


def test_a_file_that_is_read_only_or_broken_stops_before_anything_is_written(
    setup: Callable[..., Ran], home: Path
) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}", encoding="utf-8")
    settings.chmod(0o444)
    before = state(home)

    refused = setup("claude-code")
    assert (refused.code, state(home)) == (1, before)
    assert f"{settings} is read-only" in refused.err

    settings.chmod(0o644)
    for raw, said in (
        (b'{"a": 1', "line 1: "),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"hooks": 3}', "hooks is no object"),
    ):
        settings.write_bytes(raw)
        broken = setup("claude-code")
        assert (broken.code, broken.err.count("\n")) == (1, 1)
        assert said in broken.err
        assert settings.read_bytes() == raw
        assert not (home / ".claude.json").exists()


def test_the_commands_name_the_interpreter_and_the_library(
    setup: Callable[..., Ran], home: Path, library: Library
) -> None:
    for name in NAMES:
        setup(name)
    start = [sys.executable, "-P", "-m", "memshelf"]
    end = ["--library", str(library.root)]
    servers = [
        json.loads((home / FILES[name][0]).read_text(encoding="utf-8"))["mcpServers"]["memshelf"]
        for name in ("claude-code", "claude-desktop", "gemini")
    ]
    servers.append(tomllib.loads((home / FILES["codex"][0]).read_text())["mcp_servers"]["memshelf"])
    assert all([one["command"], *one["args"]] == [*start, "serve", *end] for one in servers)
    for name, host in (("claude-code", "claude"), ("gemini", "gemini")):
        hooks = json.loads((home / FILES[name][-1]).read_text(encoding="utf-8"))["hooks"]
        assert hooks.keys() == set(EVENTS[host])
        for event, groups in hooks.items():
            command = groups[0]["hooks"][0]["command"]
            assert shlex.split(command) == [*start, "hook", event, "--host", host, *end]


def test_another_interpreter_takes_the_place_of_the_old_one(setup: Callable[..., Ran], home: Path) -> None:
    setup("claude-code")
    settings = home / ".claude" / "settings.json"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace(sys.executable, "/old/python"), encoding="utf-8"
    )

    assert setup("--check").code == 1
    assert f"{settings} is not what setup writes" in setup("--check").out
    assert setup("claude-code").code == 0
    assert "/old/python" not in settings.read_text(encoding="utf-8")
    assert len(json.loads(settings.read_text(encoding="utf-8"))["hooks"]["SessionStart"]) == 1


def client(programs: Path, name: str, said: str) -> None:
    """Put a program on the PATH that says one line."""
    program = programs / name
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' '{said}' >&2\n", encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize(("said", "code"), [("  Status: ✔ Connected", 0), ("  Status: ✘ Failed", 1)])
def test_the_client_is_asked(setup: Callable[..., Ran], programs: Path, said: str, code: int) -> None:
    client(programs, "claude", said)

    done = setup("claude-code")
    assert done.code == code
    assert ("verified: `claude mcp get memshelf`" in done.out) == (code == 0)
    checked = json.loads(setup("--check", "--json").out)["clients"][0]
    assert checked["connected"] == (code == 0)
    assert setup("--check").code == code


def test_check_tells_the_last_delivery_of_each_host(setup: Callable[..., Ran], library: Library) -> None:
    assert setup("--check").out.splitlines() == [
        f"{name:<16}not set up: `memshelf setup {name}`" for name in NAMES
    ]
    for name in NAMES:
        setup(name)
    deliveries.record(
        library.common,
        deliveries.Delivery("claude", "SessionStart", "2026-07-10T08:00:00Z", 3210, "0123456789ab"),
    )

    checked = setup("--check")
    lines = {line.split()[0]: line for line in checked.out.splitlines()}
    assert checked.code == 0
    assert (
        "hooks 2 of 2, last delivery 2026-07-10T08:00:00Z: SessionStart, 3,210 characters, 0123456789ab"
        in (lines["claude-code"])
    )
    assert lines["gemini"].endswith("hooks 1 of 1, nothing delivered yet")
    assert lines["codex"].endswith("could not be asked (user), no hooks")


def test_a_secret_beside_our_entry_is_not_shown(setup: Callable[..., Ran], home: Path) -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    text = json.dumps({"mcpServers": {"o": {"env": {"TOKEN": secret}}}}, indent=2)
    (home / ".claude.json").write_text(text, encoding="utf-8")

    shown = setup("claude-code")
    assert secret not in shown.out
    assert secret in (home / ".claude.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("system", "variables", "path"),
    [
        ("darwin", {}, "Library/Application Support/Claude"),
        ("win32", {"APPDATA": "/data"}, "/data/Claude"),
        ("linux", {"XDG_CONFIG_HOME": "/xdg"}, "/xdg/Claude"),
    ],
)
def test_claude_desktop_is_found_on_each_system(system: str, variables: dict[str, str], path: str) -> None:
    desktop = next(one for one in CLIENTS if one.name == "claude-desktop")
    somebody = Place(Path("/home/me"), Path("/work"), variables, system)
    files = desktop.files(somebody, "user", launch("python", "/library"))
    assert files[0].path == Path("/home/me") / path / "claude_desktop_config.json"


def test_the_shell_runs_the_hook_command_of_a_path_with_spaces(tmp_path: Path) -> None:
    python = tmp_path / "my python"
    python.symlink_to(sys.executable)
    made = launch(str(python), "/my library").hook("Stop", "claude")["hooks"][0]["command"]
    shown = made.replace("-m memshelf", "-c 'import sys; print(sys.argv[1:])'")
    done = subprocess.run(
        ["/bin/sh", "-c", shown], capture_output=True, encoding="utf-8", env=os.environ, check=True
    )
    assert done.stdout.strip() == str(["hook", "Stop", "--host", "claude", "--library", "/my library"])
