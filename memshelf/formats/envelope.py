"""The envelope: what is recalled travels as data between marks that it cannot forge."""

from __future__ import annotations

import itertools

from memshelf.checksum import checksum

NONCE_LENGTH = 8


def wrap(kind: str, payload: str) -> str:
    """Return `payload`, unchanged, between `<memshelf-KIND nonce=…>` and `</memshelf-KIND nonce=…>`.

    The nonce comes from the payload alone and does not occur in it: the same payload gives the same
    text, and no payload can hold its own end mark.
    """
    nonce = _nonce(payload)
    return f"<memshelf-{kind} nonce={nonce}>\n{payload}\n</memshelf-{kind} nonce={nonce}>"


def _nonce(payload: str) -> str:
    """Return the start of the payload's SHA-256, salted 1, 2, … while it occurs in the payload."""
    for salt in itertools.count():
        salted = f"{salt or ''}{payload}"
        nonce = checksum(salted.encode("utf-8", "surrogatepass")).hex()[:NONCE_LENGTH]
        if nonce not in payload:
            break
    return nonce
