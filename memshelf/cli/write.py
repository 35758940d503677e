"""`memshelf write`: from a Markdown file, stdin or flags; flags win over the file."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memshelf.cli import options
from memshelf.commands.write import write
from memshelf.errors import FormatError, MemShelfError, UsageError
from memshelf.formats import episode as episode_format
from memshelf.requests import SECTION_FIELDS, WriteRequest

if TYPE_CHECKING:
    import argparse

    from memshelf.model import Episode

STDIN = "-"
KEYS = ("id", "title", "kind", "form", "tags", "span", "summary", "supersedes", "notes")
SET_BY_US = ("date", "mode", "client", "session", "approx_tokens", "approx_tokens_source")
NAMEABLE = re.compile(r"[a-z_]{1,40}")
"""A key whose name cannot be a secret."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the file and the flags."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE|-", help="a whole episode as Markdown; - reads stdin"
    )
    options.add_fields(parser, WriteRequest)
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Store the episode and print where."""
    if not parsed.file and not parsed.id:
        raise UsageError("name a Markdown file, - for stdin, or pass --id and the sections as flags")
    episode = _read(parsed.file) if parsed.file else None
    values = _from_episode(episode) if episode else {}
    request = options.request_of(parsed, WriteRequest, **values)
    library = options.library_of(parsed)
    written = write(library, request, options.caller())
    options.answer(parsed, written)
    if episode:
        _say_left_out(episode, written.id, reviewed=library.settings.review == "branch")
    options.remind(parsed, library)
    return 0


def _read(name: str) -> Episode:
    path = Path(name)
    if name != STDIN and not path.is_file():
        raise MemShelfError(f"{name} is no file: check the path")
    raw = sys.stdin.buffer.read() if name == STDIN else path.read_bytes()
    try:
        return episode_format.parse(episode_format.decode(raw))
    except FormatError as error:
        place = "stdin" if name == STDIN else name
        raise MemShelfError(f"{place}{f':{error.line}' if error.line else ''}: {error}") from None


def _from_episode(episode: Episode) -> dict[str, Any]:
    """Return the arguments that a whole episode stands for."""
    if episode.preamble:
        raise MemShelfError("there is text before the first `##` section: move it under a heading")
    names = {heading: name for name, heading in SECTION_FIELDS.items()}
    values: dict[str, Any] = {key: getattr(episode, key) or None for key in KEYS}
    values |= {names[part.heading]: part.body for part in episode.sections if part.heading in names}
    extra = {part.heading: part.body for part in episode.sections if part.heading not in names}
    tokens = episode.approx_tokens if episode.approx_tokens != "0" else None
    return values | {"extra": extra or None, "approx_tokens": tokens}


def _say_left_out(episode: Episode, name: str, *, reviewed: bool) -> None:
    """Name on stderr the keys that no argument stands for; what may be more than a name is counted."""
    known = [key for key in episode_format.KEYS if key not in (*KEYS, *SET_BY_US) and getattr(episode, key)]
    keys = known + [key for key, _ in episode.other]
    said = [key for key in keys if NAMEABLE.fullmatch(key)]
    count = len(keys) - len(said)
    said += [f"{count} unusual key{'s' * (count > 1)}"] if count else []
    if said:
        way_out = f"`memshelf review edit {name}`" if reviewed else "an edit of the library's own file"
        print(f"memshelf: not taken from the file: {', '.join(said)}: {way_out} adds them", file=sys.stderr)
