"""shelf.yml: the manifest of one shelf, valid under shelf-spec v0."""

from __future__ import annotations

from dataclasses import dataclass

from memshelf.errors import FormatError
from memshelf.formats import front_matter
from memshelf.model import KINDS

NAME = "shelf.yml"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What we need of a manifest: the shelf's name and where its episodes lie."""

    name: str
    docs_root: str = "docs"


def parse(text: str) -> Manifest:
    """Read a manifest. Raises FormatError when it is no memory shelf."""
    keys = front_matter.load(text)
    if keys.get("profile") != "memory":
        raise FormatError(f"{NAME}: profile is not memory: only memory shelves hold episodes")
    return Manifest(name=str(keys.get("name", "")), docs_root=str(keys.get("docs_root", "docs")))


def render(name: str) -> str:
    """Write the manifest of a new shelf."""
    return (
        'spec_version: "0.1"\n'
        "mode: single\n"
        f"name: {front_matter.quoted(name)}\n"
        "profile: memory\n"
        f"categories: [{', '.join(KINDS.values())}]\n"
        "index:\n"
        "  generated_by: external\n"
    )
