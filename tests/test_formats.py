"""Text to values: blank ends, branch names, YAML that is nested too deep."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import fine

from memshelf.errors import FormatError
from memshelf.formats import front_matter
from memshelf.formats import settings as settings_format
from memshelf.formats.episode import read_document, render
from memshelf.formats.markdown import scan, trim
from memshelf.model import Conventions
from memshelf.rules.lint import lint_episode


@settings(deadline=None)
@given(st.text(alphabet=" \t\nab", max_size=14))
def test_trim_takes_blank_lines_off_both_ends_and_nothing_else(text: str) -> None:
    lines = text.split("\n")
    full = [at for at, line in enumerate(lines) if line.strip(" \t")]

    assert trim(text) == ("\n".join(lines[full[0] : full[-1] + 1]) if full else "")


def test_nested_quotes_hide_their_text_once() -> None:
    assert scan("> a\n> > b\n\nc").prose.split() == ["c"]


@pytest.mark.parametrize("name", ["main", "team/memory", "релиз", "a.b-c_d"])
def test_a_branch_that_git_allows_is_read(name: str) -> None:
    assert settings_format.parse(f"branch: {json.dumps(name, ensure_ascii=False)}").branch == name


@pytest.mark.parametrize(
    "name", ["x y", "x\ndelete refs/heads/y", "-x", "a..b", "a.lock", "/a", "a/", "a~1", "a@{b"]
)
def test_a_branch_that_git_does_not_allow_is_refused(name: str) -> None:
    with pytest.raises(FormatError, match="branch: not a name that git allows"):
        settings_format.parse(f"branch: {json.dumps(name)}")


def test_yaml_that_is_nested_too_deep_is_a_fault_of_its_file() -> None:
    deep = "[" * 900 + "]" * 900

    assert read_document("a.md", f"---\nid: a\nfoo: {deep}\n---\n".encode()).fault
    with pytest.raises(FormatError):
        front_matter.load(f"foo: {deep}")


def test_words_in_the_decomposed_form_are_the_same_words() -> None:
    digest = unicodedata.normalize("NFD", "Агент нашёл причину: моё ожидание отклонено.")

    said = {found.rule for found in lint_episode(fine(digest=digest), Conventions("2026-07-11"))}

    assert "digest-says-we" not in said
    assert digest in render(fine(digest=digest))
