"""Adopt: make the shelf of another tool ours, in place and in one commit; no episode is rewritten."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memshelf.commands.conventions import conventions_of
from memshelf.commands.drafts import refuse_agent
from memshelf.commands.init import SETTINGS
from memshelf.commands.scope import require_branch
from memshelf.commands.shelving import derived_files
from memshelf.errors import FormatError, MemShelfError
from memshelf.formats import manifest, settings
from memshelf.model import Level
from memshelf.rules.lint import lint
from memshelf.store import commits, landing, snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memshelf.model import Finding
    from memshelf.requests import Caller
    from memshelf.store.library import Library
    from memshelf.store.snapshot import Snapshot

ATTRIBUTES = ".gitattributes"
LINE_ENDS = "".join(f"{name} {manifest.DERIVED_ATTRIBUTES}\n" for name in manifest.DERIVED)
CONTRACT = """\
# adopted: what another tool did not demand of its episodes is only warned of. full: it is an error.
contract: adopted
"""
CHANGES = {
    manifest.NAME: f"index.generated_by becomes {manifest.OURS}",
    settings.NAME: "added, the settings",
    ATTRIBUTES: "added, the line ends of the derived files",
    **dict.fromkeys(manifest.DERIVED, "rendered by MemShelf from now on"),
}
"""File -> what adopting does to it."""

LEFTOVERS = (".docshelf.json", ".meta.json", "archive/INDEX.md")
"""How the paths of another tool's derived files end, which we neither render nor remove."""


@dataclass(frozen=True, slots=True)
class Adoption:
    """What adopting changes, or has changed when there is a `commit`.

    `files` are (path, what happens to it); `findings` is what the full contract says of the `episodes`
    files as they are; `left` are derived files of the other tool that stay where they are.
    """

    shelf: str
    branch: str
    files: tuple[tuple[str, str], ...]
    episodes: int
    findings: tuple[Finding, ...]
    left: tuple[str, ...]
    commit: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "shelf": self.shelf,
            "branch": self.branch,
            "files": [{"path": path, "change": change} for path, change in self.files],
            "episodes": self.episodes,
            "findings": [str(finding) for finding in self.findings],
            "left": list(self.left),
            "commit": self.commit,
        }

    def as_text(self) -> str:
        """Return what is done, what the rules say by rule, and how to go on."""
        if not self.files:
            return f"{self.shelf} is ours already: nothing to do"
        done = f"adopted {self.shelf}: commit {self.commit}" if self.commit else self._intent()
        lines = [done, *(f"  {path}: {change}" for path, change in self.files)]
        lines += ["Not ours, left as they are: " + ", ".join(self.left)] * bool(self.left)
        lines += [f"No episode is changed. What the full contract says of the {self.episodes} as they are:"]
        counts = Counter((finding.level, finding.rule) for finding in self.findings)
        lines += [f"  {level} {rule}: {count}" for (level, rule), count in sorted(counts.items())]
        lines += [] if counts else ["  nothing to say"]
        lines += [] if self.commit else ["Nothing is done yet: `memshelf adopt --yes` does it"]
        return "\n".join(lines)

    def _intent(self) -> str:
        return f"would adopt {self.shelf} in one commit on {self.branch}:"


def adopt(library: Library, caller: Caller, *, yes: bool = False, as_person: bool = False) -> Adoption:
    """Show what makes the library's one shelf ours; with `yes`, commit it.

    The manifest hands the derived files to us, memshelf.yml is added, the derived files are rendered
    from the committed episodes. Raises MemShelfError where shelves lie below `shelves/`, inside an agent
    host unless `as_person`, when a checkout is not clean on the paths, and when git refuses.
    """
    if library.alone is None:
        raise MemShelfError(f"{library.root} has no shelf.yml of its own: its shelves are ours already")
    if not yes:
        return _plan(snapshot.take(library), caller.today)[0]
    refuse_agent(caller.variables, as_person=as_person)
    commits.require_person(library)
    with landing.exclusive(library) as held:
        seen = snapshot.take(held)
        plan, files = _plan(seen, caller.today)
        if not files:
            return plan
        paths = sorted(held.prefix + path for path in files)
        landing.check_clean(held, paths)
        commit = commits.build(held, seen.tip, files, f"memshelf adopt: {plan.shelf}\n", None)
        landing.land(held, seen.tip, commit, paths, {})
    return replace(plan, commit=commit)


def _plan(seen: Snapshot, today: str) -> tuple[Adoption, dict[str, bytes]]:
    """Return what adopting is, and path from the library's folder -> new content of each file it changes."""
    library = seen.library
    require_branch(seen)
    if not seen.names:
        raise MemShelfError(f"{manifest.NAME} is not on the branch yet: commit the shelf, then try again")
    shelf, branch = seen.names[0], library.branch.removeprefix("refs/heads/")
    paths = {blob.path.removeprefix(library.prefix) for blob in seen.blobs}
    left = tuple(sorted(path for path in paths if path.endswith(LEFTOVERS)))
    episodes = snapshot.worktree_files(library, shelf)
    findings = _findings(library, shelf, episodes, today)
    plan = Adoption(shelf, branch, (), len(episodes), findings, left)
    if not library.foreign:
        return plan, {}
    strict = any(finding.level is Level.ERROR for finding in findings)
    added = {settings.NAME: SETTINGS.format(branch=branch) + CONTRACT * strict, ATTRIBUTES: LINE_ENDS}
    wanted = {path: text.encode() for path, text in added.items() if path not in paths}
    wanted |= {manifest.NAME: _claimed(seen)} | derived_files(library, seen.load([shelf])[0], today)
    wanted = {path: content for path, content in wanted.items() if _committed(seen, path) != content}
    files = tuple((path, change) for path, change in CHANGES.items() if path in wanted)
    return replace(plan, files=files), wanted


def _findings(library: Library, shelf: str, episodes: Sequence[Path], today: str) -> tuple[Finding, ...]:
    full = conventions_of(library, shelf, today)._replace(adopted=False)
    return tuple(
        finding
        for path in episodes
        for finding in lint(snapshot.read_file(path, path.relative_to(library.root).as_posix()), full)
    )


def _claimed(seen: Snapshot) -> bytes:
    """Return shelf.yml as it is committed, with the derived files handed to us."""
    for key, path, ours in (
        ("index", seen.library.layout.index_file, manifest.INDEX),
        ("ledger", seen.library.layout.ledger, manifest.LEDGER),
    ):
        if path != ours:
            raise MemShelfError(
                f"{manifest.NAME}: {key}: path: MemShelf writes {ours}: move the file, then write that name"
            )
    try:
        return manifest.claim(_committed(seen, manifest.NAME).decode()).encode()
    except (FormatError, UnicodeDecodeError) as error:
        why = error if isinstance(error, FormatError) else "not UTF-8: save it as UTF-8, then try again"
        raise MemShelfError(f"{manifest.NAME}: {why}") from None


def _committed(seen: Snapshot, path: str) -> bytes:
    """Return the file's bytes on the branch, empty when it is not there."""
    library = seen.library
    return library.git.read([f"{seen.tip}:{library.prefix}{path}"])[0][1]
