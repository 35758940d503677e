"""What a shelf asks of its episodes beside the built-in rules. Asked by the verbs; no verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.model import Conventions
from memshelf.redact import parse_patterns

if TYPE_CHECKING:
    from memshelf.store.library import Library


def conventions_of(library: Library, shelf: str, today: str) -> Conventions:
    """Return what the shelf asks of its episodes. Raises FormatError for a bad line in POLICY.patterns."""
    own = library.settings.shelf(shelf)
    patterns = parse_patterns(library.policy_text(shelf))
    adopted = library.settings.contract == "adopted"
    return Conventions(today, own.markers, own.rules_off, patterns, adopted, own.redact)
