"""The doors: every argument whose text is stored is redacted or refused, in every request."""

import importlib
import inspect
import pkgutil
from typing import Any

import pytest

from memshelf import commands
from memshelf.cli import VERBS
from memshelf.errors import Refused
from memshelf.redact import Marks, Policy, parse_patterns
from memshelf.redact.doors import RULE, scrub
from memshelf.requests import (
    WRITES,
    Argument,
    Door,
    RejectRequest,
    WriteRequest,
    arguments,
    is_required,
    shape,
)
from memshelf.screening import Screening
from memshelf.server.tools import TOOLS

NONE = Policy()
TOKEN = "gh" + "p_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE"
OTHER = "gh" + "o_" + "bC3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE"
LABELLED = "hunter" + "22!x"
POLICY = Policy(parse_patterns("project Blue[b]ird"))
PLANTED = {TOKEN: TOKEN, LABELLED: f"password: {LABELLED}", "Bluebird": "Bluebird"}

TEXT_SWITCHES = {
    "WriteRequest.rev": "compared with the blob id of the text to be amended; never written",
}
"""Switches that hold text, with the reason why that text is stored nowhere."""

FIELDS = [(request, name, argument) for request in WRITES for name, argument in arguments(request).items()]
STORED = [each for each in FIELDS if each[2].door is not Door.SWITCH]


def filled(request: type[Any], **changes: Any) -> Any:
    needed = {name: "x" for name in arguments(request) if is_required(request, name)}
    return request(**(needed | changes))


def planted(request: type[Any], name: str, text: str) -> list[Any]:
    """Every value of the argument's type that holds `text`."""
    kind = shape(request, name)
    if kind == "dict":
        return [{text: "body"}, {"Heading": f"a {text} b"}, {"One": "1", f"Two {text}": text}]
    if kind == "tuple":
        return [(text,), ("fine", f"x {text}")]
    return [text, f"a\n{text}\nb"]


@pytest.mark.parametrize(("request_type", "name", "argument"), FIELDS)
def test_every_argument_names_its_door(request_type: type[Any], name: str, argument: Argument) -> None:
    if shape(request_type, name) in ("int", "bool"):
        assert argument.door is Door.SWITCH
    else:
        excused = f"{request_type.__name__}.{name}" in TEXT_SWITCHES
        assert (argument.door is Door.SWITCH) == excused


def test_only_switches_that_exist_are_excused() -> None:
    assert set(TEXT_SWITCHES) <= {f"{request.__name__}.{name}" for request, name, _ in FIELDS}


@pytest.mark.parametrize("secret", PLANTED)
@pytest.mark.parametrize(("request_type", "name", "argument"), STORED)
def test_a_secret_planted_in_any_field_does_not_survive(
    request_type: type[Any], name: str, argument: Argument, secret: str
) -> None:
    for value in planted(request_type, name, PLANTED[secret]):
        request = filled(request_type, **{name: value})
        if argument.door is Door.IDENTIFIER:
            with pytest.raises(Refused) as refusal:
                scrub(request, POLICY)
            shown = str(refusal.value) + repr(refusal.value) + repr(refusal.value.findings)
            assert name in str(refusal.value)
            assert [finding.place for finding in refusal.value.findings] == [name]
        else:
            clean, report = scrub(request, POLICY)
            shown = repr(clean) + repr(report)
            assert report
            assert "«redacted:" in repr(getattr(clean, name))
        assert secret not in shown


def test_all_identifiers_at_fault_are_named_at_once() -> None:
    request = WriteRequest(
        id=f"2026-06-02-{TOKEN}", digest=TOKEN, tags=("ok", TOKEN, "Bluebird"), span="2026-06-02", shelf=TOKEN
    )

    with pytest.raises(Refused) as refusal:
        scrub(request, POLICY)

    assert str(refusal.value) == (
        "id holds a secret (github-token): choose a value without it; "
        "tags holds a secret (github-token, project): choose a value without it; "
        "shelf holds a secret (github-token): choose a value without it"
    )
    assert [(finding.rule, finding.place) for finding in refusal.value.findings] == [
        (RULE, "id"),
        (RULE, "tags"),
        (RULE, "shelf"),
    ]


def test_numbers_and_report_follow_the_order_of_the_fields() -> None:
    request = WriteRequest(
        id="x",
        notes=OTHER,
        title=f"On {TOKEN}",
        sources=f"one\n{OTHER}",
        extra={f"Why {TOKEN}": "none", "How": f"by {OTHER}"},
    )

    clean, report = scrub(request, NONE)

    first, second = "«redacted:github-token#1»", "«redacted:github-token#2»"
    assert clean == WriteRequest(
        id="x",
        notes=second,
        title=f"On {first}",
        sources=f"one\n{second}",
        extra={f"Why {first}": "none", "How": f"by {second}"},
    )
    assert [(each.place, each.line, each.column, each.mark) for each in report] == [
        ("title", 1, 4, first),
        ("sources", 2, 1, second),
        (f"Why {first}", 1, 5, first),
        ("How", 1, 4, second),
        ("notes", 1, 1, second),
    ]


def test_a_mark_sent_back_keeps_its_number_to_itself() -> None:
    old, older = "«redacted:github-token#4»", "«redacted:github-token#3»"
    request = WriteRequest(id="x", digest=f"New: {TOKEN}", extra={"Why": old}, notes=older)

    clean, report = scrub(request, NONE)

    assert clean == request._replace(digest="New: «redacted:github-token#5»")
    assert [each.place for each in report] == ["digest"]


def test_an_amend_numbers_on_behind_the_old_text() -> None:
    old = "«redacted:github-token#5»"

    clean, _ = scrub(WriteRequest(id="x", digest=TOKEN), NONE, Marks.after(old))

    assert clean.digest == "«redacted:github-token#6»"


def test_what_holds_no_secret_passes_unchanged() -> None:
    request = WriteRequest(
        id="vlan",
        title="",
        digest="Chosen: VLANs.",
        extra={},
        tags=(),
        approx_tokens=9000,
        rev="9fceb02d",
        dry_run=True,
    )

    assert scrub(request, NONE) == (request, ())
    assert scrub(RejectRequest(id="x", shelf=None, reason="too thin"), NONE)[1] == ()


def test_scrubbing_twice_is_scrubbing_once() -> None:
    once, _ = scrub(WriteRequest(id="x", digest=TOKEN, extra={f"On {OTHER}": f"password: {LABELLED}"}), NONE)

    assert scrub(once, NONE) == (once, ())


def test_a_value_that_a_later_field_gives_away_goes_from_the_earlier_ones_too() -> None:
    request = filled(WriteRequest, title=f"Moved to {LABELLED}", decisions=f"password: {LABELLED}")

    clean, report = scrub(request, NONE)

    assert clean.title == "Moved to «redacted:password#1»"
    assert {item.place for item in report} == {"title", "decisions"}


def test_a_shelf_may_keep_mask_or_refuse_personal_data() -> None:
    address = "ivan.petrov" + "@mail.ru"
    request = filled(WriteRequest, decisions=f"Ask {address}.")

    assert scrub(request, NONE)[0].decisions == "Ask «redacted:email#1»."
    for screening in (
        Screening(personal={"email": "keep"}),
        Screening(off={"email": "all of them are public"}),
        Screening(allow=("@MAIL.ru",)),
        Screening(allow=(address,)),
    ):
        assert scrub(request, Policy(screening=screening)) == (request, ())
    with pytest.raises(Refused, match=r"decisions holds personal data \(email\)") as refusal:
        scrub(request, Policy(screening=Screening(personal={"email": "refuse"})))
    assert address not in str(refusal.value) + repr(refusal.value.findings)


def test_the_people_that_a_shelf_names_are_masked_in_every_case() -> None:
    policy = Policy(screening=Screening(names=("Мария Синицына", "John Doe")))
    request = filled(WriteRequest, decisions="С Марией Синицыной и john doe; Синицын, Johnny Doerr")

    text = scrub(request, policy)[0].decisions

    assert text == "С «redacted:name#1» и «redacted:name#2»; Синицын, Johnny Doerr"


STORES_NO_TEXT = {
    *("accept", "adopt", "bench", "brief", "check", "deliver", "doctor", "explain", "gate", "github"),
    *("history", "incoming", "index", "init", "outline", "publish", "read", "redact", "rejected", "render"),
    *("resolve", "review", "search", "stats", "status", "surroundings", "sync", "where"),
}
"""The verbs that store none of their caller's words: they read, or move what a writing verb has stored."""

WRITING = {"write", "reject"}
"""The verbs that store what a registered request says."""

BEHIND_VERBS = {
    *("amending", "annotations", "composing", "conventions", "diagnosis", "drafts", "examination"),
    *("mending", "merging", "paging", "pull_request", "renderings", "replaying", "scope", "settling"),
    *("shelving", "workflows"),
}
"""What verbs are made of: no caller's words get there but through a verb."""

EDITS = {"revise"}
"""The verbs that take a whole file instead of a request; the tests of a person's edit are theirs."""


def test_every_verb_and_tool_is_known_to_store_its_callers_words_or_not() -> None:
    modules = {module.name for module in pkgutil.iter_modules(commands.__path__)}

    assert modules - WRITING - STORES_NO_TEXT - EDITS == BEHIND_VERBS
    adapters = {"bundle", "completion", "demo", "hook", "serve", "setup"}
    assert VERBS.keys() - WRITING - STORES_NO_TEXT == adapters
    assert {tool.request for tool in TOOLS if tool.writes} <= set(WRITES)


def test_every_request_whose_text_is_stored_is_registered() -> None:
    takes: dict[str, list[type]] = {}
    for module in pkgutil.iter_modules(commands.__path__):
        loaded = importlib.import_module(f"memshelf.commands.{module.name}")
        verb = getattr(loaded, module.name, None)
        if inspect.isfunction(verb):
            names = [str(parameter.annotation) for parameter in inspect.signature(verb).parameters.values()]
            takes[module.name] = [request for request in WRITES if request.__name__ in names]

    assert {verb for verb, registered in takes.items() if not registered} <= STORES_NO_TEXT | EDITS
    assert {request for registered in takes.values() for request in registered} == set(WRITES)
    assert set(WRITES) == {WriteRequest, RejectRequest}, "a new writing request needs its own test here"


@pytest.mark.parametrize("field", ["id", "tags"])
def test_an_identifier_may_not_hold_what_the_prose_names_as_a_secret(field: str) -> None:
    word = "kx7" + "mvq2zt9wlp"
    value = f"2026-07-02-{word}" if field == "id" else (word,)
    request = WriteRequest(**{"id": "2026-07-02-lab", "decisions": f"password: {word}", field: value})
    with pytest.raises(Refused) as refusal:
        scrub(request, NONE)
    assert [found.place for found in refusal.value.findings] == [field]
    assert word not in str(refusal.value)


def test_a_tag_may_not_be_a_name_of_the_shelf() -> None:
    policy = Policy(screening=Screening(names=("Мария Синицына",)))
    with pytest.raises(Refused):
        scrub(WriteRequest(id="2026-07-02-lab", tags=("мария-синицына",)), policy)
    short = Policy(screening=Screening(names=("Анна",)))
    request = WriteRequest(id="2026-07-02-savannah-lab", tags=("hosanna",))
    assert scrub(request, short) == (request, ())
