"""What a regex cannot say about a hit: whether its value is a stand-in, mere words, or strong enough."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

from memshelf.redact import digits, people, shapes
from memshelf.redact.regex import compiled


class Candidate:
    """What a rule found: `text[start:end]` is `value`; what names it begins at `begin`."""

    __slots__ = ("begin", "end", "quoted", "start", "text", "value")

    def __init__(self, text: str, start: int, end: int, begin: int, quoted: bool = False) -> None:
        """Cut the value out of its text."""
        self.text, self.start, self.end, self.begin, self.quoted = text, start, end, begin, quoted
        self.value = text[start:end]

    @property
    def key(self) -> str:
        """Return what stands from `begin` to the value."""
        return self.text[self.begin : self.start]


Check = Callable[[Candidate], bool]


def is_placeholder(value: str) -> bool:
    """Tell whether `value` only stands for a secret: `xxxx`, `your-key`, `${KEY}`, `changeme`."""
    user = compiled(r"[\w.-]+[:/](?=.)").match(value)
    password = value[user.end() :] if user else value
    value = value.strip("*/“”„«»\"'`")
    few = 0 if len(value) <= 3 else 2 if value.isdigit() and len(value) <= 8 else 3
    return (
        len(set(value[-12:])) < few
        or any(map(value.lower().__contains__, shapes.STAND_INS))
        or any(compiled(shapes.PLACEHOLDER).match(each) for each in {value, password})
    )


def entropy(value: str) -> float:
    """Return Shannon's entropy of the first 200 characters of `value`, in bits a character."""
    value = value[:200]
    return -sum(count / len(value) * math.log2(count / len(value)) for count in Counter(value).values())


def _random(found: Candidate) -> bool:
    """Whether the end of the value changes between letters, capitals and digits as words do not."""
    tail = found.value[-24:]
    return shapes.changes(found.value[-48:]) >= 4 or (sum(map(str.isdigit, tail)) >= 8 and not tail.isdigit())


def _secret_like(found: Candidate) -> bool:
    """Whether the value behind a secret's label is more than words, numbers and paths."""
    value = found.value
    if (
        len(value) < 8
        or compiled(r"\A[{\[(<]|\s").search(value)
        or (compiled(shapes.PATH).fullmatch(value) and value.islower())
        or compiled(shapes.RELATIVE_PATH).fullmatch(value)
    ):
        return False
    if compiled(shapes.ASSIGNED).search(found.text, max(0, found.begin - 16), found.start) and compiled(
        shapes.MADE_UP
    ).fullmatch(value):
        return True
    return (
        not _plain(compiled(r"[-\s._/~@,;(){}!'’]+").split(value))
        or bool(compiled(shapes.NUMBERED_WORDS).fullmatch(value))
        or bool("@" in value and compiled(shapes.CHAINED).fullmatch(value))
    )


def _password_like(found: Candidate) -> bool:
    """Whether the value behind a password's label can be one: a quoted word and a number may be."""
    value = found.value
    technical = (shapes.PATH, shapes.CMDLET, shapes.HASH_NAME)
    if (
        len(value) < 4
        or (found.text[found.begin - 1 : found.begin] == "/" and found.text.startswith(" / ", found.end))
        or any(compiled(each).fullmatch(value) for each in technical)
        or (value[0] in "{[(<" and not found.quoted)
        or value[0] in ";,)"
    ):
        return False
    if compiled(shapes.SHORT_WORD).fullmatch(value) and found.text[found.start - 1] in "\"'`":
        return False
    if value.isdigit() or (found.quoted and not compiled(r"\s").search(value)):
        return True
    return not _plain(compiled(r"[\s._/(){}'’]+").split(value)) or shapes.is_made_up(value)


def _named_before(found: Candidate) -> bool:
    """Whether a word that names a secret stands before the value in its line."""
    line = found.text[max(0, found.begin - 100) : found.begin].rpartition("\n")[2]
    return bool(compiled(r"(?i)pass|pwd|secret|token|key|credential|парол|токен|секрет|ключ").search(line))


def _url_password(found: Candidate) -> bool:
    """Whether what stands before the @ of a URL can be a password."""
    no_password = (shapes.PATH, shapes.URL_WORD)
    return len(found.value) >= 4 and not any(compiled(each).fullmatch(found.value) for each in no_password)


def _argument(found: Candidate) -> bool:
    """Whether the word behind a flag is a password: quoted, or no plain word and no number."""
    value = found.value.rstrip(",.;:")
    if found.quoted:
        return " " not in value.strip() and not value.startswith("-")
    return (
        shapes.is_chained(value)
        or shapes.is_jumbled(value)
        or (not compiled(shapes.TECHNICAL).fullmatch(value) and not compiled(shapes.PATH).fullmatch(value))
    )


def _field(found: Candidate) -> bool:
    """Whether a field of a file or statement holds more than a word or a sentence."""
    value = found.value.strip()
    if compiled(r"\s").search(value) or len(value) < 4:
        return False
    return not _plain(compiled(r"[\s._/(){}:-]+").split(value)) or shapes.is_made_up(value)


def _cell(found: Candidate) -> bool:
    """Whether a table's cell holds a secret: no spaces, and a digit or a sign that words do not have."""
    value = found.value
    if value.isdigit():
        return bool(compiled(r"(?i)pin|пин|код ").match(found.key)) and 4 <= len(value) <= 8
    mixed = any(map(str.isalpha, value)) and bool(compiled(r"[\d!#$%^&*+=~]").search(value))
    return (
        len(value) >= 5
        and not compiled(r"\s|[=(\[][\"'\[]|\w\(\)?$").search(value)
        and mixed
        and (shapes.is_chained(value) or not compiled(shapes.TECHNICAL).fullmatch(value))
    ) or bool(compiled(shapes.DOTTED).fullmatch(value))


def _prose_password(found: Candidate) -> bool:
    """Whether the word behind «password» in a sentence is one."""
    value, quoted = found.value, found.quoted
    if value.startswith("--") or (not value.isdigit() and compiled(r"(?i)pin").match(found.key)):
        return False
    if "/" in value and found.text[found.begin - 1 : found.begin] == "/":
        return False  # login/password: admin/value is another rule's
    if value.isdigit():
        told = quoted or compiled(r"(?i)pin|пин|[:=—]|\bis\b").search(found.key)
        return (
            4 <= len(value) <= 8 and bool(told) and (quoted or not compiled(r"(?:19|20)\d\d\Z").match(value))
        )
    if compiled("(?i)secret").match(found.key) and compiled(shapes.RESOURCE).fullmatch(value):
        return False
    if quoted and not compiled(r"[\d!@#$%^&*]").search(value):
        return False
    return (
        bool(compiled(shapes.TOLD).search(found.key) and _said(found))
        or bool(compiled(shapes.NUMBERED).fullmatch(value) and _stands_free(found))
        or bool(compiled(shapes.BESIDE).search(found.key) and shapes.is_made_up(value))
        or (shapes.is_strong(value) and not _is_name(found))
        or (quoted and not compiled(shapes.TECHNICAL).fullmatch(value) and len(value) >= 6)
    )


def _stands_free(found: Candidate) -> bool:
    """Whether a word with a number stands right beside «password», or is no year and nobody's name."""
    if compiled(shapes.BESIDE).search(found.key):
        return True
    return not compiled(shapes.YEAR_BEHIND).fullmatch(found.value) and not _is_name(found)


def _is_name(found: Candidate) -> bool:
    """Whether the words before tell that this is whom or what the password is for: «password for web-12»."""
    named = compiled(shapes.NAMED_BEFORE).search(found.key)
    return bool(named and compiled(shapes.NAME_WITH_NUMBER).fullmatch(found.value))


def _prose_strong(found: Candidate) -> bool:
    """Whether a word beside a login is a password: strong, or a word with a number that is no year."""
    numbered = compiled(shapes.NUMBERED).fullmatch(found.value) or (
        len(found.value) >= 8 and compiled(shapes.MADE_UP).fullmatch(found.value)
    )
    return shapes.is_strong(found.value) or bool(
        numbered and not compiled(shapes.YEAR_BEHIND).fullmatch(found.value)
    )


def _said(found: Candidate) -> bool:
    """Whether a word can be a password where one is told: letters with digits, nothing technical."""
    value = found.value
    technical = (shapes.TECHNICAL, shapes.PATH, shapes.ALGORITHM, shapes.UUID)
    if shapes.is_chained(value) or shapes.is_jumbled(value):
        return True
    if (
        len(value) < 6
        or "//" in value
        or value[0] == "/"
        or any(compiled(each).fullmatch(value) for each in technical)
    ):
        return False
    if shapes.is_strong(value) or (shapes.changes(value) >= 2 and compiled(shapes.SIGN_INSIDE).search(value)):
        return True
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _listed(found: Candidate) -> bool:
    """Whether a word of a list of passwords is one: strong, or told behind a name."""
    near = found.text[max(0, found.start - 3) : found.start]
    told = compiled(r"[:—–=-]\s?[\"'`«]?\Z").search(near) or compiled("(?i)passw|парол").search(found.key)
    return shapes.is_strong(found.value) or (bool(told) and near[-1:] != "/" and _said(found))


def _word(found: Candidate) -> bool:
    """Whether an answer or code word is told: in quotes, or with a letter and a digit."""
    return found.quoted or (any(map(str.isalpha, found.value)) and not found.value.startswith("/"))


def _prose_key(found: Candidate) -> bool:
    """Whether the word behind «token» or «key» in a sentence is one: long, mixed, and no id or digest."""
    value = found.value
    if (
        (compiled(shapes.UUID).fullmatch(value) and not compiled(shapes.TOKEN_BEHIND).search(found.key))
        or (compiled(shapes.HEX).fullmatch(value) and len(value) not in _hex_sizes(found))
        or compiled(shapes.PATH).fullmatch(value)
        or compiled(shapes.RELATIVE_PATH).fullmatch(value)
    ):
        return False
    return (
        shapes.changes(value[-24:]) >= 4
        and not _plain(compiled(r"[-\s._/~:=]+").split(value))
        and not compiled(shapes.TECHNICAL).fullmatch(value)
    )


def _hex_sizes(found: Candidate) -> tuple[int, ...]:
    """Return how long hexadecimal keys are: as long as a digest only right behind the key word."""
    if compiled(shapes.RIGHT_BEHIND).search(found.key):
        return (24, 32, 40, 48, 56, 64, 72, 80, 96, 128)
    return (32, 40, 48, 64, 96, 128) if compiled(shapes.TOLD_BEHIND).search(found.key) else (32,)


def _phone_near(found: Candidate) -> bool:
    """Whether the line around a number tells that it is somebody's."""
    before = found.text[max(0, found.start - 60) : found.start].rpartition("\n")[2]
    after = found.text[found.end : found.end + 30].partition("\n")[0]
    return people.is_phone_near(found.value, before, after)


def _health(found: Candidate) -> bool:
    """Whether the line is of health care, where a member, patient or policy has that number."""
    left = found.text[max(0, found.begin - 80) : found.begin].rpartition("\n")[2]
    right = found.text[found.end : found.end + 80].partition("\n")[0]
    return people.is_of_health(left + found.key + right)


def _plain(parts: list[str]) -> bool:
    """Whether there are only words and numbers; a word does not change its case at every other letter."""
    return all(
        part.isdigit()
        or (compiled(shapes.WORD).fullmatch(part) and shapes.changes(part) <= max(6, len(part) * 0.55))
        for part in parts
    )


CHECKS: dict[str, Check] = {
    "pem": lambda found: bool(compiled(r"(?!x{20}|X{20})[A-Za-z0-9+/]{20}").search(found.value)),
    "random": _random,
    "secret-like": _secret_like,
    "password-like": _password_like,
    "url-password": _url_password,
    "named-before": _named_before,
    "strong": lambda found: shapes.is_strong(found.value),
    "argument": _argument,
    "field": _field,
    "cell": _cell,
    "prose-password": _prose_password,
    "said": _said,
    "listed": _listed,
    "word": _word,
    "prose-strong": _prose_strong,
    "prose-key": _prose_key,
    "email": lambda found: people.is_address(found.value),
    "phone": lambda found: digits.is_phone(found.value),
    "phone-plain": lambda found: people.is_told_phone(found.value, found.key),
    "phone-near": _phone_near,
    "card": lambda found: digits.is_card(found.value),
    "card-labelled": lambda found: people.is_told_account(found.value),
    "document": lambda found: people.is_document(found.value),
    "document-cell": lambda found: people.is_document_in_column(found.value, found.key),
    "health": _health,
    "made-up": lambda found: shapes.is_strong(found.value) or shapes.is_made_up(found.value),
    "snils": lambda found: digits.snils(found.value),
    "inn": lambda found: digits.inn(found.value),
    "iban97": lambda found: digits.iban97(found.value),
    "base58check": lambda found: digits.base58check(found.value),
}
"""Name in the pack -> what must hold."""
