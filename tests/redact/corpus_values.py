"""The values of the corpus: keys, passwords and numbers of people, invented from a seed, of nobody."""

from __future__ import annotations

import base64
import random
import string

_SETS = {
    "an": string.ascii_letters + string.digits,
    "low": string.ascii_lowercase + string.digits,
    "up": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b32": string.ascii_uppercase + "234567",
    "b32l": string.ascii_lowercase + "234567",
    "b64u": string.ascii_letters + string.digits + "-_",
    "d": string.digits,
    "dz": "123456789",
    "up1": string.ascii_uppercase,
}
_WORDS = "kestrel vanilla autumn copper quartz harbor mango pixel walnut comet tundra saffron lantern"
_RU_WORDS = "комета зима мороз кактус ручеёк сирена янтарь снегирь огурец туман ветка сапсан"
_LATIN = "kometa zima moroz kaktus rucheek sirena yantar snegir ogurets tuman vetka sapsan"
_SEED = """
abandon ability about above absent absorb abstract absurd abuse access accident account acid acoustic acquire
across act action actor actual adapt add address adjust admit adult advance advice aerobic affair afford
afraid again age agent agree ahead aim air airport aisle alarm album alcohol alert alien all alley allow
almost alone alpha already also alter always amateur amazing among amount amused analyst anchor ancient
zebra zero zone zoo
"""
_HOSTS = "yandex.ru gmail.com mail.ru outlook.com proton.me vostok-logistics.ru nordhavn.io"
_NAMES = "olga.kuznetsova d.sokolov marta.lind priya.raman j.okafor ivan.belov lena_morozova p.garnier"


class Values:
    """Makers by name, over one source of chance."""

    def __init__(self, chance: random.Random) -> None:
        """Draw from `chance`."""
        self.chance = chance

    def make(self, maker: str, argument: str) -> str:
        """Return a value; KeyError for an alphabet or a maker that nobody knows."""
        if maker in _SETS:
            return self._of(maker, int(argument))
        method = getattr(self, f"_{maker}", None)
        if method is None:
            raise KeyError(maker)
        return str(method(argument))

    def _of(self, alphabet: str, count: int) -> str:
        drawn = self.chance.choices(_SETS[alphabet], k=count)
        if count >= 8 and alphabet not in ("d", "dz", "up1", "b32", "b32l"):
            drawn[2], drawn[5] = "7", "B" if alphabet in ("up", "HEX") else "b"  # as real ones have
        return "".join(drawn)

    def _pick(self, words: str | list[str]) -> str:
        return self.chance.choice(words.split() if isinstance(words, str) else words)

    def _number(self, low: int, high: int) -> str:
        return str(self.chance.randint(low, high))

    def _as(self, argument: str) -> str:
        return argument

    def _word(self, _: str) -> str:
        return self._pick(_WORDS)

    def _Word(self, _: str) -> str:  # noqa: N802 # the name in a template
        return self._pick(_WORDS).capitalize()

    def _lat(self, _: str) -> str:
        return self._pick(_LATIN)

    def _Lat(self, _: str) -> str:  # noqa: N802 # the name in a template
        return self._pick(_LATIN).capitalize()

    def _ruword(self, _: str) -> str:
        return self._pick(_RU_WORDS)

    def _Ruword(self, _: str) -> str:  # noqa: N802 # the name in a template
        return self._pick(_RU_WORDS).capitalize()

    def _pw(self, _: str) -> str:
        word, other = self._pick(_WORDS), self._pick(_LATIN)
        return self._pick(
            [
                f"{word.capitalize()}{self._number(10, 99)}!{other}",
                f"{word}-{other}-{self._number(100, 999)}",
                f"{other.capitalize()}_{self._number(2019, 2026)}#",
                f"{self._of('an', 5)}!{self._of('an', 6)}",
                f"{word}{self._number(1, 9)}{other.upper()}$${self._number(10, 99)}",
                f"{word.replace('a', '4').replace('e', '3')}&{self._number(1, 99)}{other}",
                f"{self._of('low', 4)}-{self._of('low', 4)}-{self._of('low', 4)}",
                self._of("an", 16),
                f"{word}{self._number(10, 9999)}",
            ]
        )

    def _pwl(self, _: str) -> str:
        return f"{self._pick(_WORDS).capitalize()}{self._number(100, 999)}!{self._pick(_LATIN)}"

    def _pwq(self, _: str) -> str:
        return self._pick([self._pwl(""), self._of("an", 14), self._pick(_LATIN) + self._number(1000, 9999)])

    def _pwu(self, _: str) -> str:
        return self._pick(
            [self._of("an", 12), f"{self._pick(_WORDS)}{self._number(100, 999)}-{self._of('low', 4)}"]
        )

    def _seed(self, argument: str) -> str:
        return " ".join(self.chance.choices(_SEED.split(), k=int(argument)))

    def _uuid(self, _: str) -> str:
        digits = self._of("hex", 32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def _b64(self, argument: str) -> str:
        return base64.b64encode(self.chance.randbytes(int(argument))).decode()

    def _b64t(self, argument: str) -> str:
        return base64.b64encode(argument.encode()).decode()

    def _b64of(self, argument: str) -> str:
        if argument == "nul":
            return base64.b64encode(f"\0robot\0{self._of('an', 12)}".encode()).decode()
        return self._b64t(self._of(*_counted(argument)))

    def _b64t2(self, _: str) -> str:
        return self._b64t(f"aes-256-gcm:{self._of('an', 16)}").rstrip("=")

    def _basic(self, _: str) -> str:
        return self._b64t(f"deploy:{self._pwq('')}")

    def _bcrypt(self, _: str) -> str:
        return "$2" + "y$05$" + self._of("an", 53)

    def _jwt(self, _: str) -> str:
        parts = ('{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{self._of("d", 8)}","exp":1767225600}}')
        head, body = (base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)
        return f"{head}.{body}.{self._of('b64u', 43)}"

    def _block(self, label: str, size: int, headers: str = "") -> list[str]:
        body = base64.b64encode(b"\x30\x82\x04\xa4\x02\x01\x00" + self.chance.randbytes(size)).decode()
        lines = [body[start : start + 64] for start in range(0, len(body), 64)]
        dash = "-" * 5
        return [f"{dash}BEGIN {label}{dash}", *headers.splitlines(), *lines, f"{dash}END {label}{dash}"]

    def _pem(self, kind: str) -> str:
        return "\n".join(self._block(f"{kind}PRIVATE KEY", 300))

    def _pem1(self, kind: str) -> str:
        return "\\n".join(self._block(f"{kind}PRIVATE KEY", 200))

    def _pemi(self, kind: str) -> str:
        return "\n    ".join(self._block(f"{kind}PRIVATE KEY", 300))

    def _pemt(self, kind: str) -> str:
        return "\n".join(self._block(f"{kind}PRIVATE KEY", 400)[:5])

    def _pemq(self, kind: str) -> str:
        return "\n".join("> " + line for line in self._block(f"{kind}PRIVATE KEY", 250))

    def _pemx(self, kind: str) -> str:
        headers = f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{self._of('HEX', 32)}\n\n"
        return "\n".join(self._block(f"{kind}PRIVATE KEY", 300, headers))

    def _pgp(self, _: str) -> str:
        return "\n".join(self._block("PGP PRIVATE KEY" + " BLOCK", 300, "Version: GnuPG v2\n\n"))

    def _pgpsig(self, _: str) -> str:
        return "\n".join(self._block("PGP SIGNATURE", 300, "\n"))

    def _ssh2(self, _: str) -> str:
        lines = self._block("", 300)[1:-1]
        return "\n".join(
            [
                "---- BEGIN SSH2 ENCRYPTED " + "PRIVATE KEY ----",
                *lines,
                "---- END SSH2 ENCRYPTED PRIVATE KEY ----",
            ]
        )

    def _cert(self, _: str) -> str:
        return "\n".join(self._block("CERTIFICATE", 400))

    def _email(self, _: str) -> str:
        return f"{self._pick(_NAMES)}.{self._of('low', 4)}@{self._pick(_HOSTS)}"

    def _luhn(self, argument: str) -> str:
        prefix, length = argument.split(":")
        digits = prefix + self._of("d", int(length) - len(prefix) - 1)
        doubled = [int(digit) * (2 - index % 2) for index, digit in enumerate(reversed(digits))]
        return digits + str(-sum(number - 9 * (number > 9) for number in doubled) % 10)

    def _luhns(self, prefix: str) -> str:
        digits = self._luhn(f"{prefix}:16")
        return self._pick([" ", "-"]).join(digits[start : start + 4] for start in range(0, 16, 4))

    def _snils(self, _: str) -> str:
        digits = self._snilsp("")
        return f"{digits[:3]}-{digits[3:6]}-{digits[6:9]} {digits[9:]}"

    def _snilsp(self, _: str) -> str:
        digits = "9" + self._of("d", 8)
        total = sum(int(digit) * (9 - index) for index, digit in enumerate(digits))
        return f"{digits}{total % 101 % 100:02d}"

    def _inn(self, _: str) -> str:
        digits = "98" + self._of("d", 8)
        for weights in ((7, 2, 4, 10, 3, 5, 9, 4, 6, 8), (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)):
            total = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
            digits += str(total % 11 % 10)
        return digits

    def _iban(self, argument: str) -> str:
        country, account = argument.split(":")
        bank, _, count = account.partition("+")
        return self._with_check(country, bank + self._of("d", int(count)))

    def _ibans(self, country: str) -> str:
        whole = self._with_check(country, self._of("d", 23))
        return " ".join(whole[start : start + 4] for start in range(0, len(whole), 4))

    def _with_check(self, country: str, account: str) -> str:
        number = int("".join(str(int(sign, 36)) for sign in account + country + "00"))
        return f"{country}{98 - number % 97:02d}{account}"

    def _ssn(self, _: str) -> str:
        return f"{self._number(100, 665)}-{self._number(10, 99)}-{self._number(1000, 9999)}"


def _counted(argument: str) -> tuple[str, int]:
    alphabet, count = argument.split(":")
    return alphabet, int(count)
