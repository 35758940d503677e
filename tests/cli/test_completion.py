"""Tab in bash, zsh and fish: what the parsers take, what the library holds, never an error."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from store.traces import shelve_by_hand
from support import FINE, fine, git, request

from memshelf.cli import VERBS
from memshelf.cli.completion import KINDS, SEPARATOR, SHELLS, slots
from memshelf.commands.reject import reject
from memshelf.commands.write import write
from memshelf.model import SECTIONS
from memshelf.requests import RejectRequest
from memshelf.store import catalogue, names, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

SECOND = "2026-07-11-second"
HEAVY = {"yaml", "sqlite3", "memshelf.model", "memshelf.cli.options", "memshelf.store.library"}

BASH = r"""
COMP_WORDS=({words}) COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); _memshelf
IFS=$'\t'; printf '%s\n' "${{COMPREPLY[*]}}"; unset IFS
"""
FISH = r"""
memshelf completion fish | source
for line in $argv
  echo (string join \t -- (complete -C $line | string replace -r '\t.*' ''))
end
"""
LINES: dict[str, set[str]] = {
    "memshelf rev": {"review"},
    "memshelf search x --ki": {"--kind"},
    "memshelf search x --kind res": {"research"},
    "memshelf index --shelf ho": {"homelab"},
    "memshelf review acc": {"accept"},
    "memshelf review accept ": {SECOND},
    "memshelf read ": {SECOND, FINE.id},
    "memshelf read shared/2026-07-10": {f"shared/{FINE.id}"},
    f"memshelf read {FINE.id} --section Dec": {"Decisions"},
    "memshelf explain digest-says-w": {"digest-says-we"},
    "memshelf completion z": {"zsh"},
    "memshelf read no-such": set(),
    "memshelf nonsense ": set(),
}
"""What is typed -> the words that may follow."""


@pytest.fixture
def held(library: Library, caller: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return a library with FINE accepted and a draft, which a `memshelf` on the path finds."""
    shelve_by_hand(library.root, fine(sections={"$(touch here)": "x", "Цена вопроса": "x"}))
    write(library, request(id=SECOND, title="Second", shelf="homelab"), caller)
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "memshelf"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m memshelf "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("MEMSHELF_LIBRARY", str(library.root))
    monkeypatch.chdir(tmp_path)
    return library


def offers(*command: str) -> list[set[str]]:
    """Return what a shell offers for each line: the command prints them, with tabs between."""
    if not shutil.which(command[0]):
        pytest.skip(f"there is no {command[0]} here")
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)
    assert done.stderr == ""
    return [set(line.split("\t")) - {""} for line in done.stdout.split("\n")[:-1]]


def bash(*lines: str) -> list[set[str]]:
    asked = [BASH.format(words=" ".join(map(shlex.quote, line.split(" ")))) for line in lines]
    return offers("bash", "--norc", "-c", "".join(['eval "$(memshelf completion bash)"', *asked]))


def live(run: Callable[..., Ran], kind: str, *words: str) -> list[str]:
    ran = run("completion", "--live", kind, f"--words={SEPARATOR.join(('memshelf', *words))}")
    assert (ran.code, ran.err) == (0, "")
    return ran.out.splitlines()


@pytest.mark.usefixtures("held")
def test_bash_offers_what_may_follow() -> None:
    assert dict(zip(LINES, bash(*LINES), strict=True)) == LINES


@pytest.mark.usefixtures("held")
def test_fish_offers_what_may_follow() -> None:
    assert dict(zip(LINES, offers("fish", "-N", "-c", FISH, *LINES), strict=True)) == LINES


@pytest.mark.usefixtures("held")
def test_zsh_completes_what_only_one_word_can_follow(tmp_path: Path) -> None:
    from terminal import Terminal  # skips where there is none

    if not shutil.which("zsh"):
        pytest.skip("there is no zsh here")
    terminal = Terminal("-f", "-i", program=["zsh"])
    setup = f'PROMPT="> "; autoload -Uz compinit; compinit -u -d {tmp_path}/dump'
    terminal.press(f'{setup}; eval "$(memshelf completion zsh)"; echo rea""dy\r')
    terminal.until("ready\n")
    try:
        for typed, offered in LINES.items():
            if len(offered) == 1 and " " in typed:
                terminal.press(f"{typed}\t")
                terminal.until(f"{typed.rpartition(' ')[0]} {next(iter(offered))}")
                terminal.press("\x15")
    finally:
        terminal.close()


@pytest.mark.usefixtures("held")
def test_bash_takes_a_value_after_an_equals_sign_or_a_quote() -> None:
    cases = {
        "memshelf index --shelf = sh": {"shared"},
        "memshelf index --shelf =": {"homelab", "shared"},
        f"memshelf read {FINE.id} --section Open": {r"Open\ threads"},
        f"memshelf read {FINE.id} --section 'Open": {"Open threads"},
        "memshelf read --section Digest 2026-07-11": {SECOND},
    }
    assert dict(zip(cases, bash(*cases), strict=True)) == cases


@pytest.mark.parametrize("name", SHELLS)
def test_a_script_names_every_verb_and_every_flag(run: Callable[..., Ran], name: str) -> None:
    script = run("completion", name).out
    for verb in VERBS:
        lines = "\n".join(line for line in script.splitlines() if verb in line)
        for slot in slots(verb):
            for flag in slot.flags:
                assert flag in lines or f" -l {flag[2:]}" in lines, (verb, flag)
    assert "--live --words" not in script


def test_the_live_values_are_what_the_catalogue_holds(
    held: Library, run: Callable[..., Ran], caller: Caller
) -> None:
    write(held, request(id="2026-07-10-refused", shelf="homelab"), caller)
    reject(held, RejectRequest(id="2026-07-10-refused", reason="no"), caller.today)
    old = held.root / "shelves/shared/archive/docs/topics/2026-01-02-old.md"
    old.parent.mkdir(parents=True)
    old.write_text("words\n", encoding="utf-8")
    git(held.root, "add", ".")
    git(held.root, "commit", "-qm", "archive")
    ids = catalogue.consult(held, lambda kept: kept.ids())
    assert live(run, "shelves") == ["homelab", "shared"]
    assert set(live(run, "ids", "read", "/")) == {f"{shelf}/{name}" for shelf, name in ids}
    assert live(run, "ids", "read", "") == sorted((name for _, name in ids), reverse=True)
    assert live(run, "drafts", "review", "show", "") == [SECOND]
    assert live(run, "sections", "read", SECOND, "--section", "") == list(SECTIONS)[:4]
    assert names.DRAFTS == snapshot.DRAFTS


def test_what_a_shell_could_run_is_not_offered(held: Library, run: Callable[..., Ran]) -> None:
    assert held
    found = live(run, "sections", "read", f"shared/{FINE.id}", "--section", "")
    assert "Цена вопроса" in found
    assert [heading for heading in found if "touch" in heading] == []


def test_a_library_inside_a_repository_and_one_that_is_a_shelf(
    held: Library, run: Callable[..., Ran], tmp_path: Path
) -> None:
    shutil.copytree(held.root / "shelves/shared", tmp_path / "lone/shelf")
    git(tmp_path / "lone", "init", "-q")
    git(tmp_path / "lone", "add", ".")
    git(tmp_path / "lone", "commit", "-qm", "one")
    where = ["--library", str(tmp_path / "lone/shelf")]
    assert live(run, "ids", "read", *where, "") == [FINE.id]
    assert "Decisions" in live(run, "sections", "read", *where, FINE.id, "--section", "")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ["/nonexistent", ".", "'unclosed"])
def test_nothing_is_said_where_nothing_can_be_found(
    run: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert live(run, kind, "read", "--library", place, "") == []
    assert live(run, kind) == []


@pytest.mark.usefixtures("held")
def test_the_live_values_load_nothing_that_takes_time() -> None:
    words = SEPARATOR.join(["memshelf", "read", ""])
    command = ["-X", "importtime", "-m", "memshelf", "completion", "--live", "ids", f"--words={words}"]
    done = subprocess.run([sys.executable, *command], capture_output=True, encoding="utf-8", check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout.splitlines() == [SECOND, FINE.id]
    assert HEAVY & loaded == set()


def test_completion_without_a_shell_says_which_there_are(run: Callable[..., Ran]) -> None:
    ran = run("completion")
    assert (ran.code, ran.err) == (2, "memshelf: for which shell? memshelf completion bash|zsh|fish\n")
