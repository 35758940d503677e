"""Published drafts as this clone knows them: branches of the remote, each with one episode more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memshelf.formats.episode import read_document
from memshelf.model import KINDS, MAX_EPISODE_BYTES, REV_LENGTH

if TYPE_CHECKING:
    from memshelf.model import Document
    from memshelf.store.library import Library

PUBLISHED = "refs/memshelf/origin/draft/"
"""Where they lie in this clone: `<shelf>/<id>` below it."""


class Published(NamedTuple):
    """One published draft: `shelf/id`, its branch's commit, its path from the repository's top, its rev."""

    name: str
    commit: str
    path: str
    rev: str

    @property
    def address(self) -> str:
        """What `read_episode` accepts for exactly this text."""
        return f"{self.name}@origin"


def commits(library: Library) -> dict[str, str]:
    """Return `shelf/id` -> commit of every branch that is published, whatever it holds."""
    found = library.git.refs(PUBLISHED)
    return {ref.removeprefix(PUBLISHED): commit for ref, commit in found.items()}


def drafts(library: Library) -> dict[str, Published]:
    """Return `shelf/id` -> draft of each branch that holds an episode of its name."""
    known = commits(library)
    places = [(name, place) for name in known for place in _places(library, name)]
    read = library.git.read([f"{known[name]}:{place}" for name, place in places], most=0) if places else []
    return {
        name: Published(name, known[name], place, sha[:REV_LENGTH])
        for (name, place), (sha, _) in zip(places, read, strict=True)
        if sha
    }


def document(library: Library, one: Published) -> Document:
    """Read a published draft."""
    raw = library.git.read([f"{one.commit}:{one.path}"], MAX_EPISODE_BYTES + 1)[0][1]
    return read_document(one.path.removeprefix(library.prefix), raw)


def _places(library: Library, name: str) -> list[str]:
    """Return where the episode `shelf/id` may lie, from the repository's top."""
    shelf, _, episode_id = name.partition("/")
    if not episode_id or (library.alone and shelf != library.alone.name):
        return []
    folders = dict.fromkeys(library.layout.folder(kind) for kind in KINDS)
    return [f"{library.prefix}{library.home(shelf)}{folder}/{episode_id}.md" for folder in folders]
