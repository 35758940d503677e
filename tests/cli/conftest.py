"""What the tests of the command line at a terminal share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from terminal import Terminal

    from memshelf.store.library import Library


@pytest.fixture
def desk(library: Library) -> Iterator[Callable[..., Terminal]]:
    """Return a function that runs `memshelf WORDS` (`review` unless told) on a terminal."""
    from terminal import Terminal  # skips where there is none

    opened: list[Terminal] = []

    def open_one(*words: object, **more: object) -> Terminal:
        opened.append(Terminal(*(words or ["review"]), "--library", library.root, **more))  # type: ignore[arg-type]
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()
