"""A real agent keeps a topic and finds it again: what its model was shown, not what the server sent."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from desk import furnish
from fake_api import serving
from hosts import EPISODE, GOOD, HOSTS
from support import git

from memshelf.server.app import INSTRUCTIONS
from memshelf.server.tools import TOOLS

if TYPE_CHECKING:
    from pathlib import Path

    from desk import Desk
    from fake_api import FakeApi, Said
    from hosts import Host
    from support import Ran

FAULTS = ("digest-without-marker", "digest-says-we", *["section-missing"] * 3)


@dataclass(frozen=True)
class Talk:
    """One conversation: who held it, where, what the model saw, and how the client ended."""

    host: Host
    desk: Desk
    api: FakeApi
    ran: Ran

    @property
    def results(self) -> list[Said]:
        """What our tools answered, as the model has it in its last request."""
        return self.api.results(self.api.asked[-1])[-5:]


@pytest.fixture(scope="module", params=HOSTS)
def talk(request: pytest.FixtureRequest, tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Talk:
    """Connect a client with the line that `init` prints, and let it talk."""
    host = HOSTS[request.param]
    desk = furnish(tools, tmp_path_factory.mktemp(request.param))
    desk.connect(host.label)
    with serving(host.api(host.script())) as api:
        return Talk(host, desk, api, host.talk(desk, api.url))


def test_the_client_plays_the_whole_conversation(talk: Talk) -> None:
    assert (talk.ran.code, talk.ran.out.strip()) == (0, talk.api.DONE), talk.ran.err
    assert talk.api.played_out
    assert [said.failed for said in talk.results] == [False, True, False, False, False]


def test_the_model_is_told_what_this_is_and_when_to_call_it(talk: Talk) -> None:
    assert INSTRUCTIONS.strip() in talk.api.instructions(talk.api.asked[-1])


def test_the_model_sees_every_word_and_argument_of_the_tools(talk: Talk) -> None:
    offered = talk.api.offered(talk.api.asked[-1])

    for tool in TOOLS:
        seen = offered[talk.host.prefix + tool.name]
        assert json.dumps(tool.about) in seen
        for name, kind in tool.schema["properties"].items():
            assert f"{json.dumps(name)}: {json.dumps(kind)}" in seen


def test_what_a_session_begins_with_is_at_hand(talk: Talk) -> None:
    turns = [talk.api.at_hand(body) for body in talk.api.asked]
    ours = {name.removeprefix(talk.host.prefix) for name in turns[1] if name.startswith(talk.host.prefix)}

    assert ours == talk.host.at_hand
    assert {"read_index", "read_episode"} <= ours


def test_the_map_reaches_the_model(talk: Talk) -> None:
    assert "No episodes yet on homelab, shared: write_episode keeps the first" in talk.results[0].text


def test_a_refusal_tells_the_model_every_fault(talk: Talk) -> None:
    told = talk.results[1].text

    assert "refused, nothing was written:" in told
    assert re.findall(r"\[([a-z-]+)\]", told) == list(FAULTS)
    assert "write what was chosen, rejected, found or left open" in told


def test_the_corrected_write_is_a_draft_of_the_projects_shelf(talk: Talk) -> None:
    assert f"saved as draft: homelab/{EPISODE}\n" in talk.results[2].text
    assert git(talk.desk.library, "for-each-ref", "--format=%(refname)", "refs/memshelf/") == (
        f"refs/memshelf/draft/homelab/{EPISODE}"
    )
    assert git(talk.desk.library, "rev-list", "--count", "main") == "1"


def test_the_draft_names_the_client(talk: Talk) -> None:
    stored = git(talk.desk.library, "show", f"refs/memshelf/draft/homelab/{EPISODE}:{EPISODE}.md")

    assert f"\nclient: [{talk.host.client}]\n" in stored
    assert ("\nsession: [" in stored) == (talk.host is HOSTS["claude"])


def test_the_one_section_comes_back_as_data_in_its_envelope(talk: Talk) -> None:
    told = talk.results[3].text
    envelope = re.search(
        r"<memshelf-episode nonce=([0-9a-f]{8})>\n(.*)\n</memshelf-episode nonce=\1>", told, re.S
    )

    assert f"homelab/{EPISODE}@draft" in told
    assert envelope
    assert envelope[2] == f"## Decisions\n\n{GOOD['decisions']}"


def test_the_hit_of_a_search_reaches_the_model_with_its_address(talk: Talk) -> None:
    told = talk.results[4].text

    assert EPISODE in told
    assert "Decisions" in told
    assert GOOD["decisions"] in told
    assert told.startswith('{"outcome":"found"') == (talk.host is HOSTS["claude"])
