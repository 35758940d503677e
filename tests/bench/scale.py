"""What 10,000 or 100,000 episodes cost: the map in a warm process, after a draft, and from the shell.

    python tests/bench/scale.py [--counts 10000 100000] [--repeats 40] [--calls 5]

Warm calls are `memshelf.commands.index.index` in one process; CPU counts git's processes too. The state
folder is this run's own, so the first answer also builds what is kept there; its size is reported.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from library import LAST_DAY, SHELF, invent, make_ours
from meter import environment, measure, medians
from rival import DECISIONS, DIGEST, QUERY

from memshelf.commands.index import index
from memshelf.commands.search import search
from memshelf.commands.write import write
from memshelf.requests import Caller, IndexRequest, SearchRequest, WriteRequest
from memshelf.store.library import Library, open_library

LIMIT_MS = {10_000: 20, 100_000: 40}
REFRESH_LIMIT_MS = 10


def cpu_ms(call: Callable[[], object]) -> float:
    """Return the CPU time of a call in ms, its child processes included."""
    before = _cpu()
    call()
    return 1000 * (_cpu() - before)


def _cpu() -> float:
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def warm(root: Path, caller: Caller, repeats: int) -> list[float]:
    """Return the CPU ms of each warm map, the library opened anew as the server does at each call."""
    every = [cpu_ms(lambda: index(open_library(root), IndexRequest(), caller)) for _ in range(repeats + 1)]
    return sorted(every[1:])


def refresh(library: Library, caller: Caller, repeats: int, usual: float) -> float:
    """Return the median of CPU ms that the map costs more than `usual` after one new draft."""
    costs = []
    for number in range(repeats):
        write(library, _draft(number), caller)
        costs.append(cpu_ms(lambda: index(open_library(library.root), IndexRequest(), caller)))
    return statistics.median(costs) - usual


def _draft(number: int) -> WriteRequest:
    return WriteRequest(
        id=f"{LAST_DAY}-new-draft-{number}",
        title="Backups",
        kind="topic",
        digest=DIGEST,
        decisions=DECISIONS,
        open_threads="A restore.",
        sources="None.",
        shelf=SHELF,
    )


def report(folder: Path, count: int, repeats: int, calls: int) -> None:
    """Print a table of one size."""
    variables = environment(folder / "home")
    os.environ |= variables
    start = time.perf_counter()
    made_one = make_ours(folder / "library", invent(count), checkout=False)
    library = made_one._replace(patience=math.inf)  # the first map is whole, however long it takes
    made = time.perf_counter() - start
    caller = Caller(client="bench", today=str(LAST_DAY), folder=folder, variables=variables)
    start = time.perf_counter()
    first = cpu_ms(lambda: index(library, IndexRequest(), caller))
    first_wall = time.perf_counter() - start
    state = sum(path.stat().st_size for path in (folder / "home" / "state").rglob("*") if path.is_file())
    costs = warm(library.root, caller, repeats)
    p95 = costs[min(len(costs) - 1, int(0.95 * len(costs)))]
    more = refresh(library, caller, min(5, repeats), statistics.median(costs))
    limit = LIMIT_MS.get(count)
    print(f"\n| {count:,} episodes | ms | limit, ms |\n|---|---|---|")
    print(f"| first map, CPU / wall | {first:,.0f} / {1000 * first_wall:,.0f} | |")
    print(f"| warm map, CPU p50 / p95 | {statistics.median(costs):,.1f} / {p95:,.1f} | {limit or ''} |")
    print(f"| more after one new draft, CPU | {more:,.1f} | {REFRESH_LIMIT_MS} |", flush=True)
    program = Path(sys.executable).with_name("memshelf")
    name = next(iter(invent(count))).episode.id
    start = time.perf_counter()
    with_words = cpu_ms(lambda: search(library, SearchRequest(query=" ".join(QUERY)), caller))
    print(f"| first search, CPU / wall | {with_words:,.0f} / {1000 * (time.perf_counter() - start):,.0f} | |")
    for words in (("index",), ("read", name), ("search", *QUERY)):
        each = medians([measure([program, *words], variables, library.root) for _ in range(calls)])
        print(
            f"| `memshelf {words[0]}`, CPU / wall | {1000 * each.cpu:,.0f} / {1000 * each.wall:,.0f} | |",
            flush=True,
        )
    print(
        f"\nKept in the state folder: {state / 1e6:,.1f} MB. The library was made in {made:.0f} s.",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--repeats", type=int, default=40, help="warm maps")
    parser.add_argument("--calls", type=int, default=5, help="runs of each command")
    given = parser.parse_args()
    for count in given.counts:
        with tempfile.TemporaryDirectory() as name:
            report(Path(name), count, given.repeats, given.calls)


if __name__ == "__main__":
    main()
