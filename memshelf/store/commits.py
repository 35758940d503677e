"""A commit for the library's branch, built beside the checkout in a private index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memshelf.errors import MemShelfError
from memshelf.store import journal
from memshelf.store.git import GitError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memshelf.store.git import Git
    from memshelf.store.library import Library

NO_PERSON = (
    "git does not know who you are: `git config --global user.name NAME` and "
    "`git config --global user.email ADDRESS` tell it"
)


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote the text; the committer is always the person whose git runs.

    `date` is git's raw form, seconds and zone; empty: now.
    """

    name: str
    mail: str
    date: str = ""


def require_person(library: Library) -> None:
    """Raise MemShelfError when git would not let this person commit."""
    try:
        library.git.run("var", "GIT_COMMITTER_IDENT")
    except GitError:
        raise MemShelfError(NO_PERSON) from None


def build(
    library: Library, parent: str, changes: Mapping[str, bytes | None], message: str, author: Author | None
) -> str:
    """Return the id of a new commit on `parent` (empty: a root commit).

    `changes` maps paths from the library's folder to new content, None to remove. No ref, no index of
    the user's and no file of the checkout is touched. Call it inside `landing.exclusive`. The person's
    pre-commit hook and signing apply; raises GitError with their words when one refuses, and MemShelfError
    when the new tree is not what `changes` asked for.
    """
    index = journal.fresh(library.common).with_suffix(".index")
    private = {"GIT_INDEX_FILE": str(index)}
    git = library.git
    wanted = {
        library.prefix + path: None if content is None else git.store(content)
        for path, content in changes.items()
    }
    try:
        git.run("read-tree", parent if parent else "--empty", extra=private)
        git.run("update-index", "-z", "--index-info", data=_index_info(git, wanted), extra=private)
        _ask_hook(git, private)
        tree = git.run("write-tree", extra=private, durable=True).decode().strip()
    finally:
        index.unlink(missing_ok=True)
    _verify(git, tree, wanted)
    return seal(git, tree, parent, message.encode(), _author_variables(author))


def seal(git: Git, tree: str, parent: str, message: bytes, people: Mapping[str, str]) -> str:
    """Return the id of a commit of `tree` on `parent` (empty: a root), signed where the person's git signs.

    `people` are git's variables of author and committer, for those that are not the person. Raises
    GitError with the signer's words when it refuses.
    """
    options = ["-p", parent] if parent else []
    options += ["-S"] if git.ask("config", "--type=bool", "commit.gpgsign") == "true" else []
    try:
        made = git.run("commit-tree", tree, *options, data=message, extra=people, durable=True)
    except GitError as error:
        if "-S" not in options:
            raise
        raise GitError(
            f"{error}: nothing was changed: mend the signer that commit.gpgsign asks for, then try again"
        ) from None
    return made.decode().strip()


def _ask_hook(git: Git, private: Mapping[str, str]) -> None:
    try:
        git.run("hook", "run", "--ignore-missing", "pre-commit", extra=private)
    except GitError as error:
        said = str(error).removeprefix("git hook: ")
        raise GitError(
            f"the pre-commit hook refused, nothing was changed: {said}: mend what it names, then try again"
        ) from None


def _index_info(git: Git, wanted: Mapping[str, str | None]) -> bytes:
    zero = "0" * len(git.store(b""))
    lines = (f"100644 {sha}\t{path}\0" if sha else f"0 {zero}\t{path}\0" for path, sha in wanted.items())
    return "".join(lines).encode()


def _verify(git: Git, tree: str, wanted: Mapping[str, str | None]) -> None:
    """Raise MemShelfError unless every path has its blob in `tree`: git skips a path that it finds bad."""
    listing = git.run("--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", *wanted)
    found = {}
    for line in listing.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        found[path] = facts.split(" ")[2]
    for path, sha in wanted.items():
        if found.get(path) != sha:
            raise MemShelfError(
                f"git did not take {path} as it was written, nothing was changed: "
                "look for a hook that changes it or a name that git refuses, then try again"
            )


def _author_variables(author: Author | None) -> dict[str, str]:
    if author is None:
        return {}
    named = {"GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.mail}
    return named | ({"GIT_AUTHOR_DATE": f"@{author.date}"} if author.date else {})
