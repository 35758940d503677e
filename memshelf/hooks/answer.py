"""One hook call: from the host's event to the JSON that it reads, and the record that it was delivered."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from memshelf.checksum import checksum
from memshelf.commands.brief import brief
from memshelf.hooks.hosts import heard, said
from memshelf.requests import Caller
from memshelf.store import clock, deliveries
from memshelf.store.library import locate, open_library


def answer(host: str, event: str, raw: bytes, library: str | None) -> str:
    """Return the JSON for the host, empty where there is nothing to say to the event.

    Raises MemShelfError where the input or the library cannot be read.
    """
    told = heard(host, event, raw)
    if not told.moment:
        return ""
    folder = told.folder if told.folder and told.folder.is_dir() else Path.cwd()
    kept = open_library(locate(library, os.environ, folder))
    moment = "compact" if told.source == "compact" else told.moment
    text = brief(kept, moment, Caller(host, clock.today(), folder, os.environ, told.session))
    if not text:
        return ""
    digest = checksum(text.encode("utf-8", "surrogatepass")).hex()[:12]
    with contextlib.suppress(OSError):  # a full disk keeps no proof; the text is delivered all the same
        deliveries.record(kept.common, deliveries.Delivery(host, event, clock.now(), len(text), digest))
    return said(event, text)
