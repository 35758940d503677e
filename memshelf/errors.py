"""The refusals a user can act on. Anything else that is raised is a bug."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.model import Finding


class MemShelfError(Exception):
    """The command cannot be done; the text says what is wrong and what to do. Exit code 1."""


class UsageError(MemShelfError):
    """The command was called wrongly. Exit code 2."""


class FormatError(MemShelfError):
    """A file cannot be read as what it should be.

    `line` is the 1-based line of the fault, 0 when it has none.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        """Keep the line beside the message."""
        super().__init__(message)
        self.line = line


class Refused(MemShelfError):
    """A gate said no and nothing was written; `findings` are all its reasons at once."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        """Keep the findings beside the message."""
        super().__init__(message)
        self.findings = tuple(findings)


def disk_said(error: OSError) -> MemShelfError:
    """Return the operating system's refusal as one of ours: the file, if it names one, and its words."""
    place = f"{error.filename}: " if error.filename else ""
    return MemShelfError(f"{place}{error.strerror or type(error).__name__}: mend it, then try again")
