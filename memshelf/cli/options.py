"""What the verbs share: flags made of a request's fields, the library, the caller, the answer."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from memshelf.cli.terminal import DIM, PLAIN, clever, coloured, on_terminal, show
from memshelf.commands.drafts import agent_host, count_drafts, host_client
from memshelf.errors import UsageError
from memshelf.requests import Caller, Request, arguments, build, shape
from memshelf.store import clock
from memshelf.store.library import Library, locate, open_library

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from memshelf.cli.terminal import Look


class Answer(Protocol):
    """What every command returns."""

    def as_dict(self) -> dict[str, Any]:
        """Return JSON values."""

    def as_text(self) -> str:
        """Return text for people and agents."""


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add --library and --json."""
    parser.add_argument(
        "--library", metavar="DIR", help="the library; else $MEMSHELF_LIBRARY, the one above here, ~/memshelf"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_pager(parser: argparse.ArgumentParser) -> None:
    """Add --no-pager."""
    parser.add_argument("--no-pager", action="store_true", help="print, however long it is")


def add_fields(parser: argparse.ArgumentParser, request: type[NamedTuple], positional: str = "") -> None:
    """Add a flag for each field of `request`; `positional` stands without one."""
    for name, argument in arguments(request).items():
        about = argument.about or None
        metavar = "|".join(argument.choices) or name.upper()
        if name == positional:
            parser.add_argument(name, help=about)
        elif shape(request, name) == "bool":
            parser.add_argument(flag(name), action="store_true", default=None, help=about)
        elif shape(request, name) in ("tuple", "dict"):
            what = "HEADING=TEXT" if shape(request, name) == "dict" else name.upper()
            parser.add_argument(*_names(name), dest=name, action="append", metavar=what, help=about)
        else:
            parser.add_argument(flag(name), metavar=metavar, help=about)


def flag(name: str) -> str:
    """Return the flag of a field."""
    return "--" + name.replace("_", "-")


def request_of(parsed: argparse.Namespace, request: type[Request], **more: Any) -> Request:
    """Build `request` from the parsed flags; `more` fills what no flag was passed for."""
    values = dict(more)
    for name in arguments(request):
        value = getattr(parsed, name, None)
        if value is not None:
            values[name] = _gathered(shape(request, name), value)
    return build(request, values)


def library_of(parsed: argparse.Namespace) -> Library:
    """Open the library that the flags, the environment or the current folder name."""
    library = open_library(locate(parsed.library, os.environ, here()))
    return library._replace(progress=progress(parsed, "reading the library"))


def progress(parsed: argparse.Namespace, job: str) -> Callable[[int, int], None] | None:
    """Return what shows a person at a terminal, in one line on stderr, how far a long job has come."""
    if parsed.json or not on_terminal(sys.stderr) or not clever(os.environ) or agent_host(os.environ):
        return None

    def show_far(done: int, total: int) -> None:
        said = f"{job}: {done:,} of {total:,}" if done < total else ""
        print(f"\r\x1b[K{said}", end="", file=sys.stderr, flush=True)

    return show_far


def here() -> Path:
    """Return the current folder; the root, which holds no project, when it has been deleted."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def caller() -> Caller:
    """Return who runs this command line."""
    return Caller(
        client=host_client(os.environ) or "memshelf-cli",
        session=os.environ.get("CLAUDE_CODE_SESSION_ID", ""),
        today=clock.today(),
        folder=here(),
        variables=os.environ,
    )


def answer(parsed: argparse.Namespace, result: Answer, look: Look = PLAIN) -> None:
    """Print the result, as JSON when asked; nothing when there is nothing to say."""
    if parsed.json:
        print(json.dumps(result.as_dict(), ensure_ascii=False, indent=2))
        return
    text = result.as_text()
    if text:
        show(text, look, paged=not getattr(parsed, "no_pager", True))


def remind(parsed: argparse.Namespace, library: Library) -> None:
    """Tell a person at a terminal, in one line on stderr, how many drafts wait."""
    if parsed.json or not on_terminal(sys.stdout, sys.stderr) or agent_host(os.environ):
        return
    count = count_drafts(library)
    if count:
        text = f"{count} draft{'s wait' if count > 1 else ' waits'}: memshelf review"
        print(f"\x1b[{DIM}m{text}\x1b[0m" if coloured(sys.stderr, os.environ) else text, file=sys.stderr)


def _names(name: str) -> list[str]:
    """Return the flags of a list: `--sections` may be written `--section` as well."""
    return [flag(name), flag(name.removesuffix("s"))] if name.endswith("s") else [flag(name)]


def _gathered(kind: str, value: Any) -> Any:
    if kind == "tuple":
        return [part.strip() for item in value for part in item.split(",")]
    if kind == "dict":
        pairs = [item.partition("=") for item in value]
        if not all(equals for _, equals, _ in pairs):
            raise UsageError("--extra takes HEADING=TEXT")
        return {heading: text for heading, _, text in pairs}
    return value
