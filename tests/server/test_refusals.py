"""What the server says no to: always an error result with the way out, never an argument's value."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from support import git
from wire import GOOD, PLANTED, SECRET, call, text_of

from memshelf.server import app
from memshelf.server.tools import TOOLS

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.store.library import Library

NEEDED = {
    "read_index": {},
    "read_episode": {"id": PLANTED},
    "write_episode": {"id": PLANTED},
    "search": {"query": PLANTED},
}
"""Tool -> the least that it takes."""

REFUSALS = {
    "no such tool": ("recall", {"id": PLANTED}, "no such tool: the tools are read_index"),
    "unknown argument": ("read_index", {"shelff": PLANTED}, "did you mean shelf?"),
    "argument like no other": ("search", {"query": "auth", "zzz": PLANTED}, "known are query, shelf"),
    "its name is the value": ("search", {"query": "auth", PLANTED: 1}, "unknown argument"),
    "list for text": ("search", {"query": [PLANTED]}, "query: takes text"),
    "text for a number": ("read_index", {"budget": PLANTED}, "budget: takes a whole number"),
    "5,000 digits": ("read_index", {"budget": "7" * 5000}, "budget: takes a whole number"),
    "text for a truth value": ("write_episode", GOOD | {"dry_run": PLANTED}, "dry_run: takes true or false"),
    "numbers in a list": ("write_episode", GOOD | {"tags": [PLANTED, 1]}, "tags: takes a list of texts"),
    "broken JSON": ("write_episode", GOOD | {"extra": "{" + PLANTED}, "extra: takes heading to text"),
    "bottomless JSON": ("write_episode", GOOD | {"extra": "[" * 99_999}, "extra: takes heading to text"),
    "none of the choices": ("search", {"query": "auth", "kind": PLANTED}, "topic, research, session"),
    "missing": ("read_episode", {}, "id: is missing"),
    "null is not passed": ("read_episode", {"id": None}, "id: is missing"),
    "no such episode": (
        "read_episode",
        {"id": f"2026-07-10-{PLANTED}"},
        "no such episode: the library is empty",
    ),
    "no such shelf": ("read_index", {"shelf": PLANTED}, "no such shelf: did you mean"),
    "bad id": ("write_episode", GOOD | {"id": f"../{PLANTED}"}, "not a date and a slug"),
    "no such episode to amend": (
        "write_episode",
        {"id": f"2026-07-10-{PLANTED}", "shelf": "shared", "amend": True, "rev": PLANTED},
        "read_index lists what there is",
    ),
    "no shelf named": ("write_episode", GOOD | {"shelf": ""}, "pass shelf: one of homelab, shared"),
    "bad index cursor": ("read_index", {"cursor": PLANTED}, "leave it out to start at the top"),
    "no word to search": ("search", {"query": "—"}, "name a thing, a decision or an identifier"),
    "small budget": ("read_index", {"budget": 7}, "at least 100 tokens"),
    "secret in an identifier": ("write_episode", GOOD | {"tags": [SECRET]}, "choose a value without it"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refusal_is_an_error_that_says_what_to_do_and_repeats_no_value(
    empty: Path, era: str, case: str
) -> None:
    tool, arguments, way_out = REFUSALS[case]
    before = _everything(empty)

    result = call(empty, era, tool, arguments)

    assert result.is_error
    assert way_out in text_of(result)
    answer = result.model_dump_json()
    assert not [value for value in (PLANTED, SECRET, "7" * 9) if value in answer]
    assert _everything(empty) == before


def _everything(library: Path) -> tuple[str, str]:
    """Return every object of the repository and every ref."""
    objects = git(library, "cat-file", "--batch-all-objects", "--batch-check")
    return objects, git(library, "for-each-ref")


def test_every_fault_of_the_arguments_is_told_at_once(empty: Path, era: str) -> None:
    wrong = {"digets": PLANTED, "tags": 7, "kind": "essay", "amend": "perhaps", "extra": ["a"]}

    said = text_of(call(empty, era, "write_episode", wrong))

    assert said.split("; ") == [
        "unknown argument (did you mean digest?)",
        "tags: takes a list of texts",
        "kind: takes one of topic, research, session",
        "amend: takes true or false",
        "extra: takes heading to text",
        "id: is missing",
    ]


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
def test_a_bug_is_an_error_result_and_a_log_line_without_the_value(
    empty: Path,
    era: str,
    tool: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def break_off(*everything: object) -> None:
        raise LookupError(str(everything))

    monkeypatch.setattr(app, "TOOLS", tuple(replace(tool, command=break_off) for tool in TOOLS))
    result = call(empty, era, tool, NEEDED[tool])

    assert result.is_error
    assert PLANTED not in result.model_dump_json()
    assert "a bug in MemShelf (LookupError), not in your call" in text_of(result)
    line = next(record for record in caplog.records if record.name == "memshelf")
    assert line.levelno == logging.ERROR
    assert line.message.startswith("bug: LookupError at answers.py:")
    assert line.exc_info is None


def test_a_missing_library_is_an_error_with_the_way_out_at_every_call(tmp_path: Path, era: str) -> None:
    nowhere = tmp_path / "nowhere"
    for tool in TOOLS:
        result = call(nowhere, era, tool.name, NEEDED[tool.name])

        assert result.is_error
        assert f"{nowhere} does not exist: check the path, or make one with `memshelf init" in text_of(result)


def test_a_search_cursor_that_no_answer_gave_is_refused(library: Library, era: str) -> None:
    call(library.root, era, "write_episode", GOOD)
    result = call(library.root, era, "search", {"query": "tokens", "cursor": PLANTED})

    assert result.is_error
    assert "The cursor is not one that search gave: leave it out." in text_of(result)
    assert PLANTED not in result.model_dump_json()


def test_a_refusal_with_five_faults_takes_400_tokens_at_most(empty: Path, era: str) -> None:
    digest = " ".join(["The team retired", SECRET, "for us.", *["word"] * 130])
    bad = {"id": "auth-tokens", "shelf": "shared", "digest": digest, "decisions": "None."}
    result = call(empty, era, "write_episode", bad)

    assert result.is_error
    assert text_of(result).count("\n- ") == 6
    assert len(text_of(result)) / 4 <= 400


def test_a_refusal_gives_the_digest_back_when_redaction_changed_it(empty: Path, era: str) -> None:
    digest = GOOD["digest"] + f" The team retired {SECRET} for us."
    changed = call(empty, era, "write_episode", GOOD | {"digest": digest})
    unchanged = call(empty, era, "write_episode", GOOD | {"digest": GOOD["digest"] + " For us."})

    assert changed.is_error
    marked = digest.replace(SECRET, "«redacted:github-token#1»")
    assert text_of(changed).endswith("The digest after redaction: " + marked)
    assert unchanged.is_error
    assert "after redaction" not in text_of(unchanged)
