"""Synthetic libraries of any size: the same invented episodes in our layout and in that of memshelf-mcp.

    python tests/bench/library.py 10000 DIR [--seed 1] [--root-shelf] [--bare-tree]

The same count and seed give the same trees. 40 % are Russian; a text is about 2 kB, a description 90 to 118
characters; some episodes are pinned, some replace an earlier one, most leave a thread open.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from words import ENGLISH, NAMES, RUSSIAN, Language

from memshelf.commands.init import init
from memshelf.commands.shelving import derived_files
from memshelf.formats.episode import render
from memshelf.model import MAX_SUMMARY, Entry, Episode, Section, Shelf, State
from memshelf.store.library import Library, open_library
from memshelf.store.snapshot import with_accepted
from memshelf.text import clip, slug

SHELF = "homelab"
LAST_DAY = date(2026, 6, 30)
DAYS = 1400
LONGEST_SLUG = 34
RUSSIAN_SHARE = 0.4
COMMIT = "commit refs/heads/main\ncommitter Bench <bench@example.com> 1782864000 +0000\ndata 5\nshelf\n"
KINDS = {"topic": "topics", "research": "research", "session": "sessions"}
SHELF_YML = f"""\
spec_version: "0.1"
mode: single
name: "{SHELF}"
profile: memory
docs_root: docs
categories: [topics, research, sessions]
index:
  path: INDEX.md
  generated_by: docshelf-mcp
"""


@dataclass(frozen=True)
class Invented:
    """One episode, and the description that memshelf-mcp keeps beside it; our summary is its clipping."""

    episode: Episode
    description: str


def invent(count: int, seed: int = 1) -> Iterator[Invented]:
    """Yield `count` episodes, oldest first."""
    chance = random.Random(seed)
    taken: list[str] = []
    known: set[str] = set()
    for number in range(count):
        day = LAST_DAY - timedelta(days=DAYS - number * DAYS // count)
        language = RUSSIAN if chance.random() < RUSSIAN_SHARE else ENGLISH
        slots = _slots(chance, language)
        slots["title"] = _capital(chance.choice(language.titles).format(**slots))
        name = f"{day}-{slug(slots['title'])[:LONGEST_SLUG].rpartition('-')[0]}"
        name = name if name not in known else f"{name}-{number}"
        known.add(name)
        replaces = (taken[chance.randrange(len(taken))],) if taken and chance.random() < 0.03 else ()
        taken.append(name)
        yield _episode(chance, language, slots, name, replaces)


def _slots(chance: random.Random, language: Language) -> dict[str, str]:
    thing, other = chance.sample(language.things, 2)
    tool, tool2 = chance.sample(language.tools, 2)
    slots = {
        "thing": thing,
        "other": other,
        "tool": tool,
        "tool2": tool2,
        "who": chance.choice(language.teams),
        "reason": chance.choice(language.reasons),
        "name": chance.choice(NAMES),
        "key": chance.choice(("timeout", "workers", "retention_days", "max_size")),
        "n": str(chance.randrange(2, 400)),
        "m": str(chance.randrange(400, 9000)),
    }
    return slots | {"open": chance.choice(language.threads).format(**slots)}


def _episode(
    chance: random.Random, language: Language, slots: dict[str, str], name: str, replaces: tuple[str, ...]
) -> Invented:
    kind = chance.choices(tuple(KINDS), (6, 3, 1))[0]
    digest = _capital(chance.choice(language.digests).format(**slots))
    description = _between(chance, language, slots, 90, 118)
    sections = [
        Section("Digest", digest),
        Section("Decisions", _prose(chance, language, slots, 7)),
        Section("Open threads", _capital(slots["open"]) + "." if chance.random() < 0.6 else "None."),
        Section("Sources", f"- {slots['name']}\n- https://example.com/{slots['key']}/{slots['m']}"),
    ]
    if kind == "session":
        sections.append(Section("Timeline", _prose(chance, language, slots, 4)))
    sections.append(Section("Artifacts", _prose(chance, language, slots, 5)))
    tags = chance.sample(("network", "home", "backup", "web", "cost", "database", "incident"), 2)
    episode = Episode(
        id=name,
        kind=kind,
        title=slots["title"],
        sections=tuple(sections),
        tags=(*tags, slug(slots["tool"])),
        span=f"{name[:10]}..{name[:10]}",
        summary=clip(description, MAX_SUMMARY),
        date=name[:10],
        approx_tokens=str(chance.randrange(2, 90) * 1000),
        approx_tokens_source="estimate",
        supersedes=replaces,
        pinned="true" if chance.random() < 0.005 else "",
        client=("claude-code",),
    )
    return Invented(episode, description)


def _prose(chance: random.Random, language: Language, slots: dict[str, str], count: int) -> str:
    """Return sentences, list items on lines of their own; half speak of another thing than `slots`."""
    said = []
    for sentence in chance.sample(language.sentences, min(count, len(language.sentences))):
        about = slots if chance.random() < 0.5 else _slots(chance, language)
        said.append(_capital(sentence.format(**about)))
    items = [one for one in said if one.startswith("- ")]
    plain = [one for one in said if not one.startswith("- ")]
    return "\n\n".join(block for block in (" ".join(plain), "\n".join(items)) if block)


def _between(chance: random.Random, language: Language, slots: dict[str, str], least: int, most: int) -> str:
    """Return a description of `least` to `most` characters."""
    text = _capital(chance.choice(language.descriptions).format(**slots))
    while len(text) < least:
        text += f", {chance.choice(NAMES)}"
    return clip(text, chance.randrange(least + 18, most + 1)) if len(text) > most else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def make_ours(root: Path, invented: Iterable[Invented], *, checkout: bool = True) -> Library:
    """Make a library of ours at `root` whose shelf SHELF holds the episodes, derived files included.

    Needs a git identity. Without `checkout` the work tree holds the settings alone.
    """
    day = str(LAST_DAY)
    init(root, [SHELF], today=day)
    library = open_library(root)
    entries: list[Entry] = []

    def files() -> Iterator[tuple[str, bytes]]:
        for one in invented:
            path = library.episode_path(SHELF, one.episode)
            entries.append(Entry(SHELF, path, "", State.ACCEPTED, one.episode))
            yield path, render(one.episode).encode()
        yield from derived_files(library, with_accepted(Shelf(SHELF), entries), day).items()

    import_files(root, files(), checkout=checkout)
    return library


def make_root_shelf(root: Path, invented: Iterable[Invented], *, checkout: bool = True) -> None:
    """Make `root` a shelf in the layout of memshelf-mcp, or fill the one that it made there.

    Its derived files are left to its `rebuild`.
    """
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        _git(root, "init", "-q", "-b", "main")
        (root / "shelf.yml").write_text(SHELF_YML, encoding="utf-8")
        _git(root, "add", "-A")
        _git(root, "commit", "-qm", "init")
    files = ((f"docs/{KINDS[one.episode.kind]}/{one.episode.id}.md", _as_theirs(one)) for one in invented)
    import_files(root, files, checkout=checkout)


def _as_theirs(one: Invented) -> bytes:
    episode = one.episode
    keys = {
        "id": episode.id,
        "kind": episode.kind,
        "span": episode.date,
        "date": episode.date,
        "display_title": json.dumps(episode.title, ensure_ascii=False),
        "description": json.dumps(one.description, ensure_ascii=False),
        "tags": f"[{', '.join(episode.tags)}]",
        "approx_tokens": episode.approx_tokens,
        "approx_tokens_source": "estimate",
        "mode": "live",
    }
    block = "\n".join(f"{key}: {value}" for key, value in keys.items())
    body = "\n".join(f"## {part.heading}\n{part.body}\n" for part in episode.sections)
    return f"# {episode.id}\n\n---\n{block}\n---\n\n{body}".encode()


def import_files(root: Path, files: Iterable[tuple[str, bytes]], *, checkout: bool) -> None:
    """Add the files to the branch `main`, in commits that double its size."""
    command = ["git", "-c", "core.compression=1", "fast-import", "--quiet"]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE) as process:
        assert process.stdin
        due = 0
        for number, (path, raw) in enumerate(files):
            if number == due:
                due += max(50, number)
                head = "from refs/heads/main^0\n" if number == 0 else ""
                process.stdin.write(f"{COMMIT}{head}".encode())
            process.stdin.write(f"M 100644 inline {path}\ndata {len(raw)}\n".encode() + raw + b"\n")
    assert process.returncode == 0, "git fast-import failed"
    _git(root, "reset", "-q", "--hard") if checkout else _git(root, "read-tree", "HEAD")


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root-shelf", action="store_true", help="in the layout of memshelf-mcp")
    parser.add_argument("--bare-tree", action="store_true", help="check nothing out")
    given = parser.parse_args()
    make = make_root_shelf if given.root_shelf else make_ours
    make(given.folder, invent(given.count, given.seed), checkout=not given.bare_tree)


if __name__ == "__main__":
    main()
