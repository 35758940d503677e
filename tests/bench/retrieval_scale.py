"""What search costs on 10,000 and 100,000 invented episodes, beside plain FTS5 and memshelf-mcp.

    python tests/bench/retrieval_scale.py [--counts 10000 100000] [--queries 100] [--calls 5] [--rival VENV]

Warm queries are `memshelf.commands.search.search` in one process, with the CPU of the git processes that it
asks what is new, and without; plain FTS5 is a table of whole episodes on disk, unicode61, asked for the ten
best by any word. With --rival, `search` on the command line beside memshelf-mcp at 1,000 and 5,000 episodes.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import random
import re
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from library import LAST_DAY, SHELF, Invented, invent, make_ours
from meter import environment, in_turn, measure, medians
from rival import QUERY, build
from scale import DECISIONS, DIGEST, cpu_ms

from memshelf.commands.search import search
from memshelf.commands.write import write
from memshelf.formats.episode import render
from memshelf.requests import Caller, SearchRequest, WriteRequest
from memshelf.store.library import Library, open_library

P95_LIMIT_MS = {10_000: 5, 100_000: 20}
RIVAL_COUNTS = (1000, 5000)
SHORTEST = 6
"""Letters of a word: shorter ones may all be stop words."""


def queries(invented: Iterable[Invented], count: int) -> list[str]:
    """Return questions of two to five words, each of one sentence of some episode."""
    chance = random.Random(1)
    texts = [one.episode.section("Decisions") for one in invented]
    made = []
    while len(made) < count:
        sentence = chance.choice(re.split(r"[.\n]", chance.choice(texts)))
        words = [word for word in re.findall(r"\w+", sentence) if len(word) >= SHORTEST]
        if len(words) > 1:
            made.append(" ".join(chance.sample(words, min(len(words), chance.randrange(2, 6)))))
    return made


def spread(
    call: Callable[[str], object], asked: Sequence[str], cpu: Callable[[Callable[[], object]], float] = cpu_ms
) -> tuple[float, float]:
    """Return p50 and p95 of the CPU ms of a call for each query; a first one does not count."""
    call(asked[0])
    costs = sorted(cpu(lambda query=query: call(query)) for query in asked)  # type: ignore[misc]
    return statistics.median(costs), costs[math.ceil(0.95 * len(costs)) - 1]


def both_ms(call: Callable[[], object]) -> tuple[float, float]:
    """Return the CPU ms of a call, its child processes included, and its wall time in ms."""
    start = time.perf_counter()
    cpu = cpu_ms(call)
    return cpu, 1000 * (time.perf_counter() - start)


def own_ms(call: Callable[[], object]) -> float:
    """Return the CPU time of a call in ms without that of child processes."""
    before = time.process_time()
    call()
    return 1000 * (time.process_time() - before)


def plain(path: Path, texts: Iterable[str], asked: Sequence[str]) -> tuple[float, float, int]:
    """Return p50 and p95 of plain FTS5, and the bytes of its file."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("CREATE VIRTUAL TABLE whole USING fts5(text, tokenize='unicode61')")
        db.executemany("INSERT INTO whole VALUES (?)", ((text,) for text in texts))
        db.commit()

        def call(query: str) -> object:
            any_ = " OR ".join(f'"{word}"' for word in query.split())
            best = "SELECT text FROM whole WHERE whole MATCH ? ORDER BY rank LIMIT 10"
            return db.execute(best, (any_,)).fetchall()

        return *spread(call, asked), path.stat().st_size


def found_after_write(library: Library, caller: Caller, usual: float, repeats: int) -> float:
    """Return the median of CPU ms that the search after a new draft costs more than `usual`."""
    costs = []
    for number in range(repeats):
        word = f"newword{number}"
        sections = {"decisions": DECISIONS, "open_threads": "A restore.", "sources": "None."}
        about = {"id": f"{LAST_DAY}-new-draft-{number}", "title": f"Backups {word}", "kind": "topic"}
        write(library, WriteRequest(**about, digest=DIGEST, shelf=SHELF, **sections), caller)
        costs.append(cpu_ms(lambda word=word: _ask(library.root, word, caller)))  # type: ignore[misc]
    return statistics.median(costs) - usual


def _ask(root: Path, query: str, caller: Caller) -> object:
    answer = search(open_library(root), SearchRequest(query=query), caller)
    assert answer.hits, query
    return answer


def report(folder: Path, count: int, given: argparse.Namespace) -> None:
    """Print a table of one size."""
    variables = environment(folder / "home")
    os.environ |= variables
    invented = list(invent(count))
    library = make_ours(folder / "library", invented, checkout=False)._replace(patience=math.inf)
    caller = Caller(client="bench", today=str(LAST_DAY), folder=folder, variables=variables)
    asked = queries(invented, given.queries)
    texts = [render(one.episode) for one in invented]
    size = sum(len(text.encode()) for text in texts)
    del invented
    first, wall = both_ms(lambda: search(library, SearchRequest(query=asked[0]), caller))
    state = sum(path.stat().st_size for path in (folder / "home" / "state").rglob("*") if path.is_file())
    with_git, _ = spread(lambda query: _ask(library.root, query, caller), asked)
    p50, p95 = spread(lambda query: _ask(library.root, query, caller), asked, own_ms)
    fts50, fts95, fts_size = plain(folder / "plain.sqlite", texts, asked)
    after = found_after_write(library, caller, with_git, given.calls)
    command = [Path(sys.executable).with_name("memshelf"), "search", *asked[0].split()]
    cold = medians([measure(command, variables, library.root) for _ in range(given.calls)])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(
        f"\n| {count:,} episodes, {size / 1e6:,.0f} MB | memshelf | plain FTS5 | ratio |\n|---|---|---|---|"
    )
    print(f"| warm query, CPU ms, p50 | {p50:,.1f} | {fts50:,.1f} | {p50 / fts50:.2f} |")
    limit = P95_LIMIT_MS.get(count, "-")
    print(f"| the same, p95 (limit {limit}) | {p95:,.1f} | {fts95:,.1f} | {p95 / fts95:.2f} |")
    print(f"| p50 with git's processes | {with_git:,.1f} | | |")
    print(f"| kept, against the text | {state / size:.2f} x | {fts_size / size:.2f} x | |")
    print(f"| draft -> found, CPU ms more | {after:,.1f} | | |")
    print(f"| command line, CPU / wall ms | {1000 * cold.cpu:,.0f} / {1000 * cold.wall:,.0f} | | |")
    print(f"| command line, peak MB | {cold.peak / 1e6:,.0f} | | |")
    print(f"| first build, CPU / wall ms | {first:,.0f} / {wall:,.0f} | | |")
    print(f"| peak of this process, the invented texts included, MB | {peak:,.0f} | | |", flush=True)


def beside_rival(folder: Path, count: int, given: argparse.Namespace) -> None:
    """Print a row: both programs' search on the command line."""
    pair = build(folder, count, given.rival.absolute())
    ours, theirs = in_turn(
        lambda: pair.run_ours("search", *QUERY),
        lambda: pair.run_theirs("search", "--shelf", pair.theirs, "--query", " ".join(QUERY)),
        given.calls,
    )
    cells = [f"{1000 * one.cpu:,.0f} / {1000 * one.wall:,.0f}" for one in (ours, theirs)]
    print(f"| {count:,} | {' | '.join(cells)} | {ours.cpu / theirs.cpu:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--calls", type=int, default=5, help="command lines, drafts")
    parser.add_argument("--rival", type=Path, help="a virtual environment that holds memshelf-mcp 0.4.0")
    given = parser.parse_args()
    for count in given.counts:
        with tempfile.TemporaryDirectory() as name:
            report(Path(name), count, given)
    if given.rival:
        print(
            "\n| `search`, CPU / wall ms | memshelf | memshelf-mcp 0.4.0 | ratio |\n|---|---|---|---|",
            flush=True,
        )
        for count in RIVAL_COUNTS:
            with tempfile.TemporaryDirectory() as name:
                beside_rival(Path(name), count, given)


if __name__ == "__main__":
    main()
