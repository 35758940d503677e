"""What a word that no episode has was meant to be: typed in another layout, or one slip away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.terms import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memshelf.store.catalogue import Catalogue

SHORTEST = 4
SHORT = 5
"""Letters of a word that may have one slip only."""

MOST = 8
"""Words of a query that are corrected."""

LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
RUSSIAN = "йцукенгшщзхъфывапролджэячсмитьбюё"
OTHER_LAYOUT = str.maketrans(LATIN + RUSSIAN, RUSSIAN + LATIN)


def corrections(
    kept: Catalogue,
    names: Sequence[str],
    words: Sequence[tuple[str, list[str]]],
    known: Collection[str],
) -> dict[str, tuple[str, ...]]:
    """Return term -> up to three terms of the shelves it was meant to be; only for what they do not have."""
    lost = [(word, term) for word, found in words for term in found if term not in known]
    swapped = {term: tuple(terms(word.lower().translate(OTHER_LAYOUT))) for word, term in lost[:MOST]}
    there = kept.episodes_with(names, {each for found in swapped.values() for each in found})
    meant: dict[str, tuple[str, ...]] = {}
    for term, found in swapped.items():
        if found and there.keys() >= set(found):
            meant[term] = found
        elif len(term) >= SHORTEST and term.isalpha():
            meant[term] = _near(kept, names, term)
    return {term: found for term, found in meant.items() if found}


def _near(kept: Catalogue, names: Sequence[str], term: str) -> tuple[str, ...]:
    """Return the nearest terms, those with the same first letter first: few slip there."""
    from memshelf.search.nearest import nearest_words  # noqa: PLC0415 # rapidfuzz, for what is misspelt

    slips = 1 if len(term) <= SHORT else 2
    for start in (term[0], ""):
        found = nearest_words(term, kept.terms_like(names, start, len(term), slips), slips)
        if found:
            return found
    return ()
