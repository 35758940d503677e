"""Random histories of three clones and a remote: what was answered "saved" or "accepted" is never lost."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support import FINE, git

from memshelf.cli import main
from memshelf.commands.init import init

SECTIONS = ("decisions", "open_threads", "sources")
"""Each clone amends a section of its own: what two change in one section, a person must decide."""

STEPS = (
    "write",
    "write",
    "amend",
    "amend",
    "accept",
    "accept",
    "reject",
    "sync",
    "sync",
    "resolve",
    "remote_goes",
)
LENGTH = 14
IDS = [f"2026-07-1{number}-topic" for number in range(4)]
ROUNDS = 4


class Answer(NamedTuple):
    """What one command said; `code` is None when it was killed."""

    code: int | None
    out: str

    @property
    def data(self) -> Any:
        """The JSON of the answer."""
        return json.loads(self.out)


def ask(*words: str) -> Answer:
    """Run one command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    assert code in (0, 1), f"{words}: {code}\n{out.getvalue()}{err.getvalue()}"
    return Answer(code, out.getvalue())


def killed(delay: float, *words: str) -> Answer:
    """Run one command line in a process group of its own and kill all of it after `delay` seconds."""
    command = [sys.executable, "-P", "-m", "memshelf", *words]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    time.sleep(delay)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    out, _ = process.communicate()
    return Answer(None if process.returncode < 0 else process.returncode, out)


class History:
    """Three clones of a library, its bare remote, and the marks of every text that was kept."""

    def __init__(self, place: Path, seed: int) -> None:
        """Make the clones in `place`; `seed` decides all that happens."""
        self.random = random.Random(seed)
        self.remote = place / "remote.git"
        self.clones = [place / name for name in "abc"]
        self.promised: set[str] = set()
        self.marks = 0
        init(self.clones[0], ["homelab"], today=FINE.date)
        git(place, "clone", "-q", "--bare", str(self.clones[0]), str(self.remote))
        git(self.clones[0], "remote", "add", "origin", str(self.remote))
        git(self.clones[0], "fetch", "-q", "origin")
        for clone in self.clones[1:]:
            git(place, "clone", "-q", str(self.remote), str(clone))

    def run(self, clone: Path, *words: str, at_risk: bool = True) -> Answer:
        """Run a command, now and then one that is killed."""
        words = (*words, "--library", str(clone))
        if at_risk and self.random.random() < 0.15:
            return killed(self.random.uniform(0.1, 0.9), *words)
        return ask(*words)

    def mark(self) -> str:
        """Return a word that no other text holds."""
        self.marks += 1
        return f"zq{self.marks}mark"

    def step(self) -> None:
        """Let something happen in one of the clones."""
        number = self.random.randrange(len(self.clones))
        getattr(self, self.random.choice(STEPS))(self.clones[number], SECTIONS[number])

    def write(self, clone: Path, _: str) -> None:
        """Write a new episode; its id may be another clone's too."""
        mark = self.mark()
        texts = {"title": FINE.title, "digest": FINE.digest, "open-threads": "None.", "sources": "None."}
        texts |= {"decisions": f"{FINE.section('Decisions')} {mark}", "shelf": "homelab"}
        flags = [word for name, text in texts.items() for word in (f"--{name}", text)]
        if self.run(clone, "write", "--id", self.random.choice(IDS), *flags).code == 0:
            self.promised.add(mark)

    def amend(self, clone: Path, section: str) -> None:
        """Add to the section that is this clone's to amend."""
        kept = [self.read(clone, name) for name in IDS]
        found = [each for each in kept if each]
        if found:
            episode, mark = self.random.choice(found), self.mark()
            heading = section.replace("_", " ").capitalize()
            text = f"{_section(episode['text'], heading)} {mark}"
            words = ("--id", episode["id"], "--shelf", "homelab", "--rev", episode["rev"])
            flag = f"--{section.replace('_', '-')}"
            if self.run(clone, "write", "--amend", *words, flag, text).code == 0:
                self.promised.add(mark)

    def read(self, clone: Path, name: str) -> dict[str, Any] | None:
        """Return what an amend must be based on: the draft where there is one, else what is accepted."""
        for address in (f"homelab/{name}@draft", f"homelab/{name}"):
            answer = ask("read", address, "--json", "--library", str(clone))
            if answer.code == 0:
                return dict(answer.data)
        return None

    def drafts(self, clone: Path) -> list[str]:
        """Return the addresses of the drafts of this clone."""
        waiting = ask("review", "list", "--json", "--library", str(clone)).data["drafts"]
        return [f"{each['shelf']}/{each['id']}" for each in waiting]

    def accept(self, clone: Path, _: str) -> None:
        """Accept a draft."""
        waiting = self.drafts(clone)
        if waiting:
            self.run(clone, "review", "accept", self.random.choice(waiting))

    def reject(self, clone: Path, _: str) -> None:
        """Reject a draft: what only it held may go."""
        waiting = self.drafts(clone)
        if waiting and self.random.random() < 0.5:
            chosen = self.random.choice(waiting)
            text = ask("review", "show", chosen, "--library", str(clone)).out
            if self.run(clone, "review", "reject", chosen, "--reason", "not needed").code in (0, None):
                self.promised -= {mark for mark in self.promised if mark in text}

    def sync(self, clone: Path, _: str) -> None:
        """Meet the remote."""
        self.run(clone, "sync")

    def resolve(self, clone: Path, _: str) -> None:
        """Resolve what there may be."""
        self.run(clone, "resolve")

    def remote_goes(self, *_: object) -> None:
        """Take the remote away, or bring it back."""
        gone = self.remote.with_suffix(".gone")
        source, target = (self.remote, gone) if self.remote.exists() else (gone, self.remote)
        source.rename(target)

    def end(self) -> None:
        """Bring the remote back and let every clone meet it until all is told."""
        if not self.remote.exists():
            self.remote_goes()
        for _ in range(ROUNDS):
            for clone in self.clones:
                ask("sync", "--library", str(clone))

    def lost(self) -> list[str]:
        """Return the marks that no clone holds, neither accepted nor as a draft nor on the remote."""
        texts = [_everything(folder) for folder in (*self.clones, self.remote)]
        return sorted(mark for mark in self.promised if not any(mark in text for text in texts))


def _section(text: str, heading: str) -> str:
    after = text.partition(f"## {heading}\n")[2]
    return after.partition("\n## ")[0].partition("\n</")[0].strip()


def _everything(folder: Path) -> str:
    """Return what the tips of all refs hold, but for what a person rejected."""
    refs = git(folder, "for-each-ref", "--format=%(refname)").split("\n")
    tips = [ref for ref in refs if not ref.startswith("refs/memshelf/rejected/")]
    found = []
    for tip in tips:
        done = subprocess.run(
            ["git", "-C", str(folder), "grep", "-hoE", "zq[0-9]+mark", tip],
            capture_output=True,
            text=True,
            check=False,
        )
        found.append(done.stdout)
    return "\n".join(found)


def test_no_text_is_lost_and_all_clones_agree(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    first, count = (request.config.getoption(name) for name in ("--first-history", "--histories"))
    for seed in range(first, first + count):
        place = tmp_path / str(seed)
        place.mkdir()
        history = History(place, seed)

        for _ in range(LENGTH):
            history.step()
        history.end()

        assert history.lost() == [], f"seed {seed}"
        tips = {git(folder, "rev-parse", "main^{tree}") for folder in (*history.clones, history.remote)}
        assert len(tips) == 1, f"seed {seed}"
        for clone in history.clones:
            assert git(clone, "status", "--porcelain") == "", f"seed {seed}"
            assert ask("render", "--check", "--library", str(clone)).code == 0, f"seed {seed}"
            assert ask("doctor", "--library", str(clone)).code == 0, f"seed {seed}"
