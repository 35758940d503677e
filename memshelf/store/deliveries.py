"""The proof that memory reached a host: the last text that a hook delivered to each, in the state folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from memshelf.store import disk, state

if TYPE_CHECKING:
    from pathlib import Path

NAME = "deliveries.json"


class Delivery(NamedTuple):
    """One delivery: the host and its event, when (ISO, UTC), characters, first 12 hex of its SHA-256."""

    host: str
    event: str
    at: str
    size: int
    hash: str


def last(common: Path) -> list[Delivery]:
    """Return the last delivery to each host; nothing where the record cannot be read."""
    folder = state.folder_of(common)
    raw = disk.read_bytes(folder / NAME) if folder else None
    try:
        return [Delivery(**one) for one in json.loads(raw or "[]")]
    except (ValueError, TypeError):
        return []


def record(common: Path, delivery: Delivery) -> None:
    """Keep a delivery in the place of the host's last one."""
    folder = state.folder_of(common)
    if folder:
        kept = [one for one in last(common) if one.host != delivery.host]
        text = json.dumps([one._asdict() for one in (*kept, delivery)])
        disk.write_bytes(folder / NAME, text.encode())
