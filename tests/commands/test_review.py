"""Review and reject: what waits, what one draft holds, and how a person says no."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from store.traces import checkout, refs, shelve_by_hand, stored
from support import FINE, fine, git, objects_contain, request

from memshelf.commands.accept import accept
from memshelf.commands.reject import reject
from memshelf.commands.rejected import rejected
from memshelf.commands.review import review
from memshelf.commands.revise import Revised, revise
from memshelf.commands.write import write
from memshelf.errors import FormatError, MemShelfError, Refused, UsageError
from memshelf.requests import RejectRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library

REJECTED = "refs/memshelf/rejected"
PATH = f"shelves/shared/docs/topics/{FINE.id}.md"
PASSWORD = "korrekt-" + "Horse7"


def say_no(library: Library, reason: str = "too early", name: str = FINE.id) -> None:
    reject(library, RejectRequest(id=name, reason=reason), "2026-07-10")


def test_what_waits_is_listed_oldest_first(library: Library, caller: Caller) -> None:
    assert review(library, caller.today).as_text() == "no draft waits"
    write(library, request(id="2026-07-10-b", title="Second"), caller)
    write(library, request(id="2026-07-09-a", title="First", shelf="homelab"), caller)
    listed = review(library, caller.today).as_text().splitlines()
    assert listed[:2] == ["homelab/2026-07-09-a  First", "shared/2026-07-10-b  Second"]
    only = review(library, caller.today, shelf="shared").as_text().splitlines()
    assert only[0] == "shared/2026-07-10-b  Second"


def test_a_draft_is_shown_with_its_redaction_report_and_findings(library: Library, caller: Caller) -> None:
    write(
        library, request(decisions=f"One.\npassword: {PASSWORD}", digest="I chose tokens for auth."), caller
    )
    shown = review(library, caller.today, FINE.id).as_text().splitlines()
    assert shown[0] == f"draft shared/{FINE.id} by test-client"
    assert shown[1] == "redacted: password decisions:2"
    assert shown[2] == 'warning digest-says-i: Digest: says "I": name the actor'
    assert "password: «redacted:password#1»" in shown


def test_an_amend_is_shown_as_its_change(library: Library, caller: Caller) -> None:
    path = shelve_by_hand(library.root, FINE)
    rev = git(library.root, "rev-parse", f"main:{path}")[:12]
    write(library, request(amend=True, rev=rev, title="Amended", kind=None), caller)
    assert "(amend) Amended" in review(library, caller.today).as_text()
    lines = review(library, caller.today, FINE.id).as_text().splitlines()
    assert {'-title: "Auth tokens"', '+title: "Amended"'} <= set(lines)
    assert not any(line.startswith(("diff", "index")) for line in lines)


def test_a_draft_whose_id_was_taken_meanwhile_is_still_shown(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    shelve_by_hand(library.root, fine(title="By hand"))
    assert 'title: "Auth tokens"' in review(library, caller.today, FINE.id).as_text()


def test_an_unknown_draft_is_told_with_the_nearest(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    with pytest.raises(MemShelfError, match=rf"^no such draft: did you mean {FINE.id}\?$"):
        review(library, caller.today, FINE.id[:-1])
    with pytest.raises(
        MemShelfError, match=r"^no such draft: 1 draft waiting: `memshelf review` lists them$"
    ):
        accept(library, ["zebra"], caller)


def test_an_id_that_waits_on_two_shelves_is_asked_back(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    write(library, request(shelf="homelab"), caller)
    with pytest.raises(MemShelfError, match=f"name one of homelab/{FINE.id}@draft, shared/{FINE.id}@draft"):
        accept(library, [FINE.id], caller)
    accept(library, [f"shared/{FINE.id}@draft"], caller)
    assert set(refs(library.root)) == {f"homelab/{FINE.id}"}


def test_a_rejected_draft_keeps_its_text_and_the_reason_redacted(library: Library, caller: Caller) -> None:
    saved = write(library, request(), caller)
    before = checkout(library.root)
    say_no(library, f"the password: {PASSWORD}\nstands in it")
    assert checkout(library.root) == before
    assert refs(library.root) == {}
    ref = f"{REJECTED}/shared/{FINE.id}"
    assert git(library.root, "show", f"{ref}:{FINE.id}.md") == git(
        library.root, "show", f"{saved.commit}:{FINE.id}.md"
    )
    assert git(library.root, "log", "-1", "--format=%B%an %P", ref).splitlines() == [
        f"reject: {FINE.id}",
        "",
        "the password: «redacted:password#1» stands in it",
        f"Test Person {saved.commit}",
    ]
    assert not objects_contain(library.root, PASSWORD)


def test_an_id_rejected_twice_keeps_both_texts_and_reasons(library: Library, caller: Caller) -> None:
    for number in ("first", "second"):
        write(library, request(title=number), caller)
        say_no(library, f"{number} reason")
    ref = f"{REJECTED}/shared/{FINE.id}"
    log = git(library.root, "log", "--format=%B", ref)
    assert "first reason" in log
    assert "second reason" in log
    texts = {
        git(library.root, "show", f"{name}:{FINE.id}.md")
        for name in git(library.root, "rev-list", ref).splitlines()
    }
    assert len(texts) == 2
    git(library.root, "gc", "--quiet", "--prune=now")
    assert "first reason" in git(library.root, "log", "--format=%B", ref)


@pytest.mark.parametrize("reason", ["", " \n\t "])
def test_a_rejection_without_a_reason_is_refused(library: Library, caller: Caller, reason: str) -> None:
    write(library, request(), caller)
    with pytest.raises(UsageError, match="needs its reason: pass --reason TEXT"):
        say_no(library, reason)
    assert set(refs(library.root)) == {f"shared/{FINE.id}"}


def test_a_rejection_needs_no_identity(library: Library, caller: Caller, home: Path) -> None:
    write(library, request(), caller)
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n", encoding="utf-8")
    say_no(library)
    assert git(library.root, "log", "-1", "--format=%an", f"{REJECTED}/shared/{FINE.id}") == "memshelf"


def test_a_rejected_amend_leaves_the_accepted_text(
    library: Library, caller: Caller, run: Callable[..., Any]
) -> None:
    shelve_by_hand(library.root, FINE)
    rev = git(library.root, "rev-parse", f"main:{PATH}")[:12]
    write(library, request(amend=True, rev=rev, title="Amended"), caller)
    say_no(library)
    shown = run("read", FINE.id, "--library", library.root).out
    assert 'title: "Auth tokens"' in shown
    assert "pending" not in shown


@pytest.mark.parametrize("amend", [False, True])
def test_a_draft_that_cannot_be_accepted_any_more_says_so(
    library: Library, caller: Caller, amend: bool
) -> None:
    if amend:
        rev = git(library.root, "rev-parse", f"main:{shelve_by_hand(library.root, FINE)}")[:12]
        write(library, request(amend=True, rev=rev, title="Amended"), caller)
    else:
        write(library, request(), caller)
    assert review(library, caller.today, FINE.id).as_dict()["remark"] == ""
    shelve_by_hand(library.root, fine(title="By hand"))
    state = "was changed since" if amend else "exists by now"
    assert (
        f"cannot be accepted: the accepted episode {state}: reject"
        in review(library, caller.today, FINE.id).as_text()
    )
    with pytest.raises(MemShelfError, match=state):
        accept(library, [FINE.id], caller)


def test_what_was_rejected_is_listed_with_reason_and_date_and_shown(library: Library, caller: Caller) -> None:
    assert rejected(library).as_text() == "no draft was rejected"
    for number in ("first", "second"):
        write(library, request(title=number), caller)
        say_no(library, f"{number} reason")
    write(library, request(shelf="homelab"), caller)
    say_no(library, "elsewhere")
    assert len(rejected(library).items) == 3
    items = rejected(library, shelf="shared").items
    assert {(item.shelf, item.id, item.by, item.reason) for item in items} == {
        ("shared", FINE.id, "Test Person", "first reason"),
        ("shared", FINE.id, "Test Person", "second reason"),
    }
    assert all(item.date in rejected(library).as_text() for item in items)
    shown = rejected(library, f"shared/{FINE.id}").as_text()
    assert 'title: "second"' in shown
    assert "first reason" in shown
    assert "elsewhere" not in shown
    with pytest.raises(MemShelfError, match=rf"^no such rejected draft: did you mean {FINE.id}\?$"):
        rejected(library, FINE.id[:-1])


def edited(library: Library, caller: Caller, *changes: tuple[str, str]) -> Revised:
    """Edit the one draft as text: each change is (old, new)."""
    text = review(library, caller.today, FINE.id).as_dict()["text"]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return revise(library, FINE.id, text, caller.today)


def test_an_edit_keeps_the_client_and_the_drafts_uuid_and_adds_its_redactions(
    library: Library, caller: Caller
) -> None:
    saved = write(library, request(decisions=f"One.\npassword: {PASSWORD}"), caller)
    before, place = git(library.root, "log", "-1", "--format=%B", saved.commit), checkout(library.root)
    other = "another-" + "Horse8"
    new = ("None.", f"A log.\n\npassword: {other}")
    done = edited(library, caller, new, ("Auth tokens", "Auth"), ("password: «redacted:password#1»", "Two."))
    after = git(library.root, "log", "-1", "--format=%B%an", done.commit)
    assert after == before + "Memshelf-Redacted: password sources:3\ntest-client"
    assert done.as_text().splitlines()[1] == "redacted in the edit: password in sources"
    text = review(library, caller.today, FINE.id).as_dict()["text"]
    assert "password: «redacted:password#2»" in text
    assert 'title: "Auth"' in text
    assert "client: [test-client]" in text
    assert checkout(library.root) == place
    assert not objects_contain(library.root, other)


def test_edits_that_are_redacted_alike_are_reported_once(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    for n in range(1, 4):
        old = "None." if n == 1 else f"password: «redacted:password#{n - 1}»"
        edited(library, caller, (old, f"password: another-{n}-" + "Horse8"))
    text = review(library, caller.today, FINE.id).as_text()
    assert text.count("password sources:1") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (FINE.id, "2026-07-10-other", "id, date|id must stay"),
        ("test-client", "me", "client must stay"),
        ("The auth service moved", "We moved", "digest-says-we"),
        ("## Sources", "## Digest", "section-repeated"),
        ("tags: [auth, web]", "tags: [auth, web]\nowner: 'password: " + PASSWORD + "'", "holds-secret"),
        ("tags: [auth, web]", "tags: [ghp_" + "a1B2c3D4" * 5 + "]", "holds-secret"),
        ("kind: topic", "kind: memo", "kind-unknown"),
        ("---\nid", "--\nid", "no front matter"),
    ],
)
def test_a_refused_edit_leaves_no_trace(
    library: Library, caller: Caller, old: str, new: str, said: str
) -> None:
    write(library, request(), caller)
    before = (stored(library.root), checkout(library.root))
    with pytest.raises((Refused, FormatError), match=said) as refusal:
        edited(library, caller, (old, new))
    assert (stored(library.root), checkout(library.root)) == before
    assert PASSWORD not in str(refusal.value)
    assert "ghp_" not in str(refusal.value)


def test_an_edit_that_changes_nothing_saves_nothing(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    before = stored(library.root)
    assert edited(library, caller).as_text() == f"unchanged: shared/{FINE.id} stays as it was"
    assert stored(library.root) == before


def test_an_edit_replaces_only_the_draft_that_was_edited(library: Library, caller: Caller) -> None:
    saved = write(library, request(), caller)
    shown = review(library, caller.today, FINE.id)
    write(library, request(amend=True, rev=saved.rev, sources="Another text."), caller)
    before = refs(library.root)
    with pytest.raises(MemShelfError, match="changed meanwhile: look at it again"):
        revise(library, shown.entry, shown.as_dict()["text"].replace("Auth", "Mine"), caller.today)  # type: ignore[union-attr]
    assert refs(library.root) == before
