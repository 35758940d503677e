"""The lines that `memshelf init` prints, pasted into the real clients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from desk import Desk

ASKED = {
    "claude lists it": ("Claude Code", ("claude", "mcp", "list"), r"^memshelf: .* - ✔ Connected$"),
    "claude knows it": ("Claude Code", ("claude", "mcp", "get", "memshelf"), r"^  Status: ✔ Connected$"),
    "gemini lists it": ("Gemini CLI", ("gemini", "mcp", "list"), r"^✓ memshelf: .* - Connected$"),
}


@pytest.mark.parametrize("case", ASKED)
def test_the_pasted_line_connects(desk: Desk, case: str) -> None:
    client, question, answer = ASKED[case]
    desk.connect(client)

    said = desk.run(*question)

    assert re.search(answer, said.out + said.err, re.M), said.out + said.err
