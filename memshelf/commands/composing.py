"""From a request to an episode that may be stored: what a write and an amend share. No verb itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.commands.scope import nearest
from memshelf.errors import MemShelfError, Refused
from memshelf.formats import episode as episode_format
from memshelf.formats.markdown import trim
from memshelf.model import Entry, Episode, Finding, Level, Section, State
from memshelf.requests import SECTION_FIELDS
from memshelf.rules.keys import is_date
from memshelf.rules.lint import lint, lint_episode
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memshelf.model import Conventions, Shelf
    from memshelf.requests import Caller, WriteRequest

PATCHED = ("title", "kind", "form", "tags", "span", "summary", "supersedes", "notes")
"""Arguments that replace the front-matter key of the same name."""

MAX_REFUSAL = 1600
"""Characters, 400 tokens; the redacted digest is shown in what room the faults leave."""

SHOWN_OF_A_RULE = 3
AFTER = "The digest after redaction: "


def base_of(view: Shelf, episode_id: str, rev: str | None, known: Callable[[], Iterable[str]]) -> Entry:
    """Return the entry that an amend of `episode_id` starts from: the draft if there is one.

    Raises MemShelfError when there is none, with the nearest of the `known` names, or when `rev` is not
    the rev of its present text.
    """
    draft = next((entry for entry in view.drafts if entry.episode.id == episode_id), None)
    kept = next((entry for entry in view.entries if entry.episode.id == episode_id), None)
    base = draft or kept
    if base is None:
        near = nearest(episode_id, known())
        hint = f"did you mean {' or '.join(near)}?" if near else "read_index lists what there is."
        raise MemShelfError(f"no such episode on shelf {view.name}, nothing was changed: {hint}")
    if base.state is State.ARCHIVED:
        raise MemShelfError(f"{episode_id} is archived: write a new episode that supersedes it")
    if not rev:
        raise MemShelfError(f"an amend must quote rev: read_episode {base.address} prints it")
    if rev != base.rev:
        pending = kept is not None and rev == kept.rev
        why = (
            "a pending draft changes this episode already"
            if pending
            else "rev is stale, the text has changed"
        )
        raise MemShelfError(f"{why}: read_episode {base.address}, then amend with the rev it prints")
    return base


def compose(base: Episode, request: WriteRequest, caller: Caller) -> Episode:
    """Return `base` with everything that the request passes; an empty string removes an optional section."""
    date = base.id[:10]
    keys = {name: getattr(request, name) for name in PATCHED if getattr(request, name) is not None}
    if request.approx_tokens is not None:
        keys |= {"approx_tokens": str(request.approx_tokens), "approx_tokens_source": "estimate"}
    changed = base._replace(**keys)
    return changed._replace(
        date=date,
        span=changed.span or (f"{date}..{date}" if is_date(date) else ""),
        client=_with(base.client, caller.client),
        session=_with(base.session, caller.session),
        sections=_sections(base, request),
    )


def checked_text(path: str, episode: Episode, conventions: Conventions) -> tuple[str, tuple[Finding, ...]]:
    """Return the episode's file and the warnings about it, after reading it back.

    Raises Refused with every error when the episode breaks a rule or would not read back the same.
    """
    findings = lint_episode(episode, conventions)
    _refuse(findings, episode)
    text = episode_format.render(episode)
    document = episode_format.read_document(path, text.encode())
    findings = lint(document, conventions)
    if document.episode != episode and not any(finding.level is Level.ERROR for finding in findings):
        findings.append(
            Finding("reads-back", Level.ERROR, "the text would not read back as it was written: simplify it")
        )
    _refuse(findings, episode)
    return text, tuple(finding for finding in findings if finding.level is Level.WARNING)


def _refuse(findings: list[Finding], episode: Episode) -> None:
    errors = [finding for finding in findings if finding.level is Level.ERROR]
    if errors:
        lines = _told(errors)
        said = "\n".join(["refused, nothing was written:", *lines])
        shown = clip(episode.digest, MAX_REFUSAL - len(f"{said}\n{AFTER}"))
        if "«redacted:" in episode.digest and shown:
            said += f"\n{AFTER}{shown}"
        raise Refused(said, errors)


def _told(errors: list[Finding]) -> list[str]:
    """Return a line a fault; of one rule's faults the first few, and how many there are more."""
    lines: list[str] = []
    for rule in dict.fromkeys(finding.rule for finding in errors):
        mine = [finding for finding in errors if finding.rule == rule]
        for finding in mine[:SHOWN_OF_A_RULE]:
            lines.append(f"- {finding.place + ': ' if finding.place else ''}{finding.message} [{rule}]")
        if len(mine) > SHOWN_OF_A_RULE:
            lines.append(f"- and {len(mine) - SHOWN_OF_A_RULE} more of the same [{rule}]")
    return lines


def _sections(base: Episode, request: WriteRequest) -> tuple[Section, ...]:
    passed = [(heading, getattr(request, name)) for name, heading in SECTION_FIELDS.items()]
    passed += [(episode_format.canonical(name.strip()), body) for name, body in (request.extra or {}).items()]
    new = [Section(heading, _body(body)) for heading, body in passed if body is not None]
    replaced = {part.heading for part in new}
    kept = [part for part in base.sections if part.heading not in replaced]
    return episode_format.arrange([*kept, *(part for part in new if part.body)])


def _body(text: str) -> str:
    return trim(text.replace("\r\n", "\n").replace("\r", "\n"))


def _with(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return names if not name or name in names else (*names, name)
