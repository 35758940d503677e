"""One thing of ours in a configuration file: put in and taken out as text, nothing beside it touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memshelf.formats import jsonc, marked, toml_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Part(Protocol):
    """What is put into a text and taken out of it. Both raise FormatError when the text cannot be read."""

    @property
    def kind(self) -> str:
        """Return what it is for: server, hooks or words."""

    def put(self, text: str) -> str:
        """Return the text with it; the same text when it is there."""

    def take(self, text: str) -> str:
        """Return the text without it; the same text when it is not there."""


class Member(NamedTuple):
    """A member of a JSON object."""

    kind: str
    path: tuple[str, ...]
    value: Any

    def put(self, text: str) -> str:
        """Put it in."""
        return jsonc.put(text, self.path, self.value)

    def take(self, text: str) -> str:
        """Take it out."""
        return jsonc.take(text, self.path)


class Element(NamedTuple):
    """An element of a JSON array; `is_ours` knows it, an older one too."""

    kind: str
    path: tuple[str, ...]
    value: Any
    is_ours: Callable[[Any], bool]

    def put(self, text: str) -> str:
        """Put it in."""
        return jsonc.put_in_list(text, self.path, self.value, self.is_ours)

    def take(self, text: str) -> str:
        """Take it out."""
        return jsonc.take(text, self.path, self.is_ours)


class Table(NamedTuple):
    """A table of a TOML file."""

    kind: str
    path: tuple[str, ...]
    value: dict[str, Any]

    def put(self, text: str) -> str:
        """Put it in."""
        return toml_table.put(text, self.path, self.value)

    def take(self, text: str) -> str:
        """Take it out."""
        return toml_table.take(text, self.path)


class Words(NamedTuple):
    """A paragraph of a Markdown file, between two marks."""

    kind: str
    text: str

    def put(self, text: str) -> str:
        """Put it in."""
        return marked.put(text, self.text)

    def take(self, text: str) -> str:
        """Take it out."""
        return marked.take(text)


class File(NamedTuple):
    """One file of a client's configuration and what of ours belongs into it."""

    path: Path
    parts: tuple[Part, ...]

    def put(self, text: str) -> str:
        """Return the text with every part."""
        for part in self.parts:
            text = part.put(text)
        return text

    def take(self, text: str) -> str:
        """Return the text without any part."""
        for part in reversed(self.parts):
            text = part.take(text)
        return text
