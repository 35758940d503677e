"""A client's configuration file: followed through its link, replaced in one step with its mode."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.store import disk

if TYPE_CHECKING:
    from pathlib import Path

BACKUP = ".before-memshelf"
WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def read(path: Path) -> str | None:
    """Return the text, line ends as they are; None without a file. Raises MemShelfError unless UTF-8."""
    raw = disk.read_bytes(path)
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        raise MemShelfError(f"{path} is not UTF-8: save it as UTF-8, then try again") from None


def check_writable(path: Path) -> None:
    """Raise MemShelfError when the file is marked as read-only; it is not ours to overrule that."""
    real = path.resolve()
    if real.exists() and not (real.stat().st_mode & WRITABLE and os.access(real, os.W_OK)):
        raise MemShelfError(f"{path} is read-only: make it writable (`chmod u+w`), then try again")


def write(path: Path, text: str) -> None:
    """Replace the file; a link stays a link, and the file keeps its mode."""
    real = path.resolve()
    mode = stat.S_IMODE(real.stat().st_mode) if real.exists() else None
    _write(real, text, mode)


def remove(path: Path) -> None:
    """Delete the file, what a link leads to rather than the link."""
    path.resolve().unlink(missing_ok=True)


def backup(path: Path) -> Path:
    """Copy the file beside itself, as readable as it is, and return the copy's path."""
    real = path.resolve()
    copy = backup_path(path)
    _write(copy, real.read_bytes().decode(), stat.S_IMODE(real.stat().st_mode))
    return copy


def backup_path(path: Path) -> Path:
    """Return where the copy of a file lies."""
    real = path.resolve()
    return real.with_name(real.name + BACKUP)


def _write(path: Path, text: str, mode: int | None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    making = path.with_name(f".{path.name}.{os.urandom(16).hex()}")
    try:
        descriptor = os.open(making, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if mode is None:
            mode = 0o666 & ~_umask()
        making.chmod(mode)
        making.replace(path)
    finally:
        making.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
