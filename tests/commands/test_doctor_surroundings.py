"""Doctor looks for secrets in every text below the shelves, and lets stay what the settings let stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from store.traces import commit, put
from support import TODAY, fine, git

from memshelf.commands.doctor import doctor
from memshelf.commands.render import render
from memshelf.formats import episode as episode_format
from memshelf.model import MAX_EPISODE_BYTES

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.store.library import Library

TOKEN = "".join(("gh", "p_", "9fK2mQ7xLw4Rt8", "Zc1Vb6Np3Yd5Hs0GjA2eUi"))
LINE = f"see {TOKEN}\n"
HOME = "shelves/shared"
PLACES = [
    *(f"{HOME}/{name}" for name in (".env", "note.txt", "README.md", "assets/log.json", "docs/topics/a.txt")),
    *(f"{HOME}/{name}" for name in ("POLICY.patterns", "INDEX.md")),
    *("shelves/loose.md", "shelves/no-shelf/docs/topics/2026-07-10-auth-tokens.md"),
]


def secrets(root: Path, *, back: bool = False) -> list[str]:
    """Return the path of each file in which doctor finds a secret."""
    found = doctor(root, TODAY, back=back).findings
    return [one.path for one in found if one.rule in ("secret-at-rest", "secret-in-history", "holds-secret")]


def settled(library: Library, text: str) -> list[str]:
    """Return what doctor says of the library with this memshelf.yml."""
    put(library.root, "memshelf.yml", f"branch: main\nshelves:\n  shared:\n    redact:\n{text}")
    commit(library.root)
    return [f"{one.rule}: {one.message}" for one in doctor(library.root, TODAY).findings]


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_in_any_text_of_a_shelf_is_told(library: Library, place: str) -> None:
    file = library.root / place
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    put(library.root, place, f"{before}# {LINE}")
    assert place in secrets(library.root)
    git(library.root, "add", "--all")
    for _ in range(2):
        assert secrets(library.root) == [place]
    commit(library.root)
    put(library.root, place, "")
    for _ in range(2):
        assert secrets(library.root) == [f"main:{place}"]
    file.unlink()
    assert secrets(library.root) == [f"main:{place}"]


def test_below_a_lone_shelf_too(library: Library, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    (library.root / HOME).rename(alone)
    git(alone, "init", "--quiet", "--initial-branch=main")
    put(alone, "src/config.py", LINE)
    assert secrets(alone) == ["src/config.py"]


def test_what_git_ignores_and_what_is_no_text_is_left_alone(library: Library) -> None:
    put(library.root, ".gitignore", "*.log\n")
    put(library.root, f"{HOME}/run.log", LINE)
    put(library.root, f"{HOME}/photo.png", f"\0{LINE}".encode())
    (library.root / HOME / "link.txt").symlink_to("run.log")
    assert secrets(library.root) == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_text_is_read_by_its_byte_order_mark(library: Library, encoding: str) -> None:
    put(library.root, f"{HOME}/note.txt", LINE.encode(encoding))
    assert secrets(library.root) == [f"{HOME}/note.txt"]


def test_a_large_text_is_looked_at_up_to_the_limit(library: Library) -> None:
    put(library.root, f"{HOME}/large.txt", LINE + "word \n" * (MAX_EPISODE_BYTES // 6))
    for _ in range(2):
        said = doctor(library.root, TODAY)
        assert [one.path for one in said.unknown] == [f"{HOME}/large.txt"]
        assert secrets(library.root) == [f"{HOME}/large.txt"]


def test_equal_texts_are_told_under_each_path(library: Library) -> None:
    paths = [f"{HOME}/a.txt", f"{HOME}/b\nc.txt", "shelves/homelab/a.txt"]
    for path in paths:
        put(library.root, path, LINE)
    commit(library.root)
    assert secrets(library.root) == sorted(paths)


def test_a_pattern_may_match_itself(library: Library) -> None:
    put(library.root, f"{HOME}/POLICY.patterns", "codename Bluebird\n")
    put(library.root, f"{HOME}/note.txt", "The Bluebird flies.\n")
    assert secrets(library.root) == [f"{HOME}/note.txt"]


def test_what_a_person_lifted_may_stand_in_the_index(library: Library) -> None:
    address = "anna.petrova@shelf.dev"
    episode = fine(summary=f"We chose tokens; ask {address}", allow=("email summary a public address",))
    put(library.root, f"{HOME}/docs/topics/{episode.id}.md", episode_format.render(episode))
    render(library, TODAY)
    commit(library.root)
    assert address in (library.root / HOME / "INDEX.md").read_text(encoding="utf-8")
    assert secrets(library.root) == []
    put(library.root, f"{HOME}/note.txt", f"{address}\n")
    assert secrets(library.root) == [f"{HOME}/note.txt"]


def test_a_version_that_only_a_reflog_holds_is_told_with_its_commit_and_whole_path(library: Library) -> None:
    path = f"{HOME}/a\nb.txt"
    put(library.root, path, LINE)
    commit(library.root)
    guilty = git(library.root, "rev-parse", "--short", "HEAD")
    assert f"{guilty}:{path}" in secrets(library.root, back=True)
    git(library.root, "reset", "--quiet", "--hard", "HEAD~1")
    assert secrets(library.root, back=True) == [f"{guilty}:{path}"]


def test_what_the_settings_let_stay_may_stand_in_them(library: Library) -> None:
    numbers = '"+7 912 345-67-89", "8 (912) 345-67-80", "+1 (415) 555-2671", "4111 1111 1111 1111"'
    allow = f'["support@shelf.dev", "@shelf.dev", {numbers}]'
    text = f'      allow: {allow}\n      names: ["Мария Синицына"]\n'
    assert settled(library, text) == []
    assert "(email)" in str(settled(library, f"{text}      # ask anna.petrova@ring.dev\n"))


@pytest.mark.parametrize("name", ["", " ", ".", "a", "-", "«1»"])
def test_a_name_that_would_mark_every_text_is_refused(library: Library, name: str) -> None:
    cause = "shelves: shared: redact: names: entry 2 would mark every text: write a name of two letters"
    assert cause in str(settled(library, f'      names: ["Li", "{name}"]\n'))


@pytest.mark.parametrize("setting", ["allow: x", "names: x", "off: x", "personal: x"])
def test_a_bad_setting_names_its_shelf(library: Library, setting: str) -> None:
    assert f"shelves: shared: redact: {setting[:-1]}write" in str(settled(library, f"      {setting}\n"))


@pytest.mark.parametrize(
    ("setting", "fact"),
    [
        ('off: {nonsense-rule: "x", email: "y"}', "off: 1 of them no rule and no kind"),
        ('allow: ["*", "@", "", "hunter2x9", "*@shelf.dev", "@shelf.dev"]', "allow: entry 1, 2, 3, 4, 5: no"),
    ],
)
def test_a_setting_without_effect_is_told(library: Library, setting: str, fact: str) -> None:
    [said] = settled(library, f"      {setting}\n")
    assert said.startswith(f"setting-without-effect: shelves: shared: redact: {fact}")
