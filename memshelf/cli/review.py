"""`memshelf review`: at a terminal the desk, else the list; show, accept, edit and reject for scripts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.cli.terminal import CHANGES, CYAN, MARKS, PLAIN, YELLOW, on_terminal
from memshelf.commands.accept import accept
from memshelf.commands.drafts import agent_host, find_drafts, refuse_agent
from memshelf.commands.reject import reject
from memshelf.commands.rejected import rejected
from memshelf.commands.review import Shown, review, waiting
from memshelf.commands.revise import revise
from memshelf.errors import MemShelfError, UsageError
from memshelf.formats import episode as episode_format
from memshelf.requests import RejectRequest

if TYPE_CHECKING:
    import argparse

    from memshelf.commands.review import Waiting
    from memshelf.model import Entry
    from memshelf.requests import Caller
    from memshelf.store.library import Library

DECISIONS = ("accept", "edit", "reject")
ONE_ID = ("show", "edit", "reject")
STDIN = "-"
LOOK = ((r"^(?:draft )?([a-z0-9-]+/\S+)(?= )", CYAN), (r"\(amend\)|^redacted: .*", YELLOW), *MARKS, *PLAIN)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their flags."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("list", "show", *DECISIONS),
        help="none: draft by draft at a terminal, else the list",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="drafts: id or shelf/id")
    parser.add_argument("--shelf", help="one shelf only")
    parser.add_argument("--all", action="store_true", help="accept every draft that waits")
    parser.add_argument("--yes", action="store_true", help="do not ask before --all")
    parser.add_argument("--reason", default="", help="why a draft is rejected")
    parser.add_argument("--rejected", action="store_true", help="list or show what was rejected, and why")
    parser.add_argument("--file", metavar="FILE|-", help="edit: the draft's new text; else your editor opens")
    parser.add_argument("--as-person", action="store_true", help="decide from within an agent's terminal")
    options.add_common(parser)
    options.add_pager(parser)


def run(parsed: argparse.Namespace) -> int:
    """Do the action, or open the desk."""
    _check_usage(parsed)
    library, who = options.library_of(parsed), options.caller()
    if parsed.action in DECISIONS:
        refuse_agent(who.variables, as_person=parsed.as_person)
    person = on_terminal(sys.stdin, sys.stdout) and not parsed.json
    if person and not parsed.action and not parsed.rejected:
        host = agent_host(who.variables)
        if not host or parsed.as_person:
            return _sit_down(parsed, library, who)
        print(f"{host} is set, so here is the list: a person decides, or passes --as-person", file=sys.stderr)
    if parsed.action == "accept" and parsed.all:
        return _accept_all(parsed, library, who, person=person)
    if parsed.action == "edit" and not parsed.file:
        return _edit(parsed, library, who, person=person)
    result = _act(parsed, library, who)
    options.answer(parsed, result, LOOK + CHANGES * (isinstance(result, Shown) and bool(result.change)))
    return 0


def _check_usage(parsed: argparse.Namespace) -> None:
    if parsed.action in ONE_ID and len(parsed.ids) > 1:
        raise UsageError(f"one draft at a time: memshelf review {parsed.action} ID")
    if parsed.action in ("show", *DECISIONS) and not parsed.ids and not parsed.all:
        raise UsageError(f"name the draft: memshelf review {parsed.action} ID")
    if parsed.all and (parsed.action != "accept" or parsed.ids):
        raise UsageError("--all stands alone: memshelf review accept --all")
    if parsed.rejected and parsed.action in DECISIONS:
        raise UsageError("what was rejected is listed or shown: memshelf review show ID --rejected")


def _act(parsed: argparse.Namespace, library: Library, who: Caller) -> options.Answer:
    name = parsed.ids[0] if parsed.ids and parsed.action else ""
    if parsed.rejected:
        return rejected(library, name, parsed.shelf or "")
    if parsed.action == "accept":
        return accept(library, parsed.ids, who, as_person=parsed.as_person)
    if parsed.action == "reject":
        return reject(library, options.request_of(parsed, RejectRequest, id=name), who.today)
    if parsed.action == "edit":
        return revise(library, name, _text(parsed.file), who.today)
    return review(library, who.today, name if parsed.action == "show" else "", parsed.shelf or "")


def _text(name: str) -> str:
    if name != STDIN and not Path(name).is_file():
        raise MemShelfError(f"{name} is no file: check the path")
    return episode_format.decode(sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes())


def _sit_down(parsed: argparse.Namespace, library: Library, who: Caller) -> int:
    from memshelf.cli import desk, screen  # noqa: PLC0415 # a terminal's, which no script pays for

    desk.work(library, who, screen.Screen(who.variables), parsed.shelf or "")
    return 0


def _accept_all(parsed: argparse.Namespace, library: Library, who: Caller, *, person: bool) -> int:
    found = waiting(library, parsed.shelf or "")
    drafts: list[str | Entry] = [*found.drafts]
    if not drafts:
        options.answer(parsed, found)
    elif parsed.yes or (person and _confirmed(library, who, found)):
        options.answer(parsed, accept(library, drafts, who, as_person=parsed.as_person))
    elif not person:
        raise UsageError(f"{len(drafts)} would be accepted, and no terminal to ask at: pass --yes")
    return 0


def _confirmed(library: Library, who: Caller, found: Waiting) -> bool:
    from memshelf.cli import desk, screen  # noqa: PLC0415 # a terminal's

    terminal = screen.Screen(who.variables)
    desk.list_drafts(library, found, terminal)
    try:
        said = terminal.choose(f"accept all {len(found.drafts)}?", ("[y]es", "[n]o"))
    except EOFError:
        said = "n"
    if said == "n":
        terminal.say("nothing was accepted")
    return said == "y"


def _edit(parsed: argparse.Namespace, library: Library, who: Caller, *, person: bool) -> int:
    from memshelf.cli import editor, screen  # noqa: PLC0415 # a terminal's

    if not person:
        raise UsageError("no terminal to edit at: pass --file FILE, or - for stdin")
    try:
        revised = editor.edit(
            library, find_drafts(library, parsed.ids)[0], who.today, screen.Screen(who.variables)
        )
    except EOFError:
        revised = None
    if revised is None:
        return 1
    options.answer(parsed, revised)
    return 0
