"""The packages: built of one source, the same bytes each time, short where an agent pays for the words."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memshelf
from memshelf import __version__
from memshelf.hosts import packages
from memshelf.hosts.bundle import bundle
from memshelf.hosts.entries import EVENTS
from memshelf.server.prompts import SHELVE
from memshelf.text import count_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

ROOT = Path(__file__).parent.parent.parent
SKILL_WORDS, DESCRIPTION_CHARACTERS, PARAGRAPH_WORDS = 200, 250, 80
ABSOLUTE = re.compile(r"(?<![\w}:./])/(?:home|usr|tmp|opt|root)\b")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    bundle(folder)
    return folder


def test_what_makes_the_checkout_a_marketplace_is_what_the_code_says(request: pytest.FixtureRequest) -> None:
    fresh = packages.repository()
    if request.config.getoption("--update"):
        for name, text in fresh.items():
            (ROOT / name).write_text(text, encoding="utf-8", newline="\n")

    assert {name: (ROOT / name).read_text(encoding="utf-8") for name in fresh} == fresh, (
        "run `pytest --update`"
    )
    plugin = json.loads(fresh[".claude-plugin/plugin.json"])
    assert all((ROOT / plugin[part]).is_dir() for part in ("skills", "commands"))


def test_the_same_sources_give_the_same_bytes(folder: Path, run: Callable[..., Ran]) -> None:
    assert run("bundle", folder, "--check").out == ""
    changed = folder / "gemini" / "GEMINI.md"
    text = changed.read_bytes()
    changed.write_bytes(text + b"x")

    stale = run("bundle", folder, "--check")
    assert (stale.code, stale.out) == (1, f"{changed}: stale, `memshelf bundle` writes it\n")
    assert run("bundle", folder).code == 0
    assert changed.read_bytes() == text


def test_every_package_has_the_one_version(folder: Path) -> None:
    server = json.loads((folder / "server.json").read_text(encoding="utf-8"))
    with zipfile.ZipFile(folder / "memshelf.mcpb") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        project = tomllib.loads(archive.read("pyproject.toml").decode())["project"]
    plugin = folder / "claude-code" / "plugins" / "memshelf" / ".claude-plugin" / "plugin.json"
    said = [
        json.loads(path.read_text())["version"] for path in (plugin, folder / "gemini/gemini-extension.json")
    ]
    said += [server["version"], server["packages"][0]["version"], manifest["version"], project["version"]]
    assert set(said) == {__version__}


def test_the_bundle_is_the_product_and_what_it_needs(folder: Path) -> None:
    with zipfile.ZipFile(folder / "memshelf.mcpb") as archive:
        names = set(archive.namelist())
        needs = tomllib.loads(archive.read("pyproject.toml").decode())["project"]["dependencies"]
        dates = {entry.date_time[0] for entry in archive.infolist()}
    top = Path(memshelf.__file__).parent
    product = {
        f"memshelf/{path.relative_to(top).as_posix()}"
        for path in top.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert names == product | {"manifest.json", "pyproject.toml"}
    assert {re.split("[<>]", need)[0] for need in needs} == {re.split("[<>]", need)[0] for need in declared}
    assert dates == {1980}


def test_a_package_knows_no_machine(folder: Path) -> None:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".mcpb"]
    assert len(files) > 15
    assert [path for path in files if ABSOLUTE.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("path", "host"),
    [("claude-code/plugins/memshelf/hooks/hooks.json", "claude"), ("gemini/hooks/hooks.json", "gemini")],
)
def test_the_hooks_of_a_package_are_those_of_the_host(folder: Path, path: str, host: str) -> None:
    hooks = json.loads((folder / path).read_text(encoding="utf-8"))["hooks"]
    said = {
        event: [hook["command"] for group in groups for hook in group["hooks"]]
        for event, groups in hooks.items()
    }
    assert said == {event: [f"memshelf hook {event} --host {host}"] for event in EVENTS[host]}
    seconds = {hook["timeout"] for groups in hooks.values() for group in groups for hook in group["hooks"]}
    assert seconds == {10 if host == "claude" else 10_000}


@pytest.mark.parametrize("name", ["recall", "shelve"])
def test_a_skill_is_short_and_says_when_it_is_wanted(folder: Path, name: str) -> None:
    text = (folder / "gemini" / "skills" / name / "SKILL.md").read_text(encoding="utf-8")
    head, body = text.split("---\n", 2)[1:]
    fields = dict(line.split(": ", 1) for line in head.splitlines())

    assert fields["name"] == name
    assert "Use when" in fields["description"]
    assert len(fields["description"]) <= DESCRIPTION_CHARACTERS
    assert count_words(body) <= SKILL_WORDS
    assert (body == f"{SHELVE}\n") == (name == "shelve")


def test_the_paragraph_is_short_and_names_every_tool(folder: Path) -> None:
    texts = {path.read_text(encoding="utf-8") for path in (folder / "paragraph").glob("*.md")}
    text = texts.pop()
    assert not texts
    assert count_words(text) <= PARAGRAPH_WORDS
    assert all(f"`{name}`" in text for name in ("read_index", "read_episode", "search", "write_episode"))


def test_the_registry_finds_its_mark_in_the_readme() -> None:
    made = packages.registry()
    assert f"<!-- mcp-name: {made['name']} -->" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(made["description"]) <= 100


def test_the_commands_of_the_extension_are_toml(folder: Path) -> None:
    for path in (folder / "gemini" / "commands" / "memshelf").iterdir():
        assert tomllib.loads(path.read_text(encoding="utf-8")).keys() == {"description", "prompt"}


def test_the_snippet_is_what_codex_reads(folder: Path) -> None:
    text = (folder / "codex" / "config.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"mcp_servers": {"memshelf": {"command": "memshelf", "args": ["serve"]}}}


def test_bundle_writes_into_dist_without_a_name(
    run: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("bundle").out
    files = [path for path in (tmp_path / "dist").rglob("*") if path.is_file()]
    assert said == f"{len(files)} files written to {tmp_path / 'dist'}\n"
