"""The doors: what each argument of a request must pass before anything is derived from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from memshelf.errors import Refused
from memshelf.model import Finding, Level
from memshelf.redact.engine import SPREADS, redact
from memshelf.redact.marks import Marks, Redaction
from memshelf.redact.policy import Policy
from memshelf.requests import Door, arguments
from memshelf.text import slug

T = TypeVar("T", bound=NamedTuple)

RULE = "secret-in-identifier"
PERSONAL = "personal-data-refused"


class Lifted(NamedTuple):
    """What a person let stand in an episode: its `allow`, and the whole text that the person saw."""

    allow: tuple[str, ...] = ()
    text: str = ""


NOTHING = Lifted()


class Policies(NamedTuple):
    """The shelf's policy, and what a person lifted of it in places of one episode."""

    usual: Policy
    lifted: Lifted

    def at(self, place: str) -> Policy:
        """Return the policy that holds in a field or section."""
        return self.usual.at(place, self.lifted.allow, self.lifted.text)


def scrub(
    request: T, policy: Policy, marks: Marks | None = None, lifted: Lifted = NOTHING
) -> tuple[T, tuple[Redaction, ...]]:
    """Return `request` with its prose redacted, and what was marked, in the order of its fields.

    `place` of a Redaction is the field's name; in a field of heading to text, the redacted heading.
    `marks` is the numbering to go on with: an amend passes `Marks.after(old text)`; `lifted` is what a person
    has let stand in the episode: these values, and no new ones. Raises Refused with one finding for each
    identifier that holds a secret, by itself or because the prose names it as one, and for personal data
    that the shelf refuses; neither its text nor its findings repeat a value.
    """
    _refuse(_secrets(request, policy))
    marks = Marks() if marks is None else marks
    prose = dict(_through(Door.PROSE, request))
    for value in prose.values():
        for text in _texts(value):
            marks.reserve(text)
    policies = Policies(policy, lifted)
    changes, report = _all_clean(prose, policies, marks)
    if report:  # a value that a later field gave away may stand in an earlier one
        changes, report = _all_clean(prose, policies, marks)
    refuse_personal(report, policy)
    _refuse(_named(request, policy, marks))
    return request._replace(**changes), tuple(report)


def _all_clean(
    prose: dict[str, Any], policies: Policies, marks: Marks
) -> tuple[dict[str, Any], list[Redaction]]:
    changes: dict[str, Any] = {}
    report: list[Redaction] = []
    for name, value in prose.items():
        changes[name], found = _clean(name, value, policies, marks)
        report += found
    return changes, report


def refuse_personal(report: Iterable[Redaction], policy: Policy) -> None:
    """Raise Refused where something was marked that the shelf refuses instead: a kind of personal data."""
    kinds = dict.fromkeys((item.rule, item.place) for item in report if policy.refuses(item.rule))
    if kinds:
        message = "holds personal data ({}) that this shelf refuses: take it out"
        findings = [
            Finding(PERSONAL, Level.ERROR, message.format(kind), place=place) for kind, place in kinds
        ]
        raise Refused("; ".join(f"{finding.place} {finding.message}" for finding in findings), findings)


def _refuse(findings: list[Finding]) -> None:
    if findings:
        raise Refused("; ".join(f"{finding.place} {finding.message}" for finding in findings), findings)


def _secrets(request: NamedTuple, policy: Policy) -> list[Finding]:
    """Return a finding for each identifier that looks like a secret by itself."""
    findings = []
    for name, value in _through(Door.IDENTIFIER, request):
        rules = sorted({found.rule for text in _texts(value) for found in redact(text, policy)[1]})
        if rules:
            message = f"holds a secret ({', '.join(rules)}): choose a value without it"
            findings.append(Finding(RULE, Level.ERROR, message, place=name))
    return findings


def _named(request: NamedTuple, policy: Policy, marks: Marks) -> list[Finding]:
    """Return a finding for each identifier that holds what the prose, or the shelf's `names`, give away."""
    told = {
        form: kind
        for kind, value, origin in marks.known()
        if origin.class_ == "secret"
        for form in (value.casefold(), slug(value))
        if len(form) >= SPREADS
    }
    told |= {f"-{slug(name)}-": "name" for name in policy.screening.names if slug(name)}
    findings = []
    for name, value in _through(Door.IDENTIFIER, request):
        forms = [form for text in _texts(value) for form in (text.casefold(), f"-{slug(text)}-")]
        kinds = sorted({kind for form, kind in told.items() if any(form in each for each in forms)})
        if kinds:
            message = f"holds what the text names as a secret ({', '.join(kinds)}): choose a value without it"
            findings.append(Finding(RULE, Level.ERROR, message, place=name))
    return findings


def _through(door: Door, request: NamedTuple) -> Iterator[tuple[str, Any]]:
    """Yield name and value of the fields that were passed through `door`."""
    for name, argument in arguments(type(request)).items():
        value = getattr(request, name)
        if argument.door is door and value is not None:
            yield name, value


def _texts(value: object) -> Iterator[str]:
    """Yield every text of an argument; TypeError for a type that has no known texts."""
    match value:
        case str():
            yield value
        case tuple():
            for part in value:
                yield from _texts(part)
        case dict():
            for heading, text in value.items():
                yield from (heading, text)
        case _:
            raise TypeError(f"no door for {type(value).__name__}")


def _clean(
    name: str, value: str | dict[str, str], policies: Policies, marks: Marks
) -> tuple[Any, list[Redaction]]:
    """Return the redacted text, or the redacted headings with their texts, and what was marked."""
    if isinstance(value, str):
        text, found = redact(value, policies.at(name), marks)
        return text, [each._replace(place=name) for each in found]
    sections: dict[str, str] = {}
    report: list[Redaction] = []
    for raw, body in value.items():
        heading, in_heading = redact(raw, policies.usual, marks)
        sections[heading], in_body = redact(body, policies.at(heading), marks)
        report += [each._replace(place=heading) for each in in_heading + in_body]
    return sections, report
