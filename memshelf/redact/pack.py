"""The rule pack, ready to run: a rule is read, and its regex compiled, when it is first tried."""

from __future__ import annotations

import functools
import json
import re
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from memshelf.redact.anchors import Anchors
from memshelf.redact.checks import CHECKS
from memshelf.redact.finders import FINDERS
from memshelf.redact.marks import Origin
from memshelf.redact.regex import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FAMILIES = (
    "fragments",
    "keep",
    "providers-cloud",
    "providers-code",
    "providers-chat-mail",
    "providers-pay-ship",
    "providers-data-ai",
    "providers-ru",
    "structure",
    "labels",
    "providers-named",
    "prose",
    "personal",
)
"""The files of `rules/`, in order; a rule that stands earlier wins within its layer."""

PACKED = "packed.jsonl"
"""The same rules as `sources.packed` writes them; read in their place as long as it was made of them.

Its first line has the `checksum` of the files, the indices of the rules that stand `apart`, and the `heads`
of the anchors. Then comes a line a rule, and a line a head: its anchors and the indices of their rules.
"""

Allow = tuple[str, str, str]
"""Regexes that let a hit go: found in its value, its key or its line; empty for none."""

Try = Callable[..., "re.Match[str] | None"]


class Trial:
    """A rule as it is tried at an anchor, its regex compiled.

    Without `before` it must match where the anchor begins, else it is searched from `before` characters left
    of it to `near` characters behind it. It sees `after` characters behind the anchor. The hit is what
    `finder` says of a match, without one the `groups`. Of overlapping hits the lowest `rank` names the mark.
    """

    __slots__ = (
        *("after", "allow", "before", "checks", "entropy", "finder", "groups", "index", "kind", "layer"),
        *("match", "near", "origin", "rank", "search"),
    )
    match: Try
    search: Try
    groups: tuple[str | int, ...]

    def __init__(self, index: int, row: str) -> None:
        """Read the rule from its line; `index` says which of the pack it is."""
        id_, class_, self.kind, self.layer, regex, *how = json.loads(row)
        self.before, self.near, self.after, entropy, checks, finder, allow = how
        self.index, self.rank, self.origin = index, self.layer * 1000 + index, Origin(id_, class_)
        self.entropy: float = entropy
        self.checks = tuple(CHECKS[check] for check in checks)
        self.finder = FINDERS[finder] if finder else None
        self.allow: Allow | None = tuple(allow) if any(allow) else None
        pattern = compiled(regex)
        self.match, self.search = pattern.match, pattern.search
        self.groups = tuple(name for name in pattern.groupindex if name.startswith("value")) or (0,)


class Pack:
    """Rules that are ready to run: one is read, and its regex compiled, when its anchor is first hit."""

    def __init__(self, rows: Sequence[str], anchors: Anchors) -> None:
        """Take a line a rule, as `sources.packed` writes it, and the anchors."""
        self._rows = rows
        self.anchors = anchors
        self.trials: list[Trial | None] = [None] * len(rows)

    def names(self) -> set[str]:
        """Return the ids and the kinds of all rules."""
        return {name for id_, _, kind, *_ in map(json.loads, self._rows) for name in (id_, kind)}

    def trial(self, index: int) -> Trial:
        """Return a rule as it is tried, and remember it."""
        trial = self.trials[index] = Trial(index, self._rows[index])
        return trial


@functools.cache
def built_in() -> Pack:
    """Return the pack that comes with MemShelf."""
    sources = {name: _source(f"{name}.toml") for name in FAMILIES}
    text = _source(PACKED)
    if not is_packed_of(text, sources):
        from memshelf.redact.sources import packed  # noqa: PLC0415 # only where somebody changes the rules

        text = packed(sources).encode()
    return unpacked(text)


def is_packed_of(text: bytes, sources: Mapping[str, bytes]) -> bool:
    """Tell whether `sources.packed` wrote `text` of these files."""
    return text.startswith(b'{"of": %d,' % checksum(sources))


def unpacked(text: bytes) -> Pack:
    """Return the pack that `sources.packed` wrote."""
    first, *lines = text.decode().splitlines()
    head = json.loads(first)
    count = len(lines) - len(head["heads"])
    anchors = Anchors(dict(zip(head["heads"], lines[count:], strict=True)), frozenset(head["apart"]))
    return Pack(lines[:count], anchors)


def checksum(sources: Mapping[str, bytes]) -> int:
    """Return what tells whether files of rules are the packed ones."""
    return zlib.crc32(b"\0".join(sources.values()))


def _source(name: str) -> bytes:
    """Return the text of one file of the pack, from wherever the package was imported."""
    path = (__spec__.origin or "").rpartition("pack.py")[0] + f"rules/{name}"
    source: bytes = __spec__.loader.get_data(path)  # type: ignore[union-attr] # every file loader has it
    return source
