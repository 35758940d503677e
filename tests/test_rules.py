"""Every rule against its own examples; what an id, a value, a section may be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import FINE, fine

from memshelf.formats.episode import read_document, render
from memshelf.model import Conventions, Document, Episode, Finding, Level, Section
from memshelf.rules import RULES
from memshelf.rules.lint import lint, lint_episode

CONVENTIONS = Conventions(today="2026-07-11", markers=("选定",))
PATH = f"shelves/shared/docs/topics/{FINE.id}.md"
ANY = st.text(st.characters(exclude_categories=()))


def findings(example: Any) -> list[Finding]:
    """Lint an example of a rule: changes to FINE, or to the bytes of its file."""
    if callable(example):
        return lint(read_document(PATH, example(render(FINE).encode())), CONVENTIONS)
    return lint_episode(fine(**example), CONVENTIONS)


def names(**changes: Any) -> list[str]:
    return [finding.rule for finding in lint_episode(fine(**changes), CONVENTIONS)]


def test_the_fine_episode_breaks_no_rule() -> None:
    assert lint(read_document(PATH, render(FINE).encode()), CONVENTIONS) == []


@pytest.mark.parametrize("name", RULES)
def test_bad_trips_only_its_rule(name: str) -> None:
    assert [(found.rule, found.level) for found in findings(RULES[name].bad)] == [(name, RULES[name].level)]


@pytest.mark.parametrize("name", RULES)
def test_good_trips_nothing(name: str) -> None:
    assert findings(RULES[name].good) == []


@pytest.mark.parametrize("name", RULES)
def test_the_manual_says_what_is_wrong_then_why_and_the_way_out(name: str) -> None:
    first, blank, *rest = RULES[name].manual.split("\n")

    assert first.endswith(".")
    assert first[0].isupper()
    assert blank == ""
    assert len(" ".join(rest)) > 60


@pytest.mark.parametrize("name", RULES)
def test_a_message_is_the_fact_and_the_way_out(name: str) -> None:
    for found in findings(RULES[name].bad):
        assert name == "front-matter-broken" or ": " in found.message


def fields() -> st.SearchStrategy[dict[str, Any]]:
    texts = (
        "id",
        "kind",
        "title",
        "form",
        "span",
        "summary",
        "date",
        "approx_tokens",
        "mode",
        "notes",
        "preamble",
    )
    texts += ("approx_tokens_source", "retain_until", "pinned")
    lists = ("tags", "supersedes", "client", "session")
    headings = st.one_of(ANY, st.sampled_from(["Digest", "Decisions", "Sources"]))
    return st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(texts, ANY)
        | dict.fromkeys(lists, st.lists(ANY, max_size=14).map(tuple))
        | {"sections": st.lists(st.builds(Section, headings, ANY), max_size=6).map(tuple)}
        | {"other": st.lists(st.tuples(ANY, ANY), max_size=2).map(tuple)},
    )


@given(fields(), st.binary(max_size=60), ANY)
def test_rules_survive_any_text(changes: dict[str, Any], raw: bytes, path: str) -> None:
    episode: Episode = FINE._replace(**changes)

    for found in lint(Document(path, raw, episode), CONVENTIONS):
        assert found.message.isprintable()
        assert found.place.isprintable()


@given(st.binary(max_size=200))
def test_rules_survive_any_file(raw: bytes) -> None:
    assert lint(read_document(PATH, raw), CONVENTIONS)


def test_a_rule_switched_off_is_silent() -> None:
    off = CONVENTIONS._replace(rules_off={"digest-says-we": "a diary"})

    assert lint_episode(fine(digest="For the auth service we chose tokens."), off) == []


def test_every_fault_is_told_at_once_errors_first() -> None:
    found = lint_episode(
        fine(digest="# Words\n\nwe, my " + "word " * 130, tags=("A",), sources=""), CONVENTIONS
    )
    levels = [finding.level for finding in found]

    assert {finding.rule for finding in found if finding.level is Level.ERROR} == {
        "digest-too-long",
        "digest-without-marker",
        "digest-says-we",
        "digest-has-structure",
        "tag-malformed",
        "section-empty",
    }
    assert levels == sorted(levels)
    assert Level.WARNING in levels


def test_a_finding_names_path_line_and_place() -> None:
    raw = render(FINE).encode().replace(b"kind: topic", b"kind: note")
    [found] = lint(read_document(PATH, raw), CONVENTIONS)

    assert str(found) == f"{PATH}: error kind-unknown: kind: not one of topic, research, session: choose one"


def test_bytes_that_are_not_utf_8_are_told_once_with_their_line() -> None:
    [found] = lint(read_document(PATH, b"---\nid: \xff\n---\n"), CONVENTIONS)

    assert (found.rule, found.line) == ("not-utf-8", 2)


def test_no_message_repeats_a_value() -> None:
    secret = "Zq9" + "-vX7" * 5
    changes = dict.fromkeys(("id", "kind", "form", "span", "mode", "pinned", "approx_tokens", "date"), secret)
    found = lint_episode(fine(**changes, tags=(secret,), sections={f"# {secret}": "text"}), CONVENTIONS)

    assert len(found) >= 9
    assert not any(secret in str(finding) for finding in found)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../x", "not a date and a slug"),
        (".git/hooks/a", "not a date and a slug"),
        ("CON", "not a date and a slug"),
        ("2026-07-10-con", "Windows"),
        ("2026-02-31-x", "calendar"),
        ("2026-07-13-x", "lies ahead"),
        ("2026-07-10-" + "a" * 289, "300 characters, limit 80: cut 220"),
        ("2026-07-10-роутер", "use 2026-07-10-router"),
        ("Настройка роутера", "use 2026-07-11-nastroyka-routera"),
        ("2026-07-10-Auth", "not a date and a slug"),
        ("2026-07-10-a--b", "not a date and a slug"),
        ("2026-07-10", "not a date and a slug"),
        ("٢٠٢٦-07-10-a", "use 2026-07-11-"),
        ("", "no id"),
    ],
)
def test_an_id_is_a_real_date_and_a_slug(name: str, message: str) -> None:
    [found] = lint_episode(fine(id=name, date=""), CONVENTIONS)

    assert found.rule == "id-malformed"
    assert message in found.message


def test_an_id_may_be_of_tomorrow_and_80_characters_long() -> None:
    assert names(id="2026-07-12-" + "a" * 69, date="2026-07-12") == []


@pytest.mark.parametrize("text", ["a\nb", "a\0b", "a---b", "a\tb", "a\x7fb", "a\x85b", "a\ud800b"])
@pytest.mark.parametrize(
    "key", ["tags", "span", "title", "id", "summary", "notes", "supersedes", "client", "session", "other"]
)
def test_a_value_that_could_break_the_front_matter_is_refused_once(key: str, text: str) -> None:
    value: Any = {"other": ((text, "x"),)}.get(
        key, (text,) if key in ("tags", "supersedes", "client", "session") else text
    )

    assert names(**{key: value}) == ["value-not-one-line"]


@pytest.mark.parametrize(
    "title", ['Auth: [JWT] #1 "ok"', "🔑👩\u200d💻", "שלום", "й ё \u0438\u0306", "a\u2028b", "-- –"]
)
def test_every_other_character_is_fine_in_a_value(title: str) -> None:
    assert names(title=title, notes=title, summary=title) == []


@pytest.mark.parametrize(
    ("tags", "rules"),
    [
        (("a",) * 12, []),
        (("a",) * 13, ["tag-malformed"]),
        (("a" * 40,), []),
        (("a" * 41,), ["tag-malformed"]),
        (("",), ["tag-malformed"]),
        (("two words",), ["tag-malformed"]),
        (("Сеть",), ["tag-malformed"]),
        (("a/b", "🔑"), ["tag-malformed", "tag-malformed"]),
        (("हिन्दी", "ёж-2"), []),
    ],
)
def test_tags_are_lower_case_in_any_script(tags: tuple[str, ...], rules: list[str]) -> None:
    assert names(tags=tags) == rules


@pytest.mark.parametrize(
    "span", ["2026-07-10", "2026-02-30..2026-07-10", "..", "2026-07-10...2026-07-11", "20260710..20260711"]
)
def test_a_span_is_two_real_dates(span: str) -> None:
    assert names(span=span) == ["span-malformed"]


def test_sections_depend_on_kind_and_form() -> None:
    assert names(kind="session") == ["section-missing"]
    assert names(form="incident") == ["section-missing"]
    assert names(form="experiment") == ["section-missing"] * 2
    assert names(kind="session", sections={"Timeline": "Then."}) == []
    assert names(form="experiment", sections={"Expected": "A.", "Actual": "B."}) == []
    assert names(sections={"Digest": None}) == ["digest-missing"]
    assert names(digest="") == ["digest-missing"]


@pytest.mark.parametrize("heading", ["", "# a", "a #", "#", " a", "a\nb"])
def test_a_heading_is_one_plain_line(heading: str) -> None:
    assert names(sections={heading: "text"}) == ["heading-malformed"]


@pytest.mark.parametrize("text", ["a\x00", "a\x1b[0m", "a\x85", "a\rb", "a\udc00", "\x7f"])
def test_control_characters_are_refused_in_body_and_heading(text: str) -> None:
    assert names(decisions=f"The auth service.\n{text}") == ["control-character"]
    assert names(sections={f"{text}b": "text"}) == ["control-character"]


def test_a_session_weighs_a_whole_number_of_tokens_from_a_known_source() -> None:
    for count in ("", "-1", "1.5", "1_000", "²", "٣"):
        assert names(approx_tokens=count) == ["tokens-malformed"]

    assert names(approx_tokens_source="guess") == ["tokens-malformed"]
    assert names(approx_tokens="0", approx_tokens_source="measured") == []


def test_an_episode_does_not_supersede_itself() -> None:
    assert names(supersedes=(FINE.id,)) == ["supersedes-malformed"]
