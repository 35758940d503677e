"""Regexes compiled at first use: a text meets few of the pack's, and compiling all of them takes longer."""

from __future__ import annotations

import functools
import re


@functools.cache
def compiled(regex: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled regex, the same object each time."""
    return re.compile(regex, flags)
