"""A shelf's own patterns: POLICY.patterns read, held to what is harmless, and run by RE2 in linear time."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from memshelf.errors import FormatError
from memshelf.redact.marks import KIND
from memshelf.redact.regex import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST, LONGEST, WIDEST = 1000, 1000, 0.2
"""How many patterns a shelf may have, of how many characters, and the share of ordinary text one may take."""

NO_REGEX = (
    "no regular expression that RE2 knows, which has no look-around and no back-references: "
    "mend it or put # before it"
)
SAMPLE = """
The auth service moved to signed tokens on 2026-07-10; server sessions were rejected over their cost.
Measured: 1,200 requests a second on db-2.internal, p95 14 ms. Open: who rotates the keys, and when?
def refill(bucket: Bucket, now: float) -> int: return min(bucket.capacity, int(now * bucket.rate))
Сервис входа переведён на подписанные токены; сессии на сервере отклонены: их цена слишком высока.
Измерено: 1200 запросов в секунду. Осталось решить, кто меняет ключи и как часто. См. docs/security.md.
"""
"""Ordinary text that a pattern must leave alone, all but a fifth."""

_CLASSES = {"w": r"\p{L}\p{N}\p{M}_", "d": r"\p{Nd}", "s": r"\s\x{0B}\x{85}\p{Z}"}
_TOKEN = r"\\[\s\S]|\[\^?\]?|[\s\S]"


def parse_patterns(text: str) -> tuple[tuple[str, str], ...]:
    """Return the `(kind, regex)` pairs of a POLICY.patterns file: `<kind> <regex>` a line, `#` comments.

    Raises FormatError with the line of the first bad pattern; its message never repeats the pattern.
    """
    lines = ((number, line.strip()) for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1))
    given = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if len(given) > MOST:
        number = given[MOST][0]
        raise FormatError(f"line {number}: more than {MOST} patterns: join them with |", number)
    return tuple(_checked(*_parted(line), f"line {number}", number) for number, line in given)


def checked_patterns(pairs: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return `(kind, regex)` pairs that came without a file.

    Raises FormatError with the number of the first bad pattern, as `parse_patterns` does with the line.
    """
    return tuple(
        _checked(kind, regex, f"pattern {number}", number) for number, (kind, regex) in enumerate(pairs, 1)
    )


def matches(regex: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of what `regex` matches in `text`, the empty string left out."""
    pattern, begins, ends = _matcher(regex)
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()  # RE2 takes no lone surrogate
    for found in pattern.finditer(text):
        start, end = found.span()
        if (
            start < end
            and not (begins and _inside_word(text, start))
            and not (ends and _inside_word(text, end))
        ):
            yield start, end


def _parted(line: str) -> tuple[str, str]:
    """Return kind and regex of a line, whatever white space parts them; the regex may be missing."""
    kind, *regex = line.split(maxsplit=1)
    return kind, "".join(regex)


def _checked(kind: str, regex: str, place: str, number: int) -> tuple[str, str]:
    regex = regex.strip()
    if not re.fullmatch(KIND, kind):
        raise FormatError(f"{place}: not `<kind> <regex>`: a kind is a-z, 0-9 and -, up to 40", number)
    fault = _fault(regex)
    if fault:
        raise FormatError(f"{place}: {fault}", number)
    return kind, regex


@functools.cache
def _fault(regex: str) -> str:
    """Return what is wrong with a pattern, and the way out; empty when nothing is."""
    import re2  # noqa: PLC0415 # only a shelf with patterns needs it

    if not 0 < len(regex) <= LONGEST:
        return f"no regular expression of up to {LONGEST} characters: write one, or put # before the line"
    if "\0" in regex:
        return "holds a NUL character: take it out"
    try:
        pattern = _matcher(regex)[0]
    except (re2.error, UnicodeError, ValueError):
        return NO_REGEX
    if any(not found.group() for text in ("", "a b") for found in pattern.finditer(text)):
        return "matches the empty string: ask for at least one character"
    share = sum(end - start for start, end in matches(regex, SAMPLE)) / len(SAMPLE)
    if share > WIDEST:
        return f"matches {share:.0%} of ordinary text, limit {WIDEST:.0%}: narrow it"
    return ""


@functools.cache
def _matcher(regex: str) -> tuple[Any, bool, bool]:
    r"""Return the RE2 pattern, and whether `\b` at its begin and end is left to `matches`."""
    import re2  # noqa: PLC0415 # only a shelf with patterns needs it

    options = re2.Options()
    options.log_errors = False  # RE2 would print the pattern
    alone = "|" not in regex
    begins = alone and regex.startswith(r"\b")
    ends = alone and regex.endswith(r"\b") and not regex.endswith(r"\\b") and len(regex) > 2
    inner = regex[2 * begins : len(regex) - 2 * ends]
    return re2.compile(_unicode(inner), options), begins, ends


def _unicode(regex: str) -> str:
    r"""Return `regex` with `\w`, `\d` and `\s` meaning letters of every script, as Python's do.

    RE2's `\b` knows ASCII alone: between other letters it would never hold, so there it is left out and
    the pattern hits rather more than less.
    """
    tokens = compiled(_TOKEN).findall(regex)
    inside, out = False, []
    for index, token in enumerate(tokens):
        if token == r"\b" and not inside:
            near = "".join(tokens[max(0, index - 1) : index] + tokens[index + 1 : index + 2])
            token = token if re.search(r"[A-Za-z0-9_]", re.sub(r"\\.", "", near)) else ""
        elif token[0] == "\\" and token[1:] in _CLASSES:
            token = _CLASSES[token[1]] if inside else f"[{_CLASSES[token[1]]}]"
        elif token[0] == "\\" and token[1:].lower() in _CLASSES and not inside:
            token = f"[^{_CLASSES[token[1].lower()]}]"
        elif token[0] == "[" or token == "]":
            inside = token[0] == "[" or (inside and token != "]")
        out.append(token)
    return "".join(out)


def _inside_word(text: str, at: int) -> bool:
    """Tell whether a word runs on across `at`."""
    return 0 < at < len(text) and all(char.isalnum() or char == "_" for char in text[at - 1 : at + 1])
