"""What a settings file was read as, kept as JSON in the state folder: the same bytes need no YAML again."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from memshelf import __version__
from memshelf.checksum import checksum
from memshelf.store import state
from memshelf.store.disk import write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Value = TypeVar("Value", bound=NamedTuple)


def remembered(
    file: Path, common: Path, parse: Callable[[bytes], Value], revive: Callable[[dict[str, Any]], Value]
) -> Value:
    """Return what `parse` makes of the file's bytes, without calling it where it was asked before.

    The state folder of the repository whose Git common directory is `common` keeps the value's fields
    under the file's name; `revive` makes the value of them. What `parse` raises is raised.
    """
    raw, folder = file.read_bytes(), state.folder_of(common)
    if folder is None:
        return parse(raw)
    digest = checksum(f"{__version__} {file} ".encode("utf-8", "surrogateescape") + raw).hex()
    kept = folder / f"{file.name}.json"
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        known = json.loads(kept.read_bytes()) if kept.is_file() else {}
        if known.get("of") == digest:
            return revive(known["value"])
    value = parse(raw)
    text = json.dumps({"of": digest, "value": value._asdict()})
    with contextlib.suppress(OSError):
        write_bytes(kept, text.encode())
    return value
