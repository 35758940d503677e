"""What redaction promises about any text, tried on texts nobody wrote."""

from __future__ import annotations

import random
from itertools import islice

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memshelf.redact import Policy, redact
from redact.corpus import rows
from redact.fuzz import SNIPPETS, beside_another, broken, marks_stay, mutations, still_parses, twice_is_once

CORPUS = rows()
POLICY = Policy()
PIECES = st.one_of(
    st.sampled_from(SNIPPETS), st.sampled_from([row.text for row in CORPUS]), st.text(max_size=20)
)


def test_the_corpus_redacted_twice_is_the_corpus_redacted_once() -> None:
    together = "\n".join(row.text for row in CORPUS[::9])

    assert [row.id for row in CORPUS if twice_is_once(row.text, POLICY)] == []
    assert not twice_is_once(together, POLICY)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=6).map("".join))
def test_what_is_redacted_stays_as_it_is(text: str) -> None:
    assert not twice_is_once(text, POLICY)
    assert not marks_stay(text, POLICY)


def test_mutated_texts_keep_the_promises() -> None:
    """`in_time` is left to the program in fuzz.py: a test may not depend on the clock."""
    found = [
        (name, said)
        for text in islice(mutations(CORPUS, random.Random(20)), 500)
        for name, said in broken(text, POLICY)
        if name != "in_time"
    ]

    assert found == []


def test_a_secret_that_goes_alone_goes_beside_another_text() -> None:
    chance = random.Random(7)
    tried = chance.sample([row for row in CORPUS if row.secrets], 150)

    assert [beside_another(row, chance.choice(CORPUS).text, POLICY) for row in tried] == [()] * len(tried)


def test_configuration_is_still_configuration() -> None:
    assert [row.id for row in CORPUS if still_parses(row.text, POLICY)] == []


def test_marks_are_no_secrets() -> None:
    text = "password: «redacted:password#1»\ntoken=«redacted:secret#2»\nпароль «redacted:password» сменили\n"

    assert redact(text, POLICY)[0] == text
