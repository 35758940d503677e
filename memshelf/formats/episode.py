"""Episode <-> Markdown with front matter: the file format of SPEC.md."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from memshelf.errors import FormatError
from memshelf.model import MAX_EPISODE_BYTES, SECTIONS, Document, Episode, Section

if TYPE_CHECKING:
    from memshelf.model import Value

KEYS = {
    "id": "date and slug, equals the file's name",
    "kind": "topic, research or session",
    "form": "decision, incident, experiment or feedback",
    "title": "one line, up to 120 characters",
    "date": "the id's date",
    "span": "when the work happened: `from..to`",
    "tags": "up to 12: lower-case letters of any script, digits, hyphens",
    "summary": "the index's words, up to 110 characters",
    "approx_tokens": "weight of the source session",
    "approx_tokens_source": "measured, estimate or unmeasured",
    "mode": "live or import",
    "supersedes": "ids that this episode replaces",
    "retain_until": "a date",
    "pinned": "true: stays on top of the map",
    "notes": "one line",
    "client": "which clients wrote it",
    "session": "which sessions wrote it",
    "allow": "redactions that a person lifted: `RULE PLACE why`",
}
"""Front-matter key -> meaning, in the order they are written."""

LISTS = ("tags", "supersedes", "client", "session", "allow")
ALWAYS = ("id", "kind", "title", "date", "span", "tags", "approx_tokens", "approx_tokens_source", "mode")

SPELLINGS = {
    "дайджест": "Digest",
    "решения": "Decisions",
    "решение": "Decisions",
    "open questions": "Open threads",
    "открытые вопросы": "Open threads",
    "источники": "Sources",
    "хронология": "Timeline",
    "ожидалось": "Expected",
    "получилось": "Actual",
    "артефакты": "Artifacts",
    "выдержки": "Raw excerpts",
} | {heading.lower(): heading for heading in SECTIONS}
"""Accepted spelling of a heading, lower-case -> canonical heading."""

ALIASES = {"title": "display_title", "summary": "description"}
"""Our key -> the one that other tools of the format family write instead."""

ONE_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
TITLE_LINE = re.compile(r"# +([^\n]*?)(?:\n+|$)")


def decode(raw: bytes) -> str:
    """Return the text of a file: UTF-8, a byte order mark dropped, every line end made LF.

    Raises FormatError when the bytes are not UTF-8.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8: save the file as UTF-8", raw.count(b"\n", 0, error.start) + 1) from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def beginning(raw: bytes) -> bytes:
    """Return what of a file is read: all of it, of one over the limit the whole lines below the limit."""
    return raw if len(raw) <= MAX_EPISODE_BYTES else raw[: raw.rfind(b"\n", 0, MAX_EPISODE_BYTES) + 1]


def read_document(path: str, raw: bytes) -> Document:
    """Read one episode file, or its `beginning`; what cannot be read becomes the document's fault."""
    try:
        return Document(path, raw, parse(decode(beginning(raw))))
    except FormatError as error:
        return Document(path, raw, fault=str(error), fault_line=error.line)


def parse(text: str) -> Episode:
    """Read an episode's text (LF line ends). Section lines count from the top of `text`.

    Raises FormatError when there is no front matter or a value has the wrong shape.
    """
    from memshelf.formats.front_matter import Handler  # noqa: PLC0415 # YAML and Markdown, which a reader
    from memshelf.formats.markdown import split_sections  # noqa: PLC0415 # of the catalogue never needs

    handler = Handler()
    block, body = handler.split(text)
    keys = handler.load(block)
    fields: dict[str, Any] = {key: _value(key, keys.pop(key)) for key in KEYS if key in keys}
    fields.setdefault("kind", "")
    fields["id"] = unicodedata.normalize("NFC", fields.get("id", ""))
    for key, alias in ALIASES.items():
        if alias in keys and key not in fields:
            fields[key] = _value(key, keys.pop(alias))
    if ONE_DAY.fullmatch(fields.get("span", "")):
        fields["span"] = f"{fields['span']}..{fields['span']}"
    preamble, sections = split_sections(body)
    heading = TITLE_LINE.match(preamble)
    if heading and heading[1] in (fields.setdefault("title", heading[1]), fields["id"]):
        preamble = preamble[heading.end() :]
    offset = text.count("\n") - body.count("\n")
    return Episode(
        **fields,
        preamble=preamble,
        sections=arrange(
            Section(canonical(part.heading), part.body, part.line + offset) for part in sections
        ),
        other=tuple((key, _other(key, value)) for key, value in keys.items()),
    )


def with_aliases(episode: Episode) -> Episode:
    """Return the episode with its title and summary also under the keys that other tools read."""
    said = {alias: getattr(episode, key) for key, alias in ALIASES.items() if getattr(episode, key)}
    others = {key: value for key, value in episode.other if key in said or key not in ALIASES.values()}
    return episode._replace(other=tuple((others | said).items()))


def canonical(heading: str) -> str:
    """Return the canonical spelling of `heading`, or `heading` itself."""
    return SPELLINGS.get(heading.lower(), heading)


def arrange(sections: Any) -> tuple[Section, ...]:
    """Order sections as they are written: the canonical ones first, the others as they came."""
    return tuple(
        sorted(sections, key=lambda part: SECTIONS.index(part.heading) if part.heading in SECTIONS else 99)
    )


def render(episode: Episode) -> str:
    """Write the episode as its file: front matter, then each section; LF, one final newline."""
    return render_keys(episode) + render_body(episode)


def render_keys(episode: Episode) -> str:
    """Write the front matter with its marks."""
    from memshelf.formats.front_matter import MARK, Handler  # noqa: PLC0415 # YAML

    pairs: list[tuple[str, Value]] = [(key, getattr(episode, key)) for key in KEYS]
    kept: dict[str, object] = {key: value for key, value in pairs if value or key in ALWAYS}
    return f"{MARK}\n{Handler().export(kept | dict(episode.other))}{MARK}\n"


def render_body(episode: Episode) -> str:
    """Write what follows the front matter."""
    preamble = f"\n{episode.preamble}\n" if episode.preamble else ""
    return preamble + "".join(f"\n{render_section(part)}" for part in episode.sections)


def render_section(section: Section) -> str:
    """Write one section: heading, blank line, body."""
    return f"## {section.heading}\n\n{section.body}\n" if section.body else f"## {section.heading}\n"


def _value(key: str, value: object) -> Value:
    if key in LISTS:
        if isinstance(value, str):
            return tuple(part for part in (item.strip() for item in value.split(",")) if part)
        return _texts(key, value)
    if not isinstance(value, str):
        raise FormatError(f"{key}: holds a list or a mapping: write one line of text")
    return value


def _other(key: str, value: object) -> Value:
    return value if isinstance(value, str) else _texts(key, value)


def _texts(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise FormatError(
            f"{key}: holds a nested value: write a flat list `[a, b]`"
            if key in KEYS
            else "a key holds a nested value: write text or a flat list `[a, b]`"
        )
    return tuple(value)
