"""Rules about what a repository holds for its Git host: the bot's workflows, owners, derived files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.model import Level
from memshelf.rules.facts import Facts, Host
from memshelf.rules.registry import Fault, shelf_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions

UPDATE = "memshelf init . --github --update"
RENDER = ".github/workflows/memshelf-render.yml"


@shelf_rule(Level.WARNING, "settings", bad=Facts(host=Host(missing=(RENDER,))), good=Facts())
def workflow_missing(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A workflow of the bot is not there.

    With `derived: bot` nobody else renders INDEX.md, ledger.tsv and stats.svg, and each workflow holds what
    the others rely on. `memshelf init --github` writes those that are missing; without a bot, write
    `derived: local` into memshelf.yml.
    """
    for path in facts.host.missing:
        yield Fault(path, "is not there, and the bot needs it: `memshelf init . --github` writes it")


@shelf_rule(Level.WARNING, "settings", bad=Facts(host=Host(outdated=(RENDER,))), good=Facts())
def workflow_outdated(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A workflow of the bot is not what this version of MemShelf writes.

    Somebody edited it, or another version wrote it. `memshelf init . --github --update` writes it anew; what
    must differ belongs into a workflow of another name.
    """
    for path in facts.host.outdated:
        yield Fault(path, f"is not what this version writes: `{UPDATE}` writes it anew")


@shelf_rule(Level.WARNING, "settings", bad=Facts(host=Host(open=("shelves/",))), good=Facts())
def memory_without_owner(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """CODEOWNERS names nobody for the memory, or for what judges it.

    On GitHub a branch rule can demand that an owner approves what changes these paths. Without owners any
    approval will do, an agent's too. Name a person for them, and let a later line take none of it back.
    """
    for path in facts.host.open:
        way_out = f"add `/{path} @YOU`, or run `memshelf init . --github --owner @YOU`"
        yield Fault(".github/CODEOWNERS", f"names no owner for {path}: {way_out}")


@shelf_rule(Level.WARNING, "settings", bad=Facts(host=Host(ungated=("an approval",))), good=Facts())
def branch_without_gate(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """The rules of the branch on GitHub do not demand that a person approves.

    Whoever may push then changes the memory alone: an agent with a token too. Demand a pull request, an
    approval by a code owner, and that a new push makes an approval void. `doctor` knows the rules only where
    it is given them: `gh api repos/OWNER/NAME/rules/branches/main > RULES`, then `memshelf doctor
    --branch-rules RULES`.
    """
    for demand in facts.host.ungated:
        yield Fault("", f"the branch's rules on the host do not demand {demand}: add it to them")


@shelf_rule(Level.ERROR, "derived", bad=Facts(touched=("shelves/shared/INDEX.md",)), good=Facts())
def derived_touched(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A branch changes a derived file, which only the bot renders. `check --commits` looks there.

    Two branches that both do meet in a conflict, and what a person writes there is written over. Take the
    base's file back; a commit that brings nothing but the right rendering may pass.
    """
    for path in facts.touched:
        yield Fault(path, f"is rendered by the bot alone: take BASE's back: `git checkout BASE -- {path}`")
