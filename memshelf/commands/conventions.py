"""What a shelf asks of its episodes beside the built-in rules. Asked by the verbs; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.errors import FormatError
from memshelf.model import Conventions
from memshelf.redact import parse_patterns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Episode
    from memshelf.store.library import Library


def conventions_of(library: Library, shelf: str, today: str) -> Conventions:
    """Return what the shelf asks of its episodes. Raises FormatError for a bad line in POLICY.patterns."""
    own = library.settings.shelf(shelf)
    try:
        text = library.policy_text(shelf)
    except FormatError as error:
        raise FormatError(f"line {error.line}: {error}", error.line) from None
    patterns = parse_patterns(text)
    adopted = library.settings.contract == "adopted"
    return Conventions(today, own.markers, own.rules_off, patterns, adopted, own.redact)


def of_derived(own: Conventions, episodes: Iterable[Episode]) -> Conventions:
    """Return what is asked of a derived file of these episodes: it repeats what a person lifted in one."""
    lifted = {entry.partition(" ")[0]: "lifted" for episode in episodes for entry in episode.allow}
    patterns = tuple(pattern for pattern in own.patterns if pattern[0] not in lifted)
    screening = own.screening._replace(off={**own.screening.off, **lifted})
    return own._replace(patterns=patterns, screening=screening)
