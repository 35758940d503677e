"""Notices of change: who wants to hear of what, and when to look whether the library has moved."""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
)
from mcp.types import EmptyResult, SubscriptionFilter
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memshelf.server.thread import in_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from anyio.abc import TaskGroup
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.session import ServerSession
    from mcp.types import (
        SubscribeRequestParams,
        SubscriptionsListenRequestParams,
        SubscriptionsListenResult,
        UnsubscribeRequestParams,
    )

    from memshelf.server.resources import Sight

EVERY = 5.0
"""Seconds between two looks while somebody has subscribed; a look is a few stats when nothing moved."""

MOST = 100
"""Resources that one session may watch."""

log = logging.getLogger("memshelf")


class Notices:
    """What the clients of one connection have been told, and what they asked to hear of.

    Before 2026-07-28 a client subscribes to URIs and hears of the list without asking; since then it opens
    `subscriptions/listen` streams. A look follows each request, and the clock while somebody has subscribed.
    """

    def __init__(self, library: str | None) -> None:
        """Nobody listens yet."""
        self.library = library
        self.shelves: tuple[str, ...] | None = None
        self._sight: Sight | None = None
        self._uris: Counter[str] = Counter()
        self._streams = 0
        self._wanted = anyio.Event()
        self._one = anyio.Lock()
        self._session: ServerSession | None = None
        self._tasks: TaskGroup | None = None
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)

    @asynccontextmanager
    async def running(self, _: object) -> AsyncIterator[dict[str, Any]]:
        """Look from time to time while somebody has subscribed."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            tasks.start_soon(self._run)
            yield {}
            tasks.cancel_scope.cancel()

    async def after(self, ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
        """Answer a request, then look; the middleware of the server."""
        result = await call_next(ctx)
        if ctx.request_id is not None:
            if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                self._session = ctx.session
            if self._tasks:
                self._tasks.start_soon(self._try_to_look)
        return result

    async def subscribe(self, _: ServerRequestContext[Any], params: SubscribeRequestParams) -> EmptyResult:
        """Watch a resource (before 2026-07-28)."""
        if params.uri not in self._uris:
            await self._add([params.uri])
        return EmptyResult()

    async def unsubscribe(
        self, _: ServerRequestContext[Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        """Watch a resource no longer."""
        self._drop([params.uri])
        return EmptyResult()

    async def listen(
        self, context: ServerRequestContext[Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream of notices until the client ends it; tools and prompts never change."""
        asked = params.notifications
        uris = list(dict.fromkeys(asked.resource_subscriptions or ()))
        ours = SubscriptionFilter(
            resources_list_changed=asked.resources_list_changed, resource_subscriptions=uris or None
        )
        await self._add(uris)
        self._streams += bool(asked.resources_list_changed)
        self._wanted.set()
        try:
            return await self._listen(context, params.model_copy(update={"notifications": ours}))
        finally:
            self._streams -= bool(asked.resources_list_changed)
            self._drop(uris)

    async def look(self) -> None:
        """Tell what has changed since the last look, if anybody wants to hear of anything."""
        told = self._session is not None and self.shelves is not None
        if not (self._uris or self._streams or told):
            return
        async with self._one:
            uris, last = tuple(self._uris), self._sight
            now = await in_thread(self.library, None, lambda work, asked: work.look(asked, uris, last))
            if now is None or now is self._sight:
                return
            before, self._sight = self._sight, now
            known = before.prints if before else {}
            listed, self.shelves = self.shelves, now.shelves
            changed = [uri for uri in uris if known.get(uri, now.prints[uri]) != now.prints[uri]]
            await self._tell(changed, of_list=listed is not None and listed != now.shelves)

    async def _tell(self, changed: Iterable[str], *, of_list: bool) -> None:
        if of_list:
            await self._bus.publish(ResourcesListChanged())
            if self._session:
                await self._session.send_resource_list_changed()
        for uri in changed:
            await self._bus.publish(ResourceUpdated(uri=uri))
            if self._session:
                await self._session.send_resource_updated(uri)

    async def _add(self, uris: list[str]) -> None:
        every = {*self._uris, *uris}
        await in_thread(self.library, None, lambda work, _: work.check_uris(every, MOST))
        self._uris.update(uris)
        await self.look()
        if self._uris:
            self._wanted.set()

    def _drop(self, uris: Iterable[str]) -> None:
        self._uris = +(self._uris - Counter(uris))
        if not (self._uris or self._streams):
            self._wanted = anyio.Event()

    async def _run(self) -> None:
        while True:
            await self._wanted.wait()
            await anyio.sleep(EVERY)
            await self._try_to_look()

    async def _try_to_look(self) -> None:
        """Look; a fault of ours or of a client that has gone must not end the server."""
        try:
            await self.look()
        except Exception as bug:  # as with answers, its text may hold a value
            log.error("bug: %s in a notice", type(bug).__name__)  # noqa: TRY400
