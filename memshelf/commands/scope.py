"""Which shelves a command is about. Asked by the verbs; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memshelf.errors import MemShelfError
from memshelf.formats.settings import NAME as SETTINGS
from memshelf.store import snapshot
from memshelf.store.binding import bound_shelf
from memshelf.store.library import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memshelf.requests import Caller
    from memshelf.store.library import Library


class Seen(Protocol):
    """The library at one moment: a snapshot, or the catalogue."""

    @property
    def library(self) -> Library:
        """The library itself."""

    @property
    def tip(self) -> str:
        """The branch's commit, empty when there is none yet."""

    @property
    def names(self) -> Sequence[str]:
        """The shelves on the branch, sorted."""


def shelves_to_read(seen: Seen, shelf: str | None, caller: Caller) -> list[str]:
    """Return the shelf that was named, else the project's own and `shared`, else every shelf.

    Raises MemShelfError when the named or bound shelf does not exist.
    """
    require_branch(seen)
    if shelf:
        return [known_shelf(seen, shelf)]
    bound = bound_shelf(seen.library, seen.names, caller.variables, caller.folder).shelf
    if not bound:
        return list(seen.names)
    return [name for name in seen.names if name in (known_shelf(seen, bound), SHARED)]


def shelves_to_tell(seen: Seen, caller: Caller) -> list[str]:
    """Return the project's own shelf and `shared`: what a session is told without asking."""
    bound = bound_shelf(seen.library, seen.names, caller.variables, caller.folder).shelf
    own = known_shelf(seen, bound) if bound else ""
    return [name for name in seen.names if name in (own, SHARED)]


def shelf_to_write(seen: Seen, shelf: str | None, caller: Caller) -> str:
    """Return the shelf that was named, else the project's own, else the only one there is.

    Raises MemShelfError with the names when none of these is decided.
    """
    require_branch(seen)
    names = seen.names
    wanted = shelf or bound_shelf(seen.library, names, caller.variables, caller.folder).shelf
    if wanted:
        return known_shelf(seen, wanted)
    if len(names) == 1:
        return names[0]
    if not names:
        raise MemShelfError(f"the library has no shelf: add one with `memshelf init {seen.library.root}`")
    raise MemShelfError(f"which shelf? pass shelf: one of {', '.join(names)}")


def require_branch(seen: Seen) -> None:
    """Raise MemShelfError when the library's branch is not here, though the clone has commits."""
    library = seen.library
    broken = "" if seen.tip else snapshot.broken_branch(library, "")
    if broken:
        raise MemShelfError(broken)
    if not seen.tip and library.git.commit_of("HEAD"):
        name = library.branch.removeprefix("refs/heads/")
        raise MemShelfError(
            f"the library's branch {name} is not in this clone: `git fetch origin {name}:{name}` brings it, "
            f"or name another in {SETTINGS}"
        )


def known_shelf(seen: Seen, shelf: str) -> str:
    """Return `shelf` if the library has it; raises MemShelfError with the nearest names."""
    names = seen.names
    if shelf in names:
        return shelf
    if seen.library.alone:
        raise MemShelfError(f"no such shelf: the library is one, {seen.library.alone.name}")
    near = nearest(shelf, names) or names
    has = f"did you mean {' or '.join(near)}?" if near else "the library has no shelf yet."
    raise MemShelfError(f"no such shelf: {has} A new one: `memshelf init {seen.library.root} --shelf NAME`")


def nearest(wanted: str, known: Iterable[str]) -> list[str]:
    """Return up to three near misses."""
    from memshelf.search import nearest as fuzzy  # noqa: PLC0415 # rapidfuzz, which a hit never needs

    return fuzzy.nearest(wanted, known)
