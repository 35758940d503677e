"""`memshelf check [FILE...]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli import options
from memshelf.commands.check import check
from memshelf.errors import MemShelfError

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the files."""
    parser.add_argument(
        "files", nargs="*", metavar="FILE", help="episodes or folders; none: the whole library"
    )
    options.add_common(parser)


def run(parsed: argparse.Namespace) -> int:
    """Print the findings; 1 when one of them is an error."""
    library = None if parsed.files and not parsed.library else options.library_of(parsed)
    result = check([_named(name) for name in parsed.files], library, options.caller().today)
    options.answer(parsed, result)
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
