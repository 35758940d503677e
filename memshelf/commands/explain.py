"""Explain: a rule's page of the manual, with what breaks it and what does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memshelf.commands.scope import nearest
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format
from memshelf.formats import front_matter
from memshelf.model import Episode, Level, Section
from memshelf.redact import doors
from memshelf.requests import SECTION_FIELDS
from memshelf.rules import RULES
from memshelf.rules.facts import Facts
from memshelf.rules.shelf import SHELF_RULES
from memshelf.text import clip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

WIDEST, LONGEST = 100, 12
"""Characters of a line and lines of an example that are shown."""

SAMPLE = Episode(
    id="2026-07-10-auth-tokens",
    title="Auth tokens",
    date="2026-07-10",
    sections=(Section("Digest", "The auth service moved to signed tokens. Rejected: server sessions."),),
)
"""What the examples of rules about files change."""

Page = dict[str, str]

SECRET = "garden-Lantern-42"
DOORS: dict[str, Page] = {
    doors.RULE: {
        "rule": doors.RULE,
        "level": str(Level.ERROR),
        "manual": """An id, a tag, a span or a session's name holds a secret.

Prose is redacted before it is stored; a name cannot be, it would be another name. The write is refused, and
nothing of the value is repeated or kept. Choose a name without it, and revoke what was passed.""",
        "bad": f"--tags password:{SECRET}",
        "good": "--tags passwords",
    },
    doors.PERSONAL: {
        "rule": doors.PERSONAL,
        "level": str(Level.ERROR),
        "manual": """A text holds personal data of a kind that the shelf refuses.

memshelf.yml sets what becomes of each kind on a shelf: masked, kept, or refused. Nothing was written. Take
the data out, or name who it is about in other words.""",
        "bad": "personal: {phone: refuse}, and a digest that holds a telephone number",
        "good": "The customer was called and agreed.",
    },
}
"""Rules that only the doors of a write hold, by name."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One rule's page, or every rule in a line: (name, level, what is wrong)."""

    rules: tuple[tuple[str, Level, str], ...]
    page: Page | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        if self.page:
            return dict(self.page)
        return {
            "rules": [{"rule": name, "level": level, "about": about} for name, level, about in self.rules]
        }

    def as_text(self) -> str:
        """Return the page, or a line a rule."""
        if self.page is None:
            width = max(len(name) for name, _, _ in self.rules)
            return "\n".join(f"{name:<{width}}  {level:<7}  {about}" for name, level, about in self.rules)
        page = self.page
        parts = [f"{page['rule']} ({page['level']})", page["manual"]]
        for label, text in (("Bad:", page["bad"]), ("Good:", page["good"])):
            parts += [label, "\n".join(f"    {line}".rstrip() for line in text.split("\n"))]
        return "\n\n".join(parts)


def explain(name: str = "") -> Explained:
    """Return the page of the rule called `name`, or the list of all.

    Raises MemShelfError with near names when there is no such rule.
    """
    every = RULES | SHELF_RULES
    if not name:
        lines = [(rule.name, rule.level, rule.manual) for rule in every.values()]
        lines += [(page["rule"], Level(page["level"]), page["manual"]) for page in DOORS.values()]
        return Explained(tuple((rule, level, manual.split("\n")[0]) for rule, level, manual in lines))
    if name in DOORS:
        return Explained((), DOORS[name])
    if name not in every:
        near = nearest(name, (*every, *DOORS))
        hint = f"did you mean {' or '.join(near)}?" if near else "`memshelf explain` lists them"
        raise MemShelfError(f"no such rule: {hint}")
    rule = every[name]
    page = {"rule": name, "level": str(rule.level), "manual": rule.manual}
    return Explained((), page | {"bad": _shown(rule.bad), "good": _shown(rule.good)})


def _shown(example: Mapping[str, object] | Callable[[bytes], bytes] | Facts) -> str:
    """Return an example as it would look in a file, cut to what a screen holds."""
    if isinstance(example, Facts):
        text = str(example)
    else:
        text = "\n".join(_changed(example)) if callable(example) else "\n\n".join(_changes(example))
    lines = [_fitting("".join(map(_visible, line))) for line in text.rstrip("\n").split("\n")]
    cut = lines if len(lines) <= LONGEST else [*lines[: LONGEST - 1], "…"]
    return "\n".join(cut) or "(nothing of the kind)"


def _changes(example: Mapping[str, Any]) -> Iterator[str]:
    """Yield the front-matter lines, then the sections, that an example sets."""
    keys = [
        (key, value)
        for key, value in example.items()
        if key not in (*SECTION_FIELDS, "sections", "preamble", "other")
    ]
    keys += example.get("other", ())
    if keys:
        yield f"---\n{front_matter.dump(keys)}---"
    if example.get("preamble"):
        yield example["preamble"]
    sections = {SECTION_FIELDS[key]: value for key, value in example.items() if key in SECTION_FIELDS}
    sections |= example.get("sections", {})
    for heading, body in sections.items():
        yield (
            f"(no {heading})"
            if body is None
            else episode_format.render_section(Section(heading, body)).rstrip("\n")
        )


def _changed(example: Callable[[bytes], bytes]) -> list[str]:
    """Return the lines of a file that an example changes."""
    before = episode_format.render(SAMPLE).encode()
    old = before.decode().split("\n")
    new = example(before).decode("utf-8", "backslashreplace").split("\n")
    return [line for line in new if line not in old] or new


def _fitting(line: str) -> str:
    return line if len(line) <= WIDEST else f"{clip(line, WIDEST)} ({len(line)} characters)"


def _visible(char: str) -> str:
    return char if char.isprintable() else ascii(char)[1:-1]
