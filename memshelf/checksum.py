"""Checksums that tell texts apart, made without OpenSSL: loading it costs every command 4 MB."""

from __future__ import annotations

try:  # as the standard library's `random` does: hashlib always loads OpenSSL
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore] # from Python 3.12 on
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore] # up to Python 3.11
    except ImportError:
        from hashlib import sha256


def checksum(data: bytes) -> bytes:
    """Return the SHA-256 of `data`."""
    digest: bytes = sha256(data).digest()
    return digest
