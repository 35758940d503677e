"""Rules about drafts and rejected drafts, as their refs tell of them."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from memshelf.model import Level
from memshelf.rules.facts import Facts, Ref
from memshelf.rules.registry import Fault, shelf_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions

DAMAGES = {
    "lost": "git has lost its text: `git update-ref -d {name}` removes it",
    "alien": "holds no episode of that id: `git update-ref -d {name}` removes it",
    "broken": "git cannot read the ref: delete the file {file}",
}
MISNOMERS = {
    "name": "is no name for a draft: `git update-ref -d {name}` removes it",
    "shelf": "is for no shelf that is there: `memshelf init` adds one, `git update-ref -d {name}` drops it",
}
OUTDATED = {
    "changed": "the accepted episode was changed since",
    "gone": "the accepted episode is gone",
    "exists": "an episode of that id has been accepted meanwhile",
}
LONGEST_WAIT = 7
"""Days."""

MANY_REJECTED = 100

ONE = "2026-07-10-auth-tokens"
DRAFT = "refs/memshelf/draft/shared"


@shelf_rule(
    Level.ERROR,
    "drafts",
    bad=Facts(refs=(Ref(f"{DRAFT}/{ONE}", "lost"),)),
    good=Facts(refs=(Ref(f"{DRAFT}/{ONE}"),)),
)
def draft_damaged(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A draft, or a rejected one, cannot be read.

    Its id stays taken while nobody can review it. What git has lost does not come back: remove the ref,
    and write the episode anew if it is missed.
    """
    for ref in facts.refs:
        if ref.fault in DAMAGES:
            fix = f"git update-ref -d {quote(ref.name)}" if ref.fault == "lost" else ""
            yield Fault(ref.name, DAMAGES[ref.fault].format(name=ref.name, file=ref.file), fix=fix)


@shelf_rule(
    Level.ERROR,
    "drafts",
    bad=Facts(refs=(Ref("refs/memshelf/draft/auth-tokens", "name"),)),
    good=Facts(refs=(Ref(f"{DRAFT}/{ONE}"),)),
)
def draft_misnamed(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A ref of ours is not called `refs/memshelf/draft/<shelf>/<id>` or `refs/memshelf/rejected/...`.

    MemShelf did not write it, and no command can accept it. Remove the ref, or make the shelf that it is
    meant for.
    """
    for ref in facts.refs:
        if ref.fault in MISNOMERS:
            yield Fault(ref.name, MISNOMERS[ref.fault].format(name=ref.name))


@shelf_rule(
    Level.WARNING,
    "drafts",
    bad=Facts(refs=(Ref(f"{DRAFT}/{ONE}", days=LONGEST_WAIT + 1),)),
    good=Facts(refs=(Ref(f"{DRAFT}/{ONE}", days=LONGEST_WAIT),)),
)
def draft_waiting(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A draft has waited for more than a week.

    Until a person accepts it, no other clone has it and INDEX.md does not name it. `memshelf review` goes
    through what waits.
    """
    for ref in facts.refs:
        if ref.days > LONGEST_WAIT and not ref.fault:
            yield Fault(
                ref.name, f"waits for {ref.days} days: `memshelf review` decides", fix="memshelf review"
            )


@shelf_rule(
    Level.WARNING,
    "drafts",
    bad=Facts(refs=(Ref(f"{DRAFT}/{ONE}", "changed", address=f"shared/{ONE}"),)),
    good=Facts(refs=(Ref(f"{DRAFT}/{ONE}", address=f"shared/{ONE}"),)),
)
def draft_outdated(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A draft cannot be accepted any more: the episode it started from is another by now.

    Accepting it would undo what came between. Reject it, read the episode as it is, and write the change
    anew; a rejected draft is kept, `memshelf review --rejected` shows it.
    """
    for ref in facts.refs:
        if ref.fault in OUTDATED:
            way_out = f"memshelf review reject {ref.address} --reason outdated"
            yield Fault(ref.name, f"{OUTDATED[ref.fault]}: `{way_out}`, then write it anew", fix=way_out)


@shelf_rule(
    Level.WARNING, "drafts", bad=Facts(rejected=MANY_REJECTED + 1), good=Facts(rejected=MANY_REJECTED)
)
def rejected_piled_up(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """More than a hundred rejected drafts are kept.

    Their texts stay in the repository and every clone of the folder carries them. Look whether they are
    still of use; `git update-ref -d` removes one for good.
    """
    if facts.rejected > MANY_REJECTED:
        yield Fault(
            "",
            f"{facts.rejected} rejected drafts are kept: `memshelf review --rejected` lists them, "
            "`git update-ref -d refs/memshelf/rejected/SHELF/ID` drops one for good",
        )
