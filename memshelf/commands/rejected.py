"""Rejected: which drafts a person said no to, when and why, and the text of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.scope import nearest
from memshelf.errors import MemShelfError
from memshelf.formats import address
from memshelf.store import rejected as store

if TYPE_CHECKING:
    from memshelf.store.library import Library
    from memshelf.store.rejected import Rejection


@dataclass(frozen=True, slots=True)
class Rejections:
    """The rejections, the latest first; `text` is the latest one's draft when one id was asked for."""

    items: tuple[Rejection, ...]
    text: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        keys = ("shelf", "id", "date", "by", "reason", "commit")
        return {"rejected": [{key: getattr(item, key) for key in keys} for item in self.items]} | (
            {"text": self.text} if self.text else {}
        )

    def as_text(self) -> str:
        """Return two lines a rejection, then the text."""
        if not self.items:
            return "no draft was rejected"
        lines = [
            f"{item.shelf}/{item.id}  rejected {item.date} by {item.by}\n  {item.reason}"
            for item in self.items
        ]
        return "\n".join([*lines, *(["", self.text.removesuffix("\n")] if self.text else [])])


def rejected(library: Library, name: str = "", shelf: str = "") -> Rejections:
    """List the rejected drafts, of one shelf or of all, or show the latest text rejected under `name`.

    Raises MemShelfError with the nearest ids when none was rejected under that name.
    """
    found = [item for item in store.rejections(library.git) if shelf in ("", item.shelf)]
    if not name:
        return Rejections(tuple(found))
    wanted = address.parse(name)
    mine = [item for item in found if item.id == wanted.id and wanted.shelf in ("", item.shelf)]
    if not mine:
        near = nearest(wanted.id, {item.id for item in found})
        hint = f"did you mean {' or '.join(near)}?" if near else "`memshelf review --rejected` lists them"
        raise MemShelfError(f"no such rejected draft: {hint}")
    return Rejections(tuple(mine), store.text_of(library.git, mine[0]))
