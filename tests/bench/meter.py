"""What a command costs: wall time, CPU and peak memory, in an environment that depends on nobody."""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LAUNCH = Path(__file__).with_name("launch.py")
IMPORT = re.compile(r"import time: +(\d+) \| +\d+ \| +(\S+)")


@dataclass(frozen=True)
class Cost:
    """Seconds of wall time and CPU (children included), bytes of the largest process, and the answer."""

    wall: float
    cpu: float
    peak: int
    answer: str = ""


def environment(home: Path) -> dict[str, str]:
    """Return variables for a person at home in `home`, and write that person's git settings there."""
    home.mkdir(parents=True, exist_ok=True)
    config = home / ".gitconfig"
    config.write_text(
        "[user]\n\tname = Bench\n\temail = bench@example.com\n[init]\n\tdefaultBranch = main\n",
        encoding="utf-8",
    )
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "MEMSHELF_STATE_DIR": str(home / "state" / "memshelf"),
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def measure(
    command: Sequence[str | Path],
    variables: dict[str, str],
    folder: Path,
    *,
    stdin: Path | None = None,
    mcp: bool = False,
) -> Cost:
    """Run the command once in `folder`; exit codes 0 and 1 are answers, others end the benchmark."""
    answer = folder.parent / "answer.txt"
    launch = [sys.executable, "-I", "-S", LAUNCH, "mcp" if mcp else "run", answer, stdin or "", *command]
    done = subprocess.run(
        [str(word) for word in launch], env=variables, cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command}: {done.stderr}")
    wall, cpu, peak, code = json.loads(done.stdout)
    if code not in (0, 1):
        raise SystemExit(f"{command}: exit {code}: {done.stderr}")
    return Cost(wall, cpu, peak * 1024, answer.read_text(encoding="utf-8"))


def medians(costs: Iterable[Cost]) -> Cost:
    """Return the median of each figure, and the last answer."""
    every = list(costs)
    wall, cpu, peak = (
        statistics.median(getattr(cost, name) for cost in every) for name in ("wall", "cpu", "peak")
    )
    return Cost(wall, cpu, int(peak), every[-1].answer)


def in_turn(one: Callable[[], Cost], other: Callable[[], Cost], repeats: int) -> tuple[Cost, Cost]:
    """Measure two things in turn, the first of each pair changing; a first run of each does not count."""
    one(), other()
    first, second = [], []
    for number in range(repeats):
        for left in (True, False) if number % 2 else (False, True):
            (first if left else second).append((one if left else other)())
    return medians(first), medians(second)


def import_ms(python: Path, ours: Sequence[str], base: str, variables: dict[str, str]) -> float:
    """Return the ms that the modules of `python *ours` take which the code `base` does not import."""
    known = _imports(python, ["-c", base], variables)
    mine = _imports(python, ours, variables)
    return sum(micros for name, micros in mine.items() if name not in known) / 1000


def _imports(python: Path, words: Sequence[str], variables: dict[str, str]) -> dict[str, int]:
    done = subprocess.run(
        [str(python), "-X", "importtime", *words],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name: int(micros) for micros, name in IMPORT.findall(done.stderr)}
