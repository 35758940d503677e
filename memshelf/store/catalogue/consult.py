"""Ask the catalogue, brought up to date first; no answer depends on whether it could be kept."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, TypeVar

from memshelf.checksum import checksum
from memshelf.store import landing, state
from memshelf.store.catalogue import fill, vectors
from memshelf.store.catalogue.database import Broken, Connection, connect, give_up, reading
from memshelf.store.catalogue.view import Catalogue

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.store.catalogue.vectors import Meaning
    from memshelf.store.library import Library

Answer = TypeVar("Answer")

TRIES = 3


def consult(
    library: Library,
    question: Callable[[Catalogue], Answer],
    first: str = "",
    *,
    words: bool = False,
    meaning: Meaning | None = None,
) -> Answer:
    """Return the question's answer from the branch and the drafts as they are now, all from one moment.

    A landing that was killed is finished or undone first. With `words` the index of words is up to date
    too, with `meaning` its vectors as far as the library's patience lasts. While the catalogue is being made,
    what is called `first` is read before anything else. The question may be asked again, so it only reads.
    Where the catalogue cannot be kept, or is taken away each time, one is made in memory for this answer.
    """
    landing.settle(library)

    def answer(connection: Connection) -> Answer:
        with reading(connection):
            current = fill.is_current(connection, library, words=words)
            if current and (meaning is None or vectors.is_complete(connection, meaning)):
                return question(Catalogue(connection, library))
        fill.fill(connection, library, first, words=words)
        if meaning:
            vectors.fill(connection, meaning, library.patience)
        with reading(connection):
            return question(Catalogue(connection, library))

    folder = state.folder_of(library.common)
    for _ in range(TRIES if folder else 0):
        path = None
        try:
            connection, path = connect(folder, key_of(library))
            with contextlib.closing(connection):
                return answer(connection)
        except Broken as error:
            if give_up(error, path):
                break
    with contextlib.closing(connect(None, "")[0]) as connection:
        return answer(connection)


def key_of(library: Library) -> str:
    """Name the library among those of its repository: what it shows depends on nothing else than Git."""
    layout = library.layout
    facts = (
        library.prefix,
        library.branch,
        bool(library.alone),
        layout.name,
        layout.docs_root,
        layout.categories,
    )
    return checksum(repr(facts).encode("utf-8", "surrogateescape")).hex()[:12]
