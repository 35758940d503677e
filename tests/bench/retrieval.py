"""Search on labelled questions, through a warm MCP server and the command line, beside FTS5 and grep.

    python tests/bench/retrieval.py DATA [--sets NAME ...] [--most 1000] [--cli 20] [--semantic]

DATA holds a folder for each set, as labelled.py describes them. Prints the ranking's figures, for misspelt
questions too where the set has them, and, where it has evidence, the share of it inside a budget: of ours in
the whole answer as it was given, headers included; of FTS5 and grep in whole episodes, cut at the budget.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from labelled import Labelled, make_library, read, shelf_name, text_of
from meter import environment, measure

from memshelf.search.judgement import DEPTH, Ranking, by_matching_words, marks
from memshelf.store.catalogue.baseline import by_whole_texts
from memshelf.text import tokens

BUDGETS = (500, 1000, 2000, 4000)
PROGRAM = Path(sys.executable).with_name("memshelf")
OPENING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Client(AbstractContextManager["Client"]):
    """A server over the library at `root`, asked one thing after another."""

    def __init__(self, root: Path, variables: dict[str, str]) -> None:
        command = [PROGRAM, "serve", "--library", root]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables, encoding="utf-8"
        )
        self.number = 0
        self._ask("initialize", OPENING)
        self._send({"method": "notifications/initialized"})

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def search(self, **arguments: Any) -> tuple[dict[str, Any], str]:
        """Return the answer as data and as text; asked again until everything has been read."""
        while True:
            result = self._ask("tools/call", {"name": "search", "arguments": arguments})
            data, text = result.get("structuredContent"), result["content"][0]["text"]
            if data is None:
                raise SystemExit(text)
            if "the next call goes on" not in data["note"]:
                return data, text

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        assert self.process.stdout
        for line in self.process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self.number:
                return answer.get("result") or {"content": [{"text": str(answer.get("error"))}]}
        raise SystemExit("the server has gone")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()


def ours(client: Client, labelled: Labelled, field: str, **more: Any) -> list[Ranking]:
    """Ask the server every question."""
    made = []
    for query in labelled.queries:
        about = {"query": query[field], "shelf": shelf_name(query["shelf"]), "limit": DEPTH, "budget": 4000}
        data, text = client.search(**about, **more)
        made.append(Ranking([f"{hit['shelf']}/{hit['id']}" for hit in data["hits"]], tokens(text)))
    return made


def plain(labelled: Labelled, field: str) -> dict[str, list[list[int]]]:
    """Return what FTS5 and grep find: for each query places among its shelf's documents."""
    found: dict[str, list[list[int]]] = {name: [[] for _ in labelled.queries] for name in ("FTS5", "grep")}
    for shelf, docs in labelled.docs.items():
        here = [at for at, query in enumerate(labelled.queries) if query["shelf"] == shelf]
        texts = list(enumerate(map(text_of, docs)))
        asked = [labelled.queries[at][field] for at in here]
        each = (by_whole_texts(texts, asked, DEPTH), by_matching_words(texts, asked))
        for name, rankings in zip(found, each, strict=True):
            for at, ranking in zip(here, rankings, strict=True):
                found[name][at] = ranking
    return found


def ranking_rows(client: Client, labelled: Labelled, field: str, *, semantic: bool) -> None:
    """Print the figures of each way to search."""
    rankings = {"memshelf": ours(client, labelled, field)}
    if semantic:
        rankings["memshelf --semantic"] = ours(client, labelled, field, semantic=True)
    for name, found in plain(labelled, field).items():
        rankings[name] = [
            Ranking(
                [labelled.ids[query["shelf"], labelled.docs[query["shelf"]][at]["id"]] for at in places], 0
            )
            for query, places in zip(labelled.queries, found, strict=True)
        ]
    label = f"{labelled.name}{' (typo)' if field == 'typo' else ''}"
    for name, each in rankings.items():
        found = marks(labelled.questions(field), each)
        figures = f"{found.ndcg_10:.3f} | {found.hit_1:.3f} | {found.hit_5:.3f} | {found.mrr:.3f}"
        print(f"| {label} | {len(each)} | {name} | {figures} |", flush=True)


def evidence_rows(client: Client, labelled: Labelled, *, semantic: bool) -> None:
    """Print the share of the evidence that each way to search shows within a budget."""
    asked = [(at, query) for at, query in enumerate(labelled.queries) if _lines_of(labelled, query)]
    if not asked:
        return

    def shown(query: dict[str, Any], budget: int, **more: Any) -> str:
        _, text = client.search(query=query["text"], shelf=shelf_name(query["shelf"]), budget=budget, **more)
        assert tokens(text) <= budget
        return text

    ways: dict[str, Callable[[int, dict[str, Any], int], str]] = {"memshelf": lambda _, *of: shown(*of)}
    if semantic:
        ways["memshelf --semantic"] = lambda _, *of: shown(*of, semantic=True)
    for name, found in plain(labelled, "text").items():
        ways[name] = lambda at, query, budget, found=found: _cut(  # type: ignore[misc]
            "\n".join(text_of(labelled.docs[query["shelf"]][place]) for place in found[at]), budget
        )
    print(f"\n| evidence, {labelled.name}, {len(asked)} queries |", " | ".join(map(str, BUDGETS)), "|")
    print("|---" * (1 + len(BUDGETS)) + "|")
    for name, way in ways.items():
        shares = [
            statistics.fmean(_share(labelled, query, way(at, query, budget)) for at, query in asked)
            for budget in BUDGETS
        ]
        print(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


def _lines_of(labelled: Labelled, query: dict[str, Any]) -> list[str]:
    every = (labelled.turns.get((query["shelf"], turn), "") for turn in query.get("evidence") or ())
    return [line for line in every if line]


def _share(labelled: Labelled, query: dict[str, Any], text: str) -> float:
    """Return the share of the evidence whose whole lines stand in `text`."""
    lines = _lines_of(labelled, query)
    spaced = " ".join(text.split())
    return sum(" ".join(line.split()) in spaced for line in lines) / len(lines)


def _cut(text: str, budget: int) -> str:
    """Return as many lines of `text` as fit."""
    lines = text.split("\n")
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        fits = tokens("\n".join(lines[:middle])) <= budget
        low, high = (middle, high) if fits else (low, middle - 1)
    return "\n".join(lines[:low])


def command_line(
    root: Path, client: Client, labelled: Labelled, variables: dict[str, str], count: int
) -> None:
    """Say whether the command line answers as the server does, and what it costs."""
    costs, same = [], 0
    few = labelled.queries[:: max(1, len(labelled.queries) // count)][:count]
    for query in few:
        shelf = shelf_name(query["shelf"])
        words = [
            "search",
            "--json",
            "--limit",
            "10",
            "--budget",
            "4000",
            "--shelf",
            shelf,
            "--",
            query["text"],
        ]
        cost = measure([PROGRAM, *words], variables, root)
        data, _ = client.search(query=query["text"], shelf=shelf, limit=10, budget=4000)
        same += json.loads(cost.answer)["hits"] == data["hits"]
        costs.append(1000 * cost.cpu)
    print(f"\n{labelled.name}: {same} of {len(few)} command lines answer as the server does, ", end="")
    print(f"{statistics.median(costs):.0f} ms of CPU each (median).\n", flush=True)


def report(folder: Path, data: Path, given: argparse.Namespace) -> None:
    """Print the tables of one set."""
    labelled = read(data, given.most)
    variables = environment(folder / "home")
    os.environ |= variables
    root = folder / "library"
    make_library(root, labelled)
    with Client(root, variables) as client:
        print("| set | queries | | nDCG@10 | hit@1 | hit@5 | MRR |\n|---|---|---|---|---|---|---|")
        for field in ("text", "typo"):
            if all(field in query for query in labelled.queries):
                ranking_rows(client, labelled, field, semantic=given.semantic)
        evidence_rows(client, labelled, semantic=given.semantic)
        if given.cli:
            command_line(root, client, labelled, variables, given.cli)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="*", help="names of folders; all of DATA without it")
    parser.add_argument("--most", type=int, default=1000, help="queries of a set")
    parser.add_argument("--cli", type=int, default=20, help="queries that are asked on the command line too")
    parser.add_argument("--semantic", action="store_true", help="by meaning too, where installed")
    given = parser.parse_args()
    for name in given.sets or sorted(path.parent.name for path in given.data.glob("*/queries.jsonl")):
        with tempfile.TemporaryDirectory() as place:
            report(Path(place), given.data / name, given)


if __name__ == "__main__":
    main()
