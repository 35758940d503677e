"""memshelf.yml: the settings of one library. Every key has a default, the file may be absent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.errors import FormatError
from memshelf.screening import Screening

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "memshelf.yml"
BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|\Z)))[^\x00-\x20\x7f~^:?*\[\\]+(?<![./])")
"""What `git check-ref-format --branch` lets through."""

CHOICES = {
    "review": ("branch", "off"),
    "derived": ("local", "bot"),
    "publish": ("manual", "auto"),
    "contract": ("full", "adopted"),
}
SHELF_KEYS = ("markers", "rules_off", "projects", "redact")
REDACT_KEYS = ("off", "personal", "allow", "names")
PERSONAL = ("email", "phone", "card", "document", "name")
MIN_LETTERS = 2
FATES = ("mask", "keep", "refuse")


_NO_RULES: Mapping[str, str] = {}


class ShelfSettings(NamedTuple):
    """What one shelf sets: digest markers, rules off with the reason, projects it serves, redaction."""

    markers: tuple[str, ...] = ()
    rules_off: Mapping[str, str] = _NO_RULES
    projects: tuple[str, ...] = ()
    redact: Screening = Screening()


_NO_SHELVES: Mapping[str, ShelfSettings] = {}


class Settings(NamedTuple):
    """The library's settings; `branch` is empty where Git decides."""

    branch: str = ""
    review: str = "branch"
    derived: str = "local"
    publish: str = "manual"
    contract: str = "full"
    shelves: Mapping[str, ShelfSettings] = _NO_SHELVES

    def shelf(self, name: str) -> ShelfSettings:
        """Return the shelf's own settings, or the defaults."""
        return self.shelves.get(name, ShelfSettings())


def revive(values: dict[str, Any]) -> Settings:
    """Make settings of their fields as JSON gives them."""
    return Settings(**values | {"shelves": {name: _revived(*own) for name, own in values["shelves"].items()}})


def parse(text: str) -> Settings:
    """Read memshelf.yml. Raises FormatError naming the key that is unknown or wrong."""
    from memshelf.formats import front_matter  # noqa: PLC0415 # YAML, which a remembered file never needs

    keys = front_matter.load(text)
    shelves = keys.pop("shelves", None) or {}
    _known(keys, ("branch", *CHOICES), "")
    for key, allowed in CHOICES.items():
        if keys.get(key, allowed[0]) not in allowed:
            raise FormatError(f"{key}: write one of {', '.join(allowed)}")
    branch = keys.get("branch", "")
    if not isinstance(branch, str) or (branch and not BRANCH.fullmatch(branch)):
        raise FormatError("branch: not a name that git allows for a branch: write one such as main")
    return Settings(
        **keys, shelves={name: _shelf(name, value) for name, value in _mapping(shelves, "shelves").items()}
    )


def _shelf(name: str, value: Any) -> ShelfSettings:
    where = f"shelves: {name}: "
    keys = _mapping(value or {}, where[:-2])
    _known(keys, SHELF_KEYS, where)
    rules_off = _mapping(keys.get("rules_off") or {}, f"{where}rules_off")
    if not all(isinstance(reason, str) and reason.strip() for reason in rules_off.values()):
        raise FormatError(f"{where}rules_off: give each rule its reason: `rule: why`")
    redact = _redact(_mapping(keys.get("redact") or {}, f"{where}redact"), f"{where}redact: ")
    return ShelfSettings(_texts(keys, "markers", where), rules_off, _texts(keys, "projects", where), redact)


def _redact(keys: dict[str, Any], where: str) -> Screening:
    _known(keys, REDACT_KEYS, where)
    off = _mapping(keys.get("off") or {}, f"{where}off")
    if not all(isinstance(reason, str) and reason.strip() for reason in off.values()):
        raise FormatError(f"{where}off: give each rule its reason: `rule: why`")
    personal = _mapping(keys.get("personal") or {}, f"{where}personal")
    _known(personal, PERSONAL, f"{where}personal: ")
    for kind, fate in personal.items():
        if fate not in FATES:
            raise FormatError(f"{where}personal: {kind}: write one of {', '.join(FATES)}")
    names = _texts(keys, "names", where)
    for number, name in enumerate(names, 1):
        if sum(map(str.isalpha, name)) < MIN_LETTERS:
            cause = f"entry {number} would mark every text: write a name of two letters or more"
            raise FormatError(f"{where}names: {cause}, or take it out")
    return Screening(off, personal, _texts(keys, "allow", where), names)


def _revived(
    markers: list[str], rules_off: dict[str, str], projects: list[str], redact: list[Any]
) -> ShelfSettings:
    off, personal, allow, names = redact
    screening = Screening(off, personal, tuple(allow), tuple(names))
    return ShelfSettings(tuple(markers), rules_off, tuple(projects), screening)


def _known(keys: dict[str, Any], allowed: tuple[str, ...], where: str) -> None:
    for key in keys:
        if key not in allowed:
            raise FormatError(f"{where}unknown key {key}: known are {', '.join(allowed)}")


def _mapping(value: Any, key: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{key}: write `name: value` lines below it")
    return value


def _texts(keys: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = keys.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(f"{where}{key}: write a list: [a, b]")
    return tuple(value)
