"""The reviewer's desk: what waits, then draft by draft, one key each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memshelf.cli.editor import edit
from memshelf.cli.screen import Line, visible
from memshelf.cli.sheet import ago, facts, sheet
from memshelf.cli.terminal import BOLD, DIM, GREEN, RED
from memshelf.commands.accept import accept
from memshelf.commands.reject import reject
from memshelf.commands.review import Waiting, show, waiting
from memshelf.errors import MemShelfError
from memshelf.requests import RejectRequest
from memshelf.store import snapshot
from memshelf.store.clock import seconds_since
from memshelf.store.drafts import read_note

if TYPE_CHECKING:
    from memshelf.cli.screen import Screen
    from memshelf.commands.review import Shown
    from memshelf.requests import Caller
    from memshelf.store.drafts import Note
    from memshelf.store.library import Library

LISTED = 20
KEYS = ("[a]ccept", "[e]dit", "[r]eject", "[s]kip", "[q]uit", "[?]")
ADVICE = (
    "Agents wrote these for later sessions; nothing is permanent until you accept it. Is it true, was it "
    "decided, and does the digest say what the decisions say?"
)
HELP = """\
a  accept: this text goes on the library's branch, one commit, and every session may read it from then on
e  edit: change it in your editor first; secrets are redacted and the rules checked again
r  reject: it leaves the index and the search; your reason is kept (memshelf review --rejected)
s  skip: decide later, it keeps waiting
q  quit: what you decided is done, the rest keeps waiting
Reject what is wrong, what nobody decided, and a digest that says other than its decisions."""


def work(library: Library, caller: Caller, screen: Screen, shelf: str) -> None:
    """Let a person decide on every draft that waits; what is not decided stays as it is."""
    found = waiting(library, shelf)
    list_drafts(library, found, screen)
    desk = Desk(library, caller, screen)
    total = len(found.drafts)
    try:
        for number, entry in enumerate(found.drafts, 1):
            screen.show([Line(), Line(f"── {number} of {total} ──", DIM)])
            if not desk.decide(f"{entry.shelf}/{entry.episode.id}"):
                break
    except EOFError:
        pass
    except KeyboardInterrupt:
        print()
        raise
    finally:
        if total:
            desk.sum_up(total)


def list_drafts(library: Library, found: Waiting, screen: Screen) -> None:
    """Show what waits: title, address, what it is, who wrote it, how old, how much was redacted."""
    count = len(found.drafts)
    head = f"{count or 'no'} draft{'s wait' if count > 1 else ' waits'}"
    screen.show([Line(head, BOLD), *([Line(ADVICE, DIM)] if count else [])])
    for number, entry in enumerate(found.drafts[:LISTED], 1):
        note = read_note(library.git, entry.commit)
        lead = f"{number}. "
        screen.show(
            [
                Line(lead + visible(entry.episode.title), hang=len(lead)),
                Line(
                    " " * len(lead)
                    + visible(f"{entry.shelf}/{entry.episode.id} · {facts(entry, note, _age(note))}"),
                    DIM,
                    hang=len(lead),
                ),
            ]
        )
    if count > LISTED:
        screen.say(f"and {count - LISTED} more", DIM)
    for name, episode_id in found.damaged:
        screen.say(f"{name}/{episode_id}: {snapshot.damage(name, episode_id)}", RED)


@dataclass(slots=True)
class Desk:
    """One sitting: `done` counts what was accepted, rejected and edited."""

    library: Library
    caller: Caller
    screen: Screen
    done: Counter[str] = field(default_factory=Counter)

    def decide(self, name: str) -> bool:
        """Show one draft until the person has decided on the text they see; False: no more drafts."""
        seen = None
        while True:
            try:
                now = show(self.library, self.caller.today, name)
            except MemShelfError as error:
                self.screen.say(str(error), RED)
                return True
            if seen is None or seen.entry.commit != now.entry.commit:
                seen = now
                self.screen.page(sheet(seen, _age(seen.note)))
            key = self.screen.choose("", KEYS)
            if key in "sq":
                return key == "s"
            if self._act(key, seen):
                return True

    def _act(self, key: str, seen: Shown) -> bool:
        """Do what the key says; tell whether the draft is decided on. A refusal leaves it waiting."""
        if key == "?":
            self.screen.show(Line(row, DIM, hang=3) for row in HELP.split("\n"))
            return False
        try:
            return {"a": self._accept, "e": self._edit, "r": self._reject}[key](seen)
        except MemShelfError as error:
            self.screen.say(str(error), RED)
            return False

    def _accept(self, seen: Shown) -> bool:
        # Whether an agent asks was settled before the desk opened.
        accepted = accept(self.library, [seen.entry], self.caller, as_person=True)
        self.screen.say(accepted.as_text(), GREEN)
        self.done["accepted"] += 1
        return True

    def _edit(self, seen: Shown) -> bool:
        revised = edit(self.library, seen.entry, self.caller.today, self.screen)
        if revised:
            self.screen.say(revised.as_text(), GREEN if revised.commit else DIM)
            self.done["edited"] += bool(revised.commit)
        return False

    def _reject(self, seen: Shown) -> bool:
        reason = self.screen.ask("why? (nothing: back)")
        if not reason:
            return False
        request = RejectRequest(id=seen.entry.episode.id, shelf=seen.entry.shelf, reason=reason)
        reject(self.library, request, self.caller.today, seen=seen.entry)
        self.screen.say("rejected: memshelf review --rejected shows it with your reason", GREEN)
        self.done["rejected"] += 1
        return True

    def sum_up(self, total: int) -> None:
        """Say what was done and what still waits."""
        left = total - self.done["accepted"] - self.done["rejected"]
        parts = [f"{count} {what}" for what, count in self.done.items() if count]
        parts += [f"{left} still wait{'s' * (left == 1)}"] if left else []
        self.screen.show([Line(), Line(", ".join(parts), BOLD)])


def _age(note: Note) -> str:
    return ago(seconds_since(float(note.date.split(" ")[0])))
