"""One clone of a crowd: `python syncer.py LIBRARY FOLDER NUMBER WRITES` writes, accepts and syncs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from hosting import shelved, synced

from memshelf.requests import Caller
from memshelf.store.library import open_library


def main(root: str, folder: str, number: str, writes: str) -> None:
    library = open_library(Path(root))
    caller = Caller(client=f"writer-{number}", today="2026-07-30", folder=Path(folder), variables={})
    for at in range(int(writes)):
        shelved(library, caller, f"2026-07-{at + 1:02}-topic-w{number}-n{at}")
        synced(library)


if __name__ == "__main__":
    main(*sys.argv[1:])
