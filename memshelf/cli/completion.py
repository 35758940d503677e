"""`memshelf completion bash|zsh|fish`: what may stand where on a command line, told to a shell."""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SHELLS = ("bash", "zsh", "fish")
ANY, FILES, FOLDERS, WORDS, LIVE = "any", "files", "folders", "words", "live"
FLAG = ""
"""What a flag without a value wants."""

KINDS = SHELVES, IDS, DRAFTS, SECTIONS = "shelves", "ids", "drafts", "sections"
OF_THE_LIBRARY = {"shelf": SHELVES, "supersedes": IDS, "sections": SECTIONS, "ids": DRAFTS}
PLACED = {"id": IDS}
"""Argument -> the live values it takes; PLACED only where it stands without a flag."""

SEPARATOR = "\x1f"
"""Between the words of a command line, as a shell passes them."""

HARMLESS = re.compile(r"[\w ./@:+,-]+")
"""What no shell takes for anything else, once its spaces are quoted: a library may come from anywhere."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One flag, or one place without a flag, of a verb.

    `wants` is what its value may be: FLAG for none, `any`, `files`, `folders`, `words A B C`,
    or `live KIND`.
    """

    flags: tuple[str, ...]
    name: str
    about: str
    wants: str
    many: bool


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the shell, and what the scripts ask for."""
    parser.add_argument("shell", nargs="?", choices=SHELLS, help="the shell to complete in")
    parser.add_argument("--live", choices=KINDS, help=argparse.SUPPRESS)
    parser.add_argument("--words", default="", help=argparse.SUPPRESS)


def run(parsed: argparse.Namespace) -> int:
    """Print the script, or the live values: one a line, and nothing else whatever happens."""
    if parsed.live:
        for value in live(parsed.live, parsed.words.split(SEPARATOR)):
            print(value)
        return 0
    from memshelf.cli import VERBS, shells  # noqa: PLC0415 # the live values need none of it
    from memshelf.errors import UsageError  # noqa: PLC0415

    if not parsed.shell:
        raise UsageError(f"for which shell? memshelf completion {'|'.join(SHELLS)}")
    print(shells.SCRIPTS[parsed.shell]({verb: list(slots(verb)) for verb in VERBS}), end="")
    return 0


def slots(verb: str) -> Iterator[Slot]:
    """Yield what the verb's parser takes."""
    parser = argparse.ArgumentParser(verb)
    importlib.import_module(f"memshelf.cli.{verb}").configure(parser)
    for action in parser._actions:  # argparse has no other way to ask
        if action.help == argparse.SUPPRESS:
            continue
        names = tuple(name for name in action.option_strings if name.startswith("--"))
        many = action.nargs == "*" or type(action).__name__ == "_AppendAction"
        label = action.metavar if isinstance(action.metavar, str) else action.dest
        yield Slot(names, label, action.help or "", _wants(action, label), many)


def _wants(action: argparse.Action, label: str) -> str:
    if action.nargs == 0:
        return FLAG
    if action.choices or ("|" in label and label.islower()):
        return f"{WORDS} {' '.join(action.choices or label.split('|'))}"
    for mark, kind in (("FILE", FILES), ("DIR", FOLDERS)):
        if mark in label:
            return kind
    if label == "NAME":
        return ANY
    if action.dest == "rule":
        from memshelf.commands.explain import explain  # noqa: PLC0415 # one verb's

        return f"{WORDS} {' '.join(name for name, *_ in explain().rules)}"
    known = OF_THE_LIBRARY if action.option_strings else OF_THE_LIBRARY | PLACED
    return f"{LIVE} {known[action.dest]}" if action.dest in known else ANY


def live(kind: str, words: Sequence[str]) -> list[str]:
    """Return the values of the kind that the library has, newest ids first; none where anything is wrong.

    `words` are the command line up to the cursor, as they were typed.
    """
    try:
        plain = [_unquoted(word) for word in words]
        return [value for value in _ask(kind, plain) if HARMLESS.fullmatch(value)]
    except Exception:  # a person who presses Tab wants values or silence
        return []


def _ask(kind: str, words: Sequence[str]) -> list[str]:
    from memshelf.store import names  # noqa: PLC0415 # and no other part of the store: Tab does not wait

    named = [value for flag, value in itertools.pairwise(words) if flag == "--library"]
    named += [word.partition("=")[2] for word in words if word.startswith("--library=")]
    here = Path.cwd()
    root = names.find(
        named[-1] if named else os.environ.get("MEMSHELF_LIBRARY", ""),
        (here, *here.parents),
        Path("~/memshelf").expanduser(),
    )
    if root is None:
        return []
    if kind == SHELVES:
        return names.shelves(root)
    if kind == SECTIONS:
        return _sections(root, words[2:-1])
    found = names.drafts(root) + (names.episodes(root) if kind == IDS else [])
    return _addressed([(one.shelf, one.id) for one in found], words[-1])


def _sections(root: Path, words: Sequence[str]) -> list[str]:
    """Return the headings of the episode that the command line names, else those that every one may have."""
    from memshelf.store import names  # noqa: PLC0415 # as above

    wanted = {word.partition("#")[0].removesuffix("@draft").rpartition("/")[2] for word in words}
    named = [one for one in (*names.episodes(root), *names.drafts(root)) if one.id in wanted]
    if named:
        return names.headings(root, named[0])
    from memshelf.model import SECTIONS as USUAL  # noqa: PLC0415 # for one flag only

    return list(USUAL)


def _addressed(found: list[tuple[str, str]], typed: str) -> list[str]:
    """Return the ids, newest first: with the shelf when one is being typed."""
    named = {f"{shelf}/{name}" if "/" in typed and shelf else name: name for shelf, name in found}
    return sorted(named, key=lambda value: named[value], reverse=True)


def _unquoted(word: str) -> str:
    try:
        return " ".join(shlex.split(word))
    except ValueError:  # a quote that is still open
        return word[1:]
