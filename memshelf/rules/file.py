"""Rules about an episode's file: its bytes, its name, its front matter."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from memshelf.model import MAX_EPISODE_BYTES, Level
from memshelf.rules.registry import Breach, file_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions, Document

BOM = b"\xef\xbb\xbf"


def _bad_byte(raw: bytes) -> int:
    """Return the offset of the first byte that is not UTF-8, or -1."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start
    return -1


@file_rule(Level.ERROR, bad=lambda raw: raw + b"caf\xe9\n", good=lambda raw: raw + "café\n".encode())
def not_utf_8(document: Document, _: Conventions) -> Iterator[Breach]:
    """The file is not UTF-8.

    Another encoding reads as broken words, or not at all. Save the file as UTF-8.
    """
    at = _bad_byte(document.raw)
    if at >= 0:
        line = document.raw.count(b"\n", 0, at) + 1
        yield Breach(f"byte {at} is not UTF-8: save the file as UTF-8", line=line)


@file_rule(Level.ERROR, bad=lambda raw: BOM + raw, good=lambda raw: raw.replace(b"\n", b"\r\n"))
def byte_order_mark(document: Document, _: Conventions) -> Iterator[Breach]:
    """The file starts with a byte order mark.

    The front matter must stand at byte 0; tools that read line by line miss it behind the mark. Save the
    file as UTF-8 without BOM.
    """
    if document.raw.startswith(BOM):
        yield Breach("starts with a byte order mark: save as UTF-8 without BOM", line=1)


@file_rule(
    Level.ERROR,
    bad=lambda raw: raw.replace(b"kind: topic", b"kind: [topic"),
    good=lambda raw: raw.replace(b"kind: topic", b'kind: "topic"'),
)
def front_matter_broken(document: Document, _: Conventions) -> Iterator[Breach]:
    """The front matter cannot be read.

    Nothing can be said of an episode whose keys are unknown; the other files are served without it. The
    message names the line and the cause.
    """
    if document.fault and _bad_byte(document.raw) < 0:
        yield Breach(document.fault, line=document.fault_line)


@file_rule(Level.ERROR, bad=lambda raw: raw + b"a " * (MAX_EPISODE_BYTES // 2), good=lambda raw: raw + b"a\n")
def file_too_large(document: Document, _: Conventions) -> Iterator[Breach]:
    """The file is over 2 MB.

    An episode is read section by section by models with small windows. Move raw material out of it and
    name the place under Sources.
    """
    size = document.size
    if size > MAX_EPISODE_BYTES:
        over = size - MAX_EPISODE_BYTES
        yield Breach(
            f"{size} bytes, limit {MAX_EPISODE_BYTES}: move {over} out and name the place in Sources"
        )


@file_rule(
    Level.ERROR,
    bad=lambda raw: raw.replace(b"-auth-tokens\n", b"-tokens\n"),
    good=lambda raw: raw.replace(b"kind: topic", b"kind: research"),
)
def id_not_file_name(document: Document, _: Conventions) -> Iterator[Breach]:
    """The id and the file's name differ.

    Links, the index and recall go by the id and find the file by it. Rename one of the two.
    """
    name = unicodedata.normalize("NFC", PurePosixPath(document.path).stem)
    if document.episode and document.episode.id and document.episode.id != name:
        yield Breach("differs from the file's name: make them equal", "id")
