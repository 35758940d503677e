"""The command line: parse, call one command, print. A verb's module is imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

from memshelf import __version__
from memshelf.errors import MemShelfError, UsageError, disk_said

if TYPE_CHECKING:
    from collections.abc import Sequence

FINE, FINDINGS, USAGE, BUG, INTERRUPTED = 0, 1, 2, 3, 130

SUSPICIOUS = (
    r"(?i)(?=[^\s/]{0,60}\d)(?=[^\s/]{0,60}[^\W\d])[^\s/]{12}|\S@\S|://|\d[\d\s()-]{7}|[:=]\S|-----"
    r"|pass|pwd|secret|token|key|парол|секрет|токен|ключ"
)
"""What a complaint must hold to be worth a look by the redaction, which is slow to start."""

VERBS = {
    "init": "make a library, or add a shelf to one",
    "write": "keep a topic as an episode",
    "index": "show the map: one line an episode",
    "read": "show one episode, or some of its sections",
    "search": "find episodes by words",
    "review": "decide on drafts: accept, edit or reject",
    "publish": "push drafts to the remote, and open their pull requests",
    "redact": "put marks where secrets stand, standard input to standard output",
    "sync": "pull from the remote, push to it, settle what was decided there",
    "check": "hold episode files against every rule",
    "render": "write INDEX.md, ledger.tsv and stats.svg",
    "resolve": "end a merge or rebase of shelves: derived files anew, amends put together, the rest asked",
    "doctor": "hold the whole library against every rule, on disk and as committed",
    "explain": "show a rule's page, or list the rules",
    "status": "show what is kept, what waits and what only this disk has",
    "stats": "show what a shelf holds against what it costs to carry, by week",
    "where": "show which library and shelf a command meets here, and why",
    "bench": "measure search on your own questions, beside plain ways to look",
    "adopt": "make the shelf of another tool ours",
    "setup": "connect a client, say whether its memory arrives, or undo it",
    "serve": "run the MCP server on stdio",
    "hook": "answer a client's hook: the event on standard input, text for the model on standard output",
    "bundle": "write the packages for clients and registries",
    "completion": "print the completion script for bash, zsh or fish",
    "demo": "watch the whole way of an episode on a throw-away library",
}


class Help(argparse.HelpFormatter):
    """argparse's help as wide as the terminal; argparse by itself loads half an archiver to ask for that."""

    def __init__(self, prog: str) -> None:
        """Lay out the help of `prog`."""
        try:
            columns = int(os.environ.get("COLUMNS") or os.get_terminal_size().columns)
        except (ValueError, OSError):
            columns = 80
        super().__init__(prog, width=columns - 2)


class Parser(argparse.ArgumentParser):
    """argparse whose complaints are one line each and never repeat a value."""

    def parse(self, words: list[str]) -> argparse.Namespace:
        """Parse the words after the verb; options may stand between them."""
        if not {"-h", "--help"}.intersection(words):
            self.usage = ""  # else argparse writes it each time, for complaints that are worded here
        parsed, unknown = self.parse_known_intermixed_args(words)
        if unknown:
            flags = [word.partition("=")[0] for word in unknown if word.startswith("--")]
            self.error(f"no such option: {', '.join(flags)}" if flags else f"{len(unknown)} words too many")
        return parsed

    def error(self, message: str) -> NoReturn:
        """Raise what `main` prints."""
        said = re.sub(
            r"invalid choice: .* \(choose", "not one of its values (choose", message, flags=re.DOTALL
        )
        raise UsageError(f"{said}: see `{self.prog} --help`")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code: 0 fine, 1 findings or refused, 2 usage, 3 bug."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # whoever started us closed it
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r+", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        _speak_utf8(stream)
    try:
        code = _run([_utf8(word) for word in (sys.argv[1:] if arguments is None else arguments)])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    except (MemShelfError, OSError) as error:
        return _complain(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as bug:  # the one place that turns a bug into its exit code; its text may hold a secret
        import traceback  # noqa: PLC0415 # slow to start, and only a bug needs it

        place = "".join(traceback.format_tb(bug.__traceback__))
        print(
            f"{place}memshelf: {type(bug).__name__}: a bug in MemShelf, please report these lines",
            file=sys.stderr,
        )
        return BUG
    return code


def _run(words: list[str]) -> int:
    verb = words[0] if words else "--help"
    if verb in ("-h", "--help"):
        print(overview())
        return FINE
    if verb == "--version":
        print(f"memshelf {__version__}")
        return FINE
    if verb not in VERBS:
        raise UsageError(f"no such command: it is one of {', '.join(VERBS)}")
    module = importlib.import_module(f"memshelf.cli.{verb}")
    about = f"{VERBS[verb].capitalize()}."
    parser = Parser(prog=f"memshelf {verb}", description=about, formatter_class=Help, allow_abbrev=False)
    module.configure(parser)
    code: int = module.run(parser.parse(words[1:]))
    return code


def overview() -> str:
    """Return the help page: every verb and what it does."""
    verbs = "\n".join(f"  {verb:<10} {about}" for verb, about in VERBS.items())
    return (
        "usage: memshelf COMMAND ...\n\nAn agent's memory as a Git repository of Markdown episodes.\n\n"
        f"{verbs}\n\n`memshelf COMMAND --help` shows its options."
    )


def _utf8(word: str) -> str:
    """Return an argument as UTF-8 whatever the locale decoded it by."""
    return os.fsencode(word).decode("utf-8", "surrogateescape")


def _speak_utf8(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure:
        reconfigure(encoding="utf-8", errors="backslashreplace")


def _complain(error: MemShelfError | OSError) -> int:
    said = disk_said(error) if isinstance(error, OSError) else error
    print(f"memshelf: {_masked(str(said))}{_astray()}", file=sys.stderr)
    return USAGE if isinstance(said, UsageError) else FINDINGS


def _masked(complaint: str) -> str:
    """Return a complaint without secrets that it repeats: a mistyped call's, a path's."""
    if not re.search(SUSPICIOUS, complaint):
        return complaint
    from memshelf.commands.redact import policy_for, redact_text  # noqa: PLC0415 # slow to start

    return redact_text(complaint, policy_for()).text


def _astray() -> str:
    """Say so when the current folder has been deleted: then that is why nothing was found."""
    try:
        os.getcwd()  # noqa: PTH109 # pathlib costs a usage error 5 ms
    except FileNotFoundError:
        return " (the current folder has been deleted: `cd` to another one)"
    return ""
