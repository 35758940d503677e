"""Which shelves a command is about. Asked by the verbs; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.formats.settings import NAME as SETTINGS
from memshelf.model import Conventions
from memshelf.redact import parse_patterns
from memshelf.store.library import SHARED, bound_shelf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.requests import Caller
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot


def shelves_to_read(snapshot: Snapshot, shelf: str | None, caller: Caller) -> list[str]:
    """Return the shelf that was named, else the project's own and `shared`, else every shelf.

    Raises MemShelfError when the named or bound shelf does not exist.
    """
    require_branch(snapshot)
    if shelf:
        return [known_shelf(snapshot, shelf)]
    bound = bound_shelf(snapshot.library, snapshot.names, caller.variables, caller.folder).shelf
    if not bound:
        return snapshot.names
    return [name for name in snapshot.names if name in (known_shelf(snapshot, bound), SHARED)]


def shelf_to_write(snapshot: Snapshot, shelf: str | None, caller: Caller) -> str:
    """Return the shelf that was named, else the project's own, else the only one there is.

    Raises MemShelfError with the names when none of these is decided.
    """
    require_branch(snapshot)
    names = snapshot.names
    wanted = shelf or bound_shelf(snapshot.library, names, caller.variables, caller.folder).shelf
    if wanted:
        return known_shelf(snapshot, wanted)
    if len(names) == 1:
        return names[0]
    if not names:
        raise MemShelfError(f"the library has no shelf: add one with `memshelf init {snapshot.library.root}`")
    raise MemShelfError(f"which shelf? pass shelf: one of {', '.join(names)}")


def require_branch(snapshot: Snapshot) -> None:
    """Raise MemShelfError when the library's branch is not here, though the clone has commits."""
    library = snapshot.library
    if not snapshot.tip and library.git.commit_of("HEAD"):
        name = library.branch.removeprefix("refs/heads/")
        raise MemShelfError(
            f"the library's branch {name} is not in this clone: `git fetch origin {name}:{name}` brings it, "
            f"or name another in {SETTINGS}"
        )


def known_shelf(snapshot: Snapshot, shelf: str) -> str:
    """Return `shelf` if the library has it; raises MemShelfError with the nearest names."""
    names = snapshot.names
    if shelf in names:
        return shelf
    if snapshot.library.alone:
        raise MemShelfError(f"no such shelf: the library is one, {snapshot.library.alone.name}")
    near = nearest(shelf, names) or names
    has = f"did you mean {' or '.join(near)}?" if near else "the library has no shelf yet."
    raise MemShelfError(
        f"no such shelf: {has} A new one: `memshelf init {snapshot.library.root} --shelf NAME`"
    )


def conventions_of(library: Library, shelf: str, today: str) -> Conventions:
    """Return what the shelf asks of its episodes. Raises FormatError for a bad line in POLICY.patterns."""
    own = library.settings.shelf(shelf)
    patterns = parse_patterns(library.policy_text(shelf))
    adopted = library.settings.contract == "adopted"
    return Conventions(today, own.markers, own.rules_off, patterns, adopted)


def nearest(wanted: str, known: Iterable[str]) -> list[str]:
    """Return up to three near misses."""
    from memshelf.search import nearest as fuzzy  # noqa: PLC0415 # rapidfuzz, which a hit never needs

    return fuzzy.nearest(wanted, known)
