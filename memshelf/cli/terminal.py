"""The terminal: whether a person looks, whether in colour, and how an answer looks there."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from memshelf.commands.drafts import agent_host

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TextIO

    from memshelf.cli.screen import Line

Look = tuple[tuple[str, str], ...]
"""(pattern, style): what of a line stands out; group 1 where the pattern has one. The last one wins."""

BOLD, DIM, RED, GREEN, YELLOW, CYAN = "1", "2", "31", "32", "33", "36"
STRONG, MATCH = "1;4", "1;33"

ENVELOPE: Look = ((r"^</?memshelf-\w+ nonce=.*$", DIM),)
COMMANDS: Look = (("`(memshelf [^`]+)`", CYAN),)
FINDINGS: Look = ((r"(?:^|: )(error)(?= [a-z-]+: )", RED), (r"(?:^|: )(warning)(?= [a-z-]+: )", YELLOW))
PLAIN: Look = (*FINDINGS, *COMMANDS)
MARKS: Look = (("«redacted:[^»]*»", YELLOW),)
CHANGES: Look = ((r"^@@.*$", CYAN), (r"^-.*$", RED), (r"^\+.*$", GREEN))

FACT = re.compile(r" *(?:\S+ {2,})?")
"""What leads a line; the rest of it hangs from there."""


def on_terminal(*streams: TextIO) -> bool:
    """Tell whether a person sees, or types into, each of the streams."""
    return all(stream.isatty() for stream in streams)


def clever(variables: Mapping[str, str]) -> bool:
    """Tell whether the terminal can do more than print lines."""
    return variables.get("TERM", "") not in ("", "dumb")


def coloured(stream: TextIO, variables: Mapping[str, str]) -> bool:
    """Tell whether the stream takes colour: the one place that decides.

    NO_COLOR says no, and an agent's host, which sets the others for itself. FORCE_COLOR and
    CLICOLOR_FORCE say yes, to a pipe too. Else a terminal does that is not dumb, unless CLICOLOR is 0.
    """
    if variables.get("NO_COLOR") or agent_host(variables):
        return False
    if any(variables.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    return on_terminal(stream) and clever(variables) and variables.get("CLICOLOR") != "0"


def show(text: str, look: Look = PLAIN, *, paged: bool = False) -> None:
    """Print an answer: as it is, or for a person folded at words, in colour and harmless.

    On a terminal what could act on it is named. With `paged` what is longer than the screen goes
    through the person's pager.
    """
    person, colour = on_terminal(sys.stdout), coloured(sys.stdout, os.environ)
    if not person and not colour:
        print(text)
        return
    from memshelf.cli import pager, screen  # noqa: PLC0415 # a terminal's, which no script pays for

    size = screen.size()
    agent = agent_host(os.environ)
    folds = person and not agent
    rows = [
        row
        for line in lines(text, look)
        for row in screen.fold(line, size.columns if folds else len(line.text) + 8, colour=colour, whole=True)
    ]
    if paged and folds and clever(os.environ) and len(rows) >= size.lines:
        pager.page("\n".join(rows))
    else:
        print("\n".join(rows))


def lines(text: str, look: Look) -> Iterable[Line]:
    """Yield the lines of an answer, harmless, with what stands out in them."""
    from memshelf.cli.screen import Line, visible  # noqa: PLC0415 # as above

    for part in map(visible, text.split("\n")):
        found = [(match, style) for pattern, style in look for match in re.finditer(pattern, part)]
        accents = tuple((*match.span(match.re.groups), style) for match, style in found)
        lead = FACT.match(part)
        yield Line(part, accents=accents, hang=min(lead.end() if lead else 0, 12))
