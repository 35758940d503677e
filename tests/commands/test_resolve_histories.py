"""Random histories of two branches: what resolve ends is whole, and what it cannot is a question."""

from __future__ import annotations

import random
import subprocess
from typing import TYPE_CHECKING

import pytest
from store.traces import put
from support import TODAY, fine, git

from memshelf.commands.doctor import doctor
from memshelf.commands.render import render
from memshelf.commands.resolve import resolve
from memshelf.formats import episode as episode_format
from memshelf.model import KINDS, Episode, Level

if TYPE_CHECKING:
    from memshelf.store.library import Library

State = dict[str, Episode]
"""Path -> episode."""

SHELF = "shelves/shared/"
SHARED_LINES = ("id: ", "kind: ", "tags: ")
SEEDS = (1, 3, 10, 11, 12, 22, 32, 33)
"""Merges and rebases that stop; 10 ends in a question."""


def changed(chance: random.Random, state: State, tag: str, times: int) -> State:
    """Return the state after so many writes, amends, purges, moves and archivings."""
    state = dict(state)
    for _ in range(times):
        act = chance.choice(("add", "add", "amend", "amend", "amend", "purge", "move", "archive"))
        if act == "add":
            day = f"2026-07-0{chance.randint(1, 9)}"
            decision = (
                f"The auth service signs tokens {tag}{chance.randint(0, 3)}; server sessions were rejected."
            )
            if not any(episode.date == day for episode in state.values()):
                kind = chance.choice(("topic", "topic", "research"))
                new = fine(id=f"{day}-x", date=day, decisions=decision, kind=kind)
                state[place(new)] = new
        elif state:
            path = chance.choice(sorted(state))
            old = state.pop(path)
            if act != "purge":
                state |= kept(act, path, old, f"{tag}{chance.randint(0, 2)}", chance)
    return state


def kept(act: str, path: str, old: Episode, value: str, chance: random.Random) -> State:
    archived = "archive/" if act == "archive" or "/archive/" in path else ""
    if act == "move":
        old = old._replace(kind="research" if old.kind == "topic" else "topic")
    elif act == "amend":
        key = chance.choice(("Open threads", "Sources", "title", "summary", "tags"))
        if key == "tags":
            old = old._replace(tags=tuple(dict.fromkeys((*old.tags, value))))
        elif key in ("title", "summary"):
            old = old._replace(**{key: f"Auth {value}"})
        else:
            sections = (part._replace(body=value) if part.heading == key else part for part in old.sections)
            old = old._replace(sections=tuple(sections))
    return {place(old, archived): old}


def place(episode: Episode, archived: str = "") -> str:
    return f"{SHELF}{archived}docs/{KINDS[episode.kind]}/{episode.id}.md"


def commit(library: Library, state: State) -> None:
    """Commit exactly these episodes, and the derived files."""
    for path in found(library):
        if path not in state:
            (library.root / path).unlink()
    for path, episode in state.items():
        put(library.root, path, episode_format.render(episode))
    render(library, TODAY)
    git(library.root, "add", "--all")
    git(library.root, "commit", "--quiet", "--allow-empty", "--message", "by hand")


def found(library: Library) -> State:
    files = [path for path in (library.root / SHELF).rglob("*.md") if "docs" in path.parts]
    return {
        path.relative_to(library.root).as_posix(): episode_format.parse(path.read_text(encoding="utf-8"))
        for path in files
    }


def words(state: State) -> set[str]:
    """Return every line that says something, and every tag."""
    lines = {line for each in state.values() for line in episode_format.render(each).split("\n")}
    tags = {f"tag {tag}" for each in state.values() for tag in each.tags}
    return {line for line in lines if not line.startswith(SHARED_LINES)} | tags


@pytest.mark.parametrize("seed", SEEDS)
def test_two_random_histories_end_whole_or_in_a_question(library: Library, seed: int) -> None:
    chance = random.Random(seed)
    base = changed(chance, {}, "p", 6)
    commit(library, base)
    git(library.root, "switch", "--quiet", "--create", "other")
    theirs = changed(chance, base, "q", chance.randint(1, 6))
    commit(library, theirs)
    git(library.root, "switch", "--quiet", "main")
    ours = changed(chance, base, "r", chance.randint(1, 6))
    commit(library, ours)
    verb, *rest = chance.choice((("merge", "--no-edit"), ("rebase",)))
    command = ["git", "-C", str(library.root), verb, *rest, "other"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1, "choose another seed"

    done = resolve(library, TODAY)

    unmerged = git(library.root, "ls-files", "--unmerged")
    assert bool(unmerged) <= bool(done.questions)
    if not done.ok:
        assert done.questions
        return
    ending = ("commit", "--quiet", "--no-edit") if verb == "merge" else ("rebase", "--continue")
    git(library.root, "-c", "core.editor=true", *ending)
    assert git(library.root, "status", "--porcelain") == ""
    errors = [each for each in doctor(library.root, TODAY).findings if each.level is Level.ERROR]
    assert errors == []
    end = found(library)
    assert (words(ours) | words(theirs)) - words(base) <= words(end)
