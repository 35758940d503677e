"""What a person and a shelf say of redaction: lifted in a draft by a person alone, refused at every door."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from support import FINE, git, request

from memshelf.commands.accept import accept
from memshelf.commands.doctor import doctor
from memshelf.commands.read import read
from memshelf.commands.reject import reject
from memshelf.commands.revise import revise
from memshelf.commands.write import write
from memshelf.errors import Refused
from memshelf.formats import episode as episode_format
from memshelf.redact import Policy, redact
from memshelf.requests import ReadRequest, RejectRequest
from memshelf.screening import Screening
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from memshelf.requests import Caller
    from memshelf.store.library import Library

SECRET = "garden-" + "Lantern-42"
SAID = f"The sample password: {SECRET}"
MARK = "«redacted:password#1»"
LIFTED = 'allow: ["password decisions it is printed in the vendor\'s manual"]'


@pytest.fixture
def draft(library: Library, caller: Caller) -> str:
    """Return the text of a draft in which a password was masked."""
    write(library, request(decisions=SAID), caller)
    text = read(library, ReadRequest(id=FINE.id), caller).text
    assert MARK in text
    return text


def lifted(text: str) -> str:
    return text.replace(MARK, SECRET).replace("mode: live\n", f"mode: live\n{LIFTED}\n")


def test_a_person_puts_the_value_back_and_says_why(library: Library, caller: Caller, draft: str) -> None:
    said = revise(library, FINE.id, lifted(draft), caller.today)
    assert said.redactions == ()
    accept(library, [FINE.id], caller)
    text = read(library, ReadRequest(id=FINE.id), caller).text
    assert (SAID in text, LIFTED in text) == (True, True)
    assert [found.rule for found in doctor(library.root, caller.today).findings] == []


def test_without_the_entry_it_is_masked_again(library: Library, caller: Caller, draft: str) -> None:
    said = revise(library, FINE.id, draft.replace(MARK, SECRET), caller.today)
    assert [item.rule for item in said.redactions] == ["password"]


def test_it_holds_in_that_place_alone(library: Library, caller: Caller, draft: str) -> None:
    text = lifted(draft).replace("Key rotation has no owner.", f"password: {SECRET[::-1]}")
    said = revise(library, FINE.id, text, caller.today)
    assert [item.place for item in said.redactions] == ["open_threads"]


def test_an_agent_may_send_the_lifted_value_again_and_lift_nothing_itself(
    library: Library, caller: Caller, draft: str
) -> None:
    revise(library, FINE.id, lifted(draft), caller.today)
    rev = read(library, ReadRequest(id=FINE.id), caller).entry.rev
    again = f"{SAID}, and no other."
    done = write(library, request(id=FINE.id, amend=True, rev=rev, decisions=again), caller)
    assert done.redactions == ()
    assert again in read(library, ReadRequest(id=FINE.id), caller).text
    own = write(library, request(id="2026-07-10-own", decisions=SAID, notes=LIFTED), caller)
    assert [item.rule for item in own.redactions] == ["password"]


def test_a_lift_holds_for_what_the_person_saw_and_for_no_new_value(
    library: Library, caller: Caller, draft: str
) -> None:
    revise(library, FINE.id, lifted(draft), caller.today)
    rev = read(library, ReadRequest(id=FINE.id), caller).entry.rev
    new = "walnut-" + "Barrel-77"
    both = f"{SAID}. The new password: {new}"
    done = write(library, request(id=FINE.id, amend=True, rev=rev, decisions=both), caller)
    text = read(library, ReadRequest(id=FINE.id), caller).text
    assert [item.rule for item in done.redactions] == ["password"]
    assert (SAID in text, new in text) == (True, False)


def test_what_is_lifted_falls_to_no_weaker_rule(library: Library, caller: Caller) -> None:
    token = "ghp_" + "9fKx2LmQ7vRt4WzY8bNc3HdJ6sPa1GuE5oVi"
    write(library, request(decisions=f"The sample token is {token}."), caller)
    text = read(library, ReadRequest(id=FINE.id), caller).text
    kind = re.search(r"«redacted:([a-z-]+)#1»", text)[1]
    entry = f'mode: live\nallow: ["{kind} decisions it is a sample"]\n'
    edited = text.replace(f"«redacted:{kind}#1»", token).replace("mode: live\n", entry)
    assert revise(library, FINE.id, edited, caller.today).redactions == ()


def test_a_number_that_may_stay_stays_however_it_is_grouped() -> None:
    policy = Policy(screening=Screening(allow=("+49 170 1234567",)))
    for text in ("tel: +49 170 1234567", "phone: +49 170 123 45 67"):
        assert redact(text, policy) == (text, ())
    assert redact("tel: +49 170 1234568", policy)[1] != ()


def test_a_lift_without_a_reason_is_refused(library: Library, caller: Caller, draft: str) -> None:
    bare = lifted(draft).replace(" it is printed in the vendor's manual", "")
    with pytest.raises(Refused) as refusal:
        revise(library, FINE.id, bare, caller.today)
    assert {found.rule for found in refusal.value.findings} >= {"allow-malformed"}
    assert episode_format.render(read(library, ReadRequest(id=FINE.id), caller).entry.episode) == draft


def test_what_a_later_section_gives_away_goes_from_the_earlier_ones_of_an_edit(
    library: Library, caller: Caller, draft: str
) -> None:
    text = draft.replace("## Sources\n", f"## Sources\n\npassword: {SECRET[::-1]}\n")
    text = text.replace(MARK, f"{MARK}, before {SECRET[::-1]}")

    revise(library, FINE.id, text, caller.today)

    assert SECRET[::-1] not in read(library, ReadRequest(id=FINE.id), caller).text


PHONE = "+7 903 " + "555-31-08"
SAYS_PHONE = r"holds personal data \(phone\) that this shelf refuses"


def test_personal_data_that_a_shelf_refuses_is_refused_at_every_door(
    library: Library, caller: Caller, draft: str
) -> None:
    settings = library.root / "memshelf.yml"
    rest = "shelves:\n  shared:\n    redact:\n      personal: {phone: refuse}\n"
    settings.write_text(settings.read_text(encoding="utf-8") + rest, encoding="utf-8")
    library, before = open_library(library.root), git(library.root, "for-each-ref")
    rev = read(library, ReadRequest(id=FINE.id), caller).entry.rev
    doors = (
        lambda: write(library, request(id="2026-07-10-call", notes=f"Call {PHONE}"), caller),
        lambda: write(library, request(id=FINE.id, amend=True, rev=rev, sources=PHONE), caller),
        lambda: write(library, request(id="2026-07-10-call", extra={f"Call {PHONE}": "None."}), caller),
        lambda: revise(library, FINE.id, draft.replace(MARK, PHONE), caller.today),
        lambda: reject(library, RejectRequest(id=FINE.id, reason=f"Ask {PHONE}."), caller.today),
    )
    for door in doors:
        with pytest.raises(Refused, match=SAYS_PHONE) as refusal:
            door()
        assert PHONE not in str(refusal.value) + repr(refusal.value.findings)
    assert git(library.root, "for-each-ref") == before
