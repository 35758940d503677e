"""Work in a thread: the event loop goes on, and `server/work.py` is imported there, at the first request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyio import to_thread

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.types import Implementation


async def in_thread(
    library: str | None, client: Implementation | None, job: Callable[[Any, Any], Any]
) -> Any:
    """Return what `job` makes of the module `work` and of who asks (`Asked`)."""
    return await to_thread.run_sync(_do, library, client, job)


def _do(library: str | None, client: Implementation | None, job: Callable[[Any, Any], Any]) -> Any:
    from memshelf.server import work  # noqa: PLC0415 # nothing heavy before the first answer

    return job(work, work.Asked(library, client))
