"""MemShelf beside memshelf-mcp 0.4.0, in one run, in turn, on the same texts; prints the README's tables.

    python tests/bench/rival.py [--rival VENV] [--counts 1000 5000] [--repeats 15] [--big 50]

Without --rival a virtual environment of its own is made, from the package index that pip is set to. Each
figure is a median; a ratio is ours by theirs, and the larger one of wall and CPU is held against the limit.
Neither program's doctor scans the history of the repository. A first run of each thing does not count.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count as numbers
from pathlib import Path

from library import SHELF, invent, make_ours, make_root_shelf
from meter import Cost, environment, import_ms, in_turn, measure

PACKAGE = "memshelf-mcp==0.4.0"
LIMITS = {"--help": 0.6, "index": 0.6, "read": 0.6, "search": 0.6, "write": 1.0, "doctor": 0.4, "MCP": 1.1}
PEAK_LIMIT = 0.5
IMPORT_LIMIT_MS = 60
MAP_TOKENS, INDEX_TOKENS = 4000, 6000
FEW = 157
SERVER = "memshelf.cli.serve"
SDK = "import anyio, mcp.server.lowlevel, mcp.server.stdio, mcp.types"
QUERY = ("WireGuard", "thermostat")
DIGEST = (
    "The lab's backups were switched to restic. Rejected: rsync, it keeps no versions. "
    "Open: who tests a restore."
)
DECISIONS = (
    "restic, nightly, to the second site; rsync keeps no versions. Nobody tests a restore of the backups."
)

Words = Sequence[str | Path]
Command = Callable[[], Words]
"""Makes the words of the next run: each write needs a new id."""


@dataclass(frozen=True)
class Pair:
    """The same episodes twice: where they lie, and the environment both programs run in."""

    ours: Path
    theirs: Path
    variables: dict[str, str]
    rival: Path

    def run_ours(self, *words: str | Path, mcp: bool = False) -> Cost:
        return measure([_our("memshelf"), *words], self.variables, self.ours, mcp=mcp)

    def run_theirs(self, *words: str | Path, mcp: bool = False) -> Cost:
        program = "memshelf-mcp" if mcp else "memshelf"
        return measure([self.rival / "bin" / program, *words], self.variables, self.theirs, mcp=mcp)


def build(folder: Path, count: int, rival: Path, big: int = 0) -> Pair:
    """Make the two libraries of `count` episodes, one of them of `big` bytes where that is not 0."""
    variables = environment(folder / "home")
    os.environ |= variables
    pair = Pair(folder / "ours", folder / "theirs", variables, rival)
    pair.theirs.mkdir()
    pair.run_theirs("init", "--shelf", pair.theirs, "--name", SHELF)
    invented = list(invent(count))
    library = make_ours(pair.ours, invented)
    make_root_shelf(pair.theirs, invented)
    if big:
        last = invented[-1].episode
        text = "\n## Raw excerpts\n\n" + "A line of an old log that nobody cut.\n" * (big // 38)
        for path in (
            pair.ours / library.episode_path(SHELF, last),
            next(pair.theirs.glob(f"docs/*/{last.id}.md")),
        ):
            with path.open("a", encoding="utf-8") as file:
                file.write(text)
    pair.run_theirs("rebuild", "--shelf", pair.theirs)
    for root in (pair.ours, pair.theirs):
        subprocess.run(["git", "add", "-A"], cwd=root, check=True)
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "derived"], cwd=root, check=True)
    return pair


def commands(pair: Pair, episode: str) -> dict[str, tuple[Command, Command]]:
    """Return name -> our command and theirs; writing comes last, it changes the libraries."""
    number = numbers(1)
    new = ("--digest", DIGEST)

    def fixed(*words: str | Path) -> Command:
        return lambda: words

    def ours() -> Words:
        sections = ("--decisions", DECISIONS, "--open-threads", "A restore.", "--sources", "None.")
        name = f"2026-07-01-bench-{next(number)}"
        return ("write", "--shelf", SHELF, "--id", name, "--title", "Backups", *new, *sections)

    def theirs() -> Words:
        sections = (f"Decisions={DECISIONS}", "Open threads=A restore.", "Sources=None.")
        given = [word for part in sections for word in ("--section", part)]
        return ("shelve", *at, "--slug", f"2026-07-01-bench-{next(number)}", "--kind", "topic", *new, *given)

    at = ("--shelf", pair.theirs)
    return {
        "--help": (fixed("--help"), fixed("--help")),
        "index": (fixed("index"), fixed("index", *at)),
        "read": (fixed("read", episode), fixed("recall", *at, "--id", episode, "--no-log")),
        "search": (fixed("search", *QUERY), fixed("search", *at, "--query", " ".join(QUERY))),
        "doctor": (fixed("doctor"), fixed("doctor", *at)),
        "write": (ours, theirs),
    }


def side_by_side(pair: Pair, episode: str, count: int, repeats: int) -> None:
    """Measure every command and the MCP handshake; print a row for each."""
    for name, (ours, theirs) in commands(pair, episode).items():
        one, other = in_turn(
            lambda ours=ours: pair.run_ours(*ours()),  # type: ignore[misc]
            lambda theirs=theirs: pair.run_theirs(*theirs()),  # type: ignore[misc]
            repeats,
        )
        _row(f"`{name}`", count, one, other, LIMITS[name])
    one, other = in_turn(
        partial(pair.run_ours, "serve", "--library", pair.ours, mcp=True),
        partial(pair.run_theirs, mcp=True),
        repeats,
    )
    _row("MCP: start to tool list", count, one, other, LIMITS["MCP"])


def _row(label: str, count: int, ours: Cost, theirs: Cost, limit: float) -> None:
    wall, cpu = ours.wall / theirs.wall, ours.cpu / theirs.cpu
    cells = [f"{1000 * one.wall:,.0f} / {1000 * one.cpu:,.0f}" for one in (ours, theirs)]
    rest = f"{wall:.2f} / {cpu:.2f} | {limit} | {_verdict(max(wall, cpu), limit)}"
    print(f"| {label} | {count:,} | {' | '.join(cells)} | {rest} |", flush=True)


def peaks(folder: Path, rival: Path, megabytes: int) -> None:
    """Compare the largest process of three commands on 100 episodes, one of them of `megabytes`.

    memshelf-mcp has its index at hand, made by its `rebuild`; so the second run counts for us, and the
    first, which reads the whole library, is shown beside it.
    """
    pair = build(folder, 100, rival, big=megabytes * 1_000_000)
    print(f"\n| peak MB, one episode of {megabytes} MB", end=" ")
    print("| first | MemShelf | memshelf-mcp 0.4.0 | ratio | limit | |")
    print("|---|---|---|---|---|---|---|")
    for name in ("index", "search", "doctor"):
        ours, theirs = commands(pair, "")[name]
        first, other, one = pair.run_ours(*ours()), pair.run_theirs(*theirs()), pair.run_ours(*ours())
        ratio = one.peak / other.peak
        cells = f"{first.peak / 1e6:,.0f} | {one.peak / 1e6:,.0f} | {other.peak / 1e6:,.0f} | {ratio:.2f}"
        print(f"| `{name}` | {cells} | {PEAK_LIMIT} | {_verdict(ratio, PEAK_LIMIT)} |", flush=True)


def sizes(folder: Path, rival: Path) -> None:
    """Compare what an agent pays to see FEW episodes."""
    pair = build(folder, FEW, rival)
    shown = len(pair.run_ours("index").answer) // 4
    page = len((pair.ours / "shelves" / SHELF / "INDEX.md").read_text(encoding="utf-8")) // 4
    theirs = len(pair.run_theirs("index", "--shelf", pair.theirs).answer) // 4
    print(f"\n| {FEW} episodes, characters / 4 | | limit | |\n|---|---|---|---|")
    print(f"| `read_index`, MemShelf | {shown:,} | {MAP_TOKENS:,} | {_verdict(shown, MAP_TOKENS)} |")
    print(f"| INDEX.md, MemShelf | {page:,} | {INDEX_TOKENS:,} | {_verdict(page, INDEX_TOKENS)} |")
    print(f"| index, memshelf-mcp 0.4.0 | {theirs:,} | | |")


def imports(folder: Path, repeats: int) -> None:
    """Print what the server's modules cost beyond those of the MCP SDK, with the clock and in CPU."""
    variables = environment(folder / "home")
    traced = [
        import_ms(Path(sys.executable), ["-c", f"{SDK}, {SERVER}"], SDK, variables) for _ in range(repeats)
    ]
    shown = f"{statistics.median(traced):.0f} ms by -X importtime"
    codes = [[sys.executable, "-c", code] for code in (SDK, f"{SDK}, {SERVER}")]
    base, whole = in_turn(*(partial(measure, code, variables, folder) for code in codes), repeats)
    cpu = 1000 * (whole.cpu - base.cpu)
    print(f"\nImports of `serve` beyond the MCP SDK's: {shown}, {cpu:.0f} ms CPU: ", end="")
    print(f"limit {IMPORT_LIMIT_MS}: {_verdict(cpu, IMPORT_LIMIT_MS)}")


def _verdict(value: float, limit: float) -> str:
    return "holds" if value <= limit else "does not hold"


def _our(program: str) -> Path:
    return Path(sys.executable).with_name(program)


def _rival(given: Path | None, folder: Path) -> Path:
    if given is None:
        given = folder / "rival"
        venv.create(given, with_pip=True)
        subprocess.run([given / "bin" / "pip", "install", "-q", PACKAGE], check=True)
    return given.absolute()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rival", type=Path, help="a virtual environment that holds memshelf-mcp 0.4.0")
    parser.add_argument("--counts", type=int, nargs="*", default=[1000, 5000])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--big", type=int, default=50, help="MB of the large episode; 0 leaves it out")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rival = _rival(given.rival, folder)
        print("| wall / CPU, ms | episodes | MemShelf | memshelf-mcp 0.4.0 | ratio | limit | |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for count in given.counts:
            place = folder / str(count)
            place.mkdir()
            pair = build(place, count, rival)
            episode = next(iter(invent(count))).episode.id
            side_by_side(pair, episode, count, given.repeats)
        imports(folder, given.repeats)
        for part in ("few", "big"):
            (folder / part).mkdir()
        sizes(folder / "few", rival)
        if given.big:
            peaks(folder / "big", rival, given.big)


if __name__ == "__main__":
    main()
