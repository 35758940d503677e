"""shelf.yml: the manifest of one shelf, valid under shelf-spec v0, and the layout it gives."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, NamedTuple

from memshelf.errors import FormatError
from memshelf.model import KINDS

NAME = "shelf.yml"
OURS = "external"
"""`index.generated_by` of a shelf whose derived files MemShelf renders."""

INDEX, LEDGER, STATS, PATTERNS = "INDEX.md", "ledger.tsv", "stats.svg", "POLICY.patterns"
DERIVED = (INDEX, LEDGER, STATS)
DERIVED_ATTRIBUTES = "text eol=lf -merge linguist-generated"
"""What .gitattributes says of them: the same bytes everywhere, no line of two sides in one file."""

UNSAFE = re.compile(r"[\\\x00-\x1f\x7f-\x9f]")
"""What no path of a shelf may hold: backslashes and control characters."""

MEMORY = re.compile(r"^profile:[ \t]*[\"']?memory\b", re.MULTILINE)
GENERATED_BY = re.compile(r"(\bgenerated_by:[ \t]*)[^\s,}#]+")
INDEX_BLOCK = re.compile(r"^index:[ \t]*(?:#.*)?\n", re.MULTILINE)


class Manifest(NamedTuple):
    """What we need of a manifest: the shelf's name, where its episodes lie and who renders its index.

    Paths are from the shelf's folder. Without `categories`, an episode may lie anywhere below `docs_root`.
    """

    name: str = ""
    docs_root: str = "docs"
    categories: tuple[str, ...] = ()
    generated_by: str = "docshelf-mcp"
    index_file: str = INDEX
    ledger: str = LEDGER
    patterns: str = PATTERNS

    @property
    def episodes(self) -> re.Pattern[str]:
        """What the path of an episode file looks like."""
        return _episodes(self.docs_root, self.categories)

    def folder(self, kind: str) -> str:
        """Return the folder for new episodes of `kind`."""
        usual = KINDS.get(kind, KINDS["topic"])
        known = self.categories or (usual,)
        name = next((name for name in (usual, kind) if name in known), known[0])
        return f"{self.docs_root}/{name}"


@cache
def _episodes(docs_root: str, categories: tuple[str, ...]) -> re.Pattern[str]:
    below = f"(?:{'|'.join(map(re.escape, categories))})/" if categories else "(?:.+/)?"
    return re.compile(rf"(?:archive/)?{re.escape(docs_root)}/{below}[^/]+\.md")


def is_memory(text: str) -> bool:
    """Tell, without reading all of it, whether a manifest is that of a memory shelf."""
    return MEMORY.search(text) is not None


def revive(values: dict[str, Any]) -> Manifest:
    """Make a manifest of its fields as JSON gives them."""
    return Manifest(**values | {"categories": tuple(values["categories"])})


def parse(text: str) -> Manifest:
    """Read a manifest. Raises FormatError when it is no memory shelf or a path leads out of it."""
    keys = _load(text)
    if keys.get("profile") != "memory":
        raise FormatError(f"{NAME}: profile is not memory: only memory shelves hold episodes")
    index, ledger, policy = (_block(keys, key) for key in ("index", "ledger", "policy"))
    categories = keys.get("categories") or []
    if not isinstance(categories, list) or not all(isinstance(item, str) for item in categories):
        raise FormatError("categories: write a list: [topics, research, sessions]")
    return Manifest(
        name=str(keys.get("name", "")),
        docs_root=_path(keys, "docs_root", "docs"),
        categories=tuple(_inside("categories", item) for item in categories),
        generated_by=_text(index, "generated_by", "docshelf-mcp"),
        index_file=_path(index, "path", INDEX),
        ledger=_path(ledger, "path", LEDGER),
        patterns=_path(policy, "patterns", PATTERNS),
    )


def claim(text: str) -> str:
    """Return the manifest with `index.generated_by` switched to ours, every other character as it is.

    Raises FormatError when the text is written in a way that this cannot be done in.
    """
    if GENERATED_BY.search(text):
        claimed = GENERATED_BY.sub(rf"\g<1>{OURS}", text, count=1)
    elif INDEX_BLOCK.search(text):
        claimed = INDEX_BLOCK.sub(rf"\g<0>  generated_by: {OURS}\n", text, count=1)
    else:
        claimed = f"{text.rstrip()}\nindex:\n  generated_by: {OURS}\n"
    wanted, found = _load(text), _loaded(claimed)
    wanted["index"] = _block(wanted, "index") | {"generated_by": OURS}
    if found != wanted:
        raise FormatError(f"write `index: {{generated_by: {OURS}}}` into it yourself, then try again")
    return claimed


def render(name: str) -> str:
    """Write the manifest of a new shelf."""
    return (
        'spec_version: "0.1"\n'
        "mode: single\n"
        f"name: {json.dumps(name)}\n"
        "profile: memory\n"
        f"categories: [{', '.join(KINDS.values())}]\n"
        "index:\n"
        f"  generated_by: {OURS}\n"
    )


def _load(text: str) -> dict[str, Any]:
    from memshelf.formats import front_matter  # noqa: PLC0415 # YAML, which a remembered file never needs

    return front_matter.load(text)


def _loaded(text: str) -> dict[str, Any]:
    try:
        return _load(text)
    except FormatError:
        return {}


def _block(keys: dict[str, Any], key: str) -> dict[str, Any]:
    value = keys.get(key) or {}
    if not isinstance(value, dict):
        raise FormatError(f"{key}: write `key: value` lines below it")
    return value


def _text(keys: dict[str, Any], key: str, default: str) -> str:
    value = keys.get(key, default)
    if not isinstance(value, str) or not value:
        raise FormatError(f"{key}: write one value")
    return value


def _path(keys: dict[str, Any], key: str, default: str) -> str:
    return _inside(key, _text(keys, key, default))


def _inside(key: str, value: str) -> str:
    """Return a path below the shelf's folder in its one spelling; `key` is named where it is none."""
    path = value.removeprefix("./").rstrip("/")
    parts = path.casefold().split("/")
    if UNSAFE.search(path) or any(part in ("", ".", "..", ".git") for part in parts):
        raise FormatError(f"{key}: write a path inside the shelf, as `docs` or `docs/memory`")
    return path
