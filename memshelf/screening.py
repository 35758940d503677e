"""How one shelf bends redaction. A leaf of its own, so that a bare `memshelf redact` starts fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


_NONE: Mapping[str, str] = {}


class Screening(NamedTuple):
    """How one shelf bends redaction: memshelf.yml's `redact` of the shelf.

    `off` maps a rule or kind to the reason it is off; `personal` maps email, phone, card, document or name
    to mask, keep or refuse (mask where none is given); `allow` are addresses, `@domains` and numbers that
    may stay; `names` are people that are personal data here.
    """

    off: Mapping[str, str] = _NONE
    personal: Mapping[str, str] = _NONE
    allow: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
