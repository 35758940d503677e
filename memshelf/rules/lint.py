"""Runs the rules over one file or one episode. The write gate, `check`, `doctor` and CI call this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.model import Document, Finding, Level
from memshelf.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Conventions, Episode
    from memshelf.rules import Rule


def lint(document: Document, conventions: Conventions) -> list[Finding]:
    """Return every finding about a file and the episode in it, errors first."""
    return _run(RULES.values(), document, conventions)


def lint_episode(episode: Episode, conventions: Conventions) -> list[Finding]:
    """Return every finding about an episode that is not a file yet, errors first."""
    about_episodes = (rule for rule in RULES.values() if not rule.about_files)
    return _run(about_episodes, Document("", b"", episode), conventions)


def _run(rules: Iterable[Rule], document: Document, conventions: Conventions) -> list[Finding]:
    findings = [
        Finding(rule.name, rule.level, breach.message, document.path, breach.line, breach.place)
        for rule in rules
        if rule.name not in conventions.rules_off
        for breach in rule.check(document, conventions)
    ]
    return sorted(findings, key=lambda finding: finding.level is not Level.ERROR)
