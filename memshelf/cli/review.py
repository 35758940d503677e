"""`memshelf review [show ID | accept ID... | reject ID --reason TEXT]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.accept import accept
from memshelf.commands.reject import reject
from memshelf.commands.review import review
from memshelf.errors import UsageError
from memshelf.requests import RejectRequest

if TYPE_CHECKING:
    import argparse

    from memshelf.store.library import Library


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their flags."""
    parser.add_argument("action", nargs="?", choices=("list", "show", "accept", "reject"), default="list")
    parser.add_argument("ids", nargs="*", metavar="ID", help="drafts: id or shelf/id")
    parser.add_argument("--shelf", help="one shelf only")
    parser.add_argument("--reason", default="", help="why a draft is rejected")
    parser.add_argument("--as-person", action="store_true", help="accept from within an agent's terminal")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Do the action."""
    library = options.library_of(parsed)
    one_id = {"show": True, "reject": True, "accept": False}.get(parsed.action)
    if one_id is not None and not parsed.ids:
        raise UsageError(f"name the draft: memshelf review {parsed.action} ID")
    if one_id and len(parsed.ids) > 1:
        raise UsageError(f"one draft at a time: memshelf review {parsed.action} ID")
    options.answer(parsed, _act(parsed, library))
    return 0


def _act(parsed: argparse.Namespace, library: Library) -> options.Answer:
    who = options.caller()
    if parsed.action == "accept":
        return accept(library, parsed.ids, who, as_person=parsed.as_person)
    if parsed.action == "reject":
        return reject(library, options.request_of(parsed, RejectRequest, id=parsed.ids[0]), who.today)
    return review(library, who.today, parsed.ids[0] if parsed.action == "show" else "", parsed.shelf or "")
