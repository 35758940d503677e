"""Checksums that tell texts apart, made without OpenSSL: loading it costs every command 4 MB."""

from __future__ import annotations

try:
    from _blake2 import blake2b  # as the standard library's `random` does: hashlib always loads OpenSSL
except ImportError:
    from hashlib import blake2b


def checksum(data: bytes) -> bytes:
    """Return 32 bytes that no other data has."""
    return blake2b(data, digest_size=32).digest()
