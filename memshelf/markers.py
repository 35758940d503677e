"""The words by which a digest says what was decided, rejected, found or left open; and its headline."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

OWN = "own"
"""The group of the markers that a shelf adds."""

PAST = "(?:а|о|и)?"
PASSIVE = "(?:а|о|ы|н(?:ый|ая|ое|ые|ого|ому|ым|ом|ой|ую|ых|ыми))?"
REFLEXIVE = "(?:ся|ась|ось|ись)"
NEUTER = "(?:е|я|ю|ем|и|й|ям|ями|ях)"
MASCULINE = "(?:а|у|ом|е|ы|ов|ам|ами|ах)?"
PRESENT = "(?:ю|ет|ем|ют|ть|л[аио]?|я|ется|ются|лся|лась|лось|лись)"

MARKERS = {
    "decided": (
        "decid(?:es?|ed|ing)|decisions?|cho(?:se|sen)|choos(?:es?|ing)|pick(?:s|ed|ing)?"
        "|adopt(?:s|ed|ing|ion)?|agree(?:s|d|ing|ments?)?|settl(?:es?|ed|ing)|select(?:s|ed|ing)?"
        "|approv(?:es?|ed|ing|als?)|switch(?:es|ed|ing)?|replac(?:es?|ed|ing|ements?)"
        "|migrat(?:es?|ed|ing|ions?)|went with",
        "(?<!не )реш(?:ил(?:а|о|и|ся|ась|ись|ось)?|ить|ив|у|ит|им|ат)"
        f"|реш(?:а{PRESENT}|ени{NEUTER})|(?<!не )решен{PASSIVE}"
        f"|выбра(?:л{PAST}|н{PASSIVE}|ть|в)|приня(?:л{PAST}|т(?:а|о|ы|ый|ая|ое|ые|ого|ому|ой|ых)?|ть|в|ти{NEUTER})"
        f"|утверд(?:ил{PAST}|ить|ив)|утвержден(?:и{NEUTER}|{PASSIVE})"
        "|договорил(?:ся|ась|ись|ось)|договориться|договорен(?:о|ност(?:ь|и|ью|ей|ям|ями|ях))"
        f"|соглас(?:овал{PAST}|ован{PASSIVE}|овать|овав|овани{NEUTER}|ил(?:ся|ась|ись|ось)|ен|на|ны)"
        f"|замен(?:ил{PAST}|ен{PASSIVE}|ить|ив|ю|ит|им|ят|я{PRESENT}|а|ы|е|у|ой)?"
        "|переш(?:ел|ла|ло|ли)|остановились на",
    ),
    "rejected": (
        "reject(?:s|ed|ing|ions?)?|declin(?:es?|ed|ing)|drop(?:s|ped|ping)?|discard(?:s|ed|ing)?"
        "|abandon(?:s|ed|ing|ment)?|defer(?:s|red|ring|rals?)?|postpon(?:es?|ed|ing|ements?)"
        "|revert(?:s|ed|ing)?|rul(?:es?|ed|ing) out|instead of",
        f"отклон(?:ил{PAST}|ен{PASSIVE}|ить|ив|ю|ит|им|ят|я(?:ю|ет|ем|ют|ть|л[аио]?))"
        f"|отверг(?:л[аои]|ну(?:т(?:а|о|ы|ый|ая|ое|ые|ых)?|ть|в)|а{PRESENT})?"
        f"|отказ(?:а|у|ом|е|ал{PAST}|ано|ал{REFLEXIVE}|аться|ав(?:шись)?|ыва(?:емся|ются|ется|ться|л{REFLEXIVE}))?"
        f"|отброс(?:ил{PAST}|ить|ив|им)|отброшен{PASSIVE}|отбрасыва{PRESENT}"
        f"|отмен(?:ил{PAST}|ен{PASSIVE}|ить|ив|ю|ит|им|ят|я{PRESENT}|а|ы|е|у|ой)"
        f"|отлож(?:ил{PAST}|ен{PASSIVE}|ить|ив|у|ит|им|ат)"
        f"|исключ(?:ил{PAST}|ен{PASSIVE}|ить|ив|у|ит|им|ат|а{PRESENT})"
        "|не подош(?:ел|ла|ло|ли)",
    ),
    "found": (
        "found|measur(?:es?|ed|ing|ements?)|confirm(?:s|ed|ing)?|prov(?:ed|en)|show(?:ed|n)"
        "|conclu(?:des?|ded|ding|sions?)|verdicts?|result(?:s|ed|ing)?|caus(?:es?|ed|ing)|fail(?:s|ed|ing|ures?)?",
        f"найден{PASSIVE}|наш(?:ел|л[аои])(?:ся|сь)?"
        f"|обнаруж(?:ил{PAST}|ил{REFLEXIVE}|ен{PASSIVE}|ить|ив)"
        f"|измер(?:ил{PAST}|ен{PASSIVE}|ить|ив|ени{NEUTER}|я{PRESENT})"
        f"|подтверд(?:ил{PAST}|ил{REFLEXIVE}|ить|ив|ит|им|ят)|подтвержден{PASSIVE}|подтвержда{PRESENT}"
        f"|установ(?:ил{PAST}|лен(?:а|о|ы)?|ив)"
        f"|вывод{MASCULINE}|итог(?:а|у|ом|е|и|ов|ам|ами|ах)?|причин(?:а|ы|е|у|ой|ам|ами|ах)?"
        f"|результат{MASCULINE}|провал(?:{MASCULINE}|ил{PAST}|ил{REFLEXIVE}|ен{PASSIVE}|иться)",
    ),
    "open": (
        "open(?! (?:source|access|graph|webui|weights?)\\b)|todos?|unresolved|pending|remain(?:s|ed|ing)?"
        "|next steps?",
        "открыт(?:а|о|ы|ый|ая|ое|ые|ого|ому|ым|ом|ой|ую|ых|ыми)?(?! (?:исходн\\w+ )?код)"
        f"|остал{REFLEXIVE}|оста(?:ется|ются)|предсто(?:ит|ят|яло)"
        f"|под вопросом|не реш(?:ил{PAST}|ен{PASSIVE})|нерешен{PASSIVE}",
    ),
}
"""Group -> the marker words of English and of Russian (ё as е), inflections spelt out."""

# Part of a longer word (`open-webui`, `drop.sh`, `find_open`) is no marker.
ALONE = r"(?<!\w)(?<!\w[-.@])(?:{})(?!\w)(?![-.@]\w)"
SQL = "(?!(?-i:SELECT|DROP|REPLACE)\\b)"
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]")
QUOTED = re.compile(
    r"(?<!\w)\"(?=\S)(?:[^\"\n]|\n(?!\s*\n))*?(?<=\S)\"(?!\w)|“[^”]{0,999}”|«[^»]{0,999}»|„[^“”]{0,999}[“”]"
    r"|「[^」]{0,999}」|『[^』]{0,999}』|(?<!`)(?P<tick>`{1,9})(?!`)(?:[^`]|(?<!`)(?!(?P=tick)(?!`))`+){1,999}?(?P=tick)(?!`)"
)

STOP = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'»”’)\]*_]*+(?=\s)|[。！？]+[」』”）]*|\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)"
)
BULLET = re.compile(r"(?:[-*+]|\d+[.)])\s+")
ABBREVIATION = re.compile(
    r"(?:^|[\s(«\"])(?:(?-i:[A-ZА-ЯЁ])|e\.g|i\.e|vs|cf|approx|dr|mrs?|fig|incl|т\.\s?е|т\.\s?к|напр|см|стр|рис)\.$"
    r"|^\s*\d+\.$",
    re.IGNORECASE,
)
LOWER_NEXT = re.compile(r"\s*[^\W\d_]")


@cache
def groups() -> dict[str, re.Pattern[str]]:
    """Return group -> its pattern: 10 ms to compile, which reading needs not."""
    return {
        group: re.compile(ALONE.format(SQL + "(?:" + "|".join(words) + ")"), re.IGNORECASE)
        for group, words in MARKERS.items()
    }


def find(text: str, extra: tuple[str, ...] = ()) -> set[str]:
    """Return the groups whose markers stand in `text`: decided, rejected, found, open, own.

    `text` is what `unquoted` leaves of prose without code. `extra` are a shelf's own markers, whole
    words or phrases; in a script that writes no spaces a marker counts wherever it stands.
    """
    plain = _plain(text)
    found = {group for group, pattern in groups().items() if pattern.search(plain)}
    return found | {OWN for marker in extra if marker.strip() and _own(marker).search(plain)}


def says_outcome(text: str, extra: tuple[str, ...] = ()) -> bool:
    """Tell whether `find` would find any group: cheaper, it stops at the first."""
    plain = _plain(text)
    return any(pattern.search(plain) for pattern in groups().values()) or any(
        _own(marker).search(plain) for marker in extra if marker.strip()
    )


def unquoted(text: str) -> str:
    """Return `text` without quotations and inline code, whose words are somebody else's.

    A sentence that ends inside a quotation still ends.
    """
    return QUOTED.sub(lambda quotation: ". " if quotation[0][-2] in ".!?…" else " ", text)


def sentences(text: str) -> list[str]:
    """Split prose into sentences on one line each, list marks dropped.

    Neither an abbreviation, an initial, a version nor a stop before a lower-case letter ends one.
    """
    parts: list[str] = []
    start = 0
    for stop in STOP.finditer(text):
        if _ends(text, start, stop):
            parts.append(text[start : stop.end()])
            start = stop.end()
    lines = (BULLET.sub("", " ".join(part.split()), count=1) for part in (*parts, text[start:]))
    return [line for line in lines if line]


def headline(digest: str, extra: tuple[str, ...] = ()) -> str:
    """Return the first sentence of `digest` with a marker, else the first; empty only when `digest` is."""
    lines = sentences(digest) or [" ".join(digest.split())]
    return next((line for line in lines if says_outcome(unquoted(line), extra)), lines[0])


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("ё", "е").replace("Ё", "Е").split())


@lru_cache(maxsize=256)
def _own(marker: str) -> re.Pattern[str]:
    plain = re.escape(_plain(marker))
    return re.compile(plain if UNSPACED.search(marker) else ALONE.format(plain), re.IGNORECASE)


def _ends(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether a stop found in `text` ends the sentence that began at `start`."""
    if not stop[0].startswith((".", "…")):
        return True
    following = LOWER_NEXT.match(text, stop.end())
    if following and following[0][-1].islower():
        return False
    return not ABBREVIATION.search(text[max(start, stop.start() - 16) : stop.start() + 1])
