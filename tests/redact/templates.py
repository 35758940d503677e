"""The template language of `hit` and `miss`: no file holds a string that a provider could take for a key.

`{prefix|n:alphabet}` is the prefix and n characters drawn from the alphabet, seeded by the template and
its place, so that the same template always gives the same text; `{{` and `}}` are braces. What stands
outside of braces is taken as it is. Alphabets: the keys of ALPHABETS, and `luhn` (digits, the last one
chosen so that prefix and digits together pass Luhn's check).
"""

from __future__ import annotations

import random
import re
import string

ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "letters": string.ascii_lowercase,
    "digit": string.digits,
    "hex": "0123456789abcdef",
    "base32": string.ascii_uppercase + "234567",
    "base64": string.ascii_letters + string.digits + "+/",
    "base64url": string.ascii_letters + string.digits + "-_",
    "punct": string.ascii_letters + string.digits + "!#$%^*_+=.~",
}
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}|]*)\|(\d+):(\w+)\}")


def fill(template: str) -> str:
    """Return the text of a template. ValueError for an alphabet that is not known or a brace left over."""
    if re.search(r"[{}]", _PIECE.sub("", template)):
        raise ValueError(f"a brace that is no `{{prefix|n:alphabet}}`: double it: {template}")
    return _PIECE.sub(lambda piece: _piece(piece, template), template)


def _piece(piece: re.Match[str], template: str) -> str:
    if piece[0] in ("{{", "}}"):
        return piece[0][0]
    prefix, count, alphabet = piece[1], int(piece[2]), piece[3]
    source = random.Random(f"{template}{piece.start()}")
    if alphabet == "luhn":
        return _with_luhn(prefix + "".join(source.choices(string.digits, k=count - 1)))
    if alphabet not in ALPHABETS:
        raise ValueError(f"unknown alphabet {alphabet}: known are luhn, {', '.join(ALPHABETS)}")
    body = "".join(source.choices(ALPHABETS[alphabet], k=count))
    if count >= 8 and alphabet in ("alnum", "lower", "upper", "base64", "base64url", "punct", "hex"):
        letter = "A" if alphabet == "upper" else "a"
        body = f"{body[:2]}7{letter}{body[4:]}"  # a digit and a letter, as every real one has
    return prefix + body


def _with_luhn(digits: str) -> str:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 - index % 2)
        total += number - 9 * (number > 9)
    return digits + str(-total % 10)
