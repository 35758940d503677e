"""Explain: every rule has a page that fits a screen, with its examples as they look in a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memshelf.commands.explain import DOORS, LONGEST, WIDEST, explain
from memshelf.rules import RULES
from memshelf.rules.shelf import SHELF_RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

EVERY = RULES | SHELF_RULES


@pytest.mark.parametrize("name", EVERY)
def test_a_page_holds_level_manual_and_two_examples_and_fits_a_screen(name: str) -> None:
    text = explain(name).as_text()
    rule = EVERY[name]
    assert text.startswith(f"{name} ({rule.level})\n\n{rule.manual}\n\nBad:\n\n    ")
    bad, good = text.partition("\n\nBad:\n\n")[2].split("\n\nGood:\n\n")
    assert bad != good
    assert max(map(len, text.split("\n"))) <= WIDEST + 30
    assert len(bad.split("\n")) <= LONGEST
    assert len(good.split("\n")) <= LONGEST
    assert text.replace("\n", "").isprintable()


def test_a_rule_of_the_doors_has_a_page_too() -> None:
    text = explain("secret-in-identifier").as_text()
    assert text.startswith("secret-in-identifier (error)\n\nAn id, a tag, a span or a session's name holds ")
    assert "\n\nBad:\n\n    --tags password:" in text


def test_an_example_looks_as_in_a_file() -> None:
    assert (
        "\n    ## Digest\n\n    For the auth service we chose signed tokens."
        in explain("digest-says-we").as_text()
    )
    assert '\n    ---\n    title: "Auth\\ntokens"\n    ---\n' in explain("value-not-one-line").as_text()
    assert "Bad:\n\n    \\ufeff---\n" in explain("byte-order-mark").as_text()
    assert "Bad:\n\n    (no Sources)\n" in explain("section-missing").as_text()
    assert "\n    ## costs\n" in explain("section-repeated").as_text()
    assert "Bad:\n\n    Some words.\n" in explain("text-before-sections").as_text()
    assert "Bad:\n\n    kind: [topic\n" in explain("front-matter-broken").as_text()


def test_alone_it_lists_every_rule(run: Callable[..., Ran]) -> None:
    done = run("explain")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == [*EVERY, *DOORS]
    assert "digest-says-i            warning  The digest says I, my or let's.\n" in done.out
    assert [rule["rule"] for rule in json.loads(run("explain", "--json").out)["rules"]] == [*EVERY, *DOORS]


def test_a_rule_that_does_not_exist_gets_near_names_and_is_not_repeated(run: Callable[..., Ran]) -> None:
    done = run("explain", "digest-say-we")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("memshelf: no such rule: did you mean digest-says-we or ")
    assert run("explain", "xxyyzz").err == "memshelf: no such rule: `memshelf explain` lists them\n"


def test_json_holds_the_page(run: Callable[..., Ran]) -> None:
    page = json.loads(run("explain", "id-repeated", "--json").out)
    assert list(page) == ["rule", "level", "manual", "bad", "good"]
    assert "/archive/" in page["bad"]
