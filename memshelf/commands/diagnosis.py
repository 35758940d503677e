"""What doctor says: findings, what could not be looked at, what was mended. No verb itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.model import Finding, Level
from memshelf.rules import RULES
from memshelf.rules.ground import MEND
from memshelf.rules.registry import EPISODES, GROUPS
from memshelf.rules.shelf import SHELF_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

EVERY = (*RULES, *SHELF_RULES)
PAST = "secret-in-history"
TOUCHED = "derived-touched"
"""What only `check --commits` can tell."""

KEYS = ("path", "line", "level", "rule", "place", "message", "fix")


@dataclass(frozen=True, slots=True)
class Unknown:
    """What could not be looked at: the rules that were to judge it, where, and why not.

    `far`: it lies on another machine, so that it could not is no fault of the library.
    """

    rules: tuple[str, ...]
    path: str
    why: str
    far: bool = False

    def __str__(self) -> str:
        """Return `path: unknown: why`."""
        return f"{self.path}: unknown: {self.why}" if self.path else f"unknown: {self.why}"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Every finding and everything that could not be looked at, group by group; `mended` is what was done,
    `looked_back` whether earlier versions were looked at.

    A path alone is that of the file on disk; `BRANCH:path`, as git writes it, is the committed file.
    """

    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]
    mended: tuple[str, ...] = ()
    looked_back: bool = False

    @classmethod
    def of(cls, said: Iterable[Finding | Unknown]) -> Diagnosis:
        """Sort what was said by its group, causes before their effects."""
        ordered = sorted(said, key=lambda one: GROUPS.index(group_of(one)))
        return cls(
            tuple(one for one in ordered if isinstance(one, Finding)),
            tuple(one for one in ordered if isinstance(one, Unknown)),
        )

    @property
    def ok(self) -> bool:
        """Whether everything here was looked at and no finding is an error."""
        blind = any(not unknown.far for unknown in self.unknown)
        return not blind and not any(finding.level is Level.ERROR for finding in self.findings)

    @property
    def verdicts(self) -> dict[str, str]:
        """Return rule -> fine, finding or unknown; a rule that was not asked about is left out."""
        found = {finding.rule for finding in self.findings}
        missed = {rule for unknown in self.unknown for rule in unknown.rules}
        left_out = (TOUCHED,) if self.looked_back else (TOUCHED, PAST)
        asked = [rule for rule in EVERY if rule not in left_out]
        return {
            rule: "finding" if rule in found else "unknown" if rule in missed else "fine" for rule in asked
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        found = [{"group": group_of(one)} | {key: getattr(one, key) for key in KEYS} for one in self.findings]
        missed = [
            {"group": group_of(one), "path": one.path, "why": one.why, "rules": list(one.rules)}
            for one in self.unknown
        ]
        facts = {"ok": self.ok, "verdicts": self.verdicts, "findings": found, "unknown": missed}
        return facts | {"mended": list(self.mended)}

    def as_text(self) -> str:
        """Return a line a finding and a line for what could not be looked at; nothing when all is well."""
        lines = ["mended", *(f"  {one}" for one in self.mended)] if self.mended else []
        for group in GROUPS:
            members = [f"  {one}" for one in self.findings if group_of(one) == group]
            members += [f"  {one}" for one in self.unknown if group_of(one) == group]
            lines += [group, *members] if members else []
        return "\n".join([*lines, *self._sum()])

    def _sum(self) -> list[str]:
        counts = Counter(str(finding.level) for finding in self.findings)
        counts["unknown"] = len(self.unknown)
        said = [_counted(counts[name], name) for name in ("error", "warning", "unknown") if counts[name]]
        mendable = sum(finding.fix.startswith(MEND) for finding in self.findings)
        way_out = f"; `{MEND}` mends {mendable} of them" if mendable else ""
        return [", ".join(said) + way_out] if said else []


def group_of(one: Finding | Unknown) -> str:
    """Return the group that a finding belongs to, or the one whose rules could not be held."""
    if isinstance(one, Finding):
        return SHELF_RULES[one.rule].group if one.rule in SHELF_RULES else EPISODES
    groups = {SHELF_RULES[rule].group if rule in SHELF_RULES else EPISODES for rule in one.rules}
    return next(group for group in GROUPS if group in groups) if len(groups) < len(GROUPS) else "library"


def _counted(count: int, name: str) -> str:
    return f"{count} {name}{'s' if count > 1 and name != 'unknown' else ''}"
