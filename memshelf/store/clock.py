"""The clock. The only module that asks what day and what time it is."""

from __future__ import annotations

import datetime
import time


def today() -> str:
    """Return today's local date as YYYY-MM-DD."""
    return datetime.datetime.now().astimezone().date().isoformat()


def now() -> str:
    """Return this moment in UTC as ISO, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def seconds_since(moment: float) -> float:
    """Return the seconds since `moment`, a file's time stamp."""
    return time.time() - moment
