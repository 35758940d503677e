"""Search by meaning: which episodes, and which part of each, mean what a query means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.model import DIGEST
from memshelf.search.encoder import cosines, load, pack
from memshelf.search.query import conditions
from memshelf.search.window import units
from memshelf.terms import parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from memshelf.model import Episode, Section
    from memshelf.requests import SearchRequest
    from memshelf.search.encoder import Encoder
    from memshelf.search.window import Span
    from memshelf.store.catalogue import Catalogue

PIECE = 500
"""Characters that share a vector: neighbouring lines of a section."""

SHORTEST = 20
"""Characters of a piece that has a vector: "None." says nothing."""

DEPTH = 20
"""Episodes that are taken for their meaning."""

HEADS = 2000
"""Episodes of which more than the head is compared: 10 ms."""

FLOOR = 0.1
"""The cosine below which texts have nothing to do with one another; below half of the best they have less."""

BLOCK = 1024


class Near(NamedTuple):
    """How near an episode is, and the place of its nearest piece, -1 for its names and digest."""

    cosine: float
    piece: int


class Meaning:
    """Makes the vectors of episodes and of a query."""

    def __init__(self, encoder: Encoder) -> None:
        """Use this encoder."""
        self.encoder = encoder
        self.name = f"{encoder.name} {PIECE}"

    def heads(self, episodes: Sequence[Episode]) -> list[bytes]:
        """Return one vector an episode: of its names and its digest."""
        return pack(self.encoder.encode([f"{one.title}\n{one.summary}\n{one.digest}" for one in episodes]))

    def bodies(self, episodes: Sequence[Episode]) -> list[bytes]:
        """Return the vectors of the pieces of each episode, joined."""
        texts = [[part.body[slice(*spans[at])] for part, spans, at in pieces(one)] for one in episodes]
        every = [text for some in texts for text in some]
        made = iter(pack(self.encoder.encode(every)) if every else ())
        return [b"".join(next(made) for _ in some) for some in texts]


class Door(NamedTuple):
    """The way to search by meaning, or in one sentence why there is none."""

    meaning: Meaning | None
    remark: str = ""


def door() -> Door:
    """Return the way to search by meaning, loaded once a process. Never raises."""
    encoder, remark = load()
    return Door(Meaning(encoder) if encoder else None, remark)


def pieces(episode: Episode) -> Iterator[tuple[Section, list[Span], int]]:
    """Yield (section, its pieces, the place of one of them) of each piece in order; digests are in heads."""
    for part in parts(episode):
        if part.heading == DIGEST:
            continue
        spans: list[Span] = []
        for start, end in units(part.body):
            if spans and end - spans[-1][0] <= PIECE:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        yield from ((part, spans, at) for at, (start, end) in enumerate(spans) if end - start >= SHORTEST)


def nearest(
    kept: Catalogue, shelves: Sequence[str], request: SearchRequest, meaning: Meaning, also: Collection[int]
) -> dict[int, Near]:
    """Return row -> how near: of the DEPTH nearest that are not below FLOOR, and of the rows `also`."""
    asked = meaning.encoder.encode([request.query])[0]
    marks = ", ".join("?" * len(shelves))
    filters, values = conditions(request)
    condition = f"shelf IN ({marks})" + (f" AND {filters}" if filters else "")
    found = dict(_best(asked, kept.vectors("head", condition, (*shelves, *values))))
    closest = sorted(found, key=lambda number: -found[number].cosine)[:HEADS]
    numbers = [*closest, *(number for number in also if number in found)]
    for at in range(0, len(numbers), BLOCK):
        some = numbers[at : at + BLOCK]
        rows = kept.vectors("body", f"number IN ({', '.join('?' * len(some))})", some)
        for number, near in _best(asked, rows, first=0):
            found[number] = max(found[number], near)
    order = sorted(set(numbers), key=lambda number: -found[number].cosine)
    least = max(FLOOR, found[order[0]].cosine / 2) if order else 0
    taken = [number for number in order[:DEPTH] if found[number].cosine >= least]
    return {number: found[number] for number in {*taken, *numbers[len(closest) :]}}


def _best(asked: Any, rows: Iterable[tuple[int, bytes]], first: int = -1) -> Iterator[tuple[int, Near]]:
    """Yield each row's best vector; they are counted from `first`."""
    block: list[tuple[int, bytes]] = []
    for row in rows:
        block.append(row)
        if len(block) == BLOCK:
            yield from _best_of(asked, block, first)
            block = []
    yield from _best_of(asked, block, first)


def _best_of(asked: Any, block: Sequence[tuple[int, bytes]], first: int) -> Iterator[tuple[int, Near]]:
    every = cosines(asked, b"".join(packed for _, packed in block)).tolist()
    at = 0
    for number, packed in block:
        mine = every[at : at + len(packed) // len(asked)]
        at += len(mine)
        if mine:
            best = max(mine)
            yield number, Near(best, first + mine.index(best))
