"""Check: every fault with its place and cause, and one bad file among fifty stops nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from store.traces import commit, files, put
from support import FINE, fine, git, request

from memshelf.commands.accept import accept
from memshelf.commands.write import write
from memshelf.formats import episode as episode_format

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.requests import Caller
    from memshelf.store.library import Library

FOLDER = "shelves/shared/docs/topics"
BAD = "2026-07-10-bad"
PATH = f"{FOLDER}/{BAD}.md"
GOOD = [f"2026-07-10-good-{number}" for number in range(49)]
TEXT = episode_format.render(fine(id=BAD, decisions="Café: signed tokens.\n\n```sh\nsign\n```"))

BROKEN = {
    "broken YAML": (
        TEXT.replace('"Auth tokens"', '"Auth tokens'),
        r":\d+: error front-matter-broken: broken YAML",
    ),
    "not UTF-8": (TEXT.encode("latin-1"), ":19: error not-utf-8: byte "),
    "byte order mark": (b"\xef\xbb\xbf" + TEXT.encode(), ":1: error byte-order-mark: "),
    "repeated key": (
        TEXT.replace("mode: live\n", "mode: live\nkind: topic\n"),
        ":11: error front-matter-broken: a key",
    ),
    "unclosed fence": (
        TEXT.replace("sign\n```", "sign\n"),
        ":17: error unclosed-fence: Decisions: the code block",
    ),
    "never closed": ("---\nid: x\n", ":1: error front-matter-broken: the front matter is never closed"),
    "no front matter": ("words\n", ":1: error front-matter-broken: no front matter"),
    "empty": ("", ":1: error front-matter-broken: no front matter"),
    "link outside": (None, ": error front-matter-broken: a symbolic link, which is not followed"),
    "anchors": (TEXT.replace("[auth, web]", "&a [auth]"), ":7: error front-matter-broken: anchors"),
    "nested": (
        TEXT.replace("[auth, web]", "{a: b}"),
        ": error front-matter-broken: tags: holds a nested value",
    ),
}


def fifty(library: Library, content: str | bytes | None) -> None:
    """Commit forty-nine good files and the bad one; None is a link to a file outside the library."""
    for name in GOOD:
        put(library.root, f"{FOLDER}/{name}.md", episode_format.render(fine(id=name)))
    if content is None:
        outside = put(library.root.parent, "outside.md", TEXT.replace("Café", "outside-the-library"))
        (library.root / PATH).symlink_to(outside)
    else:
        put(library.root, PATH, content)
    commit(library.root)


@pytest.mark.parametrize(("content", "says"), BROKEN.values(), ids=list(BROKEN))
def test_one_bad_file_among_fifty_stops_nothing(
    library: Library, caller: Caller, run: Callable[..., Any], content: str | bytes | None, says: str
) -> None:
    fifty(library, content)
    where = ("--library", library.root)
    assert run("render", *where).code == 0
    commit(library.root)
    before = files(library.root)
    outside = {path: path.read_bytes() for path in library.root.parent.glob("outside.md")}

    shown = run("index", *where, "--budget", 20_000)
    assert (shown.code, shown.err) == (0, "")
    assert all(name in shown.out for name in GOOD)
    found = json.loads(run("search", "tokens", "--limit", 50, "--json", *where).out)
    assert set(GOOD) <= {hit["id"] for hit in found["hits"]}
    assert run("read", GOOD[0], *where).code == 0
    checked = run("check", *where)
    assert (checked.code, checked.err) == (1, "")
    assert all(line.startswith(PATH) for line in checked.out.splitlines())
    assert_says(checked.out, says)
    assert run("render", "--check", *where).code == 0

    write(library, request(), caller)
    assert run("review", *where).code == run("review", "show", FINE.id, *where).code == 0
    accept(library, [FINE.id], caller)
    assert git(library.root, "status", "--porcelain") == ""
    after = files(library.root)
    assert {path: after[path] for path in before if "topics" in path} == {
        path: text for path, text in before.items() if "topics" in path
    }
    assert {path: path.read_bytes() for path in outside} == outside
    served = [run("index", *where).out, run("read", BAD, *where).out, run("search", "outside", *where).out]
    assert not any("outside-the-library" in text for text in served)


def assert_says(printed: str, pattern: str) -> None:
    assert re.search(f"^{re.escape(PATH)}{pattern}", printed, re.MULTILINE), printed


def test_a_library_without_faults_is_silent(library: Library, run: Callable[..., Any]) -> None:
    put(library.root, f"{FOLDER}/{FINE.id}.md", episode_format.render(FINE))
    put(library.root, "README.md", "# Not an episode\n")
    put(library.root, "notes/more.md", "Not one either.\n")
    for words in ((), (library.root,), (library.root / "shelves",), (library.root / FOLDER,)):
        done = run("check", *words, "--library", library.root)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert json.loads(run("check", library.root, "--json").out) == {"files": 1, "findings": []}


def test_a_file_that_is_named_is_checked_wherever_it_lies(
    library: Library, tmp_path: Path, run: Callable[..., Any]
) -> None:
    loose = put(tmp_path, "loose/2026-07-10-auth-tokens.md", episode_format.render(FINE))
    assert run("check", loose).code == run("check", loose.parent).code == 0
    readme = put(library.root, "README.md", "# Not an episode\n")
    assert run("check", readme).code == 1


def test_an_uncommitted_edit_is_seen(library: Library, caller: Caller, run: Callable[..., Any]) -> None:
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    path = library.root / FOLDER / f"{FINE.id}.md"
    path.write_text(
        path.read_text(encoding="utf-8").replace("The auth service moved", "We moved"), encoding="utf-8"
    )
    done = run("check", path)
    assert (done.code, done.err) == (1, "")
    assert f'{FOLDER}/{FINE.id}.md: error digest-says-we: Digest: says "We": name the actor' in done.out


def test_a_shelfs_own_settings_hold_for_its_files(library: Library, run: Callable[..., Any]) -> None:
    path = put(
        library.root, f"{FOLDER}/{FINE.id}.md", episode_format.render(fine(digest="决定 " + "auth " * 9))
    )
    assert run("check", path).code == 1
    put(library.root, "memshelf.yml", "branch: main\nshelves:\n  shared:\n    markers: [决定]\n")
    assert run("check", path).code == 0


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path, run: Callable[..., Any]) -> None:
    done = run("check", tmp_path / "nothing.md")
    assert (done.code, done.out) == (1, "")
    assert done.err == f"memshelf: {tmp_path / 'nothing.md'} does not exist: check the path\n"


def test_a_broken_settings_file_is_told_with_its_line(library: Library, run: Callable[..., Any]) -> None:
    put(library.root, "memshelf.yml", 'branch: main\nreview: "off\n')
    for words in (["index"], ["check"], ["review"], ["write", "--id", "x"]):
        done = run(*words, "--library", library.root)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"memshelf: {library.root / 'memshelf.yml'}:")


def test_what_cannot_be_opened_is_a_finding_for_check_and_a_refusal_for_render(
    library: Library, run: Callable[..., Any]
) -> None:
    path = "shelves/shared/docs/topics/2026-07-10-folder.md"
    (library.root / path).mkdir(parents=True)

    checked, rendered = run("check", "--library", library.root), run("render", "--library", library.root)

    assert (checked.code, rendered.code) == (1, 1)
    assert checked.out.startswith(f"{path}: error front-matter-broken: cannot be opened (Is a directory)")
    assert rendered.err.endswith("2026-07-10-folder.md: Is a directory: mend it, then try again\n")
