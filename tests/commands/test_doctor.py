"""Doctor: every damage told with its place and the way out, three verdicts, and not a byte changed."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING, Any

import portalocker
import pytest
from store.traces import checkout, commit, put, shelve_by_hand, stored
from support import FINE, TODAY, fine, git, request

from memshelf.commands.accept import accept
from memshelf.commands.doctor import doctor
from memshelf.commands.render import render
from memshelf.commands.write import write
from memshelf.formats import episode as episode_format
from memshelf.model import Conventions, Level
from memshelf.rules import RULES
from memshelf.rules.facts import Derived
from memshelf.rules.shelf import SHELF_RULES, examine
from memshelf.store import journal
from memshelf.store.journal import Journal
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

TOPICS = "shelves/shared/docs/topics"
PATH = f"{TOPICS}/{FINE.id}.md"
INDEX = "shelves/shared/INDEX.md"
DRAFT = "refs/memshelf/draft"
SECRET = "-".join(("garden", "Lantern", "42"))
NEXT = "2026-07-11-auth-keys"


@pytest.fixture
def kept(library: Library, caller: Caller) -> Library:
    """Return a library with FINE accepted."""
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    return library


def told(library: Library) -> list[tuple[str, str]]:
    """Return (rule, path) of every finding."""
    return [(found.rule, found.path) for found in doctor(library.root, "2026-07-11").findings]


def rendered(library: Library) -> None:
    """Commit everything with fresh derived files."""
    render(library, TODAY)
    commit(library.root)


@pytest.mark.parametrize("name", SHELF_RULES)
def test_bad_trips_only_its_rule_and_good_trips_nothing(name: str) -> None:
    rule, conventions = SHELF_RULES[name], Conventions(TODAY)
    found = examine(rule.bad, conventions)
    assert {(one.rule, one.level) for one in found} == {(name, rule.level)}
    assert all(name == "landing-interrupted" or ": " in one.message for one in found)
    assert examine(rule.good, conventions) == []
    assert examine(rule.bad, conventions._replace(rules_off={name: "known"})) == []


@pytest.mark.parametrize("name", SHELF_RULES)
def test_the_manual_says_what_is_wrong_then_why_and_the_way_out(name: str) -> None:
    first, blank, *rest = SHELF_RULES[name].manual.split("\n")
    assert first.endswith(".")
    assert blank == ""
    assert len(" ".join(rest)) > 60


def test_all_is_well_without_a_word(kept: Library, caller: Caller, run: Callable[..., Ran]) -> None:
    write(kept, request(id=NEXT, title="Auth keys"), caller)
    done = run("doctor", "--library", kept.root)
    assert (done.code, done.out, done.err) == (0, "", "")
    said = json.loads(run("doctor", "--library", kept.root, "--json").out)
    assert said["ok"]
    assert said["verdicts"] == dict.fromkeys(
        {*RULES, *SHELF_RULES} - {"secret-in-history", "derived-touched"}, "fine"
    )


def test_an_unborn_library_is_looked_at_too(tmp_path: Path) -> None:
    put(tmp_path, "new/memshelf.yml", "branch: main\n")
    git(tmp_path, "init", "--quiet", "new")
    assert doctor(tmp_path / "new", TODAY).ok


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("---\nid: x\n", "front-matter-broken"),
        (b"caf\xe9", "not-utf-8"),
        ("x" * 2_000_001, "file-too-large"),
        (episode_format.render(fine(id="2026-07-10-other")), "id-not-file-name"),
        (
            episode_format.render(fine(digest="We chose signed tokens for the auth service.")),
            "digest-says-we",
        ),
        (episode_format.render(fine(decisions=f"The admin's password: {SECRET}")), "holds-secret"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)
def test_every_rule_is_held_over_the_disk_and_over_what_is_committed(
    kept: Library, text: str | bytes, rule: str, run: Callable[..., Ran]
) -> None:
    put(kept.root, PATH, text)
    assert (rule, PATH) in told(kept)
    assert (rule, f"main:{PATH}") not in told(kept)
    commit(kept.root)
    git(kept.root, "checkout", "--quiet", "HEAD~1", "--", PATH)
    assert (rule, f"main:{PATH}") in told(kept)
    assert (rule, PATH) not in told(kept)
    done = run("doctor", "--library", kept.root)
    assert done.code == 1
    assert SECRET not in done.out + done.err


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("untracked", "is in no commit: commit it, or delete it"),
        ("ignored", "is ignored by git"),
        ("staged", "is staged and in no commit"),
        ("changed", "differs from the last commit"),
        ("deleted", "is committed and not on disk"),
    ],
)
def test_an_episode_that_is_not_as_it_was_committed(kept: Library, state: str, message: str) -> None:
    text, other = (kept.root / PATH).read_text(encoding="utf-8"), f"{TOPICS}/{NEXT}.md"
    new = episode_format.render(fine(id=NEXT, date="2026-07-11"))
    path = PATH if state in ("changed", "deleted") else other
    if state == "ignored":
        put(kept.root, ".git/info/exclude", "shelves/shared/docs/topics/*keys.md\n")
    if state == "deleted":
        (kept.root / path).unlink()
    else:
        put(kept.root, path, text + "And more.\n" if state == "changed" else new)
    if state == "staged":
        git(kept.root, "add", other)
    [found] = [one for one in doctor(kept.root, "2026-07-11").findings if one.rule == "episode-not-committed"]
    assert found.path == path
    assert found.message.startswith(message)


@pytest.mark.parametrize(
    "place",
    [
        "shelves/shared/archive/docs/topics/{}.md",
        "shelves/shared/docs/research/{}.md",
        "shelves/shared/docs/research/{}.MD.md",
    ],
)
def test_an_id_twice_on_a_shelf(kept: Library, place: str) -> None:
    again = place.format(FINE.id).replace(".MD", "")
    if ".MD" in place:
        again = again.replace("auth", "Auth")
    put(kept.root, again, episode_format.render(FINE._replace(id=again.rpartition("/")[2][:-3])))
    rendered(kept)
    assert [path for rule, path in told(kept) if rule == "id-repeated"] in ([PATH], [again])


def test_two_ways_to_write_an_accent_are_one_id(kept: Library) -> None:
    for form in ("NFC", "NFD"):
        name = unicodedata.normalize(form, "2026-07-10-café")
        put(
            kept.root, f"shelves/shared/docs/{'topics' if form == 'NFC' else 'research'}/{name}.md", "words\n"
        )
    assert "id-repeated" in dict(told(kept))


def test_the_same_id_on_two_shelves_is_fine(kept: Library, caller: Caller) -> None:
    write(kept, request(shelf="homelab"), caller)
    accept(kept, [f"homelab/{FINE.id}"], caller)
    assert told(kept) == []


def test_supersedes_must_name_an_episode(kept: Library) -> None:
    new = fine(id=NEXT, date="2026-07-11", supersedes=(FINE.id,))
    shelve_by_hand(kept.root, new)
    rendered(kept)
    assert told(kept) == []
    shelve_by_hand(kept.root, new._replace(supersedes=(FINE.id, "2026-01-01-nothing")))
    assert told(kept) == [("supersedes-unknown", f"{TOPICS}/{NEXT}.md")]


def test_a_derived_file_is_out_of_date_or_edited_or_waits_for_the_bot(kept: Library, caller: Caller) -> None:
    text = (kept.root / INDEX).read_bytes()
    put(kept.root, INDEX, text + b"\nMind the gap.\n")
    assert told(kept) == [("derived-edited", INDEX)]
    commit(kept.root)
    assert told(kept) == [("derived-edited", INDEX)]
    (kept.root / INDEX).unlink()
    assert told(kept) == [("derived-out-of-date", INDEX), ("derived-edited", f"main:{INDEX}")]
    put(kept.root, INDEX, text)
    commit(kept.root)
    put(kept.root, "memshelf.yml", "branch: main\nderived: bot\n")
    commit(kept.root)
    bot = open_library(kept.root)
    write(bot, request(id=NEXT, title="Auth keys"), caller)
    accept(bot, [NEXT], caller)
    waiting = [INDEX, "shelves/shared/ledger.tsv", "shelves/shared/stats.svg"]
    pending = [("derived-pending", path) for path in waiting]
    assert told(kept) == [("workflow-missing", ".github/workflows/memshelf-render.yml"), *pending]
    assert doctor(kept.root, TODAY).ok
    put(kept.root, INDEX, text + b"\nMind the gap.\n")
    assert ("derived-edited", INDEX) in told(kept)
    assert not doctor(kept.root, TODAY).ok


def test_an_uncommitted_episode_leaves_the_index_out_of_date_not_edited(kept: Library) -> None:
    put(kept.root, f"{TOPICS}/{NEXT}.md", episode_format.render(fine(id=NEXT, date="2026-07-11")))
    assert ("derived-out-of-date", INDEX) in told(kept)
    assert "derived-edited" not in dict(told(kept))


def test_a_shallow_clone_cannot_tell_an_edit_from_an_old_rendering(kept: Library, tmp_path: Path) -> None:
    put(kept.root, INDEX, "Mind the gap.\n")
    commit(kept.root)
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{kept.root}", "shallow")
    said = doctor(tmp_path / "shallow", TODAY)
    assert said.findings == ()
    assert said.verdicts["derived-edited"] == "unknown"
    assert "git fetch --unshallow" in said.as_text()
    assert not said.ok


@pytest.mark.parametrize(
    "place", ["shelves/shared/POLICY.md", "memshelf.yml", "shelves/shared/shelf.yml", f"{TOPICS}/broken.md"]
)
def test_a_secret_outside_an_episode_is_told_and_never_repeated(
    kept: Library, place: str, run: Callable[..., Ran]
) -> None:
    file = kept.root / place
    before = file.read_text(encoding="utf-8") if file.exists() else "words\n"
    put(kept.root, place, f"{before}# password: {SECRET}\n")
    assert ("secret-at-rest", place) in told(kept)
    commit(kept.root)
    put(kept.root, place, before)
    assert ("secret-at-rest", f"main:{place}") in told(kept)
    done = run("doctor", "--library", kept.root, "--json")
    assert (done.code, SECRET in done.out) == (1, False)


def draft_by_hand(library: Library, ref: str, name: str, text: str) -> None:
    """Store a draft as no gate of ours would."""
    blob = library.git.store(text.encode())
    tree = library.git.line("mktree", data=f"100644 blob {blob}\t{name}.md\n".encode())
    git(library.root, "update-ref", ref, git(library.root, "commit-tree", tree, "-m", "draft"))


@pytest.mark.parametrize("place", ["draft/shared", "rejected/shared"])
def test_a_secret_in_a_draft_is_told_with_the_command_that_drops_it(kept: Library, place: str) -> None:
    ref = f"refs/memshelf/{place}/{NEXT}"
    text = episode_format.render(fine(id=NEXT, date="2026-07-11", decisions=f"password: {SECRET}"))
    draft_by_hand(kept, ref, NEXT, text)
    [found] = doctor(kept.root, "2026-07-11").findings
    assert (found.rule, found.path) == ("secret-at-rest", ref)
    assert f"`git update-ref -d {ref}`" in found.message
    git(kept.root, "update-ref", "-d", ref)
    assert told(kept) == []


@pytest.mark.parametrize(
    ("ref", "rule"),
    [
        (f"{DRAFT}/shared/{NEXT}", "draft-damaged"),
        (f"refs/memshelf/rejected/shared/{NEXT}", "draft-damaged"),
        (f"{DRAFT}/nowhere/{NEXT}", "draft-misnamed"),
        (f"{DRAFT}/shared/words", "draft-misnamed"),
        (f"{DRAFT}/shared/{NEXT}/more", "draft-misnamed"),
        (f"{DRAFT}/words", "draft-misnamed"),
        (DRAFT, "draft-misnamed"),
    ],
)
def test_a_ref_that_is_no_draft_is_told_and_the_way_out_works(kept: Library, ref: str, rule: str) -> None:
    git(kept.root, "update-ref", ref, "main")
    [found] = doctor(kept.root, TODAY).findings
    assert (found.rule, found.path) == (rule, ref)
    assert f"`git update-ref -d {ref}`" in found.message
    git(kept.root, "update-ref", "-d", ref)
    assert told(kept) == []


def test_a_draft_with_a_lost_object_is_told_and_hides_no_other(kept: Library, caller: Caller) -> None:
    write(kept, request(id=NEXT, title="Auth keys"), caller)
    ref = f"{DRAFT}/shared/{NEXT}"
    blob = git(kept.root, "rev-parse", f"{ref}:{NEXT}.md")
    (kept.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    put(kept.root, f".git/{DRAFT}/shared/2026-07-09-gone", "1" * 40 + "\n")
    put(kept.root, f".git/{DRAFT}/shared/2026-07-08-cut", "")
    said = doctor(kept.root, TODAY)
    assert [found.path.rpartition("/")[2] for found in said.findings] == [
        "2026-07-09-gone",
        NEXT,
        "2026-07-08-cut",
    ]
    assert {found.rule for found in said.findings} == {"draft-damaged"}
    for found in said.findings[:2]:
        git(kept.root, "update-ref", "-d", found.path)
    assert said.findings[2].message.endswith(
        f"delete the file {kept.root}/.git/{DRAFT}/shared/2026-07-08-cut"
    )
    (kept.root / f".git/{DRAFT}/shared/2026-07-08-cut").unlink()
    assert told(kept) == []


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("memshelf.yml", "branch: main\nreview: maybe\n", 0),
        ("memshelf.yml", 'branch: main\nreview: "off\n', 3),
        ("shelves/shared/shelf.yml", "name: shared\nprofile: [\n", 3),
        ("shelves/shared/POLICY.patterns", "# ours\nname [\n", 2),
    ],
)
def test_settings_that_cannot_be_read_are_a_finding_and_stop_nothing(
    kept: Library, path: str, text: str, line: int
) -> None:
    put(kept.root, path, text)
    put(kept.root, PATH, "words\n")
    said = doctor(kept.root, TODAY)
    [found] = [one for one in said.findings if one.rule == "settings-broken"]
    assert (found.path, found.line) == (path, line)
    assert ("front-matter-broken", PATH) in told(kept)
    assert said.verdicts["holds-secret"] == ("unknown" if "patterns" in path else "fine")


def test_a_folder_of_episodes_without_manifest_is_told(kept: Library) -> None:
    put(kept.root, f"shelves/lost/docs/topics/{FINE.id}.md", episode_format.render(FINE))
    commit(kept.root)
    assert told(kept) == [("settings-broken", "shelves/lost/shelf.yml")]


def test_a_killed_landing_is_repaired_and_told_once(kept: Library) -> None:
    tip, before = git(kept.root, "rev-parse", "main"), git(kept.root, "rev-parse", "main~1")
    for old, new, how in ((before, tip, "finished"), (tip, "1" * 40, "undone")):
        journal.write(kept.common, Journal("refs/heads/main", old, new, (PATH,), {}))
        [found] = doctor(kept.root, TODAY).findings
        assert (found.rule, found.level) == ("landing-interrupted", Level.WARNING)
        assert how in found.message
        assert told(kept) == []


def test_a_landing_that_is_under_way_is_unknown(kept: Library) -> None:
    tip = git(kept.root, "rev-parse", "main")
    journal.write(kept.common, Journal("refs/heads/main", tip, "1" * 40, (PATH,), {}))
    with portalocker.Lock(kept.common / journal.FOLDER / "lock", "a"):
        said = doctor(kept.root, TODAY)
    assert said.verdicts["landing-interrupted"] == "unknown"
    assert not said.ok


def test_what_git_cannot_say_is_unknown_with_its_words_and_the_rest_is_looked_at(
    kept: Library, run: Callable[..., Ran]
) -> None:
    put(kept.root, ".git/index", "no index\n")
    put(kept.root, PATH, "words\n")
    done = run("doctor", "--library", kept.root)
    assert done.code == 1
    assert "unknown: git status: " in done.out
    assert f"{PATH}:1: error front-matter-broken" in done.out


def test_a_file_that_is_no_file_is_unknown(kept: Library) -> None:
    (kept.root / "shelves/shared/POLICY.md").unlink()
    (kept.root / "shelves/shared/POLICY.md").mkdir()
    (kept.root / TOPICS / f"{NEXT}.md").mkdir()
    said = doctor(kept.root, TODAY)
    assert {one.path for one in said.unknown} >= {"shelves/shared/POLICY.md", f"{TOPICS}/{NEXT}.md"}
    assert not said.ok


def damage(library: Library) -> None:
    """Do a bit of everything."""
    shelve_by_hand(library.root, fine(id=NEXT, date="2026-07-11", supersedes=("2026-01-01-nothing",)))
    put(library.root, PATH, "words\n")
    put(library.root, f"{TOPICS}/2026-07-10-new.md", f"password: {SECRET}\n")
    put(library.root, "shelves/homelab/POLICY.patterns", "name [\n")
    put(library.root, INDEX, "Mind the gap.\n")
    git(library.root, "update-ref", f"{DRAFT}/nowhere/{NEXT}", "main")
    git(library.root, "add", PATH)


def test_it_changes_no_byte(kept: Library, cli: Callable[..., Any]) -> None:
    damage(kept)
    (kept.root / INDEX).touch()  # git would like to refresh its index
    before = {path: path.read_bytes() for path in kept.root.rglob("*") if path.is_file()}
    kept_before = checkout(kept.root), stored(kept.root)
    assert cli("doctor", "--library", kept.root).code == 1
    assert {path: path.read_bytes() for path in kept.root.rglob("*") if path.is_file()} == before
    assert (checkout(kept.root), stored(kept.root)) == kept_before


def test_a_rule_that_a_shelf_has_switched_off_is_silent(kept: Library) -> None:
    put(kept.root, INDEX, "Mind the gap.\n")
    put(
        kept.root,
        "memshelf.yml",
        "branch: main\nshelves:\n  shared:\n    rules_off: {derived-edited: mine}\n",
    )
    commit(kept.root)
    assert told(kept) == []


def test_a_checkout_of_another_branch_does_not_hide_the_librarys(kept: Library) -> None:
    put(kept.root, PATH, "words\n")
    commit(kept.root)
    git(kept.root, "checkout", "--quiet", "-b", "side", "HEAD~1")
    assert ("front-matter-broken", f"main:{PATH}") in told(kept)
    assert "episode-not-committed" not in dict(told(kept))


def test_what_ids_do_wrong_is_told_once_and_of_the_branch_only_what_the_disk_has_mended(
    kept: Library,
) -> None:
    again = f"shelves/shared/archive/docs/topics/{FINE.id}.md"
    put(kept.root, again, (kept.root / PATH).read_bytes())
    rendered(kept)
    put(kept.root, PATH, (kept.root / PATH).read_text(encoding="utf-8") + "And more.\n")
    assert [path for rule, path in told(kept) if rule == "id-repeated"] == [PATH]
    (kept.root / again).unlink()
    assert [path for rule, path in told(kept) if rule == "id-repeated"] == [f"main:{PATH}"]


@pytest.mark.parametrize(
    ("found", "state"),
    [(b"new", "fine"), (b"committed", "stale"), (b"old", "stale"), (None, "stale"), (b"other", "edited")],
)
def test_a_derived_file_is_judged_by_the_renderings_it_could_be(found: bytes | None, state: str) -> None:
    assert Derived(INDEX, found, b"new", b"committed", b"old").state == state
