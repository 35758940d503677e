"""What a regex cannot say about a hit: check digits, and whether a value is a stand-in or mere words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a rule found: `text[start:end]` is `value`, behind `key`; `quoted` when quotes enclose it."""

    text: str
    start: int
    end: int
    key: str = ""
    quoted: bool = False

    @property
    def value(self) -> str:
        """Return what would be taken out."""
        return self.text[self.start : self.end]


Check = Callable[[Candidate], bool]

_PLACEHOLDER = re.compile(
    r"(?i)^(?:(?:your|my|insert|enter|put|ваш|встав|замен|укаж)\w*[-_ ].*|\W*|\[[\w ]*\]|pass(?:word|wd)?"
    r"|secret|token|string|none|null|true|false|required|optional|(?-i:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]+%)"
    r"|\$?\{.*\})$|change[-_]?me|placeholder|redacted|(?-i:EXAMPLE)"
)
_WORD = re.compile(r"[A-ZА-ЯЁ]{0,16}[a-zа-яё]{0,30}(?:[A-ZА-ЯЁ][a-zа-яё]{1,30}){0,6}")
_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)(?:[/\\][\w.@-]{1,24}){2,}")


def is_placeholder(value: str) -> bool:
    """Tell whether `value` only stands for a secret: `xxxx`, `your-key`, `${KEY}`, `changeme`."""
    return len(set(value[-12:])) < 3 or bool(_PLACEHOLDER.search(value))


def entropy(value: str) -> float:
    """Return Shannon's entropy of `value` in bits a character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values())


def _secret_like(found: Candidate) -> bool:
    """Whether the value behind a secret's label is more than words, numbers and paths."""
    value = found.value
    if len(value) < 8 or (_PATH.fullmatch(value) and value.islower()):
        return False
    return not _plain(re.split(r"[-\s._/~@,;(){}!]+", value))


def _password_like(found: Candidate) -> bool:
    """Whether the value behind a password's label can be one: a quoted word and a number may be."""
    value = found.value
    if len(value) < 4 or _PATH.fullmatch(value):
        return False
    if value.isdigit() or (found.quoted and not re.search(r"\s", value)):
        return True
    return not _plain(re.split(r"[\s._/(){}]+", value))


def _url_password(found: Candidate) -> bool:
    """Whether what stands before the @ of a URL can be a password."""
    return len(found.value) >= 4 and not _PATH.fullmatch(found.value)


def _plain(parts: list[str]) -> bool:
    return all(_WORD.fullmatch(part) or part.isdigit() for part in parts)


CHECKS: dict[str, Check] = {
    "secret-like": _secret_like,
    "password-like": _password_like,
    "url-password": _url_password,
}
"""Name in the pack -> what must hold."""
