"""The state folder: caches and running sessions, outside Git, one folder per Git common directory."""

from __future__ import annotations

import os
from pathlib import Path

from memshelf.checksum import checksum

VARIABLE = "MEMSHELF_STATE_DIR"
PRIVATE = 0o700


def folder_of(common: Path) -> Path | None:
    """Return the folder for the repository whose Git common directory is `common`, made if it was not there.

    It lies in $MEMSHELF_STATE_DIR, else in the platform's place for state (platformdirs). Only its owner
    may look into it. None where there can be none: commands then do without.
    """
    try:
        place = _root() / f"{common.parent.name}-{checksum(os.fsencode(common)).hex()[:16]}"
        place.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
        if place.stat().st_mode & ~PRIVATE & 0o777:
            place.chmod(PRIVATE)
    except (OSError, RuntimeError, ValueError):
        return None
    return place


def _root() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_state_path  # noqa: PLC0415 # a named folder needs none of it

    return user_state_path("memshelf", appauthor=False)
