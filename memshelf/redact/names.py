"""The forms in which a text names a person: other orders, initials, the endings of Russian."""

from __future__ import annotations

import re
from itertools import permutations

MOST_WORDS = 3
"""Words of a name that may stand in another order."""


def forms(name: str) -> str:
    """Return a regex, to be used without regard to case, for a name of one or more words.

    Its words may stand in any order, with a comma between; all but one may be initials with full stops.
    """
    words = name.split()
    declined = [_declined(word) for word in words]
    if not 1 < len(words) <= MOST_WORDS:
        return _whole(r"\s{1,3}".join(declined))
    found = [r",?\s{1,3}".join(order) for order in permutations(declined)]
    for word, form in zip(words, declined, strict=True):
        letter = "[" + re.escape("".join(other[0] for other in words if other is not word)) + r"]\."
        if len(word.rstrip(".")) == 1:  # is an initial itself
            continue
        initials = rf"{letter}(?:\s?{letter}){{0,{len(words) - 2}}}"
        found += [rf"{form},?\s{{1,3}}{initials}", rf"{initials}\s{{0,3}}{form}"]
    return _whole("|".join(found))


def _whole(regex: str) -> str:
    return rf"(?<!\w)(?:{regex})(?!\w)"


def _declined(word: str) -> str:
    """Return a regex for a Russian word with any ending, for any other word as it is."""
    if not re.search(r"[а-яё]\Z", word, re.IGNORECASE):
        return re.escape(word)
    return re.escape(re.sub(r"(?<=\w\w)(?:ий|ый|ой|ая|яя|ия|ья|[аяйьоеыи])\Z", "", word)) + r"\w{0,3}"
