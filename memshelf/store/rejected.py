"""Rejected drafts, as `drafts.reject` left them: a commit that says why, on top of the draft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.store.drafts import REJECTED

if TYPE_CHECKING:
    from memshelf.store.git import Git

SUBJECT = "reject: "


@dataclass(frozen=True, slots=True)
class Rejection:
    """One draft that a person said no to: `date` is an ISO date, `by` the person's name."""

    shelf: str
    id: str
    date: str
    by: str
    reason: str
    commit: str


def rejections(git: Git) -> list[Rejection]:
    """Return every rejection, the latest first."""
    listing = git.run(
        "log",
        "-z",
        "--encoding=UTF-8",
        "--no-show-signature",
        "--source",
        f"--glob={REJECTED}*",
        f"--grep=^{SUBJECT}",
        "--format=%H%n%S%n%cs%n%cn%n%s%n%b",
    )
    found = []
    for record in filter(None, listing.decode("utf-8", "replace").split("\0")):
        commit, ref, date, by, subject, reason = record.split("\n", 5)
        shelf = ref.removeprefix(REJECTED).partition("/")[0]
        if subject.startswith(SUBJECT):
            found.append(
                Rejection(shelf, subject.removeprefix(SUBJECT), date, by, " ".join(reason.split()), commit)
            )
    return found


def text_of(git: Git, rejection: Rejection) -> str:
    """Return the text that was rejected, empty when git has lost it."""
    return git.read([f"{rejection.commit}:{rejection.id}.md"])[0][1].decode("utf-8", "replace")
