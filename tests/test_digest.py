"""The digest contract against cases in English, Russian and Chinese."""

from __future__ import annotations

import pytest
from support import fine

from memshelf.model import Conventions
from memshelf.rules.lint import lint_episode

CONVENTIONS = Conventions(today="2026-07-11", markers=("选定",))


def names(digest: str, **changes: str) -> list[str]:
    return [finding.rule for finding in lint_episode(fine(digest=digest, **changes), CONVENTIONS)]


WORDS = {"en": "Rejected: sessions." + " token" * 118, "ru": "Отклонено: сессии." + " токен" * 118}
WORDS["zh"] = "选定" + "字" * 118


@pytest.mark.parametrize("language", WORDS)
def test_a_digest_has_120_words_in_any_language(language: str) -> None:
    longer = WORDS[language] + (" token" if language == "en" else " токен" if language == "ru" else "字")
    [found] = lint_episode(fine(digest=longer), CONVENTIONS)

    assert names(WORDS[language]) == []
    assert found.message == "121 words, limit 120: cut 1"


@pytest.mark.parametrize(
    ("digest", "rules"),
    [
        ("Rejected: " + "/".join(["token"] * 300), ["digest-too-long"]),
        ("Open: " + "a-b-c " * 119, []),
        ("Open: https://example.com/" + "a" * 4700, []),
        ("Open: https://example.com/" + "a" * 4800, ["digest-too-long"]),
        ("Tokens are fine.", ["digest-without-marker"]),
        ("Токены в порядке.", ["digest-without-marker"]),
        ("令牌很好。", ["digest-without-marker"]),
        ("选定令牌。", []),
        ("Сессии отклонены.", []),
        ("Tokens by OpenAI.", ["digest-without-marker"]),
        ("Tokens, `open`.", ["digest-without-marker"]),
        ('Tokens are "open" now.', ["digest-without-marker"]),
        ("Токены «открыты» и всё.", ["digest-without-marker"]),
        ("> Open: a quote\n\nTokens.", ["digest-without-marker"]),
        ("Tokens.\n\n```\nopen\n```", ["digest-without-marker", "digest-has-structure"]),
        ("[Tokens](https://example.com/open)", ["digest-without-marker"]),
    ],
)
def test_a_digest_says_an_outcome_within_its_words(digest: str, rules: list[str]) -> None:
    assert names(digest) == rules


@pytest.mark.parametrize(
    "digest",
    [
        "Then we chose tokens.",
        "We chose tokens.",
        "Tokens chosen. We rejected sessions.",
        "Chosen for us: tokens.",
        "Our service chose tokens.",
        "we're done: tokens chosen.",
        "Tokens chosen; we’ve rejected sessions.",
        "- Chosen: tokens\n- Our nodes remain open",
        "- We chose tokens",
        'The team said "no." We chose tokens.',
        "Выбрано нами.",
        "Мы выбрали токены.",
        "Выбраны токены. Наш сервис открыт.",
        "Решено в нашем сервисе.",
        "Решено: у нас токены.",
    ],
)
def test_a_digest_that_says_we_is_refused(digest: str) -> None:
    assert names(digest) == ["digest-says-we"]


@pytest.mark.parametrize(
    "digest",
    [
        "Chosen: us-east-1.",
        "Chosen: the US market.",
        "Our World in Data was chosen.",
        "Source chosen: Our World in Data.",
        "Агент нашёл и нашел причину.",
        'The user said "we like tokens"; chosen.',
        "Пользователь сказал «мы за»; выбрано.",
        "`we` was chosen as a name.",
        "> we said\n\nTokens chosen.",
        "Chosen: webhooks, a bus, user.us.example, /us/ paths.",
        "The NAS «Наш Дом» was chosen.",
        "Chosen: see https://example.com/we/our.",
    ],
)
def test_a_digest_that_only_looks_like_we_is_stored(digest: str) -> None:
    assert names(digest) == []


@pytest.mark.parametrize(
    ("digest", "rules"),
    [
        ("Then I chose tokens.", ["digest-says-i"]),
        ("I’ve chosen tokens.", ["digest-says-i"]),
        ("My choice: tokens chosen.", ["digest-says-i"]),
        ("Let's go: tokens chosen.", ["digest-says-i"]),
        ("Давайте решим.", ["digest-says-i"]),
        ("Решено: я за токены.", ["digest-says-i"]),
        ("Chosen: I/O, Phase I and Windows ME, type I errors.", []),
        ("This is open.", ["digest-opens-on-pronoun"]),
        ("It's open.", ["digest-opens-on-pronoun"]),
        ("Токены выбраны. Они открыты.", ["digest-opens-on-pronoun"]),
        ("Это значит: решено.", ["digest-opens-on-pronoun"]),
        ("Это решение принято.", []),
        ("IT chose tokens. This server is open.", []),
    ],
)
def test_other_speakers_and_bare_pronouns_are_warned_of(digest: str, rules: list[str]) -> None:
    assert names(digest) == rules


@pytest.mark.parametrize(
    ("digest", "holds"),
    [
        ("Chosen: tokens.\n\n## Forged\n", "heading"),
        ("Chosen: tokens\n---\n", "heading"),
        ("> # Chosen\n\nChosen: tokens.", "heading"),
        ("Chosen: tokens.\n\n    code\n", "code block"),
        ("Chosen: tokens.\n\n~~~\ncode\n~~~", "code block"),
        ("Chosen: tokens. <!-- hidden -->", "comment"),
        ("Chosen: [tokens](https://example.com/" + "a/" * 40 + "a" * 200 + ")", "link"),
    ],
)
def test_a_digest_is_plain_sentences(digest: str, holds: str) -> None:
    [found] = lint_episode(fine(digest=digest), CONVENTIONS)

    assert found.rule == "digest-has-structure"
    assert holds in found.message


def test_a_digest_that_its_body_grounds_is_not_nagged_at() -> None:
    digest = (
        "Плоская сеть заменена на VLAN 10, 20, 30 и 40. Выбрана фильтрация на мосту. Отклонено: "
        "отдельный SSID на каждый VLAN, маяки забивают эфир. Открыто: устройства умного дома с прошитым DNS."
    )

    assert names(digest, title="VLAN", decisions="Фильтрация на мосту; SSID один, маяки мешают эфиру.") == []
    assert names(digest, title="Tokens") == ["digest-not-in-body"]
