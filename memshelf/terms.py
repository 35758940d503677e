"""What a text is searched by: its terms. The one owner of how text is made alike for search."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from memshelf.model import DIGEST, SECTIONS, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memshelf.model import Episode

VERSION = 3
"""Another number for another way to make terms of a text."""

UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3041-\u3096"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3131-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c"
    "\uac00-\ud7fb\uf900-\ufaff\uff66-\uffdc\U00020000-\U0003ffff"
)
"""Scripts that part no words, or not the words one looks for, as the inside of a character class."""

CAMEL = re.compile("(?<=[^\\W\\d_A-ZА-ЯЁ])(?=[A-ZА-ЯЁ])|(?<=[A-Z])(?=[A-Z][a-z])")
ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
CYRILLIC = re.compile("[\u0400-\u052f]")

ODD = re.compile("[^\\x00-\x7f«»°·№–—‘’“”•…→А-яЁё]")
"""What makes a text other than plain: there one letter may be written as several, or folds to others."""

PLAIN = re.compile(r"\w+(?:['’]\w+)*")
INSIDE = "_'’"

INNER = ("Mn", "Mc", "Me", "Cf")
"""Categories of characters that part no word though `re` thinks so."""

APOSTROPHES = re.compile("['’]")
LONGEST_ENDING = 2
LONGEST = 64
"""Characters of a term: what is longer is found by its beginning."""

MOST_KNOWN = 50_000
"""Words whose terms are remembered, about 10 MB."""


def version() -> str:
    """Return the version of what `terms` makes: other versions may make other terms."""
    import Stemmer  # type: ignore[import-not-found] # noqa: PLC0415 # as in `_stem`

    return f"{VERSION} {Stemmer.version()} {unicodedata.unidata_version}"


def terms(text: str) -> list[str]:
    """Return the terms of `text` in order: folded words, stemmed by script.

    Case, accents of Latin letters, ё or е, the normal form and format characters, which show nothing, make no
    difference. What `.`, `-`, `_` and the like join counts as its parts, camelCase as its parts and whole.
    Scripts without spaces come as overlapping pairs of characters.
    """
    return [term for word in _pattern(_marks(text)).findall(text) for term in KNOWN[word]]


def visible(text: str) -> str:
    """Return `text` without format characters, such as U+200B, U+FEFF and the soft hyphen."""
    if text.isprintable():
        return text
    return "".join(c for c in text if unicodedata.category(c) != "Cf")


def is_half_a_pair(term: str) -> bool:
    """Tell whether a term is one character of a script without spaces, which texts have in pairs."""
    return len(term) == 1 and term >= UNSPACED[0] and _runs().sub(r"\1", term) == term


def roots(wanted: Iterable[str]) -> frozenset[str]:
    """Return what `occurrences` looks for: one of them is in every word of plain text with a wanted term.

    A stemmer may change a word's last letter.
    """
    return frozenset(term[:-1] if len(term) > 2 and term[-1] in "eily" else term for term in wanted)


def occurrences(text: str, wanted: frozenset[str]) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return (start, end, terms) of each word of `text` that may have a term with these roots, in order."""
    if ODD.search(text):
        found = [match.span() for match in _pattern(_marks(text)).finditer(text)]
    else:
        found = sorted(_starting(text, wanted))
    return [(start, end, KNOWN[text[start:end]]) for start, end in found]


def _starting(text: str, wanted: Iterable[str]) -> set[tuple[int, int]]:
    """Return where the words lie that hold one of the roots: ten times as fast as looking at every word."""
    found = set()
    folded = text.lower().replace("ё", "е")
    for root in wanted:
        at = folded.find(root)
        while at >= 0:
            start = at
            while start and (text[start - 1].isalnum() or text[start - 1] in INSIDE):
                start -= 1
            word = PLAIN.search(text, start)
            end = max(at + 1, word.end() if word else 0)
            found.add((word.start() if word else start, end))
            at = folded.find(root, end)
    return found


def columns(episode: Episode) -> tuple[str, str, str]:
    """Return the terms of an episode's names, of its digest and of the rest, each joined by spaces."""
    rest = "\n".join(said(part) for part in parts(episode) if part.heading != DIGEST)
    return (
        " ".join(terms(names(episode))),
        " ".join(terms(episode.digest)),
        " ".join(terms(rest)),
    )


def names(episode: Episode) -> str:
    """Return what the episode is called: title, slug, summary and tags."""
    return " ".join((episode.title, episode.id, episode.summary, *episode.tags))


def parts(episode: Episode) -> tuple[Section, ...]:
    """Return the sections, and first, without a heading, what stands before them; at least one."""
    before = (Section("", episode.preamble),) if episode.preamble or not episode.sections else ()
    return before + episode.sections


def said(part: Section) -> str:
    """Return what a section says: its text, under its heading where that is not one that all have."""
    return part.body if part.heading in SECTIONS else f"{part.heading}\n{part.body}"


class _Known(dict[str, tuple[str, ...]]):
    """Word as it is written -> its terms, made when first asked for."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        made = tuple(_made(word))
        if len(word) <= LONGEST:
            if len(self) >= MOST_KNOWN:
                self.clear()
            self[word] = made
        return made


KNOWN = _Known()


def _made(word: str) -> Iterator[str]:
    first, *more = APOSTROPHES.split(visible(word))
    for part in [first, *(part for part in more if len(part) > LONGEST_ENDING)]:  # no n't, 's, 'll
        for piece in filter(None, part.split("_")):
            if max(piece) < UNSPACED[0]:
                yield from _humps(piece)
                continue
            for unspaced, run in _runs().findall(piece):
                yield from _pairs(unspaced) if unspaced else _humps(run)


def _pairs(run: str) -> Iterator[str]:
    folded = unicodedata.normalize("NFC", run)
    return (folded[at : at + 2] for at in range(max(1, len(folded) - 1)))


def _humps(run: str) -> Iterator[str]:
    humps = CAMEL.split(run)
    return filter(None, map(_stem, [*humps, run] if len(humps) > 1 else humps))


@cache
def _runs() -> re.Pattern[str]:
    """Return the pattern of what is of one kind of script: 10 ms to compile, which most texts need not."""
    return re.compile(f"([{UNSPACED}]+)|([^{UNSPACED}]+)")


def _stem(word: str) -> str:
    import Stemmer  # noqa: PLC0415 # no stubs; counting words needs none of it

    folded = word.casefold()
    if not folded.isascii():
        folded = ACCENTS.sub("", unicodedata.normalize("NFKD", folded))
        folded = unicodedata.normalize("NFC", folded).replace("ё", "е")
    # One a call: a stemmer must not be shared between threads, and making one costs a microsecond.
    stemmer = Stemmer.Stemmer("russian" if CYRILLIC.search(folded) else "english")
    return "".join(c for c in stemmer.stemWord(folded[:LONGEST]) if c.isalnum() or not c.isascii())


def _marks(text: str) -> str:
    """Return the combining marks and format characters of `text`, which `re` takes for no part of a word."""
    if text.isascii():
        return ""
    return "".join(sorted(c for c in set(text) if c > "\x7f" and unicodedata.category(c) in INNER))


@cache
def _pattern(marks: str) -> re.Pattern[str]:
    return re.compile(rf"[\w{marks}]+(?:['’][\w{marks}]+)*")
