"""A provider's token goes whole, and nothing beside it, whatever stands around it."""

from __future__ import annotations

import re

import pytest

from memshelf.redact import Policy, redact
from memshelf.redact.marks import MARK
from memshelf.redact.pack import FAMILIES, _source
from memshelf.redact.sources import Rule, parse
from redact.templates import fill

PROVIDERS = [name for name in FAMILIES if name.startswith("providers-")]
AROUND = [
    ("", ""),
    ("Нашли в логе ", "."),
    ("Это «", "», его надо отозвать."),
    ("https://a.example/v1?q=", "&page=2"),
    ('{"a": "', '", "n": 1}'),
    ("(see ", "), then go on"),
    ("one, ", ", three"),
    ("run ", "; echo ok"),
    ("вот ", " и всё"),
    ("- **It**: `", "`"),
    ("line\\n", "\\nline"),
    ("| a | ", " | b |"),
    ("<b>", "</b>"),
]


def tokens(rule: Rule) -> list[str]:
    """Return the examples of `rule` that are bare tokens, those of rules that need no neighbour."""
    bare = [template for template in rule.hit if not re.search(r"[\s\"'«]", template)]
    return [] if "(?P<value" in rule.regex else [fill(template) for template in bare]


@pytest.mark.parametrize("family", PROVIDERS)
def test_a_token_goes_whole_and_alone_wherever_it_stands(family: str) -> None:
    rules = parse({name: _source(f"{name}.toml").decode() for name in ("fragments", family)})
    for rule in rules:
        for token in tokens(rule):
            for before, after in AROUND:
                marked = redact(before + token + after, Policy())[0]
                left = MARK.sub("…", marked)
                assert left == f"{before}…{after}", f"{rule.id}: {before}{token}{after} became {left}"
