"""What was asked: the words of a query, what each is worth on the shelf, and the filters."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from memshelf.search.spelling import corrections
from memshelf.search.stop_words import stop_terms
from memshelf.terms import is_half_a_pair, terms, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memshelf.requests import SearchRequest
    from memshelf.store.catalogue import Catalogue

MOST = 64
"""Concepts that are looked for: of a longer query the rarest."""

MOST_LONE = 8
"""Single characters of scripts without spaces that are looked for in pairs."""

MOST_PAIRS = 64
"""Pairs of characters that stand for one of them, the commonest."""

VERBATIM = 7.0
"""Times the weight of a whole query: more than all else can add."""

IDENTIFIER = re.compile(r"\w[._/:@+]\w|\w-\d|\d[^\W\d]|[^\W\d_]\d|[a-zа-я][A-ZА-Я]|^-+[a-zA-Z]")
"""What makes a word the name of one thing: joined parts, digits among letters, capitals, a flag's hyphens."""


ROUND = ".,:;!?()[]{}<>«»\"'`"


class Concept(NamedTuple):
    """One thing that was asked for.

    `word` is how it was asked and `term` what it has; any of `terms` stands for it. `weight` is its inverse
    document frequency on the shelves, 0 when it is nowhere.
    """

    word: str
    term: str
    terms: tuple[str, ...]
    episodes: int
    weight: float


class Query(NamedTuple):
    """A query as the shelves know it.

    `neighbours` are the pairs of concepts that stood side by side, `phrases` what words of several terms
    are to FTS5. `identifiers` maps a word that names one thing, folded, to what it is worth where it stands
    as it was asked; `exact` are their phrases. `corrected` says what was taken for a word
    that no episode has.
    """

    concepts: tuple[Concept, ...]
    neighbours: frozenset[tuple[int, int]]
    phrases: tuple[str, ...]
    identifiers: Mapping[str, float]
    exact: tuple[str, ...]
    corrected: Mapping[str, tuple[str, ...]]

    def terms_by_rarity(self) -> list[tuple[int, str]]:
        """Return (how many episodes have it, FTS5's query) of each concept that any has, the rarest first."""
        return sorted((one.episodes, any_of(one.terms)) for one in self.concepts if one.weight)

    @property
    def weights(self) -> list[float]:
        """What each concept is worth."""
        return [concept.weight for concept in self.concepts]


def split(text: str) -> list[tuple[str, list[str]]]:
    """Return (word, its terms) of each word of the query that has any; stop words alone have none."""
    words = [(word, terms(word)) for word in visible(text).split()]
    return [(word, found) for word, found in words if not stop_terms().issuperset(found)]


def understand(kept: Catalogue, names: Sequence[str], words: Sequence[tuple[str, list[str]]]) -> Query:
    """Weigh the words by the shelves `names`; a word that they do not have is corrected where one is near."""
    total = sum(kept.readable(name) for name in names)
    known = kept.episodes_with(names, {term for _, found in words for term in found})
    corrected = corrections(kept, names, words, known)
    forms = corrected | wider(kept, names, words)
    known |= kept.episodes_with(names, {form for found in forms.values() for form in found})
    concepts = _concepts(words, forms, known, total)
    place = {concept.term: at for at, concept in enumerate(concepts)}
    order = [term for _, found in words for term in found]
    meant = [(word, tuple(corrected.get(term, (term,))[0] for term in found)) for word, found in words[:MOST]]
    named = {_bare(word): found for word, found in meant if IDENTIFIER.search(word.strip(ROUND))}
    return Query(
        tuple(concepts),
        frozenset((place[a], place[b]) for a, b in pairwise(order) if a in place and b in place and a != b),
        tuple(dict.fromkeys(phrase(found) for _, found in meant if len(found) > 1)),
        dict.fromkeys(named, VERBATIM * sum(concept.weight for concept in concepts)),
        tuple(dict.fromkeys(map(phrase, named.values()))),
        {word: corrected[term] for word, found in words for term in found if term in corrected},
    )


def wider(
    kept: Catalogue, names: Sequence[str], words: Sequence[tuple[str, list[str]]]
) -> dict[str, tuple[str, ...]]:
    """Return term -> what stands for it on the shelves, for one character that texts have in pairs."""
    lone = dict.fromkeys(term for _, found in words for term in found if is_half_a_pair(term))
    return {term: (term, *kept.pairs_with(names, term, MOST_PAIRS)) for term in list(lone)[:MOST_LONE]}


def _concepts(
    words: Sequence[tuple[str, list[str]]],
    stand_ins: Mapping[str, tuple[str, ...]],
    known: Mapping[str, int],
    total: int,
) -> list[Concept]:
    """Return what is looked for, the rarest first; words that are nowhere are the last."""
    made: dict[str, Concept] = {}
    for word, found in words:
        for term in found:
            if term not in stop_terms() and term not in made:
                forms = stand_ins.get(term, (term,))
                episodes = min(total, sum(known.get(form, 0) for form in forms))
                made[term] = Concept(word, term, forms, episodes, _weight(total, episodes))
    return sorted(made.values(), key=lambda concept: -concept.weight)[:MOST]


def phrase(found: Sequence[str]) -> str:
    """Return terms that follow one another, as FTS5 reads it."""
    return f'"{" ".join(found)}"'


def any_of(found: Iterable[str]) -> str:
    """Return that any of these terms will do, as FTS5 reads it."""
    return " OR ".join(phrase([term]) for term in found)


def _bare(word: str) -> str:
    return word.strip(ROUND).casefold()


def _weight(total: int, episodes: int) -> float:
    return math.log(1 + (total - episodes + 0.5) / (episodes + 0.5)) if episodes else 0.0


def conditions(request: SearchRequest) -> tuple[str, tuple[str, ...]]:
    """Return what the filters ask of an episode's row in the catalogue, as SQL, and the values it takes."""
    asked = (
        ("kind = ?", request.kind),
        ("CASE WHEN superseded THEN 'superseded' ELSE state END = ?", request.state),
        ("instr(tags, ?)", f"\n{request.tag}\n" if request.tag else ""),
        ("day >= ?", request.since),
        ("day <= ?", request.until),
    )
    passed = [(sql, value) for sql, value in asked if value]
    return " AND ".join(sql for sql, _ in passed), tuple(value for _, value in passed)
