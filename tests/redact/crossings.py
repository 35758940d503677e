"""Crossings: what a secret is called x where it stands x what it looks like, and twins that hold none.

PYTHONPATH=tests python tests/redact/crossings.py [EACH] [SEED] [FAMILY]

Tries EACH texts a place; prints what part of each family, place, label and shape of value is caught, the
weakest of each with a text that is missed, and the benign texts that were changed.
"""

from __future__ import annotations

import random
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from memshelf.redact import Policy, redact
from redact.corpus import Row, judge
from redact.corpus_values import Values

TEXTS = Path(__file__).with_name("crossing_texts")
LANGUAGES = ("en", "en-owned", "ru", "other")
ASCII = ("en", "en-owned")
WEAK, SHOWN = 0.97, 60
_FILL = re.compile(r"‹([^\W:]+)(?::([^‹›]*))?›")


class Crossing(NamedTuple):
    """One text: the family and the place of its form, the label in it, the shape of its value.

    `value` is empty in a text that holds nothing to take out.
    """

    family: str
    place: str
    label: str
    shape: str
    text: str
    value: str


@cache
def table(name: str) -> dict[str, dict[str, Any]]:
    """Return a file of `crossing_texts`."""
    with (TEXTS / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def secrets(each: int, seed: int = 1) -> Iterator[Crossing]:
    """Yield `each` crossings a place that hold a secret; the same seed gives the same texts."""
    for family, place, form, kinds, languages in _places():
        chance = random.Random(f"{seed} {family} {place}")
        for _ in range(each):
            kind = chance.choice(kinds)
            label = chance.choice(_labels(kind, languages)) if languages else ""
            shape = chance.choice([each for each in table("values")[kind] if _fits(each, form)])
            value = _filled(table("values")[kind][shape], {}, chance)
            text = _filled(form, _words(label, chance) | {"value": value}, chance)
            yield Crossing(family, place, label, shape, text, value)


def labels(seed: int = 1) -> Iterator[Crossing]:
    """Yield every label once, in the plainest place: a colon, and a random value of its kind."""
    form, shapes = table("containers")["notes"]["colon"], {"password": "random-16", "secret": "alnum-40"}
    for kind, shape in shapes.items():
        for label in _labels(kind, LANGUAGES):
            chance = random.Random(f"{seed} {label}")
            value = _filled(table("values")[kind][shape], {}, chance)
            text = _filled(form, _words(label, chance) | {"value": value}, chance)
            yield Crossing("labels", "colon", label, shape, text, value)


def benign(each: int, seed: int = 1) -> Iterator[Crossing]:
    """Yield as many twins: the same forms around a stand-in, and sentences about secrets."""
    for family, place, form, kinds, languages in _places():
        if "pin" in family:
            continue
        chance = random.Random(f"{seed} benign {family} {place}")
        for _ in range(each):
            shape = chance.choice([*table("benign")["value"]])
            label = chance.choice(_labels(chance.choice(kinds), languages)) if languages else ""
            words = _words(label, chance) | {"value": table("benign")["value"][shape]}
            yield Crossing(f"benign {family}", place, label, shape, _filled(form, words, chance), "")
    for text in table("personal")["benign"]["texts"]:
        yield Crossing("benign personal", text, "", "", text, "")
    for family, languages in (("prose-en", ASCII), ("prose-ru", ("ru",)), ("code", ())):
        for place, form in table("benign")[family].items():
            chance = random.Random(f"{seed} benign {place}")
            for _ in range(each):
                kind = chance.choice(("password", "secret"))
                label = chance.choice(_labels(kind, languages)) if languages else ""
                text = _filled(form, _words(label, chance), chance)
                yield Crossing(f"benign {family}", place, label, "", text, "")


def personal(each: int, seed: int = 1) -> Iterator[Crossing]:
    """Yield `each` crossings a place of what tells of a person."""
    data = table("personal")
    for family, forms in data["values"].items():
        for place in data["places"][family]:
            chance = random.Random(f"{seed} {family} {place}")
            for _ in range(each):
                shape = chance.choice(forms)
                told = _filled(shape, {}, chance)
                value = told.partition("⟦")[2].partition("⟧")[0] or told
                text = place.replace("‹value›", told.replace("⟦", "").replace("⟧", ""))
                yield Crossing(family, place, "", shape, text, value)


def _places() -> Iterator[tuple[str, str, str, tuple[str, ...], tuple[str, ...]]]:
    """Yield family, place, form, the kinds of value and the languages of the labels that fit."""
    both = ("password", "secret", "made-up")
    for family, languages in (("config", ASCII), ("code", ASCII), ("notes", LANGUAGES)):
        for place, form in table("containers")[family].items():
            yield family, place, form, both, languages
    for place, form in table("forms")["credentials"].items():
        yield "credentials", place, form, ("password",), ()
    for family, forms in table("prose").items():
        kind, language = family.split("-")
        languages = ("ru",) if language == "ru" else ASCII
        for place, form in forms.items():
            yield family, place, form, (kind,), languages


def _labels(kind: str, languages: tuple[str, ...]) -> list[str]:
    lists = table("labels")[kind]
    language = [each for each in languages if each in lists]
    return [label for each in language for label in lists[each]]


def _fits(shape: str, form: str) -> bool:
    """Whether a value of this shape can stand in this form without being escaped."""
    return not ("at-year" in shape and "‹value›@" in form)


def _words(label: str, chance: random.Random) -> dict[str, str]:
    """Return what the placeholders of a form stand for."""
    parts = re.split(r"[\s'-]+", label)
    capital = [part[:1].upper() + part[1:] for part in parts]
    names = {
        "words": label,
        "Words": label[:1].upper() + label[1:],
        "snake": "_".join(parts).lower(),
        "SNAKE": "_".join(parts).upper(),
        "kebab": "-".join(parts).lower(),
        "Kebab": "-".join(capital),
        "dotted": ".".join(parts).lower(),
        "camel": (parts[0].lower() + "".join(capital[1:])),
        "Pascal": "".join(capital),
    }
    return names | {name: chance.choice(words) for name, words in table("words")["words"].items()}


def _filled(form: str, words: dict[str, str], chance: random.Random) -> str:
    values = Values(chance)
    return _FILL.sub(
        lambda piece: words[piece[1]] if piece[1] in words else values.make(piece[1], piece[2] or ""), form
    )


def is_caught(crossing: Crossing, policy: Policy) -> bool:
    """Whether the value is gone, or nothing was touched where there is none."""
    answer = redact(crossing.text, policy)[0]
    if not crossing.value:
        return answer == crossing.text
    return not judge(Row("", "", "", crossing.text, (crossing.value,)), answer).left


def main(each: int, seed: int, only: str) -> None:
    """Print what is caught and what is changed."""
    policy = Policy()
    for crossings in (labels(seed), secrets(each, seed), benign(each, seed), personal(each, seed)):
        tried = [(crossing, is_caught(crossing, policy)) for crossing in crossings if only in crossing.family]
        for axis in ("family", "place", "label", "shape"):
            _show(axis, tried)


def _show(axis: str, tried: list[tuple[Crossing, bool]]) -> None:
    """Print the share of each value of an axis, the weak ones with what they miss."""
    groups: dict[str, list[tuple[Crossing, bool]]] = defaultdict(list)
    for crossing, caught in tried:
        name = getattr(crossing, axis)
        groups[name if axis == "family" else f"{crossing.family} {name}"].append((crossing, caught))
    shares = sorted((sum(caught for _, caught in group) / len(group), name) for name, group in groups.items())
    for share, name in shares if axis == "family" else [each for each in shares if each[0] < WEAK][:SHOWN]:
        missed = [crossing for crossing, caught in groups[name] if not caught]
        shown = [] if axis == "family" else [f"{each.text!r} ({each.shape})" for each in missed[:2]]
        sys.stdout.write(f"{axis} {share:.3f} {len(groups[name])} {name}: {' · '.join(shown)}\n")


if __name__ == "__main__":
    _EACH, _SEED, _ONLY = [*sys.argv[1:], *("20", "1", "")[len(sys.argv) - 1 :]]
    main(int(_EACH), int(_SEED), _ONLY)
