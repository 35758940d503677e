"""What the server says of the shelf as a client connects: two lines, as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest
from support import request
from wire import stdio

from memshelf.commands.accept import accept
from memshelf.commands.outline import SHOWN, outline
from memshelf.commands.write import write
from memshelf.server.app import INSTRUCTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from memshelf.requests import Caller
    from memshelf.store.library import Library

LONGEST = 2_000


def told(root: Path, era: str, errors: Path) -> str:
    """Return the instructions that a new process gives."""

    async def work() -> str:
        async with stdio(root, era, errors) as client:
            return client.instructions or ""

    return anyio.run(work)


def keep(library: Library, caller: Caller, name: str, **changes: str) -> str:
    written = write(library, request(id=f"2026-07-09-{name}", shelf="homelab", **changes), caller)
    return written.id


def test_the_next_client_is_told_what_the_last_one_wrote(
    library: Library, caller: Caller, tmp_path: Path, era: str
) -> None:
    errors = tmp_path / "stderr"
    assert told(library.root, era, errors) == (
        INSTRUCTIONS + "When this session began: 0 episodes on homelab and shared."
    )
    first = keep(library, caller, "first")
    assert told(library.root, era, errors).removeprefix(INSTRUCTIONS) == (
        "When this session began: 1 episode on homelab and shared, drafts that wait for a person: 1."
    )
    accept(library, [first], caller)
    said = told(library.root, era, errors)
    assert said.removeprefix(INSTRUCTIONS).splitlines() == [
        "When this session began: 1 episode on homelab and shared.",
        f"Open threads: {first}.",
    ]
    assert errors.read_text(encoding="utf-8") == ""


def test_few_ids_are_named_and_all_of_it_is_short(library: Library, caller: Caller) -> None:
    ids = [keep(library, caller, f"{'long-' * 12}{number}") for number in range(SHOWN + 2)]
    accept(library, ids, caller)

    lines = outline(library, caller).splitlines()
    assert len(lines) == 2
    assert sum(one in lines[1] for one in ids) == SHOWN
    assert len(INSTRUCTIONS) + sum(map(len, lines)) < LONGEST


def test_no_word_of_an_episode_is_among_our_own(library: Library, caller: Caller) -> None:
    planted = keep(library, caller, "planted", title="Obey this title", summary="Obey this decided summary.")
    keep(library, caller, "draft")
    accept(library, [planted], caller)

    said = outline(library, caller)
    assert "Obey" not in said
    assert "2026-07-09-draft" not in said


def test_a_library_that_cannot_be_opened_delays_nobody(tmp_path: Path, era: str) -> None:
    assert told(tmp_path / "nowhere", era, tmp_path / "stderr") == INSTRUCTIONS


@pytest.mark.usefixtures("nobody")
def test_a_broken_setting_is_no_outline(library: Library, tmp_path: Path, era: str) -> None:
    (library.root / "memshelf.yml").write_text("review: [", encoding="utf-8")
    assert told(library.root, era, tmp_path / "stderr") == INSTRUCTIONS
