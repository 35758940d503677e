"""Addresses: how an episode is named. Every form that the index or search prints is read."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

FORM = "[shelf/]id[@draft|@origin][#Section]"
DRAFT_MARK = "@draft"
ORIGIN_MARK = "@origin"
SHELF = r"(?:shelves/)?(?:(?!archive/)(?P<shelf>[^/]+)/)?"
FILE = re.compile(SHELF + r"(?:archive/)?docs/(?:[^/]+/)*(?P<id>[^/]+)\.md")


class Address(NamedTuple):
    """One episode, or one section of it; empty parts were not named. `origin`: a draft on the remote."""

    id: str
    shelf: str = ""
    section: str = ""
    draft: bool = False
    origin: bool = False


def parse(text: str) -> Address:
    """Read `[shelf/]id[@draft|@origin][#Section]`, or the path of the episode's file."""
    place, _, section = unicodedata.normalize("NFC", text.strip()).partition("#")
    draft = place.endswith(DRAFT_MARK)
    origin = place.endswith(ORIGIN_MARK)
    place = place.removesuffix(DRAFT_MARK).removesuffix(ORIGIN_MARK)
    file = FILE.fullmatch(place)
    if file:
        return Address(file["id"], file["shelf"] or "", section.strip(), draft, origin)
    shelf, _, episode_id = place.rpartition("/")
    return Address(episode_id, shelf, section.strip(), draft, origin)
