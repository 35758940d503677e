"""Digest markers, quotations, sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memshelf.markers import find, headline, sentences, unquoted

ANY = st.text(st.characters(exclude_categories=()))

MARKED = {
    "decided": """
        The team decided it.|Decision: VLANs.|DECISIONS stand.|Chose VLANs.|Chosen: VLANs|chooses tags|picked
        adopted|adoption of tags|agreed|an agreement|settled on|selected|approved|approval came|switched
        replaces NAT|a replacement|migrated|migration done|The team went with tags.|The team went\n with tags.
        решили|решено:|Решение: VLAN|решений нет|выбрали|Выбран VLAN|выбрано|принято|приняли|утверждён
        утвердили|утверждение плана|договорились|договорённость|согласовано|согласились|согласны|заменили
        замена NAT|замена|заменён|перешли на VLAN|перешёл|остановились на VLAN""",
    "rejected": """
        Rejected: NAT|rejection|declined|dropped|drops NAT|discarded|abandoned|deferred|postponed|reverted
        NAT was ruled out|rules out NAT|tags instead of NAT|отклонено|отклонили|отвергли|отвергнут|отвергнутый
        отказались|Отказ от NAT|отбросили|отброшен|отменили|отменён|отмена|отложено|отложили|исключили
        исключён|NAT не подошёл|не подошла""",
    "found": """
        Found: a leak|measured|measurements|confirmed|proved|proven|showed|shown|concluded|conclusion
        Verdict: slow|The result is 5.|caused by DNS|Cause: DNS|failed|failure|найдено|найдена|нашли|нашёл
        нашлось|обнаружили|обнаружен|измерили|измерение|подтвердили|подтверждено|подтвердилось|установлено
        Вывод: медленно|выводы|итог|Итоги: 5|причина|Причин две|результат|результаты|провал|провалился""",
    "open": """
        Open: DNS|one question is open|TODO: DNS|todos|unresolved|pending|remains|remaining|Next step: DNS
        next steps|открыт вопрос|Открыто: DNS|открытые вопросы|осталось|остались|остаётся|предстоит
        под вопросом|не решено|пока не решили|нерешённый""",
}
UNMARKED = """
    OpenAI|OpenWrt|issue opened|opener|opening|opens the file|open-source|open source|open-webui|find_open
    open.txt|decidedly|decidable|picky|picture|pickle|pick-list|settler|settlement|selection|selector|switcher
    adopter|agreeable|approximate|improve|replaceable|migrant|immigration|switch-01|droplet|dropdown|Dropbox|drag-and-drop|drop.sh
    deference|differ|discardable|declination|revertible|convert|reverse|ruled|instead
    foundation|founder|profound|measurable|proverb|provider|improved|show|shower|showcase|causeway|because|causal
    failover|fail-safe|resultant|remainder|depending|spending|todoist|mastodon|unopened|confirmation dialog
    решётка|решетка|решето|решительно|решаемый|выбросили|выбрит|договор|договора|согласно|согласный|принялись
    утверждает|заменитель|незаменимый|перешил|перешеек|отклонение|отклоняется|отказоустойчивость|отменный|отменно
    отложения|исключение|исключительно|нашлёпка|обнаружение|измеритель|подтверждение|установка|установить
    установщик|выводок|итоговый|итого|причинить|причинно|результативный|провальный|открыл|открыли|открыть
    открытие|открытка|с открытым исходным кодом|остальной|предстоящий|отбросы|наш|нашей|сервис остановился"""


def phrases(table: str) -> list[str]:
    return [
        phrase.strip() for line in table.split("\n        ") for phrase in line.split("|") if phrase.strip()
    ]


def unmarked() -> list[str]:
    return [
        phrase.strip() for line in UNMARKED.split("\n    ") for phrase in line.split("|") if phrase.strip()
    ]


@pytest.mark.parametrize(
    ("group", "phrase"), [(group, phrase) for group, table in MARKED.items() for phrase in phrases(table)]
)
def test_a_marker_names_its_group(group: str, phrase: str) -> None:
    assert find(phrase) == {group}
    assert find(f"x {phrase}, y") == {group}


@pytest.mark.parametrize("phrase", unmarked())
def test_a_look_alike_is_no_marker(phrase: str) -> None:
    assert find(phrase) == set()
    assert find(phrase.capitalize()) == set()


def test_a_keyword_of_sql_is_no_marker() -> None:
    assert find("SELECT FOR UPDATE, then DROP, in SQL") == set()
    assert find("OPEN: DNS") == {"open"}


def test_groups_add_up() -> None:
    assert find("Chosen: A. Rejected: B, found slow. Open: C.") == {"decided", "rejected", "found", "open"}


def test_a_shelf_adds_markers_in_any_language() -> None:
    extra = ("entschieden", "选定", "на паузе", " ")

    assert find("Wir haben entschieden.", extra) == {"own"}
    assert find("团队选定了方案。", extra) == {"own"}
    assert find("Проект на\nпаузе.", extra) == {"own"}
    assert find("unentschiedenes 选 定", extra) == set()
    assert find("any text", ("", "a.y")) == set()


@pytest.mark.parametrize(
    "text",
    [
        'the "open" door',
        "the “open” door",
        "«открыто» и всё",
        "„offen open“",
        "`open`",
        "``a ` open``",
        "「open」",
    ],
)
def test_a_quotation_is_not_ones_own_word(text: str) -> None:
    assert find(unquoted(text)) == set()


def test_inch_marks_and_lone_quotes_quote_nothing() -> None:
    for text in ('a 3.5" disk was chosen over 2.5" ones', 'an " open end', "it's open, isn't it", "a ` open"):
        assert find(unquoted(text))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Use v1.2 now. Done.", ["Use v1.2 now.", "Done."]),
        ("Tools, e.g. Git, are kept.", ["Tools, e.g. Git, are kept."]),
        ("Kept by J. Smith vs. Mr. Jones.", ["Kept by J. Smith vs. Mr. Jones."]),
        ("Инструменты, т. е. Git, см. SPEC. Да.", ["Инструменты, т. е. Git, см. SPEC.", "Да."]),
        ("DNS и т.д. Открыто: NTP.", ["DNS и т.д.", "Открыто: NTP."]),
        ("It costs approx. 5 ms. It is fine.", ["It costs approx. 5 ms.", "It is fine."]),
        ("Wrapped\nline. Next\nline.", ["Wrapped line.", "Next line."]),
        ("- one\n- two\n3. three", ["one", "two", "three"]),
        ("Para\n\nPara two", ["Para", "Para two"]),
        ("选定方案。拒绝旧方案。", ["选定方案。", "拒绝旧方案。"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_the_headline_is_the_first_sentence_with_a_marker() -> None:
    assert headline("The LAN was flat. Chosen: VLANs.\nOpen: DNS.") == "Chosen: VLANs."
    assert headline('The word "open" stands. Rejected: NAT.') == "Rejected: NAT."
    assert headline("团队开会。选定方案。", ("选定",)) == "选定方案。"
    assert headline("Nothing at all. Truly.") == "Nothing at all."
    assert headline("- ") == "-"
    assert headline(" ") == ""


@given(ANY)
def test_any_text_has_a_headline_on_one_line(text: str) -> None:
    line = headline(text)

    assert bool(line) == bool(text.strip())
    assert "\n" not in line


@given(ANY, ANY)
def test_finding_survives_any_text_and_any_marker(text: str, marker: str) -> None:
    assert find(unquoted(text), (marker,)) <= {"decided", "rejected", "found", "open", "own"}
