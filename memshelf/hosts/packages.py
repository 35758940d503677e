"""The packages: the files of plugin, extension, bundle and registry entry, made of one source each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memshelf import __version__
from memshelf.hosts.clients import PARAGRAPH
from memshelf.hosts.entries import NAME, ON_PATH
from memshelf.server.prompts import SHELVE

HERE = Path(__file__).parent
ABOUT = "An agent's memory as a Git repository of Markdown episodes: what was decided, rejected and left open"
REGISTRY_NAME = "io.github.memshelf/memshelf"
"""The name in the MCP registry; the README holds it as `mcp-name:`."""

WHEN_TO_SHELVE = (
    "Keep a settled topic as an episode for later sessions. Use when something was decided, rejected or "
    "measured, when research ends, before a long session is compacted, and when the person asks for it."
)
COMMANDS = {"drafts": "Show the drafts that wait for a person"}
AUTHOR = {"name": "MemShelf contributors"}
WORDS = ["memory", "mcp", "git", "markdown"]


def repository() -> dict[str, str]:
    """Return the files at this repository's top that make it a Claude Code marketplace of one plugin.

    They name the skills and commands where their sources lie, and hold the hooks themselves. The skill
    `shelve` is the server's prompt of that name.
    """
    sources = "./memshelf/hosts/claude/"
    parts = {
        "skills": f"{sources}skills/",
        "commands": f"{sources}commands/",
        "hooks": ON_PATH.hooks("claude"),
    }
    return {
        ".claude-plugin/marketplace.json": _json(_marketplace("./")),
        ".claude-plugin/plugin.json": _json(_plugin() | parts),
        "memshelf/hosts/claude/skills/shelve/SKILL.md": _shelve(),
    }


def plugin() -> dict[str, str]:
    """Return the Claude Code plugin, its parts where the client looks for them, in a marketplace."""
    top = "plugins/memshelf/"
    return {
        ".claude-plugin/marketplace.json": _json(_marketplace(f"./{top}")),
        f"{top}.claude-plugin/plugin.json": _json(_plugin()),
        f"{top}hooks/hooks.json": _json(_hooks("claude")),
        f"{top}README.md": _source("claude/README.md"),
        **{f"{top}commands/{name}.md": _source(f"claude/commands/{name}.md") for name in COMMANDS},
        **{f"{top}{path}": text for path, text in _skills().items()},
    }


def extension() -> dict[str, str]:
    """Return the Gemini CLI extension."""
    manifest = {
        "name": NAME,
        "version": __version__,
        "description": ABOUT,
        "contextFileName": "GEMINI.md",
        "mcpServers": {NAME: ON_PATH.server | {"cwd": "${workspacePath}"}},
    }
    about = {"shelve": "Keep the topic that was just settled", **COMMANDS}
    prompts = {"shelve": SHELVE, "drafts": _body(_source("claude/commands/drafts.md"))}
    return {
        "gemini-extension.json": _json(manifest),
        "GEMINI.md": PARAGRAPH.read_text(encoding="utf-8"),
        "hooks/hooks.json": _json(_hooks("gemini")),
        **{f"commands/{NAME}/{name}.toml": _command(about[name], prompts[name]) for name in sorted(prompts)},
        **_skills(),
    }


def desktop(needs: list[str], python: str) -> dict[str, str]:
    """Return the Claude Desktop bundle without the product's own files; `needs` are its dependencies."""
    library = {
        "type": "directory",
        "title": "Library",
        "description": "The folder that `memshelf init` made",
        "required": True,
        "default": "${HOME}/memshelf",
    }
    words = ["run", "--directory", "${__dirname}", "python", "-m", NAME, "serve"]
    manifest = {
        "manifest_version": "0.4",
        "name": NAME,
        "display_name": "MemShelf",
        "version": __version__,
        "description": ABOUT,
        "author": AUTHOR,
        "license": "MIT",
        "keywords": WORDS,
        "server": {
            "type": "uv",
            "entry_point": "memshelf/__main__.py",
            "mcp_config": {"command": "uv", "args": [*words, "--library", "${user_config.library}"]},
        },
        "user_config": {"library": library},
        "compatibility": {
            "platforms": ["darwin", "win32", "linux"],
            "runtimes": {"python": python},
        },
    }
    project = [
        "[project]",
        f"name = {json.dumps(NAME + '-bundle')}",
        f"version = {json.dumps(__version__)}",
        f"requires-python = {json.dumps(python)}",
        f"dependencies = {json.dumps(needs, indent=2)}",
        "",
        "[tool.uv]",
        "package = false",
    ]
    return {"manifest.json": _json(manifest), "pyproject.toml": "\n".join(project) + "\n"}


def registry() -> dict[str, Any]:
    """Return server.json, the entry of the MCP registry."""
    library = {
        "name": "MEMSHELF_LIBRARY",
        "description": "The library's folder; else the one above the working folder, else ~/memshelf",
        "format": "filepath",
        "isRequired": False,
    }
    package = {
        "registryType": "pypi",
        "identifier": NAME,
        "version": __version__,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "serve"}],
        "environmentVariables": [library],
    }
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTRY_NAME,
        "title": "MemShelf",
        "description": "An agent's memory as a Git repository of Markdown episodes that a person approves",
        "version": __version__,
        "packages": [package],
    }


def others() -> dict[str, str]:
    """Return what is pasted by hand: server.json, Codex's table, the paragraph for hosts without hooks."""
    server = ON_PATH.server
    codex = f"[mcp_servers.{NAME}]\ncommand = {json.dumps(server['command'])}\n"
    paragraph = PARAGRAPH.read_text(encoding="utf-8")
    return {
        "server.json": _json(registry()),
        "codex/config.toml": codex + f"args = {json.dumps(server['args'])}\n",
        **{f"paragraph/{name}.md": paragraph for name in ("AGENTS", "CLAUDE", "GEMINI")},
    }


def _plugin() -> dict[str, Any]:
    return {
        "$schema": "https://json.schemastore.org/claude-code-plugin-manifest.json",
        "name": NAME,
        "displayName": "MemShelf",
        "version": __version__,
        "description": ABOUT,
        "author": AUTHOR,
        "license": "MIT",
        "keywords": WORDS,
        "mcpServers": {NAME: ON_PATH.server},
    }


def _marketplace(source: str) -> dict[str, Any]:
    entry = {"name": NAME, "source": source, "description": ABOUT, "category": "productivity"}
    return {
        "name": NAME,
        "owner": {"name": AUTHOR["name"]},
        "metadata": {"description": ABOUT, "version": __version__},
        "plugins": [entry],
    }


def _hooks(host: str) -> dict[str, Any]:
    return {"hooks": ON_PATH.hooks(host)}


def _skills() -> dict[str, str]:
    recall = _source("claude/skills/recall/SKILL.md")
    return {"skills/recall/SKILL.md": recall, "skills/shelve/SKILL.md": _shelve()}


def _shelve() -> str:
    return f"---\nname: shelve\ndescription: {WHEN_TO_SHELVE}\n---\n{SHELVE}\n"


def _command(about: str, prompt: str) -> str:
    """Return a Gemini command; a JSON text is a TOML text."""
    return f"description = {json.dumps(about)}\nprompt = {json.dumps(prompt)}\n"


def _body(markdown: str) -> str:
    return markdown.split("---\n", 2)[-1].strip()


def _source(path: str) -> str:
    return (HERE / path).read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
