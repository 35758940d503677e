"""Redaction under texts nobody wrote: mutations of the corpus, and the promises that must hold on each.

PYTHONPATH=tests python tests/redact/fuzz.py [COUNT] [SEED]

Prints each broken promise, shortened, and the texts that took longest for their size.
"""

from __future__ import annotations

import heapq
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import yaml

from memshelf.redact import Policy, redact
from memshelf.redact.marks import MARK
from redact.corpus import Row, judge, rows

SLOW_S, SLOW_SIZE = 0.05, 10_000
SHOWN, SLOWEST = 12, 10
SNIPPETS = (
    *"\0\ufeff\u2028\u0130ßé«»‹›⟦`'\"\\/|:;=&?#@$%{}[]()<>*_~^,.!+-— \t\r\n",
    *("password: ", "пароль: ", "token=", "Bearer ", "-----BEGIN ", "PRIVATE KEY-----", "://", "eyJ", "sk-"),
    *("«redacted:", "«redacted:secret#1»", "«redacted:password»", "#1»", "\\n", "```\n", "a" * 300, "9" * 40),
    *(
        "+7 ",
        "A1b2" * 20,
        "-p ",
        "| password |\n|---|\n",
        "'" * 60,
        "\\" * 40,
        "[" * 50,
        "key: |\n  ",
        "=" * 80,
    ),
)
Promise = Callable[[str, Policy], str]


def mutations(corpus: Sequence[Row], chance: random.Random) -> Iterator[str]:
    """Yield texts without end: pieces of the corpus cut, joined, repeated and spoilt."""
    while True:
        text = "".join(chance.choice(corpus).text for _ in range(chance.choice((1, 1, 1, 2, 3, 8))))
        for _ in range(chance.choice((0, 1, 1, 2, 4, 9))):
            text = _mutated(text, chance)
        yield text[:20_000]


def _mutated(text: str, chance: random.Random) -> str:
    a, b = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
    return chance.choice(
        [
            lambda: text[:a] + chance.choice(SNIPPETS) + text[a:],
            lambda: text[:a] + chance.choice(SNIPPETS) + text[b:],
            lambda: text[:a] + text[min(b, a + 12) :],
            lambda: text[:b] + text[a : a + 80] * chance.choice((1, 2, 30)) + text[b:],
            lambda: json.dumps(text, ensure_ascii=chance.random() < 0.3),
            lambda: "".join("> " + line for line in text.splitlines(keepends=True)),
            lambda: redact(text[:b], Policy())[0] + text[b:],
            lambda: text.replace(" ", chance.choice(("\u00a0", "\n", "  "))),
            text.swapcase,
        ]
    )()


def twice_is_once(text: str, policy: Policy) -> str:
    """A second run finds nothing."""
    once = redact(text, policy)[0]
    again = redact(once, policy)[0]
    return "" if once == again else f"{once!r} became {again!r}"


def marks_stay(text: str, policy: Policy) -> str:
    """A mark that stood in the text stands in the answer, as often as before."""
    answer = redact(text, policy)[0]
    lost = Counter(mark[0] for mark in MARK.finditer(text)) - Counter(
        mark[0] for mark in MARK.finditer(answer)
    )
    return f"{sorted(lost)} lost: {answer!r}" if lost else ""


def nothing_else_changes(text: str, policy: Policy) -> str:
    """What stands between the marks stood in the text, in that order."""
    answer, at = redact(text, policy)[0], 0
    for piece in MARK.split(answer)[:: 1 + MARK.groups]:
        at = text.find(piece, at)
        if at < 0:
            return f"{piece!r} is new: {answer!r}"
        at += len(piece)
    return ""


def in_time(text: str, policy: Policy) -> str:
    """10 kB take less than 50 ms of CPU, the best of three."""
    spent = []
    for _ in range(3):
        spent.append(cost(text, policy))
        if spent[-1] <= SLOW_S:
            return ""
    return f"{min(spent) * 1000:.0f} ms of CPU for 10 kB, {len(text)} characters"


def cost(text: str, policy: Policy) -> float:
    """Return the CPU seconds of 10,000 characters of such a text; a shorter one counts as that long."""
    start = time.thread_time()
    redact(text, policy)
    return (time.thread_time() - start) / max(1, len(text) / SLOW_SIZE)


def still_parses(text: str, policy: Policy) -> str:
    """What was JSON or YAML before is JSON or YAML after."""
    for name, parse in (("JSON", json.loads), ("YAML", yaml.safe_load)):
        if not (name == "YAML" and len(text) > 1500) and _parses(parse, text):
            answer = redact(text, policy)[0]
            if answer != text and not _parses(parse, answer):
                return f"{name} no more: {answer!r}"
    return ""


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        return _says_something(parse(text))
    except (ValueError, yaml.YAMLError, RecursionError, OverflowError):  # \UFEFFFFFF is too much for PyYAML
        return False


def _says_something(value: object) -> bool:
    """A mapping or a list with a value in it; prose that happens to be YAML does not count."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(part is not None for part in inside)


PROMISES: tuple[Promise, ...] = (twice_is_once, marks_stay, nothing_else_changes, still_parses, in_time)


def broken(text: str, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield (promise, what happened) for each promise that `text` breaks."""
    for promise in PROMISES:
        try:
            said = promise(text, policy)
        except Exception as error:  # any crash is a finding
            said = f"crash {error!r}"
        if said:
            yield promise.__name__, said


def beside_another(row: Row, other: str, policy: Policy) -> tuple[str, ...]:
    """Return the secrets of a row that go when it is alone, and stay when another text stands around it."""
    left = set(judge(row, redact(row.text, policy)[0]).left)
    for text in (f"{other}\n\n{row.text}", f"{row.text}\n\n{other}"):
        after = judge(Row(row.id, row.kind, row.class_, text, row.secrets), redact(text, policy)[0]).left
        if fresh := tuple(secret for secret in after if secret not in left):
            return fresh
    return ()


def shortened(text: str, fails: Callable[[str], bool]) -> str:
    """Return a smaller text that still fails: halves, then smaller pieces, are left out."""
    size = len(text) // 2
    while size:
        start = 0
        while start < len(text):
            shorter = text[:start] + text[start + size :]
            if fails(shorter):
                text = shorter
            else:
                start += size
        size //= 2
    return text


def main(count: int, seed: int) -> None:
    """Try `count` mutations and every row beside another one; print what broke, and what took longest."""
    chance, policy, corpus = random.Random(seed), Policy(), rows(seed)
    texts = mutations(corpus, chance)
    shown: Counter[str] = Counter()
    slowest: list[tuple[float, str]] = []
    for row in corpus:  # a rule's regex is compiled when its anchor is first hit
        redact(row.text, policy)
    for _ in range(count):
        text = next(texts)
        slowest = heapq.nlargest(SLOWEST, [*slowest, (min(cost(text, policy), cost(text, policy)), text)])
        for name, _said in broken(text, policy):
            shown[name] += 1
            if shown[name] <= SHOWN:
                small = shortened(text, lambda piece, name=name: name in dict(broken(piece, policy)))
                _say(f"- {name}: {small[:400]!r}: {dict(broken(small, policy)).get(name, '')[:300]}")
    for row in corpus:
        other = chance.choice(corpus).text
        if row.secrets and (fresh := beside_another(row, other, policy)):
            _say(f"- beside another: {row.id} {fresh} after or before {other[:100]!r}")
    for spent, text in slowest:
        _say(f"- slowest: {spent * 1000:.1f} ms for 10 kB, {len(text)} characters: {text[:120]!r}")
    _say(f"{count} texts, seed {seed}: {dict(shown) or 'every promise held'}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
