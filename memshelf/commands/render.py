"""Render: write the derived files from the episodes on disk, or say which are out of date."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.shelving import derived_files
from memshelf.store import journal, landing, snapshot
from memshelf.store.disk import read_bytes, write_bytes

if TYPE_CHECKING:
    from memshelf.store.library import Library


@dataclass(frozen=True, slots=True)
class Rendered:
    """The derived files that differed, as paths from the library's folder.

    `checked` says that they were only compared; `pending` that the bot will render them. `foreign` are
    those that another tool renders, left alone; `linked` the symbolic links that stand for folders of a
    shelf, which is then not rendered.
    """

    stale: tuple[str, ...]
    checked: bool
    pending: bool
    foreign: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is nothing for a person to do."""
        return not self.linked and (not (self.checked and self.stale) or self.pending)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        facts = {"stale": list(self.stale), "written": not self.checked, "pending": self.pending}
        return facts | {"foreign": list(self.foreign), "linked": list(self.linked)}

    def as_text(self) -> str:
        """Return a line a file that differed; nothing when all is well."""
        word = (
            "rendered"
            if not self.checked
            else "pending, the bot renders it"
            if self.pending
            else "out of date"
        )
        way_out = "" if not self.checked or self.pending else ": run `memshelf render`"
        lines = [f"{path}: {word}{way_out}" for path in self.stale]
        lines += [
            f"{path}: another tool's, left alone: `memshelf adopt` makes it ours" for path in self.foreign
        ]
        lines += [f"{path}: {snapshot.FOLDER_FAULT}" for path in self.linked]
        return "\n".join(lines)


def render(library: Library, today: str, *, check: bool = False) -> Rendered:
    """Render every shelf's derived files from its work tree, every byte of them; `check` writes nothing."""
    if library.foreign:
        return Rendered((), check, pending=False, foreign=(library.layout.index_file, library.layout.ledger))
    stale = []
    links = snapshot.linked_folders(library)
    with contextlib.nullcontext() if check else landing.exclusive(library):
        for name in (name for name in snapshot.worktree_names(library) if name not in links):
            shelf = snapshot.worktree_shelf(library, name)
            for path, content in derived_files(library, shelf, today).items():
                if read_bytes(library.root / path) == content:
                    continue
                stale.append(path)
                if not check:
                    write_bytes(library.root / path, content, library.common / journal.FOLDER)
    pending = check and library.settings.derived == "bot"
    return Rendered(tuple(stale), check, pending, linked=tuple(sorted(set(links.values()))))
