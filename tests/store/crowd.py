"""One process of a crowd: `python crowd.py read|write LIBRARY FOLDER ENDS NUMBER`, until ENDS is there.

A writer writes drafts and accepts each third. A reader looks at what Git has, asks, and says what is not
in the answers though it was there before, or still is though it was gone. The last line is how often.
"""

from __future__ import annotations

import itertools
import random
import sys
from pathlib import Path

from support import request

from memshelf.commands.accept import accept
from memshelf.commands.index import index
from memshelf.commands.read import read
from memshelf.commands.search import search
from memshelf.commands.write import write
from memshelf.requests import Caller, IndexRequest, ReadRequest, SearchRequest
from memshelf.store.library import Library, open_library

DRAFTS = "refs/memshelf/draft/shared/"


def names_of(library: Library) -> tuple[set[str], set[str]]:
    """Return the ids of the drafts, and of what is accepted; looked at in this order, none is missed."""
    drafts = {ref.removeprefix(DRAFTS) for ref in library.git.refs(DRAFTS)}
    kept = library.git.blobs(library.branch, "shelves/shared/docs")
    return drafts, {Path(blob.path).stem for blob in kept if blob.path.endswith(".md")}


def write_one(library: Library, caller: Caller, number: int, at: int) -> None:
    name = f"2026-07-{number + 1:02}-topic-w{number}-n{at}"
    write(library, request(id=name, title=f"Topic w{number}n{at}"), caller)
    if not at % 3:
        accept(library, [name], caller)


def read_some(library: Library, caller: Caller, chance: random.Random) -> None:
    drafts, kept = names_of(library)
    text = index(library, IndexRequest(budget=20_000), caller).text
    count = int(text.split(" of ")[1].split(" ")[0])
    assert count >= len(drafts | kept), f"{count} lines, {len(drafts | kept)} episodes before"
    late = [name for name in kept - drafts if f"{name} · " in text and "[draft]" in _line(text, name)]
    assert not late, f"accepted before, still drafts: {late}"
    for name in chance.sample(sorted(drafts | kept), min(3, len(drafts | kept))):
        assert name in read(library, ReadRequest(id=name), caller).text
        word = "w" + name.rpartition("-w")[2].replace("-", "")
        hits = search(library, SearchRequest(query=word), caller).hits
        assert name in {hit.id for hit in hits}, f"{name} is not found by {word}"


def _line(text: str, name: str) -> str:
    return next(line for line in text.split("\n") if line.startswith(f"{name} · "))


def main(job: str, root: str, folder: str, ends: str, number: str) -> None:
    caller = Caller(client=f"{job}er", today="2026-07-30", folder=Path(folder), variables={})
    chance = random.Random(number)
    for at in itertools.count():
        library = open_library(Path(root))
        if job == "write":
            write_one(library, caller, int(number), at)
        else:
            read_some(library, caller, chance)
        if Path(ends).exists():
            print(at + 1)
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
