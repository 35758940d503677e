"""Runs the rules over one file or one episode. The write gate, `check`, `doctor` and CI call this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.model import Document, Finding, Level
from memshelf.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Conventions, Episode
    from memshelf.rules import Rule

DEMANDED = frozenset(
    (
        *("not-utf-8", "front-matter-broken", "file-too-large", "id-not-file-name", "holds-secret"),
        *("kind-unknown", "mode-unknown", "tokens-malformed", "control-character"),
        *("digest-missing", "digest-too-long", "digest-says-we"),
    )
)
"""Rules that stay errors on an adopted shelf: every tool of the format family asks as much."""


def lint(document: Document, conventions: Conventions) -> list[Finding]:
    """Return every finding about a file and the episode in it, errors first."""
    return _run(RULES.values(), document, conventions)


def lint_episode(episode: Episode, conventions: Conventions) -> list[Finding]:
    """Return every finding about an episode that is not a file yet, errors first."""
    about_episodes = (rule for rule in RULES.values() if not rule.about_files)
    return _run(about_episodes, Document("", b"", episode), conventions)


def _run(rules: Iterable[Rule], document: Document, conventions: Conventions) -> list[Finding]:
    findings = [
        Finding(
            rule.name, _level(rule, conventions), breach.message, document.path, breach.line, breach.place
        )
        for rule in rules
        if rule.name not in conventions.rules_off
        for breach in rule.check(document, conventions)
    ]
    return sorted(findings, key=lambda finding: finding.level is not Level.ERROR)


def _level(rule: Rule, conventions: Conventions) -> Level:
    return Level.WARNING if conventions.adopted and rule.name not in DEMANDED else rule.level
