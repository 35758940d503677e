"""Every door, from outside: a secret in any argument of a writing command is found nowhere afterwards.

Each way in runs the real command on a real library with a secret in every field; then every git object,
ref, reflog, config and file of the library, the home folder, and all that was printed, is looked through.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from support import FINE, Ran, fine, git, objects_contain

from memshelf.formats import episode as episode_format
from memshelf.requests import SECTION_FIELDS, Door, RejectRequest, WriteRequest, arguments, shape
from memshelf.server import make_server
from memshelf.store import clock

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memshelf.store.library import Library

CORE = hashlib.sha256(b"doors").hexdigest()[:20]
"""What every planted secret holds: nothing else does."""

MARK = re.compile(r"«redacted:github-token#\d+»")
PLAIN = {name: FINE.section(heading) for name, heading in SECTION_FIELDS.items() if FINE.section(heading)} | {
    "title": FINE.title,
    "shelf": "shared",
}


def secret(name: str) -> str:
    """Return the secret that is planted in the prose of the field `name`, put together only now."""
    return "gh" + "p_" + CORE + hashlib.sha256(name.encode()).hexdigest()[:16]


def secret_slug(name: str) -> str:
    """Return a secret that would do as a tag and as an id's slug."""
    return "s" + "k-" + CORE + hashlib.sha256(name.encode()).hexdigest()[:16]


def behind(door: Door, request: type) -> list[str]:
    """Return the fields of `request` that enter through `door`."""
    return [name for name, argument in arguments(request).items() if argument.door is door]


def poisoned(name: str) -> Any:
    """Return a value for the field `name` of WriteRequest that is fine but for its secret."""
    if name in behind(Door.IDENTIFIER, WriteRequest):
        day = "2026-07-01-" if name == "supersedes" else ""
        word = day + secret_slug(name)
        return [word] if shape(WriteRequest, name) == "tuple" else word
    words = f"{PLAIN.get(name, '')} The team retired {secret(name)}.".strip()
    return {f"Key {secret(name)}": words} if shape(WriteRequest, name) == "dict" else words


@dataclass
class Place:
    """A library, the ways into it, and everything that they print."""

    root: Path
    inbox: Path
    command: Callable[..., Ran]
    printed: str = ""

    def run(self, *words: object) -> Ran:
        """Run one command line on the library."""
        ran = self.command(*words, "--library", self.root)
        self.printed += ran.out + ran.err
        return ran

    def by_tool(self, values: dict[str, Any]) -> bool:
        """Write through the MCP tool; tell whether it was stored."""

        async def go() -> Any:
            async with Client(make_server(str(self.root))) as client:
                return await client.call_tool("write_episode", values)

        result = anyio.run(go)
        self.printed += result.model_dump_json()
        return not result.is_error

    def by_flags(self, values: dict[str, Any]) -> bool:
        """Write with a flag for each field."""
        words = [part for name, value in values.items() for part in _flag(name, value)]
        return self.run("write", *words).code == 0

    def by_file(self, values: dict[str, Any]) -> bool:
        """Write a Markdown file."""
        keys = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
        shelf, episode_id = keys.pop("shelf"), keys.pop("id")
        sections = {SECTION_FIELDS[name]: keys.pop(name) for name in SECTION_FIELDS if name in keys}
        sections |= keys.pop("extra", {})
        episode = fine(id=f"{clock.today()}-{episode_id}", sections=sections, **keys)
        file = self.inbox / "episode.md"
        file.write_text(episode_format.render(episode), encoding="utf-8")
        return self.run("write", file, "--shelf", shelf).code == 0

    def by_amend(self, values: dict[str, Any]) -> bool:
        """Change an episode that is there already."""
        self.by_flags(PLAIN | {"id": values["id"]})
        shown = self.run("read", f"shared/{clock.today()}-{values['id']}").out
        rev = re.search(r"rev: (\w+)", shown)
        return self.by_flags(values | {"amend": True, "rev": rev[1] if rev else "0" * 12})

    def holds_a_secret(self, *folders: Path) -> list[str]:
        """Return where the secrets are found."""
        printed = ["printed"] if CORE in self.printed else []
        stored = ["library"] if objects_contain(self.root, CORE) else []
        files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return printed + stored + [str(path) for path in files if CORE.encode() in path.read_bytes()]


def _flag(name: str, value: Any) -> list[str]:
    """Return the words on the command line that pass `value` as `name`."""
    flag = "--" + name.replace("_", "-")
    if isinstance(value, dict):
        return [word for heading, text in value.items() for word in (flag, f"{heading}={text}")]
    return [flag] if value is True else [flag, ",".join(value) if isinstance(value, list) else value]


@pytest.fixture
def place(library: Library, run: Callable[..., Ran], tmp_path: Path) -> Place:
    """Return a library and an inbox beside it."""
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    return Place(library.root, inbox, run)


@pytest.mark.parametrize("review", ["branch", "off"])
@pytest.mark.parametrize("way", ["by_tool", "by_flags", "by_file", "by_amend"])
def test_a_secret_in_any_field_of_a_write_is_found_nowhere(
    place: Place, home: Path, way: str, review: str
) -> None:
    settings = place.root / "memshelf.yml"
    settings.write_text(settings.read_text().replace("review: branch", f"review: {review}"))
    write = getattr(place, way)
    prose = behind(Door.PROSE, WriteRequest)

    assert write(PLAIN | {name: poisoned(name) for name in prose} | {"id": "prose"})
    for name in behind(Door.IDENTIFIER, WriteRequest):
        assert not write(PLAIN | {"id": "identifier"} | {name: poisoned(name)}), name

    shown = place.run("read", f"shared/{clock.today()}-prose").out
    assert len(set(MARK.findall(shown))) == len(prose)
    if review == "branch":
        place.run("review", "show", f"shared/{clock.today()}-prose")
        assert place.run("review", "accept", f"shared/{clock.today()}-prose").code == 0
    assert place.run("search", "retired", "--json").code == 0
    assert place.holds_a_secret(home) == []


def test_a_secret_in_any_field_of_a_rejection_is_found_nowhere(place: Place, home: Path) -> None:
    assert place.by_flags(PLAIN | {"id": "weak"})
    reject = ("review", "reject")
    fine = {"id": f"{clock.today()}-weak", "shelf": "shared", "reason": "Weak."}

    for name in behind(Door.IDENTIFIER, RejectRequest):
        asked = fine | {name: secret_slug(name)}
        ran = place.run(*reject, asked["id"], "--shelf", asked["shelf"], "--reason", asked["reason"])
        assert ran.code == 1, name
    reason = f"It names {secret('reason')}."
    assert place.run(*reject, fine["id"], "--shelf", fine["shelf"], "--reason", reason).code == 0

    kept = git(place.root, "for-each-ref", "--format=%(contents)", "refs/memshelf/rejected/")
    assert "It names «redacted:github-token#1»." in kept
    assert behind(Door.PROSE, RejectRequest) == ["reason"]
    assert place.holds_a_secret(home) == []


BODY = "".join(f"## {part.heading}\n\n{part.body}\n\n" for part in FINE.sections)


def front(line: str = "") -> str:
    """Return front matter with one more line."""
    return f"---\nid: 2026-07-10-nasty\nkind: topic\ntitle: Nasty\n{line}\n---\n\n"


NASTY = {
    "a heading": (0, front() + BODY + "## Key SECRET\n\nRetired.\n"),
    "an unknown key": (0, front("SECRET: x") + BODY),
    "the value of an unknown key": (0, front("other: SECRET") + BODY),
    "a list in an unknown key": (1, front("other: [SECRET, [a]]") + BODY),
    "text before the first section": (1, front() + "SECRET\n\n" + BODY),
    "text before the front matter": (1, "SECRET\n" + front() + BODY),
    "an open quotation": (1, front('summary: "SECRET') + BODY),
    "an open list": (1, front("tags: [SECRET") + BODY),
    "a second colon": (1, front("summary: a: SECRET: b") + BODY),
    "an escape": (1, front('summary: "\\SECRET"') + BODY),
    "an anchor": (1, front("summary: &SECRET a") + BODY),
    "an alias": (1, front("summary: *SECRET") + BODY),
    "a tag without its end": (1, front("summary: !<SECRET") + BODY),
    "a directive": (1, front("%SECRET 1") + BODY),
    "a repeated key": (1, front("SECRET: a\nSECRET: b") + BODY),
    "a key that is a list": (1, front("? [SECRET]\n: b") + BODY),
    "a front matter without end": (1, "---\nid: SECRET\n"),
    "a mapping for a text": (1, front("summary: {a: SECRET}") + BODY),
    "a count of tokens": (2, front("approx_tokens: SECRET") + BODY),
    "a form": (2, front("form: SECRET") + BODY),
}
"""Odd place -> the exit code, and the file."""


@pytest.mark.parametrize("case", NASTY)
def test_a_secret_in_an_odd_place_of_a_file_is_neither_stored_nor_printed(place: Place, case: str) -> None:
    code, text = NASTY[case]
    file = place.inbox / "nasty.md"
    file.write_text(text.replace("SECRET", secret(case)), encoding="utf-8")

    assert place.run("write", file, "--shelf", "shared").code == code
    assert place.holds_a_secret() == []


@pytest.mark.parametrize("case", NASTY)
def test_a_secret_in_an_odd_place_of_a_persons_edit_is_neither_stored_nor_printed(
    place: Place, home: Path, case: str
) -> None:
    day = "2026-07-10"
    assert place.by_flags(PLAIN | {"id": f"{day}-nasty"})
    file = place.inbox / "edited.md"
    file.write_text(NASTY[case][1].replace("SECRET", secret(case)), encoding="utf-8")

    place.run("review", "edit", f"shared/{day}-nasty", "--file", file, "--as-person")

    assert place.holds_a_secret(home) == []


@pytest.mark.parametrize("section", [part.heading for part in FINE.sections])
def test_a_secret_in_a_persons_edit_is_masked(place: Place, section: str) -> None:
    day = "2026-07-10"
    assert place.by_flags(PLAIN | {"id": f"{day}-edited"})
    text = git(place.root, "show", f"refs/memshelf/draft/shared/{day}-edited:{day}-edited.md")
    heading = f"## {section}\n"
    assert heading in text
    file = place.inbox / "edited.md"
    file.write_text(text.replace(heading, f"{heading}\nRejected: {secret(section)}.\n"), encoding="utf-8")

    assert place.run("review", "edit", f"shared/{day}-edited", "--file", file).code == 0

    assert "«redacted:github-token#1»" in place.run("read", f"shared/{day}-edited").out
    assert place.holds_a_secret() == []


def test_what_a_reader_asks_for_is_neither_stored_nor_printed(place: Place, home: Path) -> None:
    assert place.by_flags(PLAIN | {"id": "asked"})
    asked = {"search": (), "read": (), "explain": (), "index": ("--tag",), "review": ("show",)}
    for verb, words in asked.items():
        place.run(verb, *words, secret(verb))
        place.run(verb, *words, secret_slug(verb))
    place.run("search", "retired", "--shelf", secret_slug("shelf"), "--since", secret_slug("since"))

    assert place.holds_a_secret(home) == []
