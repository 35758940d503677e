"""What `setup --check` tells: for each client whether it is connected, its hooks, and the last delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.errors import FormatError, MemShelfError, UsageError
from memshelf.hosts.asking import ask
from memshelf.hosts.clients import CLIENTS, SCOPES
from memshelf.hosts.entries import EVENTS
from memshelf.store import configuration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memshelf.hosts.clients import Client, Place
    from memshelf.hosts.entries import Launch
    from memshelf.hosts.parts import File
    from memshelf.store.deliveries import Delivery


class State(NamedTuple):
    """One client: its scope (empty when it is not set up), its hooks, what is wrong, and the last delivery.

    `connected` is the client's own word, None when it could not be asked.
    """

    client: Client
    scope: str = ""
    connected: bool | None = None
    hooks: int = 0
    faults: tuple[str, ...] = ()
    delivery: Delivery | None = None

    @property
    def wanted(self) -> int:
        """Return how many hooks the client should have."""
        return len(EVENTS.get(self.client.host, ()))

    def as_dict(self) -> dict[str, Any]:
        """Return the state as JSON values."""
        return {
            "client": self.client.name,
            "scope": self.scope,
            "connected": self.connected,
            "hooks": self.hooks,
            "hooks_wanted": self.wanted,
            "faults": list(self.faults),
            "delivery": self.delivery._asdict() if self.delivery else None,
        }

    def as_text(self) -> str:
        """Return one line, and one a fault."""
        name = self.client.name
        if not self.scope:
            way_out = "" if self.faults else f": `memshelf setup {name}`"
            return "\n".join([f"{name:<16}not set up{way_out}", *self._faults()])
        words = {True: "connected", False: "NOT CONNECTED", None: "configured, could not be asked"}
        facts = [f"{words[self.connected]} ({self.scope})"]
        facts += [f"hooks {self.hooks} of {self.wanted}"] if self.wanted else ["no hooks"]
        facts += [self._delivered()] if self.wanted else []
        return "\n".join([f"{name:<16}{', '.join(facts)}", *self._faults()])

    def _delivered(self) -> str:
        last = self.delivery
        if not last:
            return "nothing delivered yet"
        return f"last delivery {last.at}: {last.event}, {last.size:,} characters, {last.hash}"

    def _faults(self) -> list[str]:
        return [f"{'':<16}{fault}" for fault in self.faults]


class Checkup(NamedTuple):
    """The state of every client."""

    states: tuple[State, ...]

    @property
    def ok(self) -> bool:
        """Say whether nothing is wrong with any client that is set up."""
        return not any(state.faults or state.connected is False for state in self.states)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {"clients": [state.as_dict() for state in self.states]}

    def as_text(self) -> str:
        """Return a line a client."""
        return "\n".join(state.as_text() for state in self.states)


def check(place: Place, launch: Launch, delivered: Sequence[Delivery]) -> Checkup:
    """Look at every client's files and ask each that is set up; `delivered` is the last of each host."""
    return Checkup(tuple(_state(client, place, launch, delivered) for client in CLIENTS))


def _state(client: Client, place: Place, launch: Launch, delivered: Sequence[Delivery]) -> State:
    state = State(client)
    for scope in SCOPES:
        try:
            state = _looked(state, client.files(place, scope, launch), scope)
        except UsageError:  # a client that knows no projects
            continue
        except MemShelfError as error:
            state = state._replace(faults=(*state.faults, str(error)))
    if not state.scope:
        return state
    last = max((one for one in delivered if one.host == client.host), key=lambda one: one.at, default=None)
    return state._replace(connected=ask(client, place).connected, delivery=last)


def _looked(state: State, files: Sequence[File], scope: str) -> State:
    """Return the state with what the files of one scope say; the first scope that is set up counts."""
    present, stale, hooks = False, [], 0
    for file in files:
        text = configuration.read(file.path) or ""
        try:
            there = [part for part in file.parts if part.take(text) != text]
            same = [part for part in there if part.put(text) == text]
        except FormatError as error:
            raise MemShelfError(f"{file.path}: {error}") from None
        present = present or bool(there)
        hooks += sum(part.kind == "hooks" for part in same)
        if len(same) < len(file.parts):
            stale.append(file.path)
    if not present or state.scope:
        return state
    way_out = f"`memshelf setup {state.client.name} --scope {scope}` renews it"
    faults = tuple(f"{path} is not what setup writes for this library: {way_out}" for path in stale)
    return state._replace(scope=scope, hooks=hooks, faults=state.faults + faults)
