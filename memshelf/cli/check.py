"""`memshelf check [FILE...]`, `memshelf check --commits BASE..HEAD`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.check import check
from memshelf.errors import MemShelfError, UsageError

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the files, and what a pull request is checked by."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="episodes or folders; none: the whole library"
    )
    parser.add_argument(
        "--commits", metavar="BASE..HEAD", help="what these commits bring, and every version of it, instead"
    )
    parser.add_argument(
        "--annotate", action="store_true", help="print findings as GitHub's runner reads them"
    )
    parser.add_argument("--summary", metavar="FILE", help="write the episodes and findings there as Markdown")
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the findings; 1 when one of them is an error."""
    if parsed.commits:
        return _run_commits(parsed)
    if parsed.annotate or parsed.summary:
        raise UsageError("--annotate and --summary go with --commits BASE..HEAD")
    library = None if parsed.files and not parsed.library else options.library_of(parsed)
    result = check([_named(name) for name in parsed.files], library, options.caller().today)
    options.answer(parsed, result)
    return 0 if result.ok else 1


def _run_commits(parsed: argparse.Namespace) -> int:
    from memshelf.commands.annotations import annotated, page  # noqa: PLC0415 # a commit hook needs neither
    from memshelf.commands.incoming import incoming  # noqa: PLC0415

    if parsed.files:
        raise UsageError("--commits looks at commits, not at files: name one or the other")
    result = incoming(options.library_of(parsed), parsed.commits, options.caller().today)
    if parsed.summary:
        Path(parsed.summary).write_text(page(result), encoding="utf-8", newline="\n")
    if not parsed.annotate:
        options.answer(parsed, result)
    elif result.findings:
        print(annotated(result))
    return 0 if result.ok else 1


def _named(name: str) -> Path:
    """Return the path.

    Raises MemShelfError for a link to a folder, whose episodes lie elsewhere, OSError when the current
    folder is gone.
    """
    path = Path(name)
    if not path.is_absolute():
        Path.cwd()  # a folder that has been deleted holds nothing, which would look like all is well
    if path.is_symlink() and path.is_dir():
        raise MemShelfError(f"{name} is a link to a folder: name the folder itself, {path.resolve()}")
    return path
