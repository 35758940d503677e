"""The files of the rule pack: TOML read into frozen rules, each held to what a rule must be, and packed."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.errors import FormatError
from memshelf.redact.anchors import LONG_WORD, by_head
from memshelf.redact.checks import CHECKS
from memshelf.redact.finders import FINDERS
from memshelf.redact.marks import KIND
from memshelf.redact.pack import checksum
from memshelf.redact.regex import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NEAR = 160
"""Characters behind an anchor in which a match that begins before it must show."""

CLASSES = ("secret", "personal", "keep")
_BRACES = r"\{([^{}]*)\}"
_START = r"\(\?:\(\?:\(\?<!\[A-Za-z0-9\]\)\|\(\?<=\\\\\[nrt\]\)\)\)"
_APART = rf"(?:\(\?a\))?(?:{_START}|\(\?<!\[(?:\\w|A-Za-z))"
_APART_CASELESS = rf"(?:\(\?[ai]+\))?(?:{_START}|\(\?<!\[(?:\\w|A-Za-z|a-z))"
_CLASSES_AND_ESCAPES = r"\\[\s\S]|\[\^?\]?(?:[^\]\\]|\\[\s\S])*\]"
_INNER_GROUP = r"\([^()]*\)"
_FRAGMENT = r"<<([a-z-]+)>>"


class Allow(NamedTuple):
    """Regexes, case aside, that let a hit go: found in its value, its key or its line."""

    value: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    line: tuple[str, ...] = ()


class Rule(NamedTuple):
    """One rule of the pack.

    `regex` is matched where an anchor stands, or searched from `before` characters left of it; it sees
    `after` characters at most. The groups whose names start with `value` are the hit, the whole match
    without them; with `finder` a Python function says what the hit is. `entropy` is in bits a character.
    `apart` and `near` are told by the regex and the anchors: no letter may stand in front of the anchor; a
    match that is searched ends up to `near` characters behind it, or shows there how it goes on.
    """

    id: str
    anchors: tuple[str, ...]
    regex: str = ""
    mark: str = ""
    class_: str = "secret"
    layer: int = 1
    before: int = 0
    after: int = 2000
    ignore_case: bool = False
    entropy: float = 0.0
    checks: tuple[str, ...] = ()
    finder: str = ""
    allow: Allow = Allow()
    confidence: str = "high"
    hit: tuple[str, ...] = ()
    miss: tuple[str, ...] = ()
    apart: bool = False
    near: int = 0

    @property
    def kind(self) -> str:
        """Return what the mark says."""
        return self.mark or self.id


def parse(files: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rules of TOML texts by file name. Raises FormatError: file, rule, fault and way out."""
    shared: dict[str, str] = {}
    rules: list[Rule] = []
    for name, text in files.items():
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise FormatError(f"{name}: no TOML: {error}") from None
        own = shared if name.startswith("fragments") else dict(shared)
        own |= {key: _spliced(value, own, name) for key, value in table.get("fragments", {}).items()}
        rules += [
            _rule(values, own, f"{name}: {values.get('id', 'a rule without id')}")
            for values in table.get("rule", ())
        ]
    twice = {rule.id for rule in rules if sum(other.id == rule.id for other in rules) > 1}
    if twice:
        raise FormatError(f"{', '.join(sorted(twice))}: more than one rule of this id: rename one")
    return tuple(rules)


def _rule(values: dict[str, Any], fragments: Mapping[str, str], where: str) -> Rule:
    known = {each.rstrip("_") for each in Rule._fields if each not in ("apart", "near")}
    if unknown := values.keys() - known:
        raise FormatError(f"{where}: unknown key {min(unknown)}: known are {', '.join(sorted(known))}")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    values["class_"] = values.pop("class", "secret")
    values["allow"] = Allow(**{key: tuple(value) for key, value in values.get("allow", {}).items()})
    values["regex"] = _spliced(values.get("regex", ""), fragments, where)
    anchors = tuple(each for anchor in values.get("anchors", ()) for each in _expanded(anchor))
    near = 0 if anchors == (LONG_WORD,) else min(values.get("after", NEAR), NEAR)
    rule = Rule(**values | {"anchors": anchors, "apart": _is_apart(values), "near": near})
    for what, holds in _faults(rule):
        if holds:
            raise FormatError(f"{where}: {what}")
    return rule


def _is_apart(values: Mapping[str, Any]) -> bool:
    """Tell whether a rule fails wherever a Latin letter stands in front of its anchor."""
    regex = values["regex"]
    caseless = values.get("ignore_case") or regex.startswith("(?i)")
    if values.get("before") or not compiled(_APART_CASELESS if caseless else _APART).match(regex):
        return False
    plain = compiled(_CLASSES_AND_ESCAPES).sub("", regex)
    while plain != (plain := compiled(_INNER_GROUP).sub("", plain)):
        pass
    return not set("|()") & set(plain)


def _faults(rule: Rule) -> Iterable[tuple[str, bool]]:
    """Yield what may be wrong with a rule, and whether it is."""
    yield "no anchors: name the literals without which it cannot match", not rule.anchors
    yield "an anchor is not lower-case: write it so", any(each != each.lower() for each in rule.anchors)
    yield (
        "an anchor is one letter: lengthen it",
        any(each.isalnum() and len(each) < 2 for each in rule.anchors),
    )
    yield "neither regex nor finder: write one", not (rule.regex or rule.finder)
    yield f"class: write one of {', '.join(CLASSES)}", rule.class_ not in CLASSES
    yield (
        "id and mark: a-z, 0-9 and -, up to 40",
        not all(re.fullmatch(KIND, x) for x in (rule.id, rule.kind)),
    )
    yield f"unknown check: known are {', '.join(CHECKS)}", not CHECKS.keys() >= set(rule.checks)
    yield f"unknown finder: known are {', '.join(FINDERS)}", bool(rule.finder) and rule.finder not in FINDERS
    yield "no hit: give one example", not rule.hit


def _expanded(anchor: str) -> Iterable[str]:
    """Yield `a{b,c}d` as abd and acd."""
    parts = compiled(_BRACES).split(anchor)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ("".join(each) for each in product(*choices))


def _spliced(regex: str, fragments: Mapping[str, str], where: str) -> str:
    """Return `regex` with each `<<name>>` replaced by that fragment in a group of its own."""

    def fragment(found: re.Match[str]) -> str:
        if found[1] not in fragments:
            raise FormatError(f"{where}: unknown fragment {found[1]}: known are {', '.join(fragments)}")
        return f"(?:{fragments[found[1]]})"

    return compiled(_FRAGMENT).sub(fragment, regex)


def packed(sources: Mapping[str, bytes]) -> str:
    """Return the rules of TOML files, without their examples, as the lines that a `Pack` reads one by one."""
    rules = parse({name: text.decode() for name, text in sources.items()})
    heads = by_head((anchor, index) for index, rule in enumerate(rules) for anchor in rule.anchors)
    apart = [index for index, rule in enumerate(rules) if rule.apart]
    first = {"of": checksum(sources), "apart": apart, "heads": [*heads]}
    lines = [first, *map(_row, rules), *heads.values()]
    return "".join(json.dumps(line) + "\n" for line in lines)


def _row(rule: Rule) -> list[Any]:
    """Return what `pack.Trial` reads."""
    regex = f"(?i:{rule.regex})" if rule.ignore_case else rule.regex
    allow = ["|".join(f"(?i:{each})" for each in regexes) for regexes in rule.allow]
    how = [rule.before, rule.near, rule.after, rule.entropy, rule.checks, rule.finder, allow]
    return [rule.id, rule.class_, rule.kind, rule.layer, regex, *how]
