"""Answers at a terminal: coloured, folded, harmless and paged; in a pipe they stay as they are."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from store.traces import put, shelve_by_hand
from support import FINE, fine, request

from memshelf.cli import VERBS, screen, terminal
from memshelf.commands.write import write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran
    from terminal import Terminal

    from memshelf.requests import Caller
    from memshelf.store.library import Library

ESCAPE = "\x1b["
RUSSIAN = (
    "Служба входа перешла на подписанные жетоны. Отклонено: сессии на сервере. Открыто: 鍵の交換 🔑 👩‍💻 й."
)
WORDS = {"index": ["index"], "read": ["read", FINE.id], "search": ["search", "жетон"], "status": ["status"]}
SHORT = {"MEMSHELF_PAGER": ""}


@pytest.fixture
def kept(library: Library, caller: Caller) -> Library:
    """Return a library with a Russian episode accepted and a draft that holds control characters."""
    shelve_by_hand(library.root, fine(title="Жетоны входа", digest=RUSSIAN))
    write(library, request(id="2026-07-10-odd", sources="bell \u200b hidden"), caller)
    return library


class Stream:
    def __init__(self, *, person: bool) -> None:
        self.person = person

    def isatty(self) -> bool:
        return self.person


@pytest.mark.parametrize(
    ("person", "variables", "colour"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "CLICOLOR": "0"}, False),
        (True, {"TERM": "xterm", "CLICOLOR": "1"}, True),
        (False, {"CLICOLOR": "1"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "0"}, False),
        (True, {"TERM": "dumb", "CLICOLOR_FORCE": "1"}, True),
        (False, {"FORCE_COLOR": "3", "CLAUDECODE": "1"}, False),
        (True, {"TERM": "xterm", "CLAUDECODE": "1"}, False),
    ],
    ids=str,
)
def test_one_place_decides_on_colour(person: bool, variables: dict[str, str], colour: bool) -> None:
    assert terminal.coloured(Stream(person=person), variables) is colour  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", WORDS)
def test_a_terminal_shows_in_colour_what_a_pipe_gets_plain(
    kept: Library, desk: Callable[..., Terminal], cli: Callable[..., Ran], verb: str
) -> None:
    there = ["--library", kept.root]
    plain = cli(*WORDS[verb], *there, TERM="xterm").out
    assert ESCAPE not in plain
    shown = desk(*WORDS[verb], size=(60, 300), **SHORT)
    said = shown.end()[1]
    assert ESCAPE in shown.raw
    assert said.startswith(plain)
    for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        bare = desk(*WORDS[verb], size=(60, 300), **SHORT, **variables)
        assert bare.end()[1].startswith(plain)
        assert ESCAPE not in bare.raw
    forced = cli(*WORDS[verb], *there, FORCE_COLOR="1").out
    assert ESCAPE in forced
    assert re.sub(r"\x1b\[[0-9;]*m", "", forced) == plain
    assert ESCAPE not in cli(*WORDS[verb], *there, "--json", FORCE_COLOR="1").out


def test_the_words_that_were_looked_for_stand_out_in_every_form(
    kept: Library, cli: Callable[..., Ran]
) -> None:
    said = cli("search", "жетонами", "сессия", "--library", kept.root, FORCE_COLOR="1").out
    assert set(re.findall(rf"\x1b\[{terminal.MATCH}m(\w+)", said)) >= {"жетоны", "сессии"}
    assert "Отклонено" not in re.findall(r"m(\w+)\x1b", said)


def test_the_level_of_a_finding_stands_out(kept: Library, cli: Callable[..., Ran]) -> None:
    put(kept.root, "shelves/shared/docs/topics/2026-07-09-bad.md", "an error here: no front matter\n")
    ran = cli("check", "--library", kept.root, FORCE_COLOR="1")
    assert (ran.code, ran.out.count(ESCAPE)) == (1, 2 * ran.out.count("error ") or 2)
    assert f"{ESCAPE}31merror{ESCAPE}0m" in ran.out


@pytest.mark.parametrize("verb", [*WORDS, "review"])
@pytest.mark.parametrize("columns", [40, 32])
@pytest.mark.usefixtures("kept")
def test_forty_columns_hold_every_answer_and_no_character_is_parted(
    desk: Callable[..., Terminal], verb: str, columns: int
) -> None:
    words = WORDS.get(verb, ["review", "show", "2026-07-10-odd"])
    wide = desk(*words, size=(90, 400), **SHORT).end()[1]
    narrow = desk(*words, size=(90, columns), **SHORT).end()[1]
    for row in narrow.split("\n"):
        assert sum(map(screen._cells, row)) <= columns or (" " not in row.strip() and row.isascii()), row
        assert not row or not screen._joined(row + " ", 0), row
    assert "".join(narrow.split()) == "".join(wide.split())


@pytest.mark.usefixtures("kept")
def test_an_address_wider_than_the_screen_can_be_copied(desk: Callable[..., Terminal]) -> None:
    assert f"shared/{FINE.id}\n" in desk("read", FINE.id, size=(90, 20), **SHORT).end()[1]


@pytest.mark.usefixtures("kept")
def test_a_table_keeps_its_columns_at_forty(desk: Callable[..., Terminal]) -> None:
    said = desk("status", size=(60, 40)).end()[1]
    table = "episodes  drafts  open  shelf\n       0       0     0  homelab\n       1       1     1  shared\n"
    assert f"\n{table}" in said


@pytest.mark.usefixtures("kept")
def test_a_terminal_is_shown_no_control_character(desk: Callable[..., Terminal]) -> None:
    for words in (["review", "show", "2026-07-10-odd"], ["read", "2026-07-10-odd"]):
        assert "bell <U+200B> hidden" in desk(*words, **SHORT).end()[1]
        agent = desk(*words, CLAUDECODE="1")
        assert "bell <U+200B> hidden" in agent.end()[1]
        assert ESCAPE not in agent.raw


@pytest.fixture
def pager() -> Callable[[str], str]:
    """Return a function that makes a pager of Python code."""

    def make(code: str) -> str:
        return shlex.join([sys.executable, "-c", f"import os, sys\n{code}"])

    return make


SHOUT = "print('PAGED', len(sys.stdin.read().splitlines()), os.environ.get('LESS'))"
LONG = ["read", FINE.id]


@pytest.mark.parametrize("name", ["MEMSHELF_PAGER", "PAGER", "GIT_PAGER"])
@pytest.mark.usefixtures("kept")
def test_what_is_longer_than_the_screen_goes_through_the_pager(
    desk: Callable[..., Terminal], pager: Callable[[str], str], name: str
) -> None:
    said = desk(*LONG, size=(8, 80), **{name: pager(SHOUT)}).end()
    assert (said[0], said[1].startswith("PAGED ")) == (0, True), said
    assert said[1].endswith(" FRX\n")
    for more in ({"size": (90, 80)}, {"TERM": "dumb"}, {"CLAUDECODE": "1"}):
        assert "PAGED" not in desk(*LONG, **({"size": (8, 80), name: pager(SHOUT)} | more)).end()[1], more
    assert "PAGED" not in desk(*LONG, "--no-pager", size=(8, 80), **{name: pager(SHOUT)}).end()[1]
    assert "PAGED" not in desk(*LONG, "--json", size=(8, 80), **{name: pager(SHOUT)}).end()[1]


@pytest.mark.usefixtures("kept")
def test_the_pager_of_ours_comes_first_and_an_empty_one_is_none(
    desk: Callable[..., Terminal], pager: Callable[[str], str]
) -> None:
    told = {"PAGER": pager("print('theirs')"), "size": (8, 80)}
    assert desk(*LONG, MEMSHELF_PAGER=pager("print('ours')"), **told).end()[1] == "ours\n"
    for none in ("", "cat"):
        assert "## Digest" in desk(*LONG, MEMSHELF_PAGER=none, **told).end()[1]


@pytest.mark.parametrize("broken", ["no-such-pager", "no-such-pager -x", "A=b no-such-pager"])
@pytest.mark.usefixtures("kept")
def test_a_pager_that_is_missing_is_no_error(desk: Callable[..., Terminal], broken: str) -> None:
    code, said = desk(*LONG, size=(8, 80), MEMSHELF_PAGER=broken).end()
    assert (code, "## Digest" in said) == (0, True)
    assert "not found" not in said or broken.startswith("A=b")


def test_a_pager_that_quits_early_is_no_error(
    library: Library, caller: Caller, desk: Callable[..., Terminal], pager: Callable[[str], str]
) -> None:
    write(library, request(decisions="- a decision of some length\n" * 5000), caller)
    quits = {"size": (8, 80), "MEMSHELF_PAGER": pager("print(sys.stdin.readline()); sys.exit(3)")}
    code, said = desk(*LONG, "--budget", "20000", **quits).end()
    assert (code, said.count("\n")) == (0, 2)


@pytest.mark.usefixtures("kept")
def test_the_exit_code_is_the_verbs(desk: Callable[..., Terminal], pager: Callable[[str], str]) -> None:
    words = ["search", "жетон", "--semantic"]
    told = {"size": (4, 30), "MEMSHELF_PAGER": pager(SHOUT)}
    assert desk(*words, "--no-pager", **told).end()[0] == desk(*words, **told).end()[0]


def test_a_linked_folder_is_not_followed_in_silence(
    kept: Library, run: Callable[..., Ran], tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(kept.root / "shelves", target_is_directory=True)
    ran = run("check", link)
    assert (ran.code, ran.out) == (1, "")
    assert f"is a link to a folder: name the folder itself, {kept.root / 'shelves'}" in ran.err
    assert run("check", kept.root / "shelves").code == 0


GONE = "the current folder has been deleted"
LEAST = {
    "read": ["x"],
    "search": ["x"],
    "write": ["--id", "x"],
    "check": ["."],
    "setup": ["claude-code"],
    "bench": ["search", "--queries", __file__],
}
"""Words without which a verb does not begin."""

NEEDS_NO_FOLDER = ("explain", "completion", "serve", "init", "hook")


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in NEEDS_NO_FOLDER])
def test_in_a_deleted_folder_every_verb_says_one_line(
    run: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    ran = run(verb, *LEAST.get(verb, []))
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert GONE in ran.err
