"""Read: one episode by any address, labelled with what the reader must know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from store.traces import commit, put, shelve_by_hand
from support import FINE, fine, request

from memshelf.commands.accept import accept
from memshelf.commands.index import index
from memshelf.commands.read import read
from memshelf.commands.reject import reject
from memshelf.commands.search import search
from memshelf.commands.write import write
from memshelf.errors import MemShelfError, UsageError
from memshelf.formats import episode as episode_format
from memshelf.requests import IndexRequest, ReadRequest, RejectRequest, SearchRequest
from memshelf.text import tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.commands.read import Reading
    from memshelf.requests import Caller
    from memshelf.store.library import Library

PATH = f"shelves/shared/docs/topics/{FINE.id}.md"


def ask(library: Library, caller: Caller, name: str, **more: Any) -> Reading:
    return read(library, ReadRequest(id=name, **more), caller)


@pytest.mark.parametrize(
    "name",
    [FINE.id, f"shared/{FINE.id}", f" {FINE.id} ", PATH, f"docs/topics/{FINE.id}.md"],
)
def test_an_episode_is_found_by_every_address(library: Library, caller: Caller, name: str) -> None:
    shelve_by_hand(library.root, FINE)
    answer = ask(library, caller, name)
    assert answer.text == episode_format.render(FINE)
    assert answer.as_text().startswith(
        f"shared/{FINE.id} accepted rev: {answer.entry.rev}\n<memshelf-episode "
    )


@pytest.mark.parametrize("form", [f"{FINE.id}#Open threads", f"shared/{FINE.id}#open questions"])
def test_a_section_is_found_by_its_spellings(library: Library, caller: Caller, form: str) -> None:
    shelve_by_hand(library.root, FINE)
    expected = "## Open threads\n\nKey rotation has no owner.\n"
    assert ask(library, caller, form).text == expected
    assert ask(library, caller, FINE.id, sections=("Открытые вопросы", "OPEN THREADS")).text == expected


def test_a_section_that_is_not_there_is_told_with_those_that_are(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    with pytest.raises(MemShelfError, match=r"it has Digest, Decisions, Open threads, Sources$"):
        ask(library, caller, FINE.id, sections=("Timeline",))


def test_a_near_miss_offers_the_nearest_ids(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    with pytest.raises(MemShelfError, match=f"^no such episode: did you mean shared/{FINE.id}"):
        ask(library, caller, FINE.id.replace("tokens", "tokns"))
    with pytest.raises(MemShelfError, match="read_index lists what there is"):
        ask(library, caller, "zebra")


def test_an_empty_library_says_so(library: Library, caller: Caller, run: Callable[..., Any]) -> None:
    with pytest.raises(MemShelfError, match=r"^no such episode: the library is empty$"):
        ask(library, caller, FINE.id)
    shown = run("index", "--library", library.root)
    assert (shown.code, shown.err) == (0, "")
    assert "No episodes yet on homelab, shared: write_episode keeps the first" in shown.out


def test_a_draft_is_readable_and_findable_at_once_and_labelled(library: Library, caller: Caller) -> None:
    saved = write(library, request(), caller)
    for name in (FINE.id, f"shared/{FINE.id}@draft"):
        answer = ask(library, caller, name)
        assert answer.entry.rev == saved.rev
        assert answer.as_text().startswith(
            f"shared/{FINE.id}@draft draft rev: {saved.rev}\na draft: no person has accepted it yet\n"
        )
    (hit,) = search(library, SearchRequest(query="tokens"), caller).hits
    assert hit.address.startswith(f"shared/{FINE.id}@draft")
    assert "[draft]" in index(library, IndexRequest(), caller).text


def test_accepted_text_is_read_and_a_pending_amend_is_told(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    accept(library, [FINE.id], caller)
    rev = ask(library, caller, FINE.id).entry.rev
    write(library, request(amend=True, rev=rev, title="Amended"), caller)
    answer = ask(library, caller, FINE.id)
    assert (answer.entry.episode.title, answer.entry.rev) == ("Auth tokens", rev)
    assert answer.remarks == (f"an amend is pending: read shared/{FINE.id}@draft",)
    assert ask(library, caller, f"{FINE.id}@draft").entry.episode.title == "Amended"


def test_a_rejected_draft_is_in_no_index_search_or_read(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    reject(library, RejectRequest(id=FINE.id, reason="too early"), caller.today)
    with pytest.raises(MemShelfError, match="no such episode"):
        ask(library, caller, FINE.id)
    assert search(library, SearchRequest(query="tokens"), caller).hits == ()
    assert FINE.id not in index(library, IndexRequest(), caller).text


def test_what_was_superseded_says_by_which(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE)
    shelve_by_hand(library.root, fine(id="2026-07-10-newer", supersedes=(FINE.id,)))
    assert ask(library, caller, FINE.id).remarks == ("superseded by 2026-07-10-newer",)


def test_an_archived_episode_is_still_read(library: Library, caller: Caller) -> None:
    shelve_by_hand(library.root, FINE, PATH.replace("docs/", "archive/docs/"))
    assert " archived rev: " in ask(library, caller, FINE.id).as_text()


def test_an_id_on_two_shelves_is_asked_back(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    write(library, request(shelf="homelab"), caller)
    with pytest.raises(MemShelfError, match=f"several shelves: read homelab/{FINE.id} or shared/{FINE.id}"):
        ask(library, caller, FINE.id)
    assert ask(library, caller, f"homelab/{FINE.id}").entry.shelf == "homelab"


def test_pages_joined_are_the_whole_text(library: Library, caller: Caller) -> None:
    long = fine(
        decisions="\n\n".join(f"Paragraph {number} on tokens. Абзац о токенах. 🔑" for number in range(200))
    )
    shelve_by_hand(library.root, long)
    parts, cursor = [], None
    while cursor != "":
        answer = ask(library, caller, FINE.id, budget=500, cursor=cursor)
        parts.append(answer.text)
        cursor = answer.next
    assert len(parts) > 5
    assert "".join(parts) == episode_format.render(long)


@pytest.mark.parametrize("wrong", [{"cursor": "x"}, {"cursor": "-1"}, {"budget": 5}])
def test_a_cursor_or_budget_that_cannot_be_is_told(
    library: Library, caller: Caller, wrong: dict[str, Any]
) -> None:
    shelve_by_hand(library.root, FINE)
    with pytest.raises(UsageError):
        ask(library, caller, FINE.id, **wrong)


def test_a_heading_before_the_front_matter_and_other_spellings_are_read(
    library: Library, caller: Caller
) -> None:
    text = f"# Auth tokens\n\n---\nid: {FINE.id}\nkind: topic\n---\n\n## Решения\n\nПодпись.\n"
    put(library.root, PATH, text)
    commit(library.root)
    assert ask(library, caller, f"{FINE.id}#Decisions").text == "## Decisions\n\nПодпись.\n"
    assert ask(library, caller, FINE.id).entry.episode.title == "Auth tokens"


def test_a_query_shows_only_the_lines_that_answer(library: Library, caller: Caller) -> None:
    lines = [f"Line {number} says nothing." for number in range(60)]
    lines[40] = "The zeppelin hangar was sold?"
    lines[41] = "Yes, to the museum."
    shelve_by_hand(library.root, fine(decisions="\n".join(lines), sources="The zeppelin papers."))
    seen = read(library, ReadRequest(id=FINE.id, query="zeppelins"), caller)
    assert seen.text == (
        "## Decisions\n\nThe zeppelin hangar was sold?\nYes, to the museum.\n\n"
        "## Sources\n\nThe zeppelin papers.\n"
    )
    assert "only the lines" in seen.as_text()
    only = read(library, ReadRequest(id=FINE.id, query="zeppelins", sections=("sources",)), caller)
    assert only.text == "## Sources\n\nThe zeppelin papers.\n"
    assert "no line" in read(library, ReadRequest(id=FINE.id, query="helicopter"), caller).text


def test_the_lines_that_answer_fit_the_budget_and_stand_in_their_order(
    library: Library, caller: Caller
) -> None:
    lines = [f"Line {number} of the zeppelin log." for number in range(60)]
    shelve_by_hand(library.root, fine(decisions="\n".join(lines)))
    seen = read(library, ReadRequest(id=FINE.id, query="zeppelin", budget=100), caller)
    shown = [line for line in seen.text.split("\n") if line.startswith("Line")]
    assert 1 < len(shown) < 60
    assert shown == [line for line in lines if line in shown]
    assert tokens(seen.text) <= 100
