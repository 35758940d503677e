"""The rule pack: every rule does what its own examples say, and a bad file is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import memshelf.redact.pack
from memshelf.errors import FormatError
from memshelf.redact import Policy, redact
from memshelf.redact.pack import FAMILIES, PACKED, is_packed_of, unpacked
from memshelf.redact.sources import Rule, packed, parse
from redact.templates import fill

FOLDER = Path(memshelf.redact.pack.__file__).parent / "rules"
SOURCES = {name: (FOLDER / f"{name}.toml").read_bytes() for name in FAMILIES}
RULES = {rule.id: rule for rule in parse({name: text.decode() for name, text in SOURCES.items()})}
GOOD = "[[rule]]\nid = 'a-b'\nanchors = ['ab']\nregex = 'ab'\nhit = ['ab']\n"


@pytest.mark.parametrize(
    "rule", [rule for rule in RULES.values() if rule.class_ != "keep"], ids=lambda rule: rule.id
)
def test_a_rule_hits_its_hits_and_misses_its_misses(rule: Rule) -> None:
    for template in rule.hit:
        text = fill(template)
        marked, report = redact(text, Policy())
        assert rule.id in {each.origin.rule for each in report}, f"{rule.id} misses {template}"
        assert redact(marked, Policy())[0] == marked, f"{rule.id} is not done with {template}"
    for template in rule.miss:
        report = redact(fill(template), Policy())[1]
        assert rule.id not in {each.origin.rule for each in report}, f"{rule.id} hits {template}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[rule", "f: no TOML"),
        (GOOD.replace("hit", "hits"), "f: a-b: unknown key hits"),
        (GOOD.replace("['ab']\nregex", "['Ab']\nregex"), "f: a-b: an anchor is not lower-case"),
        (GOOD.replace("['ab']\nregex", "[]\nregex"), "f: a-b: no anchors"),
        (GOOD.replace("a-b", "A"), "f: A: id and mark"),
        (GOOD + "checks = ['moon']\n", "f: a-b: unknown check"),
        (GOOD + "finder = 'moon'\n", "f: a-b: unknown finder"),
        (GOOD + "class = 'moon'\n", "f: a-b: class: write one of"),
        (GOOD.replace("regex = 'ab'", "regex = '<<moon>>'"), "f: a-b: unknown fragment moon"),
        (GOOD + GOOD, "a-b: more than one rule"),
    ],
)
def test_a_bad_pack_is_refused_with_file_and_rule(text: str, said: str) -> None:
    with pytest.raises(FormatError) as refusal:
        parse({"f": text})
    assert str(refusal.value).startswith(said)
    assert "\n" not in str(refusal.value)


def test_braces_in_an_anchor_are_choices() -> None:
    assert parse({"f": GOOD.replace("['ab']\nregex", "['a{b,cd}{_,-}e']\nregex")})[0].anchors == (
        *("ab_e", "ab-e"),
        *("acd_e", "acd-e"),
    )


def test_each_family_has_a_file_and_each_file_is_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(FAMILIES)


def test_the_packed_rules_are_those_of_the_files(request: pytest.FixtureRequest) -> None:
    """`pytest -n 0 tests/redact --update` packs them anew."""
    file = FOLDER / PACKED
    if request.config.getoption("--update"):
        file.write_text(packed(SOURCES), encoding="utf-8", newline="\n")

    assert file.read_text(encoding="utf-8") == packed(SOURCES)
    assert is_packed_of(file.read_bytes(), SOURCES)
    assert unpacked(file.read_bytes()).names() == {
        name for rule in RULES.values() for name in (rule.id, rule.kind)
    }
    assert not is_packed_of(file.read_bytes(), SOURCES | {"labels": b""})
