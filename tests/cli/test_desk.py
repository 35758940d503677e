"""The reviewer's desk, through a real terminal: what a person sees, and what each key does."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from store.traces import checkout, refs, shelve_by_hand
from support import FINE, fine, git, objects_contain, request
from terminal import Terminal, termios

from memshelf.commands.write import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

PASSWORD = "korrekt-" + "Horse7"
KEYS = "[q]uit [?]:"
REJECTED = "refs/memshelf/rejected"


@pytest.fixture
def editor(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that makes an editor of Python code that changes `text`."""

    def make(code: str) -> str:
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\nfile = pathlib.Path(sys.argv[1])\ntext = file.read_text('utf-8')\n"
            f"{code}\nfile.write_text(text, 'utf-8')\n",
            encoding="utf-8",
        )
        return f"{sys.executable} {script}"

    return make


def drafts(library: Library) -> set[str]:
    return set(refs(library.root))


def test_the_list_says_what_waits_and_each_draft_what_it_holds(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    write(library, request(decisions=f"One.\npassword: {PASSWORD}", digest="I chose tokens."), caller)
    write(library, request(id="2026-07-11-second", title="Second"), caller)
    terminal = desk()
    listed = terminal.until("── 1 of 2 ──")
    assert listed.startswith("2 drafts wait\n")
    assert re.search(
        r"1\. Auth tokens\n +shared/\S+ · a new topic · by test-client · .* · 1 redaction", listed
    )
    shown = terminal.until(KEYS)
    assert "\nredacted: password in Decisions, line 2\n" in shown
    assert 'warning digest-says-i: Digest: says "I": name the actor' in shown
    assert "\nDecisions\n   One.\n   password: «redacted:password#1»\n" in shown
    assert "\ntags: auth, web\n" in shown
    terminal.press("q")
    assert terminal.end() == (0, " quit\n\n2 still wait\n")


def test_an_amend_is_shown_as_what_changes(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    rev = git(library.root, "rev-parse", f"main:{shelve_by_hand(library.root, FINE)}")[:12]
    changes = {"title": "Tokens", "decisions": "The auth service signs tokens for ten minutes.", "kind": None}
    kept = {"digest": None, "sources": None, "open_threads": None}
    write(library, request(amend=True, rev=rev, **changes, **kept), caller)
    terminal = desk()
    assert "amends an accepted topic" in terminal.until("── 1 of 1 ──")
    shown = terminal.until(KEYS)
    assert "Digest (unchanged: does it still say what the decisions say?)" in shown
    assert "\n-  title: Auth tokens\n+  title: Tokens\n" in shown
    assert f"\n-  {FINE.section('Decisions')}\n+  {changes['decisions']}\n" in shown
    assert "\nunchanged: Open threads, Sources\n" in shown
    assert "\x1b[32m+  The auth service signs tokens \x1b[0m" in terminal.raw
    assert "\x1b[32;1;4mfor ten minutes\x1b[0m" in terminal.raw


def test_accept_reject_and_skip_do_what_they_say(
    library: Library, caller: Caller, desk: Callable[..., Terminal], run: Callable[..., Ran]
) -> None:
    for name in "abc":
        write(library, request(id=f"2026-07-10-{name}", title=name), caller)
    terminal = desk()
    terminal.until(KEYS)
    terminal.press("a")
    assert "accepted: shared/2026-07-10-a" in terminal.until(KEYS)
    terminal.press("r")
    terminal.until("(nothing: back)")
    terminal.press("\r")
    terminal.until(KEYS)
    assert len(drafts(library)) == 2
    terminal.press("r")
    terminal.until("(nothing: back)")
    terminal.press(f"устарело, password: {PASSWORD}\r")
    terminal.until(KEYS)
    terminal.press("ы")  # s on the Russian layout
    assert terminal.end() == (0, " skip\n\n1 accepted, 1 rejected, 1 still waits\n")
    assert drafts(library) == {"shared/2026-07-10-c"}
    assert git(library.root, "log", "-1", "--format=%s %cn") == "shelve: 2026-07-10-a Test Person"
    listed = run("review", "--rejected", "--library", library.root).out
    assert listed.endswith("by Test Person\n  устарело, password: «redacted:password#1»\n")
    assert not objects_contain(library.root, PASSWORD)


def test_the_editors_text_replaces_the_draft_and_is_shown_again(
    library: Library,
    caller: Caller,
    desk: Callable[..., Terminal],
    editor: Callable[[str], str],
    tmp_path: Path,
) -> None:
    write(library, request(), caller)
    new = f"text = text.replace('None.', 'The log; password: {PASSWORD}')"
    terminal = desk(EDITOR=editor(new), TMPDIR=str(tmp_path))
    terminal.until(KEYS)
    terminal.press("e")
    assert "redacted in the edit: password in sources" in terminal.until("\n") + terminal.until(KEYS)
    assert "The log; password: «redacted:password#1»" in terminal.plain()
    terminal.press("a")
    assert terminal.end()[1].endswith("1 edited, 1 accepted\n")
    assert git(library.root, "log", "-1", "--format=%an") == "test-client"
    assert "redacted:password" in git(library.root, "show", f"main:shelves/shared/docs/topics/{FINE.id}.md")
    assert not objects_contain(library.root, PASSWORD)
    assert list(tmp_path.glob("memshelf-edit-*")) == []


def test_a_refused_edit_can_be_mended_and_is_never_lost(
    library: Library,
    caller: Caller,
    desk: Callable[..., Terminal],
    editor: Callable[[str], str],
    run: Callable[..., Ran],
    tmp_path: Path,
) -> None:
    write(library, request(), caller)
    before = refs(library.root)
    code = "text = text.replace('The auth service moved', 'We moved').replace('None.', 'Mine.')"
    terminal = desk(EDITOR=editor(code), TMPDIR=str(tmp_path))
    terminal.until(KEYS)
    terminal.press("e")
    assert "[digest-says-we]" in terminal.until("[k]eep the text in a file:")
    terminal.press("e")
    terminal.until("[k]eep the text in a file:")
    terminal.press("k")
    assert f"memshelf review edit shared/{FINE.id} --file" in terminal.until(KEYS)
    terminal.press("\x04")
    assert terminal.end()[0] == 0
    assert refs(library.root) == before
    kept = next(tmp_path.glob("memshelf-edit-*/draft.md"))
    assert kept.parent.stat().st_mode & 0o077 == 0
    text = kept.read_text(encoding="utf-8")
    assert "Mine." in text
    kept.write_text(text.replace("We moved", "The service moved"), encoding="utf-8")
    assert run("review", "edit", FINE.id, "--file", kept, "--library", library.root).code == 0
    assert "Mine." in run("review", "show", FINE.id, "--library", library.root).out


@pytest.mark.parametrize(
    ("command", "said"),
    [("true", "unchanged: shared/"), ("false", "the editor ended with 1"), ("", "no editor is known")],
)
def test_an_editor_that_changes_nothing_changes_nothing(
    library: Library, caller: Caller, desk: Callable[..., Terminal], command: str, said: str, tmp_path: Path
) -> None:
    write(library, request(), caller)
    before = refs(library.root)
    terminal = desk(EDITOR=command, TERM="dumb" if not command else "xterm", TMPDIR=str(tmp_path))
    terminal.until(KEYS)
    terminal.press("e\r" if not command else "e")
    assert said in terminal.until(KEYS)
    assert refs(library.root) == before
    assert list(tmp_path.glob("memshelf-edit-*")) == []


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_an_end_leaves_everything_as_it_is(
    library: Library, caller: Caller, desk: Callable[..., Terminal], key: str, code: int, term: str
) -> None:
    write(library, request(), caller)
    before = (refs(library.root, "refs"), checkout(library.root))
    terminal = desk(TERM=term)
    usual = termios.tcgetattr(terminal.master)
    terminal.until(KEYS)
    ended, last = terminal.leave(key)
    assert ended == code
    assert last.endswith("\n1 still waits\n")
    assert (refs(library.root, "refs"), checkout(library.root)) == before
    assert termios.tcgetattr(terminal.master) == usual


def test_arrows_and_pasted_text_decide_nothing(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    write(library, request(), caller)
    terminal = desk()
    terminal.until(KEYS)
    for keys in ("\x1b[A", "ar", "x", "\r"):
        terminal.press(keys)
        terminal.until("no such key: it is one of a, e, r, s, q, ?")
        terminal.until(KEYS)
    terminal.press("?")
    assert "reject: it leaves the index" in terminal.until(KEYS)
    terminal.press("q")
    assert terminal.end()[1].endswith("1 still waits\n")
    assert drafts(library) == {f"shared/{FINE.id}"}


def test_only_the_text_that_was_seen_is_accepted(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    saved = write(library, request(), caller)
    terminal = desk()
    terminal.until(KEYS)
    write(library, request(amend=True, rev=saved.rev, sources="Another text."), caller)
    terminal.press("a")
    assert "changed meanwhile: look at it again" in terminal.until("Another text.")
    assert drafts(library) == {f"shared/{FINE.id}"}
    terminal.until(KEYS)
    terminal.press("a")
    assert terminal.end()[1].endswith("1 accepted\n")


def test_a_draft_that_is_gone_is_passed_over(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    write(library, request(), caller)
    write(library, request(id="2026-07-11-second"), caller)
    terminal = desk()
    terminal.until(KEYS)
    git(library.root, "update-ref", "-d", "refs/memshelf/draft/shared/2026-07-11-second")
    terminal.press("s")
    code, last = terminal.end()
    assert (code, "no such draft" in last) == (0, True)


def test_a_long_draft_comes_in_pages(library: Library, caller: Caller, desk: Callable[..., Terminal]) -> None:
    write(library, request(decisions="\n".join(f"- decision {number}" for number in range(60))), caller)
    terminal = desk(size=(24, 80))
    assert "decision 40" not in terminal.until("[d]ecide now:")
    terminal.press(" ")
    assert "decision 20" in terminal.until("[d]ecide now:")
    terminal.press("d")
    assert "decision 59" not in terminal.until(KEYS)


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}], ids=str)
def test_no_colour_and_plain_lines_where_the_terminal_asks_for_it(
    library: Library, caller: Caller, desk: Callable[..., Terminal], variables: dict[str, str]
) -> None:
    write(library, request(), caller)
    terminal = desk(**variables)
    terminal.until(KEYS)
    terminal.press("s" if "NO_COLOR" in variables else "skip\r")
    assert terminal.end()[1].endswith("1 still waits\n")
    assert "\x1b" not in terminal.raw


def test_a_narrow_terminal_and_russian_text_stay_readable(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    title = "Выбор резолвера для домашней сети и его обновления"
    digest = "Для домашней сети выбран Unbound. Отклонён AdGuard Home: лишний сервис. 中文" + "优先" * 30
    write(library, request(title=title, digest=digest, sources="x" * 100), caller)
    terminal = desk(size=(100, 40))
    terminal.until("[?]:")
    terminal.press("s")
    code, _ = terminal.end()
    rows = terminal.plain().split("\n")
    wide = re.compile("[\u4e00-\u9fff]")
    assert code == 0
    assert [row for row in rows if len(row) + len(wide.findall(row)) > 40 and "[" not in row] == []
    assert title in " ".join(row.strip() for row in rows)


def test_what_could_act_on_the_terminal_or_hide_is_named(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    write(library, request(title="Auth \u202esnekot", sources="hidden\U000e0041 \u200b"), caller)
    shown = desk().until(KEYS)
    assert "Auth <U+202E>snekot" in shown
    assert "hidden<U+E0041> <U+200B>" in shown


def test_inside_an_agent_host_the_desk_opens_for_a_person_only(
    library: Library, caller: Caller, desk: Callable[..., Terminal], cli: Callable[..., Ran]
) -> None:
    write(library, request(), caller)
    code, said = desk("review", CLAUDECODE="1").end()
    assert code == 0
    assert "CLAUDECODE is set, so here is the list: a person decides, or passes --as-person" in said
    assert f"shared/{FINE.id}  Auth tokens" in said
    where = ["--library", library.root]
    for words in (
        ["accept", FINE.id],
        ["reject", FINE.id, "--reason", "no"],
        ["edit", FINE.id, "--file", "-"],
    ):
        ran = cli("review", *words, *where, GEMINI_CLI="1")
        assert (ran.code, "--as-person" in ran.err) == (1, True), words
    assert cli("review", "accept", "--all", "--yes", *where, CODEX_SANDBOX="1").code == 1
    assert drafts(library) == {f"shared/{FINE.id}"}
    terminal = desk("review", "--as-person", CLAUDECODE="1")
    terminal.until(KEYS)
    terminal.press("a")
    assert terminal.end()[1].endswith("1 accepted\n")


def test_all_is_accepted_after_one_yes(
    library: Library, caller: Caller, desk: Callable[..., Terminal]
) -> None:
    write(library, request(), caller)
    write(library, request(id="2026-07-11-second", title="Second"), caller)
    terminal = desk("review", "accept", "--all")
    assert "2. Second" in terminal.until("accept all 2? [y]es [n]o:")
    terminal.press("\r")
    assert terminal.end() == (0, " no\nnothing was accepted\n")
    assert len(drafts(library)) == 2
    terminal = desk("review", "accept", "--all")
    terminal.until("[n]o:")
    terminal.press("y")
    assert terminal.end()[1].count("accepted: shared/") == 2
    assert git(library.root, "log", "-2", "--format=%s").splitlines() == [
        "shelve: 2026-07-11-second",
        f"shelve: {FINE.id}",
    ]


def test_a_script_accepts_all_with_yes_only(
    library: Library, caller: Caller, run: Callable[..., Ran]
) -> None:
    where = ["--library", library.root]
    assert run("review", "accept", "--all", *where).out == "no draft waits\n"
    write(library, request(), caller)
    assert run("review", "accept", "--all", *where).code == 2
    assert run("review", "accept", FINE.id, "--all", "--yes", *where).code == 2
    assert run("review", "--all", *where).code == 2
    assert len(drafts(library)) == 1
    assert run("review", "accept", "--all", "--yes", *where).out.startswith(f"accepted: shared/{FINE.id}")
    assert drafts(library) == set()


def test_a_script_gets_the_list_and_no_editor(
    library: Library, caller: Caller, run: Callable[..., Ran]
) -> None:
    write(library, request(), caller)
    where = ["--library", library.root]
    assert run("review", *where).out == run("review", "list", *where).out
    ran = run("review", "edit", FINE.id, *where)
    assert (ran.code, "pass --file" in ran.err) == (2, True)


@pytest.mark.parametrize("words", [["index"], ["search", "tokens"]], ids=" ".join)
def test_a_person_is_reminded_of_what_waits(
    library: Library, caller: Caller, desk: Callable[..., Terminal], cli: Callable[..., Ran], words: list[str]
) -> None:
    line = "1 draft waits: memshelf review"
    assert "memshelf review" not in desk(*words).end()[1]
    write(library, request(), caller)
    assert desk(*words).end()[1].endswith(f"\n{line}\n")
    assert line not in desk(*words, "--json").end()[1]
    assert line not in desk(*words, CLAUDECODE="1").end()[1]
    ran = cli(*words, "--library", library.root)
    assert (ran.code, line in ran.out + ran.err) == (0, False)


def test_a_write_at_a_terminal_ends_with_the_reminder(
    library: Library, caller: Caller, desk: Callable[..., Terminal], tmp_path: Path
) -> None:
    from memshelf.formats import episode as episode_format

    write(library, request(), caller)
    file = tmp_path / "second.md"
    file.write_text(episode_format.render(fine(id="2026-07-09-second")), encoding="utf-8")
    assert desk("write", file, "--shelf", "shared").end()[1].endswith("\n2 drafts wait: memshelf review\n")
