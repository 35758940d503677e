"""The rule about secrets. A write is redacted before it is checked, so this one finds what came by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.model import Level
from memshelf.redact import policy_of, redact
from memshelf.rules.registry import Breach, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions, Episode

KEYS = ("id", "title", "span", "summary", "notes", "tags", "supersedes", "client", "session", "allow")


@rule(
    Level.ERROR,
    bad={"decisions": "The admin's password: garden-Lantern-42"},
    good={"decisions": "The admin's password: «redacted:password#1»"},
)
def holds_secret(episode: Episode, conventions: Conventions) -> Iterator[Breach]:
    """The episode holds a secret, or what the shelf's policy forbids.

    Git keeps every version for ever, and every clone has it. Take it out, and change the password or
    revoke the token: what has been committed must be taken for known.
    """
    policy = policy_of(conventions)
    for place, name, text, line in _texts(episode):
        found = redact(text, policy.at(name, episode.allow))[1]
        if found:
            kinds = ", ".join(dict.fromkeys(item.rule for item in found))
            yield Breach(f"holds a secret ({kinds}): take it out and revoke it", place, line)


def _texts(episode: Episode) -> Iterator[tuple[str, str, str, int]]:
    """Yield (place, what `allow` calls it, text, line) of everything that is stored."""
    for key in KEYS:
        value = getattr(episode, key)
        yield key, key, value if isinstance(value, str) else "\n".join(value), 0
    for index, part in enumerate(episode.sections, 1):
        yield f"section {index}", part.heading, f"{part.heading}\n{part.body}", part.line
    yield "preamble", "preamble", episode.preamble, 0
    for key, value in episode.other:
        values = (value,) if isinstance(value, str) else value
        yield "another key", "", "\n".join((key, *values, *(f"{key}: {each}" for each in values))), 0
