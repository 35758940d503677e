"""Where: which library, branch and shelf a command meets from here, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.scope import shelf_to_write, shelves_to_read
from memshelf.errors import MemShelfError
from memshelf.store import catalogue
from memshelf.store.binding import bound_shelf
from memshelf.store.library import branch_why

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.binding import Scope
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library


@dataclass(frozen=True, slots=True)
class Place:
    """The library and its branch, each with the reason, and the project's shelf.

    `prefix` is the library's path inside the repository, empty at its top. `reads` are the shelves that
    reads cover, `write` the one that a write without a shelf goes to; where there are none, `refused`
    holds why.
    """

    library: Path
    library_reason: str
    branch: str
    branch_reason: str
    repository: Path
    prefix: str
    scope: Scope
    reads: tuple[str, ...] = ()
    write: str = ""
    refused: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "library": str(self.library),
            "library_reason": self.library_reason,
            "branch": self.branch,
            "branch_reason": self.branch_reason,
            "repository": str(self.repository),
            "prefix": self.prefix,
            "shelf": self.scope.shelf,
            "shelf_reason": self.scope.reason,
            "note": self.scope.note,
            "reads": list(self.reads),
            "write": self.write,
            "refused": self.refused,
        }

    def as_text(self) -> str:
        """Return a line a fact."""
        refused = f"refused: {self.refused}"
        rows = {
            "library": f"{self.library} ({self.library_reason})",
            "branch": f"{self.branch} ({self.branch_reason})",
            "repository": str(self.repository),
            "prefix": self.prefix or "none, the library is the repository's top",
            "shelf": f"{self.scope.shelf or 'none'} ({self.scope.reason})",
            "note": self.scope.note,
            "reads": ", ".join(self.reads) or (refused if self.refused else "nothing, there is no shelf"),
            "writes": self.write or refused,
        }
        return "\n".join(f"{name:<12}{text}" for name, text in rows.items() if text)


def where(library: Library, reason: str, caller: Caller) -> Place:
    """Say what a command called from the caller's folder is about; `reason` is why it is this library."""
    return catalogue.consult(library, lambda kept: _where(kept, reason, caller))


def _where(seen: Catalogue, reason: str, caller: Caller) -> Place:
    library = seen.library
    scope = bound_shelf(library, seen.names, caller.variables, caller.folder)
    reads: tuple[str, ...] = ()
    write = refused = ""
    try:
        reads = tuple(shelves_to_read(seen, None, caller))
        write = shelf_to_write(seen, None, caller)
    except MemShelfError as error:
        refused = str(error)
    branch, why = branch_why(library.git, library.settings)
    return Place(
        library.root,
        reason,
        branch.removeprefix("refs/heads/"),
        why,
        library.common,
        library.prefix,
        scope,
        reads,
        write,
        refused,
    )
