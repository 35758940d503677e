"""Look for secrets in every version that was ever committed. Asked by doctor; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.redact import policy_of, redact
from memshelf.rules.facts import Facts, Raw
from memshelf.rules.shelf import examine
from memshelf.store import past
from memshelf.store.catalogue import sound

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memshelf.model import Conventions, Finding
    from memshelf.store.library import Library

KIND = "history"


def history(library: Library, asked: Mapping[str, Conventions], usual: Conventions) -> Iterator[Finding]:
    """Yield a finding for each version with a secret; `asked` is shelf -> conventions, `usual` for others.

    A version that held none is not read again while nothing changes that judges it. Raises GitError where
    git cannot walk the history.
    """
    known = sound.recall(library, KIND)
    unread = []
    for one in past.versions(library):
        mark = known.mark(one.blob, b"", asked.get(_shelf(library, one.path), usual))
        if mark in known.known:
            known.seen.add(mark)
        else:
            unread.append(one)
    for number, (one, text) in enumerate(past.read(library, unread)):
        if library.progress:
            library.progress(number, len(unread))
        conventions = asked.get(_shelf(library, one.path), usual)
        if redact(text, policy_of(conventions))[1]:
            yield from examine(Facts(past=(Raw(past.first_place(library, one), text),)), conventions)
        else:
            known.seen.add(known.mark(one.blob, b"", conventions))
    if library.progress and unread:
        library.progress(0, 0)
    sound.keep(library, known)


def _shelf(library: Library, path: str) -> str:
    return library.inside(path.removeprefix(library.prefix))[0]
