"""The rule pack: TOML files of rules read into frozen values, their anchors in one automaton."""

from __future__ import annotations

import functools
import json
import re
import zlib
from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import ahocorasick

from memshelf.errors import FormatError
from memshelf.redact.checks import CHECKS
from memshelf.redact.finders import FINDERS
from memshelf.redact.marks import KIND
from memshelf.redact.regex import compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FAMILIES = (
    "fragments",
    "keep",
    "providers-cloud",
    "providers-code",
    "providers-chat-mail",
    "providers-pay-ship",
    "providers-data-ai",
    "providers-ru",
    "structure",
    "labels",
    "providers-named",
    "prose",
    "personal",
)
"""The files of `rules/`, in order; a rule that stands earlier wins within its layer."""

PACKED = "packed.json"
"""The same rules as `packed` writes them; read in their place as long as it was made of them."""

_PACKED_FIELDS = (
    *("id", "anchors", "regex", "mark", "class_", "layer", "before", "after", "ignore_case", "entropy"),
    *("checks", "finder", "allow", "confidence", "apart"),
)
NEAR = 160
"""Characters behind an anchor in which a match that begins before it must show."""

CLASSES = ("secret", "personal", "keep")
DIGITS = "<digits>"
"""An anchor that is no literal: a run of nine or more digits with their usual separators."""

LONG_WORD = "<long-word>"
"""An anchor that is no literal: 28 characters or more without white space or /, but with _ or -."""

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
    `apart` is told by the regex: no letter may stand in front of the anchor.
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

    @property
    def kind(self) -> str:
        """Return what the mark says."""
        return self.mark or self.id


Try = Callable[..., "re.Match[str] | None"]


class Window(NamedTuple):
    """How a rule is tried at an anchor: how far left and right it is searched, how far the match may go."""

    match: Try
    search: Try
    before: int
    near: int
    after: int


class Pack:
    """Rules that are ready to run: `automaton` yields `((length, index of the rule, apart), ...)` a hit."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Put all anchors into the automaton."""
        self.rules = tuple(rules)
        anchors: dict[str, list[tuple[int, int, bool]]] = {}
        for index, rule in enumerate(self.rules):
            for anchor in rule.anchors:
                anchors.setdefault(anchor, []).append((len(anchor), index, rule.apart))
        self.windows: list[Window | None] = [None] * len(self.rules)
        self.groups: list[tuple[str | int, ...]] = [(0,)] * len(self.rules)
        self.on_digits = tuple(index for _, index, _ in anchors.pop(DIGITS, ()))
        self.on_long_words = tuple(index for _, index, _ in anchors.pop(LONG_WORD, ()))
        self.automaton = ahocorasick.Automaton()
        for anchor, targets in anchors.items():
            self.automaton.add_word(anchor, tuple(targets))
        self.automaton.make_automaton()

    def window(self, index: int) -> Window:
        """Return how a rule is tried; its regex is compiled when its anchor is first hit."""
        rule = self.rules[index]
        pattern = compiled(rule.regex, re.IGNORECASE if rule.ignore_case else 0)
        names = tuple(name for name in pattern.groupindex if name.startswith("value"))
        self.groups[index] = names or (0,)
        near = min(rule.after, NEAR)
        window = self.windows[index] = Window(pattern.match, pattern.search, rule.before, near, rule.after)
        return window


def parse(files: Mapping[str, str]) -> tuple[Rule, ...]:
    """Return the rules of TOML texts by file name. Raises FormatError: file, rule, fault and way out."""
    import tomllib  # noqa: PLC0415 # a remembered pack does without

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
    known = {each.rstrip("_") for each in Rule._fields if each != "apart"}
    if unknown := values.keys() - known:
        raise FormatError(f"{where}: unknown key {min(unknown)}: known are {', '.join(sorted(known))}")
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    values["class_"] = values.pop("class", "secret")
    values["allow"] = Allow(**{key: tuple(value) for key, value in values.get("allow", {}).items()})
    values["regex"] = _spliced(values.get("regex", ""), fragments, where)
    anchors = tuple(each for anchor in values.get("anchors", ()) for each in _expanded(anchor))
    rule = Rule(**values | {"anchors": anchors, "apart": _is_apart(values)})
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


@functools.cache
def built_in() -> Pack:
    """Return the pack that comes with MemShelf."""
    sources = {name: _source(f"{name}.toml") for name in FAMILIES}
    return Pack(
        _unpacked(_source(PACKED), sources) or parse({name: text.decode() for name, text in sources.items()})
    )


def packed(sources: Mapping[str, bytes]) -> str:
    """Return the rules of TOML files without their examples as JSON, which starts ten times as fast."""
    rules = parse({name: text.decode() for name, text in sources.items()})
    lines = [json.dumps([*_row(rule)], ensure_ascii=False) for rule in rules]
    return json.dumps({"of": _sum(sources)})[:-1] + ', "rules": [\n' + ",\n".join(lines) + "\n]}\n"


def _row(rule: Rule) -> Iterable[Any]:
    for each in _PACKED_FIELDS:
        value = getattr(rule, each)
        yield [value.value, value.key, value.line] if isinstance(value, Allow) else value


def _unpacked(text: bytes, sources: Mapping[str, bytes]) -> tuple[Rule, ...]:
    """Return the rules that `packed` wrote of the same sources, else none."""
    try:
        data = json.loads(text)
    except ValueError:
        return ()
    if data["of"] != _sum(sources):
        return ()
    rows = (dict(zip(_PACKED_FIELDS, row, strict=True)) for row in data["rules"])
    return tuple(
        Rule(
            **row
            | {
                "anchors": tuple(row["anchors"]),
                "checks": tuple(row["checks"]),
                "allow": Allow(*map(tuple, row["allow"])),
            }
        )
        for row in rows
    )


def _sum(sources: Mapping[str, bytes]) -> int:
    return zlib.crc32(b"\0".join(sources.values()))


def _source(name: str) -> bytes:
    """Return the text of one file of the pack, from wherever the package was imported."""
    path = (__spec__.origin or "").rpartition("pack.py")[0] + f"rules/{name}"
    source: bytes = __spec__.loader.get_data(path)  # type: ignore[union-attr] # every file loader has it
    return source
