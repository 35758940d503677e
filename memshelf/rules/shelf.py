"""What a library must be beyond its single episodes: rules over facts of disk and Git. Doctor runs them."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

from memshelf.model import Finding, Level
from memshelf.redact import Policy, redact
from memshelf.rules.facts import Broken, Change, Derived, Facts, Named, Raw, Ref
from memshelf.rules.registry import SHELF_RULES, Fault, shelf_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions

__all__ = ["SHELF_RULES", "examine"]

CHANGES = {
    "untracked": "is in no commit: commit it, or delete it",
    "ignored": "is ignored by git and so in no commit: take it out of .gitignore, then commit it",
    "staged": "is staged and in no commit: commit it",
    "changed": "differs from the last commit: commit the edit, or `git restore` the file",
    "deleted": "is committed and not on disk: commit the removal, or `git restore` the file",
    "conflicted": "is in the middle of a merge: finish the merge",
}
DAMAGES = {
    "lost": "git has lost its text: `git update-ref -d {name}` removes it",
    "alien": "holds no episode of that id: `git update-ref -d {name}` removes it",
    "broken": "git cannot read the ref: delete the file {file}",
}
MISNOMERS = {
    "name": "is no name for a draft: `git update-ref -d {name}` removes it",
    "shelf": "is for no shelf that is there: `memshelf init` adds one, `git update-ref -d {name}` drops it",
}


def examine(facts: Facts, conventions: Conventions) -> list[Finding]:
    """Return every finding about the facts, rule by rule."""
    return [
        Finding(rule.name, level, fault.message, fault.path, fault.line)
        for rule in SHELF_RULES.values()
        if rule.name not in conventions.rules_off
        for level in [Level.WARNING if rule.ours and conventions.adopted else rule.level]
        for fault in rule.check(facts, conventions)
    ]


TOPICS = "shelves/shared/docs/topics"
ONE, OTHER = "2026-07-10-auth-tokens", "2026-07-11-auth-keys"
DRAFT = "refs/memshelf/draft/shared"


@shelf_rule(
    Level.ERROR,
    bad=Facts((Named(f"{TOPICS}/{ONE}.md", ONE), Named(f"shelves/shared/archive/docs/topics/{ONE}.md", ONE))),
    good=Facts((Named(f"{TOPICS}/{ONE}.md", ONE), Named(f"{TOPICS}/{OTHER}.md", OTHER))),
)
def id_repeated(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """Two files of a shelf have the same id.

    An id names one episode: with two, a read or an amend may meet the wrong one. Upper and lower case and
    the way an accent is written make no difference, since some file systems see none. Rename one of the
    two, or delete the copy.
    """
    paths: defaultdict[str, list[str]] = defaultdict(list)
    for episode in facts.episodes:
        paths[unicodedata.normalize("NFC", episode.id).casefold()].append(episode.path)
    for first, *others in paths.values():
        for path in others:
            yield Fault(path, f"has the id of {first}: rename one of the two, or delete the copy")


@shelf_rule(
    Level.ERROR,
    bad=Facts((Named(f"{TOPICS}/{OTHER}.md", OTHER, (ONE,)),), frozenset({OTHER})),
    good=Facts(
        (Named(f"{TOPICS}/{ONE}.md", ONE), Named(f"{TOPICS}/{OTHER}.md", OTHER, (ONE,))),
        frozenset({ONE, OTHER}),
    ),
    ours=True,
)
def supersedes_unknown(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """An episode supersedes an id that no episode has.

    The old episode then stays in the map as if it still held. Correct the id, or take it out of
    `supersedes`.
    """
    for episode in facts.episodes:
        missing = [old for old in episode.supersedes if old not in facts.known]
        if missing:
            number = episode.supersedes.index(missing[0]) + 1
            yield Fault(
                episode.path, f"supersedes: entry {number} is no episode's id: correct it, or take it out"
            )


@shelf_rule(
    Level.ERROR,
    bad=Facts(changes=(Change(f"{TOPICS}/{ONE}.md", "untracked"),)),
    good=Facts((Named(f"{TOPICS}/{ONE}.md", ONE),)),
)
def episode_not_committed(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """An episode's file is not as it was committed.

    Reads serve the committed text, so nobody meets what lies on this disk alone, and no clone has it.
    Commit the file, or put the committed text back.
    """
    for change in facts.changes:
        yield Fault(change.path, CHANGES[change.state])


INDEX = "shelves/shared/INDEX.md"
OLD, NEW = b"# shared\n\nNo episodes yet.\n", b"# shared\n\n- Auth tokens\n"


@shelf_rule(
    Level.ERROR,
    bad=Facts(derived=(Derived(INDEX, OLD, NEW, NEW, OLD),)),
    good=Facts(derived=(Derived(INDEX, NEW, NEW, NEW),)),
)
def derived_out_of_date(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A derived file was rendered from older episodes, or is not there.

    Agents without MemShelf and people read INDEX.md and miss what is new. `memshelf render` writes it.
    """
    for file in facts.derived:
        if file.state == "stale" and not file.bot:
            fact = "is not there" if file.found is None else "is out of date"
            yield Fault(file.path, f"{fact}: run `memshelf render`, then commit it")


@shelf_rule(
    Level.WARNING,
    bad=Facts(derived=(Derived(INDEX, OLD, NEW, NEW, OLD, bot=True),)),
    good=Facts(derived=(Derived(INDEX, NEW, NEW, NEW, bot=True),)),
)
def derived_pending(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A derived file waits for the bot.

    With `derived: bot` nobody else renders, so between an accept and the bot's next run this is how it
    should be. When it stays so, look why the bot does not run.
    """
    for file in facts.derived:
        if file.state == "stale" and file.bot:
            yield Fault(file.path, "pending: the bot renders it")


@shelf_rule(
    Level.ERROR,
    bad=Facts(derived=(Derived(INDEX, NEW + b"\nMind the gap.\n", NEW, NEW),)),
    good=Facts(derived=(Derived(INDEX, NEW, NEW, NEW),)),
)
def derived_edited(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A derived file holds what no rendering of the episodes gives.

    Somebody edited it, or another version of MemShelf wrote it; the next `memshelf render` overwrites it.
    Put words that must stay into an episode, then render.
    """
    for file in facts.derived:
        if file.state == "edited":
            yield Fault(
                file.path,
                "was edited by hand or by another version: put what must stay into an episode, "
                "then run `memshelf render`",
            )


@shelf_rule(
    Level.ERROR,
    bad=Facts(texts=(Raw("shelves/shared/POLICY.md", "The admin's password: garden-Lantern-42\n"),)),
    good=Facts(texts=(Raw("shelves/shared/POLICY.md", "No password of the admin.\n"),)),
)
def secret_at_rest(facts: Facts, conventions: Conventions) -> Iterator[Fault]:
    """A file that is no readable episode, or a draft, holds a secret.

    Every clone has what is committed, and git keeps every version. Take it out, and change the password
    or revoke the token: what has been committed must be taken for known.
    """
    policy = Policy(conventions.patterns)
    for raw in facts.texts:
        found = redact(raw.text, policy)[1]
        if found:
            kinds = ", ".join(dict.fromkeys(item.rule for item in found))
            yield Fault(raw.path, f"holds a secret ({kinds}): {raw.way_out} and revoke it", found[0].line)


@shelf_rule(
    Level.ERROR,
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
            yield Fault(ref.name, DAMAGES[ref.fault].format(name=ref.name, file=ref.file))


@shelf_rule(
    Level.ERROR,
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
    Level.ERROR,
    bad=Facts(settings=(Broken("memshelf.yml", 2, "review: write one of branch, off"),)),
    good=Facts(),
)
def settings_broken(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """memshelf.yml, a shelf.yml or a POLICY.patterns cannot be read.

    Every command but doctor stops at it, or writes are refused; doctor goes on with the defaults. The
    message names the line and the cause.
    """
    for broken in facts.settings:
        yield Fault(broken.path, broken.cause, broken.line)


@shelf_rule(Level.WARNING, bad=Facts(landing="undone"), good=Facts())
def landing_interrupted(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """An accept was killed half-way, and this command repaired it.

    Nothing is lost: it was finished when the branch had moved already, else undone, and then the drafts
    still wait. Look at `memshelf review`.
    """
    if facts.landing:
        yield Fault(
            "", f"an accept was killed and has been {facts.landing}: `memshelf review` shows what waits"
        )
