"""`memshelf bench search`: the figures are right, and no line of the questions is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support import request

from memshelf.commands.write import write
from memshelf.search.judgement import Question, Ranking, by_matching_words, marks, read_lines
from memshelf.store.catalogue.baseline import by_whole_texts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support import Ran

    from memshelf.requests import Caller
    from memshelf.store.library import Library

DNS, PRINTER = "2026-07-09-dns", "2026-07-08-printer"


@pytest.fixture
def bench(library: Library, caller: Caller, run: Callable[..., Ran], tmp_path: Path) -> Callable[..., Ran]:
    """Return a function that benches lines on a library of three episodes."""
    write(library, request(), caller)
    write(library, request(id=DNS, title="DNS", decisions="Resolvers: unbound signs the answers."), caller)
    long = "The cartridge was replaced. " * 60
    write(library, request(id=PRINTER, title="Printer", decisions=long, shelf="homelab"), caller)

    def call(lines: bytes, *words: str) -> Ran:
        file = tmp_path / "questions.tsv"
        file.write_bytes(lines)
        return run("bench", "search", "--queries", file, "--library", library.root, *words)

    return call


def test_a_reader_sees_each_way_to_search_beside_the_others(bench: Callable[..., Ran]) -> None:
    done = bench(f"cartridges\t{PRINTER}\nunbound\tshared/{DNS}\n".encode())
    assert (done.code, done.err) == (0, "")
    first, head, ours, plain, grep, units = done.out.splitlines()
    assert first == "questions: 2; 3 episodes on homelab, shared"
    assert head.split() == ["hit@1", "hit@5", "MRR", "nDCG@10", "tokens"]
    assert ours.startswith("memshelf search    1.000    1.000    1.000    1.000 ")
    assert plain.startswith("plain FTS5         0.500    0.500    0.500    0.500 ")  # it knows no plural
    assert grep.startswith("grep               0.500 ")
    assert "tokens" in units


def test_an_answer_costs_what_is_read_of_it(bench: Callable[..., Ran]) -> None:
    done = bench(f"printer cartridge\t{PRINTER}\n".encode(), "--json", "--shelf", "homelab")
    methods = json.loads(done.out)["methods"]
    assert methods["plain FTS5"]["hit_1"] == methods["memshelf search"]["hit_1"] == 1
    assert methods["plain FTS5"]["tokens"] == methods["grep"]["tokens"] > 300
    assert 20 < methods["memshelf search"]["tokens"] < 200


def test_a_bad_line_is_named_and_the_others_count(bench: Callable[..., Ran]) -> None:
    bad = (
        b"\xef\xbb\xbfno tab\n\nunbound\t"
        + DNS.encode()
        + b"\r\n\t"
        + DNS.encode()
        + b"\n\xff\tx\na\tb\tc\nq\tno-such\n"
    )
    done = bench(bad, "--json")
    found = json.loads(done.out)
    assert done.code == 1
    assert found["questions"] == 1
    assert found["methods"]["memshelf search"]["hit_1"] == 1
    assert [finding["line"] for finding in found["findings"]] == [1, 4, 5, 6, 7]
    shown = bench(bad).out.splitlines()[-1]
    assert shown.endswith(
        "questions.tsv:7: error question: no episode no-such on homelab, shared: `memshelf index` has the ids"
    )


def test_without_a_good_line_there_is_no_table(bench: Callable[..., Ran]) -> None:
    assert bench(b"no tab\n").out.count("\n") == 2
    assert bench(b" \n").code == 2


def test_every_episode_and_line_counts_once(bench: Callable[..., Ran]) -> None:
    both = f"signs\t{DNS}\nsigns\t2026-07-10-auth-tokens\n".encode()
    found = json.loads(bench(both, "--json").out)
    assert found["questions"] == 1
    assert found["methods"]["memshelf search"]["ndcg_10"] == pytest.approx(1)


def test_lines_are_read_as_they_are() -> None:
    assert read_lines("q\tid\r\n\nдве части \t x \nалоэ".encode()) == [
        (1, "q", "id"),
        (3, "две части", "x"),
        (4, "алоэ", ""),
    ]


def test_marks_are_those_of_the_textbook() -> None:
    right = frozenset({"s/a", "s/b"})
    found = marks([Question("q", right)], [Ranking(["s/x", "s/a", *"cdefghij", "s/b"], 7)])
    assert (found.hit_1, found.hit_5, found.mrr, found.tokens) == (0, 1, 0.5, 7)
    assert found.ndcg_10 == pytest.approx((1 / 1.584963) / (1 + 1 / 1.584963))
    both = marks([Question("q", right)] * 2, [Ranking(["s/a", "s/b"], 4), Ranking([], 2)])
    assert both == (0.5, 0.5, 0.5, 0.5, 3)


def test_the_plain_ways_are_plain() -> None:
    texts = [(1, "restic keeps versions"), (2, "rsync"), (3, "restic, RESTIC-mount versions")]
    assert by_matching_words(texts, ["Restic version", "нет"]) == [[3, 1], []]
    assert by_whole_texts(texts, ['restic "mount', "rsync versions", "— !", "version"], 1) == [
        [3],
        [2],
        [],
        [],
    ]
