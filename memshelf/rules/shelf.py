"""What a library must be beyond its single episodes: rules over facts of disk and Git. Doctor runs them."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

from memshelf.formats.markdown import scan
from memshelf.model import Finding, Level
from memshelf.redact import policy_of, redact
from memshelf.rules import ground, host, proposals  # noqa: F401 # importing a file lists its rules
from memshelf.rules.facts import OPENED, Change, Derived, Facts, Named, Raw, conflict_line
from memshelf.rules.ground import MEND
from memshelf.rules.registry import SHELF_RULES, Fault, shelf_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memshelf.model import Conventions

__all__ = ["SHELF_RULES", "examine"]

CHANGES = {
    "untracked": "is in no commit: commit it, or delete it",
    "ignored": "is ignored by git and so in no commit: take it out of .gitignore, then commit it",
    "staged": "is staged and in no commit: commit it",
    "changed": "differs from the last commit: commit the edit, or `git restore` the file",
    "deleted": "is committed and not on disk: commit the removal, or `git restore` the file",
    "conflicted": "is in the middle of a merge: `memshelf resolve` ends it",
}


def examine(facts: Facts, conventions: Conventions) -> list[Finding]:
    """Return every finding about the facts, rule by rule."""
    return [
        Finding(rule.name, level, fault.message, fault.path, fault.line, fix=fault.fix)
        for rule in SHELF_RULES.values()
        if rule.name not in conventions.rules_off
        for level in [Level.WARNING if rule.ours and conventions.adopted else rule.level]
        for fault in rule.check(facts, conventions)
    ]


TOPICS = "shelves/shared/docs/topics"
ONE, OTHER = "2026-07-10-auth-tokens", "2026-07-11-auth-keys"
CONFLICT = "<<<<<<< HEAD\nNo names.\n=======\nNo numbers.\n>>>>>>> other\n"


@shelf_rule(
    Level.ERROR,
    "episodes",
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
    "episodes",
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
    "episodes",
    bad=Facts(
        (Named(f"{TOPICS}/{ONE}.md", ONE, (OTHER,)), Named(f"{TOPICS}/{OTHER}.md", OTHER, (ONE,))),
        frozenset({ONE, OTHER}),
    ),
    good=Facts(
        (Named(f"{TOPICS}/{ONE}.md", ONE), Named(f"{TOPICS}/{OTHER}.md", OTHER, (ONE,))),
        frozenset({ONE, OTHER}),
    ),
    ours=True,
)
def supersedes_circular(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """An episode supersedes itself by way of others.

    Each of them is then struck out in the map, and none is the one that holds. Take the id of the newer
    episode out of the older one's `supersedes`.
    """
    replaces = {episode.id: episode for episode in facts.episodes if episode.supersedes}
    told: set[str] = set()
    for start in sorted(replaces):
        circle = [] if start in told else _circle(start, replaces)
        told.update(circle)
        if len(circle) > 1:  # one that names itself is malformed, which a rule about its keys tells
            count = f"{len(circle) - 1} other{'s' * (len(circle) > 2)}"
            yield Fault(
                replaces[start].path,
                f"supersedes itself by way of {count}: take the newer id out of the older episode",
            )


def _circle(start: str, replaces: Mapping[str, Named]) -> list[str]:
    """Return the ids on a way from `start` back to it, empty when there is none."""
    came: dict[str, str] = {}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for old in replaces[at].supersedes if at in replaces else ():
            if old == start:
                way = [at]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return way
            if old not in came:
                came[old] = at
                waiting.append(old)
    return []


@shelf_rule(
    Level.ERROR,
    "episodes",
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


@shelf_rule(
    Level.ERROR,
    "library",
    bad=Facts(merging=(Raw("shelves/shared/POLICY.md", CONFLICT),)),
    good=Facts(merging=(Raw("shelves/shared/POLICY.md", f"How a merge looks:\n\n```\n{CONFLICT}```\n"),)),
)
def conflict_left(facts: Facts, _: Conventions) -> Iterator[Fault]:
    """A merge left both sides in a file.

    Readers then meet both texts and git's marks between them. Keep what is right and take the marks out; a
    derived file is rendered anew. In a code block the marks are an example.
    """
    for raw in facts.merging:
        line = conflict_line(raw.text.encode("utf-8", "replace"))
        if line and OPENED.search(scan(raw.text).prose.encode()):
            yield Fault(raw.path, "holds both sides of a merge: keep what is right, take the marks out", line)
    for file in facts.derived:
        if file.state == "conflicted":
            line = conflict_line(file.found or b"")
            yield Fault(
                file.path,
                "holds both sides of a merge: run `memshelf render`, then commit it",
                line,
                "memshelf render",
            )


INDEX = "shelves/shared/INDEX.md"
OLD, NEW = b"# shared\n\nNo episodes yet.\n", b"# shared\n\n- Auth tokens\n"


@shelf_rule(
    Level.ERROR,
    "derived",
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
            if file.rendered:
                yield Fault(file.path, f"{fact}, the file on disk is right: commit that")
            else:
                yield Fault(file.path, f"{fact}: run `memshelf render`, then commit it", fix=MEND)


@shelf_rule(
    Level.WARNING,
    "derived",
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
    "derived",
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
    "library",
    bad=Facts(texts=(Raw("shelves/shared/POLICY.md", "The admin's password: garden-Lantern-42\n"),)),
    good=Facts(texts=(Raw("shelves/shared/POLICY.md", "No password of the admin.\n"),)),
)
def secret_at_rest(facts: Facts, conventions: Conventions) -> Iterator[Fault]:
    """A file that is no readable episode, or a draft, holds a secret.

    Every clone has what is committed, and git keeps every version. Take it out, and change the password
    or revoke the token: what has been committed must be taken for known.
    """
    policy = policy_of(conventions)
    for raw in facts.texts:
        found = [item for item in redact(raw.text, policy)[1] if item.rule not in raw.lifted]
        if found:
            kinds = ", ".join(dict.fromkeys(item.rule for item in found))
            yield Fault(raw.path, f"holds a secret ({kinds}): {raw.way_out} and revoke it", found[0].line)


@shelf_rule(
    Level.ERROR,
    "library",
    bad=Facts(past=(Raw("4f2a9c1:shelves/shared/POLICY.md", "The admin's password: garden-Lantern-42\n"),)),
    good=Facts(past=(Raw("4f2a9c1:shelves/shared/POLICY.md", "No password of the admin.\n"),)),
)
def secret_in_history(facts: Facts, conventions: Conventions) -> Iterator[Fault]:
    """An earlier version of a file, which git still has, holds a secret. `doctor --history` looks there.

    Every clone has it, and a new commit does not remove it. Change the password or revoke the token first.
    Only rewriting history takes the text out of the repository: `git filter-repo --replace-text FILE`, with a
    line `the secret==>***` in FILE, then a push by force, and a fresh clone for everybody.
    """
    for raw in facts.past:
        found = [item for item in redact(raw.text, policy_of(conventions))[1] if item.rule not in raw.lifted]
        if found:
            kinds = ", ".join(dict.fromkeys(item.rule for item in found))
            way_out = "revoke it; only rewriting history removes it: `memshelf explain secret-in-history`"
            yield Fault(raw.path, f"holds a secret ({kinds}): {way_out}", found[0].line)
