"""Check digits of cards, accounts, documents and wallet keys, and what a phone number may be."""

from __future__ import annotations

from memshelf.redact.regex import compiled

TEST_CARDS = frozenset(
    [
        "4242424242424242",
        "4111111111111111",
        "5555555555554444",
        "4012888888881881",
        "5105105105105100",
        "4000056655665556",
        "378282246310005",
        "371449635398431",
        "6011111111111117",
        "3530111333300000",
    ]
)
"""Numbers that payment services print in their manuals."""

KEYBOARD_RUNS = ("1234567890", "987654321")
"""What manuals write for a number."""

_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_IIN = r"4|5[0-8]|2[2-7]|3[4-7]|6[0-9]"
_INN = (7, 2, 4, 10, 3, 5, 9, 4, 6, 8)


def digits_of(value: str) -> str:
    """Return the digits of `value` alone."""
    return "".join(filter(str.isdecimal, value))


def luhn(value: str) -> bool:
    """Tell whether the last digit is Luhn's check digit."""
    total = 0
    for index, digit in enumerate(reversed(digits_of(value))):
        number = int(digit) * (1 + index % 2)
        total += number - 9 * (number > 9)
    return total % 10 == 0


def is_card(value: str) -> bool:
    """Tell whether it is a payment card's number, one of the manuals aside."""
    number = digits_of(value)
    return (
        bool(compiled(_IIN).match(number))
        and luhn(number)
        and number not in TEST_CARDS
        and len(set(number)) > 3
    )


def iban97(value: str) -> bool:
    """Tell whether the check digits of an IBAN hold."""
    packed = value.replace(" ", "").replace("-", "")
    if not (15 <= len(packed) <= 34 and packed.isascii()):
        return False
    return int("".join(str(int(char, 36)) for char in packed[4:] + packed[:4])) % 97 == 1


def snils(value: str) -> bool:
    """Tell whether the check number of a SNILS holds."""
    number = digits_of(value)
    total = sum(int(digit) * (9 - index) for index, digit in enumerate(number[:9]))
    return total % 101 % 100 == int(number[9:])


def inn(value: str) -> bool:
    """Tell whether the two check digits of a person's INN hold."""
    number = [int(digit) for digit in digits_of(value)]
    first = sum(left * right for left, right in zip(_INN, number, strict=False)) % 11 % 10
    second = sum(left * right for left, right in zip((3, *_INN), number, strict=False)) % 11 % 10
    return number[10:] == [first, second]


def base58check(value: str) -> bool:
    """Tell whether the last four bytes are the double SHA-256 of the others."""
    from hashlib import sha256  # noqa: PLC0415 # slow to start, and few texts hold a wallet's key

    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return sha256(sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def is_phone(value: str) -> bool:
    """Tell whether a number behind a + can be a telephone's: by length, and by its plan for +7 and +1."""
    number = digits_of(value)
    if any(run in number for run in KEYBOARD_RUNS):
        return False
    if number[0] == "7":
        return len(number) == 11 and number[1] in "346789"
    if number[0] == "1":
        return len(number) == 11 and number[1] in "23456789" and number[4] in "23456789"
    return 10 <= len(number) <= 15 or (len(number) == 9 and not value.isdecimal())
