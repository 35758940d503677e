"""The command line as people and scripts meet it: exit codes, one clear line, JSON, encodings."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support import FINE, Ran, fine, git, objects_contain

from memshelf.formats.episode import render
from memshelf.model import Section

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memshelf.model import Episode
    from memshelf.store.library import Library

    Run = Callable[..., Ran]

BOM = "\ufeff"
RUSSIAN = fine(
    title="Жетоны входа 🔑 «ёж» й",
    tags=("вход", "web"),
    digest="Служба входа перешла на подписанные жетоны 🔑. Отклонено: сессии на сервере. Открыто: ключи.",
    decisions="Служба входа подписывает жетоны 🔑.",
    open_threads="У смены ключей нет хозяина.",
    sources="Нет.",
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file that holds FINE."""
    return saved(tmp_path / "episode.md", FINE)


def saved(path: Path, episode: Episode) -> Path:
    path.write_bytes(render(episode).encode())
    return path


def one_line(ran: Ran) -> str:
    """Return the one line that was said, on stderr alone."""
    assert ran.out == ""
    assert ran.err.startswith("memshelf: ")
    assert ran.err.count("\n") == 1, ran.err
    return ran.err


def read_back(run: Run, library: Library, address: str = FINE.id) -> dict[str, str]:
    ran = run("read", address, "--library", library.root, "--json")
    assert ran.code == 0, ran.err
    answer: dict[str, str] = json.loads(ran.out)
    return answer


# What cannot be done.


@pytest.mark.parametrize(
    "words", [["index"], ["search", "x"], ["read", "x"], ["review"], ["check"], ["render"]]
)
def test_no_library_is_an_error_never_an_empty_answer(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    nowhere = run(*words)
    assert nowhere.code == 1
    assert "memshelf init" in one_line(nowhere)
    assert "pass --library" in nowhere.err


@pytest.mark.parametrize(
    "words", [["index"], ["search", "x"], ["read", "x"], ["review"], ["check"], ["render"]]
)
@pytest.mark.parametrize(("place", "fact"), [("libary", "does not exist"), (".", "holds no library")])
def test_a_mistyped_library_is_an_error(
    run: Run, tmp_path: Path, words: list[str], place: str, fact: str
) -> None:
    ran = run(*words, "--library", tmp_path / place)
    assert ran.code == 1
    assert fact in one_line(ran)


def test_a_write_to_a_mistyped_library_makes_nothing(run: Run, tmp_path: Path, file: Path) -> None:
    ran = run("write", file, "--library", tmp_path / "libary")
    assert ran.code == 1
    assert "does not exist" in one_line(ran)
    assert not (tmp_path / "libary").exists()


def test_an_unknown_command_is_usage_and_lists_the_commands(run: Run) -> None:
    ran = run("idnex")
    assert ran.code == 2
    assert "index" in one_line(ran)


@pytest.mark.parametrize(
    "words",
    [
        ["index", "--colour"],
        ["index", "--budget"],
        ["read"],
        ["review", "aproved"],
        ["review", "accept"],
        ["review", "reject", "x", "y"],
        ["write"],
        ["write", "--id", "x", "--kind", "memo"],
        ["write", "--id", "x", "--extra", "Cost"],
        ["init", "x", "--shelf", "Bad Name"],
        ["index", "--budget", "many"],
        ["index", "--cursor", "many"],
        ["index", "--cursor", "7" * 5000],
    ],
    ids=lambda words: " ".join(words)[:30],
)
def test_a_wrong_call_is_usage(run: Run, library: Library, words: list[str]) -> None:
    more = [] if words[0] == "init" else ["--library", library.root]
    ran = run(*words, *more)
    assert ran.code == 2
    one_line(ran)


@pytest.mark.parametrize(
    ("content", "fact"),
    [(None, "is no file"), (b"\xff\xfe\n", ":1: not UTF-8"), (b"no front matter\n", "front matter")],
)
def test_what_cannot_be_read_is_named(
    run: Run, library: Library, tmp_path: Path, content: bytes | None, fact: str
) -> None:
    path = tmp_path / "episode.md"
    if content is not None:
        path.write_bytes(content)
    ran = run("write", path, "--shelf", "shared", "--library", library.root)
    assert ran.code == 1
    assert fact in one_line(ran)
    assert str(path) in ran.err


def test_a_folder_is_no_episode(run: Run, library: Library, tmp_path: Path) -> None:
    ran = run("write", tmp_path, "--shelf", "shared", "--library", library.root)
    assert ran.code == 1
    assert "is no file" in one_line(ran)


def test_a_refused_file_names_every_fault_and_leaves_no_trace(
    run: Run, library: Library, tmp_path: Path
) -> None:
    weak = saved(tmp_path / "weak.md", fine(digest="We like the zanzibar.", sources=None))
    ran = run("write", weak, "--shelf", "shared", "--library", library.root)
    assert ran.code == 1
    assert {"digest-says-we", "digest-without-marker", "section-missing"} <= {
        line.rpartition("[")[2].rstrip("]") for line in ran.err.splitlines()
    }
    assert not objects_contain(library.root, "zanzibar")


@pytest.mark.parametrize("word", ["rotation-of-the-keys", "обязанности"], ids=["english", "russian"])
def test_a_refusal_of_many_faults_and_a_redacted_digest_takes_400_tokens_at_most(
    run: Run, library: Library, tmp_path: Path, word: str
) -> None:
    secret = "gh" + "p_" + hashlib.sha256(b"cli").hexdigest()[:36]
    digest = f"We keep {secret} for us.\n\n# {word}\n\n" + " ".join([word] * 130)
    faults = {"title": "", "tags": ("Bad Tag",), "span": "today", "summary": word * 20, "form": "experiment"}
    missing = dict.fromkeys(("decisions", "open_threads", "sources"))
    weak = saved(tmp_path / "weak.md", fine(digest=digest, **faults, **missing))
    ran = run("write", weak, "--shelf", "shared", "--library", library.root)
    assert ran.code == 1
    assert ran.err.count("\n- ") >= 12
    assert "\nThe digest after redaction: We keep «redacted:github-token#1»" in ran.err
    assert len(ran.err.removeprefix("memshelf: ").rstrip("\n")) / 4 <= 400


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (ZeroDivisionError, 3)])
def test_an_interrupt_and_a_bug_have_their_own_codes(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], code: int
) -> None:
    def stop(_: object) -> int:
        raise error

    monkeypatch.setattr("memshelf.cli.index.run", stop)
    assert run("index").code == code


def test_a_rejection_needs_its_reason(run: Run, library: Library, file: Path) -> None:
    run("write", file, "--shelf", "shared", "--library", library.root)
    ran = run("review", "reject", FINE.id, "--library", library.root)
    assert ran.code == 2
    assert "--reason" in one_line(ran)


# What can.


def test_help_and_version_are_fine(run: Run) -> None:
    assert run() == run("--help") == run("-h")
    assert run("--help").code == 0
    assert run("write", "--help").code == 0
    assert run("--version").out.startswith("memshelf ")


def test_an_empty_library_says_so(run: Run, library: Library) -> None:
    said = {
        word: run(word, *more, "--library", library.root)
        for word, *more in (["index"], ["search", "tokens"], ["review"], ["check"], ["render", "--check"])
    }
    assert {ran.code for ran in said.values()} == {0}
    assert "No episodes yet" in said["index"].out
    assert "nothing found in 0 episodes" in said["search"].out
    assert said["review"].out == "no draft waits\n"
    assert said["check"].out == said["render"].out == ""
    read = run("read", FINE.id, "--library", library.root)
    assert read.code == 1
    assert "the library is empty" in one_line(read)


def test_the_whole_way_is_json_where_asked(run: Run, library: Library, file: Path, tmp_path: Path) -> None:
    second = saved(tmp_path / "second.md", fine(id="2026-07-09-second"))
    way = (
        ["init", library.root],
        ["write", file, "--shelf", "shared"],
        ["write", second, "--shelf", "shared"],
        ["index"],
        ["read", FINE.id],
        ["search", "tokens"],
        ["review"],
        ["review", "show", FINE.id],
        ["review", "accept", FINE.id],
        ["review", "reject", "2026-07-09-second", "--reason", "twice"],
        ["check"],
        ["render"],
        ["render", "--check"],
    )
    for words in way:
        where = [] if words[0] == "init" else ["--library", library.root]
        ran = run(*words, *where, "--json")
        assert (ran.code, ran.err) == (0, ""), words
        assert isinstance(json.loads(ran.out), dict), words
    assert git(library.root, "log", "-1", "--format=%s") == f"shelve: {FINE.id}"
    assert git(library.root, "status", "--porcelain") == ""


def test_flags_may_stand_before_between_and_after_words(run: Run, library: Library, file: Path) -> None:
    where = ["--library", library.root]
    assert run("write", "--shelf", "shared", *where, file, "--json").code == 0
    assert run("search", "signed", *where, "tokens", "--json").code == 0
    assert run("review", *where, "show", FINE.id).code == 0
    assert run("review", "accept", *where, FINE.id).code == 0


def test_search_answers_by_outcome(run: Run, library: Library, file: Path) -> None:
    run("write", file, "--shelf", "homelab", "--library", library.root)

    def outcome(*words: str) -> tuple[int, str]:
        ran = run("search", *words, "--library", library.root, "--json")
        return ran.code, json.loads(ran.out)["outcome"]

    assert outcome("signed", "tokens") == (0, "found")
    assert outcome("zanzibar") == (0, "nothing found")
    assert outcome() == (1, "could not search")
    assert outcome("signed", "tokens", "--shelf", "shared") == (1, "wrong scope")


def test_a_search_between_days_the_wrong_way_round_is_usage(run: Run, library: Library) -> None:
    ran = run("search", "x", "--since", "2026-02-01", "--until", "2026-01-01", "--library", library.root)
    assert ran.code == 2
    assert "swap the two" in one_line(ran)


@pytest.mark.parametrize(
    "words", ["write --{}", "write --{}=1", "write /x/{}", "check {}", "check a/password={}"]
)
def test_a_complaint_repeats_no_secret(run: Run, words: str) -> None:
    secret = "gh" + "p_" + "a1B2c3D4e" * 4
    ran = run(*words.format(secret).split())
    assert ran.code in (1, 2)
    assert "«redacted:" in one_line(ran)
    assert secret not in ran.err + ran.out


def test_check_names_the_file_and_exits_with_1(run: Run, tmp_path: Path, file: Path) -> None:
    weak = saved(tmp_path / "2026-07-10-weak.md", fine(id="2026-07-10-weak", digest="We like it."))
    good = run("check", file.rename(tmp_path / f"{FINE.id}.md"))
    assert (good.code, good.out, good.err) == (0, "", "")
    ran = run("check", tmp_path)
    assert ran.code == 1
    assert all(line.startswith(str(weak)) for line in ran.out.splitlines())
    assert "digest-says-we" in ran.out
    assert run("check", tmp_path / "gone.md").code == 1


# A whole episode as a file.


@pytest.mark.parametrize("episode", [FINE, RUSSIAN], ids=["english", "russian"])
@pytest.mark.parametrize(
    "spoil", [str, lambda text: BOM + text.replace("\n", "\r\n")], ids=["plain", "bom-crlf"]
)
def test_a_file_is_stored_and_read_back_exactly(
    run: Run, library: Library, tmp_path: Path, episode: Episode, spoil: Callable[[str], str]
) -> None:
    path = tmp_path / "episode.md"
    path.write_bytes(spoil(render(episode)).encode())
    ran = run("write", path, "--shelf", "shared", "--library", library.root)
    assert ran.code == 0, ran.err
    text = read_back(run, library)["text"]
    assert text.partition("\n## ")[2] == render(episode).partition("\n## ")[2]
    for key in ("id", "kind", "title", "date", "span", "tags"):
        line = next(line for line in render(episode).split("\n") if line.startswith(f"{key}:"))
        assert line in text.split("\n")


def test_a_heading_of_the_users_own_comes_back(run: Run, library: Library, tmp_path: Path) -> None:
    own = Section("Cost", "40 € a year.\n\n```\n## not a heading\n```")
    path = saved(tmp_path / "episode.md", fine(sections={own.heading: own.body}))
    assert run("write", path, "--shelf", "shared", "--library", library.root).code == 0
    assert own.body in run("read", FINE.id, "--section", "Cost", "--library", library.root).out


def test_stdin_and_stdout_are_utf8_whatever_the_locale(cli: Run, library: Library) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    wrote = cli(
        "write",
        "-",
        "--shelf",
        "shared",
        "--library",
        library.root,
        data=render(RUSSIAN).encode(),
        **ascii_only,
    )
    assert wrote.code == 0, wrote.err
    read = cli("read", FINE.id, "--library", library.root, **ascii_only)
    assert RUSSIAN.digest in read.out
    assert RUSSIAN.title in read.out
    found = cli("search", "подписанный", "жетон", "--library", library.root, "--json", **ascii_only)
    assert json.loads(found.out)["hits"][0]["id"] == FINE.id


def test_flags_win_over_the_file(run: Run, library: Library, file: Path) -> None:
    flags = [
        "--title",
        "Ключи входа",
        "--tags",
        "a,b",
        "--tags",
        "c",
        "--sources",
        "RFC 7519.",
        "--extra",
        "Cost=None.",
    ]
    ran = run("write", file, *flags, "--shelf", "homelab", "--library", library.root)
    assert ran.code == 0, ran.err
    answer = read_back(run, library)
    assert answer["shelf"] == "homelab"
    assert 'title: "Ключи входа"' in answer["text"]
    assert "tags: [a, b, c]" in answer["text"].replace('"', "")
    assert "## Sources\n\nRFC 7519.\n" in answer["text"]
    assert "## Cost\n\nNone.\n" in answer["text"]
    assert FINE.digest in answer["text"]


def test_flags_alone_are_enough(run: Run, library: Library) -> None:
    sections = [
        word
        for name in ("digest", "decisions", "sources")
        for word in (f"--{name}", FINE.section(name.title()))
    ]
    sections += ["--open-threads", FINE.section("Open threads")]
    words = ["--id", FINE.id, "--title", FINE.title, "--kind", "topic", "--span", FINE.span, *sections]
    ran = run("write", *words, "--shelf", "shared", "--library", library.root)
    assert ran.code == 0, ran.err
    assert FINE.digest in read_back(run, library)["text"]


def test_a_dry_run_stores_nothing(run: Run, library: Library, file: Path) -> None:
    ran = run("write", file, "--shelf", "shared", "--dry-run", "--library", library.root)
    assert ran.code == 0
    assert not objects_contain(library.root, FINE.id)


def test_a_file_amends_when_it_quotes_the_rev(run: Run, library: Library, file: Path, tmp_path: Path) -> None:
    where = ["--shelf", "shared", "--library", library.root]
    run("write", file, *where)
    changed = saved(tmp_path / "changed.md", fine(title="Signed tokens", sources="RFC 7519."))
    taken = run("write", changed, *where)
    assert taken.code == 1
    assert "is taken" in taken.err
    assert run("write", changed, "--amend", *where).code == 1
    assert run("write", changed, "--amend", "--rev", "0" * 12, *where).code == 1
    ran = run("write", changed, "--amend", "--rev", read_back(run, library)["rev"], *where)
    assert ran.code == 0, ran.err
    text = read_back(run, library)["text"]
    assert 'title: "Signed tokens"' in text
    assert "## Sources\n\nRFC 7519.\n" in text
    assert FINE.digest in text


def test_the_keys_of_a_file_that_are_not_taken_are_named_and_an_edit_keeps_them(
    run: Run, library: Library, tmp_path: Path
) -> None:
    odd = (("review_by", "zanzibar"), ("Key-2", "zanzibar"))
    path = saved(tmp_path / "episode.md", fine(pinned="true", retain_until="2027-01-01", other=odd))
    where = ["--library", library.root]
    ran = run("write", path, "--shelf", "shared", *where)
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert "retain_until, pinned, review_by, 1 unusual key: `memshelf review edit" in ran.err
    assert "zanzibar" not in ran.err
    assert "Key-2" not in ran.err
    assert "pinned" not in read_back(run, library)["text"]
    edit = read_back(run, library)["text"].replace("\n---\n", "\npinned: true\nreview_by: x\n---\n", 1)
    path.write_text(edit, encoding="utf-8")
    edited = run("review", "edit", FINE.id, "--file", path, *where)
    assert edited.code == 0, edited.err
    assert {"pinned: true", 'review_by: "x"'} <= set(read_back(run, library)["text"].split("\n"))


def test_a_file_whose_keys_are_all_taken_or_the_tools_own_is_kept_in_silence(
    run: Run, library: Library, tmp_path: Path
) -> None:
    own = fine(client=("a",), session=("b",), approx_tokens="7", approx_tokens_source="measured")
    ran = run("write", saved(tmp_path / "episode.md", own), "--shelf", "shared", "--library", library.root)
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("variable", "client"),
    [("CLAUDECODE", "claude-code"), ("GEMINI_CLI", "gemini-cli"), ("CODEX_SANDBOX", "codex")],
)
def test_an_agent_host_is_the_client_that_wrote(
    run: Run, library: Library, file: Path, monkeypatch: pytest.MonkeyPatch, variable: str, client: str
) -> None:
    monkeypatch.setenv(variable, "1")
    run("write", file, "--shelf", "shared", "--library", library.root)
    assert f"\nclient: [{client}]\n" in read_back(run, library)["text"]


def test_a_key_that_makes_its_value_a_secret_is_found(run: Run, tmp_path: Path) -> None:
    secret = "garden-" + "Lantern-42"
    path = tmp_path / f"{FINE.id}.md"
    for other in ((("password", secret),), (("password", ("fine", secret)),)):
        ran = run("check", saved(path, fine(other=other)))
        assert (ran.code, ran.out.count("holds-secret")) == (1, 1)
        assert secret not in ran.out
    assert run("check", saved(path, fine(other=(("pass_by", secret),)))).code == 0


def test_what_would_read_back_as_another_episode_is_refused(run: Run, library: Library) -> None:
    path = library.root / f"shelves/shared/docs/topics/{FINE.id}.md"
    path.parent.mkdir(parents=True)
    saved(path, fine(summary="Signed tokens.", other=(("description", "Other words."),)))
    git(library.root, "add", "--all")
    git(library.root, "commit", "--quiet", "--message", "by hand")
    before = git(library.root, "for-each-ref")
    rev = read_back(run, library)["rev"]
    words = ["--id", FINE.id, "--shelf", "shared", "--amend", "--rev", rev, "--summary", ""]
    ran = run("write", *words, "--library", library.root)
    assert ran.code == 1
    assert "[reads-back]" in ran.err
    assert git(library.root, "for-each-ref") == before


def test_the_lock_of_another_git_is_told_and_stays(run: Run, library: Library, file: Path) -> None:
    run("write", file, "--shelf", "shared", "--library", library.root)
    lock = library.common / "index.lock"
    lock.write_bytes(b"another git's")
    ran = run("review", "accept", FINE.id, "--library", library.root)
    assert ran.code == 1
    assert "index.lock is held by another git" in one_line(ran)
    assert lock.read_bytes() == b"another git's"


# Pipes.


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
def test_a_reader_that_goes_away_sees_no_traceback(library: Library) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "memshelf", "index", "--library", str(library.root)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b""


@pytest.mark.skipif(os.name == "nt", reason="the shell's way of closing a stream")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_bug(library: Library, closed: str) -> None:
    command = f"'{sys.executable}' -m memshelf index --library '{library.root}' {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
