"""How one shelf bends redaction. A leaf of its own, so that a bare `memshelf redact` starts fast."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Screening:
    """How one shelf bends redaction: memshelf.yml's `redact` of the shelf.

    `off` maps a rule or kind to the reason it is off; `personal` maps email, phone, card, document or name
    to mask, keep or refuse (mask where none is given); `allow` are addresses, `@domains` and numbers that
    may stay; `names` are people that are personal data here.
    """

    off: dict[str, str] = field(default_factory=dict)
    personal: dict[str, str] = field(default_factory=dict)
    allow: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
