"""Files of the work tree: read whole, written whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


ENCODINGS = {
    codecs.BOM_UTF32_LE: "utf-32",  # begins as UTF-16's does
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def text_of(raw: bytes) -> str | None:
    """Return a file's text, by its byte order mark or as UTF-8; None where a NUL shows that it is binary."""
    for mark, encoding in ENCODINGS.items():
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    return None if b"\0" in raw else raw.decode("utf-8", "replace")


def read_bytes(path: Path) -> bytes | None:
    """Return the file's bytes, None when it does not exist."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_bytes(path: Path, content: bytes, workshop: Path | None = None) -> None:
    """Replace the file in one step: a reader sees the old or the new bytes, never a part.

    The new file is made in the folder `workshop`, where a killed command leaves it to be swept; beside
    `path` when none is named, or when it lies on another disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if workshop is not None:
        try:
            _replace(path, workshop / os.urandom(16).hex(), content)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        else:
            return
    _replace(path, path.with_name(f".{path.name}.{os.urandom(16).hex()}"), content)


def sync_folder(folder: Path) -> None:
    """Put the folder's names on disk, where the system can: a rename alone may be lost in a power cut."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network disks cannot
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _replace(path: Path, making: Path, content: bytes) -> None:
    try:
        with making.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        making.replace(path)
    finally:
        making.unlink(missing_ok=True)
