"""ledger.tsv: what each episode weighs, as the format family's tools read it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memshelf.lines import day, squeeze
from memshelf.model import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.derived.index_file import Row
    from memshelf.model import Episode, Shelf

COLUMNS = ("date", "episode_id", "mode", "approx_tokens_in", "digest_tokens", "notes")
CHARACTERS_PER_TOKEN = 4
WEIGHT = re.compile(r"\d{1,15}")


def render(shelf: Shelf, _rows: Sequence[Row]) -> str:
    """Return one tab-separated row for each committed episode, archived ones included, sorted by id."""
    kept = [entry for entry in shelf.entries if entry.state is not State.DRAFT]
    kept.sort(key=lambda entry: (entry.episode.id, entry.path))
    rows = [COLUMNS, *(_row(entry.episode) for entry in kept)]
    return "".join("\t".join(row) + "\n" for row in rows)


def _row(episode: Episode) -> tuple[str, ...]:
    return (
        day(episode),
        squeeze(episode.id),
        squeeze(episode.mode),
        str(source_tokens(episode)),
        str(len(episode.digest) // CHARACTERS_PER_TOKEN),
        squeeze(episode.notes),
    )


def source_tokens(episode: Episode) -> int:
    """Return the weight of the source session, 0 when nobody measured or estimated it."""
    known = episode.approx_tokens_source != "unmeasured" and WEIGHT.fullmatch(episode.approx_tokens)
    return int(episode.approx_tokens) if known else 0
