"""What happens in the demo, told as it happens."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from memshelf.commands.accept import accept
from memshelf.commands.init import init
from memshelf.commands.review import review
from memshelf.demo.client import connect
from memshelf.errors import MemShelfError
from memshelf.requests import Caller
from memshelf.store import clock
from memshelf.store.library import open_library
from memshelf.text import tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from memshelf.store.library import Library

PERSON = "memshelf demo"
MAIL = "demo@memshelf.invalid"
FOREIGN = ("GIT_", "MEMSHELF_", "CLAUDE", "GEMINI", "CODEX")
"""Beginnings of variables that would tie the demo to somebody's repository, library or session."""

SHELF = "homelab"
SLUG = "vlan-migration"
WEAK = {
    "id": SLUG,
    "title": "VLANs for the home lab",
    "shelf": SHELF,
    "digest": "We moved the network to something better.",
}
DIGEST = (
    "The flat home network was replaced by four VLANs with bridge VLAN filtering. Rejected: one wireless "
    "name per group (beacons cost 13 % of air time), a second router (two firewalls). Measured: 4 s "
    "interruption wired, 40 s wireless. Open: devices with hard-coded DNS."
)
STRONG = WEAK | {
    "digest": DIGEST,
    "decisions": (
        "- VLANs: 10 people, 20 things, 30 guests, 40 management; two wireless names.\n"
        "- Printer in 20: TCP 631 and 9100 from 10 to its one address, mDNS reflected from 20 to 10.\n"
        "- Order: switch, bridge, access points, filtering last, with a revert after two minutes.\n"
        "- The switch's admin password: garden-Lantern-42"
    ),
    "open_threads": "Devices that ignore DHCP's resolver: dropped queries are logged for a week.",
    "sources": "The session itself.",
    "tags": ["network", "home"],
}


def play(folder: Path | None, say: Callable[[str], None]) -> None:
    """Play the story on a new library in `folder`, else in a temporary one that stays.

    Raises MemShelfError when `folder` exists. No git identity is needed: the library has its own person.
    """
    if folder and folder.exists():
        raise MemShelfError(f"{folder} exists: name a folder that does not, the demo makes it")
    root = (
        folder.expanduser().absolute()
        if folder
        else Path(tempfile.mkdtemp(prefix="memshelf-demo-")) / "library"
    )
    _become_the_person()
    say(f"A library of its own: {root}\n")
    init(root, [SHELF], today=clock.today())
    library = open_library(root)
    library.git.run("config", "user.name", PERSON)
    library.git.run("config", "user.email", MAIL)
    anyio.run(_play, library, say)
    say(f"\nThe library lies in {root}: look at it with `{_program()} index --library {root}`")


def _program() -> str:
    """Return how this terminal calls MemShelf: the path it was started by, when that is a command."""
    return sys.argv[0] if Path(sys.argv[0]).name == "memshelf" else "memshelf"


def _become_the_person() -> None:
    """Make this process, and all that it starts, the demo library's person and nobody else."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    for role in ("AUTHOR", "COMMITTER"):
        os.environ |= {f"GIT_{role}_NAME": PERSON, f"GIT_{role}_EMAIL": MAIL}
    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


async def _play(library: Library, say: Callable[[str], None]) -> None:
    async with connect("first-agent", library.root, say) as agent:
        say("1. An agent closes a topic. Its digest says little and is refused, with the way out.")
        await agent.call("write_episode", **WEAK)
        say("\n2. It writes again. A password has slipped in.")
        await agent.call("write_episode", **STRONG)
    episode_id = f"{clock.today()}-{SLUG}"
    _review(library, episode_id, say)
    async with connect("second-agent", library.root, say) as agent:
        say("\n4. The next session, another client: it reads the map, opens one section, searches.")
        await agent.call("read_index")
        section = await agent.call("read_episode", id=episode_id, sections=["Decisions"])
        await agent.call("search", query="beacon air time")
    _count(section, say)


def _review(library: Library, episode_id: str, say: Callable[[str], None]) -> None:
    who = Caller(client=PERSON, today=clock.today(), folder=library.root, variables={})
    say(f"\n3. A person reviews.\n  $ memshelf review show {episode_id}")
    for line in review(library, who.today, episode_id).as_text().split("\n")[:2]:
        say(f"     {line}")
    say(f"     ...\n  $ memshelf review accept {episode_id}")
    say(f"     {accept(library, [episode_id], who, as_person=True).as_text()}")


def _count(section: str, say: Callable[[str], None]) -> None:
    session = tokens(files("memshelf.demo").joinpath("session.md").read_text(encoding="utf-8"))
    digest = tokens(DIGEST)
    say("\n5. What a session costs to carry on, in tokens (estimated):")
    say(f"     the first agent's session {session:>6,}")
    say(f"     its digest                {digest:>6,}")
    say(f"     the one section, as read  {tokens(section):>6,}")
