"""Notices of change in both eras: told when another process moved the library, never for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated
from mcp.types import ResourceListChangedNotification, ResourceUpdatedNotification
from support import FINE, git, request
from wire import GOOD, WHO, answer, converse, frame, raw

from memshelf.commands.accept import accept
from memshelf.commands.write import write
from memshelf.server import make_server, notices
from memshelf.store import watch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")

INDEX = "memshelf://shared/index"
OTHER = "memshelf://homelab/index"
EPISODE = f"memshelf://shared/{FINE.id}"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "EVERY", 0.05)


def listening(
    library: Library, era: str, watched: list[str], work: Callable[[Client, Any], Awaitable[None]]
) -> None:
    """Do `work` with a client that has listed and subscribed, and a list of what it has heard."""
    heard: list[str] = []

    async def on_message(message: Any) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            heard.append(message.params.uri)
        elif isinstance(message, ResourceListChangedNotification):
            heard.append("list")

    async def go() -> None:
        server = make_server(str(library.root))
        told = on_message if era == "legacy" else None
        async with Client(server, mode=era, client_info=WHO, message_handler=told) as client:
            await client.list_resources()
            if era == "legacy":
                for uri in watched:
                    await client.session.subscribe_resource(uri)
                await work(client, heard)
            else:
                await streaming(client, watched, heard, work)

    anyio.run(go)


async def streaming(
    client: Client, watched: list[str], heard: list[str], work: Callable[[Client, Any], Awaitable[None]]
) -> None:
    async def note(stream: AsyncIterator[Any]) -> None:
        async for event in stream:
            assert isinstance(event, (ResourceUpdated, ResourcesListChanged))
            heard.append(event.uri if isinstance(event, ResourceUpdated) else "list")

    async with (
        client.listen(resources_list_changed=True, resource_subscriptions=watched) as stream,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(note, stream)
        await work(client, heard)
        tasks.cancel_scope.cancel()


async def hears(heard: list[str], *expected: str) -> None:
    """Wait until everything expected was heard, then a little longer for what must not come."""
    with anyio.fail_after(20):
        while not set(expected) <= set(heard):
            await anyio.sleep(0.02)
    await anyio.sleep(0.3)
    assert sorted(heard) == sorted(expected)
    heard.clear()


def test_capabilities_are_the_same_and_true_in_both_eras(empty: Path, era: str) -> None:
    async def look(client: Client) -> Any:
        return client.server_capabilities

    found = converse(empty, era, look).model_dump(exclude_none=True)

    assert found["tools"] == {"list_changed": False}
    assert found["prompts"] == {"list_changed": False}
    assert found["resources"] == {"subscribe": True, "list_changed": True}
    assert found["completions"] == {}


def test_another_process_that_writes_and_accepts_is_heard_of(
    library: Library, caller: Caller, era: str
) -> None:
    async def work(_: Client, heard: list[str]) -> None:
        await anyio.sleep(0.3)
        assert heard == []
        write(library, request(), caller)
        await hears(heard, INDEX, EPISODE)
        accept(library, [FINE.id], caller)
        await hears(heard, INDEX, EPISODE)

    listening(library, era, [INDEX, EPISODE, OTHER], work)


def test_an_own_write_is_heard_of_too_once(library: Library, era: str) -> None:
    async def work(client: Client, heard: list[str]) -> None:
        assert not (await answer(client, "write_episode", **GOOD))[0]
        await hears(heard, INDEX)

    listening(library, era, [INDEX, OTHER], work)


def test_a_new_shelf_changes_the_list(library: Library, era: str) -> None:
    async def work(client: Client, heard: list[str]) -> None:
        manifest = (library.root / "shelves/shared/shelf.yml").read_text(encoding="utf-8")
        (library.root / "shelves/work").mkdir()
        (library.root / "shelves/work/shelf.yml").write_text(manifest, encoding="utf-8")
        git(library.root, "add", "-A")
        git(library.root, "commit", "-qm", "a shelf")
        await client.call_tool("read_index", {})
        await hears(heard, "list")
        listed = await client.list_resources(cache_mode="bypass")
        assert "memshelf://work/index" in [resource.uri for resource in listed.resources]
        await hears(heard)

    listening(library, era, [], work)


def test_who_unsubscribes_hears_no_more(library: Library, caller: Caller) -> None:
    async def work(client: Client, heard: list[str]) -> None:
        await client.session.unsubscribe_resource(INDEX)
        write(library, request(), caller)
        await client.call_tool("read_index", {})
        await hears(heard)

    listening(library, "legacy", [INDEX], work)


def test_only_what_is_ours_and_not_too_much_is_watched(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "MOST", 3)

    async def work(client: Client, _: list[str]) -> None:
        for uri in ("file:///etc/passwd", "memshelf://shared"):
            with pytest.raises(Exception, match="no such resource"):
                await client.session.subscribe_resource(uri)
        for number in range(2):
            await client.session.subscribe_resource(f"memshelf://shared/e{number}")
        with pytest.raises(Exception, match="3 resources at most"):
            await client.session.subscribe_resource(OTHER)

    listening(library, "legacy", [INDEX], work)


def test_nothing_is_looked_at_while_nobody_listens(
    library: Library, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Any] = []
    monkeypatch.setattr(watch, "stamp", looked.append)

    async def work(client: Client) -> None:
        await client.call_tool("read_index", {})
        await client.list_tools()
        await anyio.sleep(0.3)

    converse(library.root, era, work)

    assert looked == []


def test_the_stamp_moves_with_the_branch_and_every_draft_and_not_else(
    library: Library, caller: Caller
) -> None:
    stamps = [watch.stamp(library)]

    def moved() -> bool:
        stamps.append(watch.stamp(library))
        return stamps[-1] != stamps[-2]

    write(library, request(dry_run=True), caller)
    (library.root / "shelves/shared/note.txt").write_text("x", encoding="utf-8")
    assert not moved()
    rev = write(library, request(), caller)
    assert moved()
    write(library, request(amend=True, rev=rev.rev, notes="late"), caller)
    assert moved()
    git(library.root, "pack-refs", "--all")
    assert moved()
    accept(library, [FINE.id], caller)
    assert moved()
    assert not moved()


def test_a_client_with_a_stream_that_hangs_up_is_not_waited_for(library: Library) -> None:
    listen = {"notifications": {"resourcesListChanged": True, "toolsListChanged": True}}
    lines = [frame("auto", 1, "subscriptions/listen", listen), frame("auto", 2, "tools/list", {})]
    messages, code, errors = raw(["-m", "memshelf", "serve", "--library", str(library.root)], lines, 2)

    assert "result" in messages[2]
    assert (code, errors) == (0, "")
