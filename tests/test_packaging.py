"""What is published: the product, its one version, its bounds; never this project's own memory."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path
from typing import Any

import pytest

import memshelf
from memshelf.cli import main

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = PROJECT["tool"]["hatch"]["build"]["targets"]


def built(builder: str) -> set[str]:
    """Return the paths that hatchling puts into the `sdist` or the `wheel`."""
    module = pytest.importorskip(f"hatchling.builders.{builder}", reason="hatchling is not installed")
    made = getattr(module, f"{builder.title()}Builder")(str(ROOT))
    return {Path(file.distribution_path).as_posix() for file in made.recurse_included_files()}


def product() -> set[str]:
    """Return every file of the package, from the repository's top."""
    files = (
        path for path in (ROOT / "memshelf").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(ROOT).as_posix() for path in files}


def test_the_sdist_names_what_it_holds_and_our_memory_is_not_in_it() -> None:
    assert "/memshelf" in BUILD["sdist"]["include"]
    assert not any("shelves" in path or path in ("/", "*", "**") for path in BUILD["sdist"]["include"])
    assert BUILD["wheel"]["packages"] == ["memshelf"]


def test_the_built_sdist_holds_product_and_tests_alone() -> None:
    files = built("sdist")
    assert product() <= files
    assert {path.split("/")[0] for path in files if "/" in path} == {"memshelf", "tests"}


def test_the_built_wheel_is_the_product() -> None:
    assert {path for path in built("wheel") if not path.split("/")[0].endswith(".dist-info")} == product()


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {(ROOT / path).parent for path in product() if path.endswith(".py")}
    assert {folder.name for folder in folders if not (folder / "__init__.py").is_file()} == set()


def test_the_version_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"] == {"path": "memshelf/__init__.py"}
    assert importlib.metadata.version("memshelf") == memshelf.__version__
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"memshelf {memshelf.__version__}\n"


def test_the_mcp_sdk_has_both_bounds_and_no_other_has_an_upper_one() -> None:
    needs = PROJECT["project"]["dependencies"]
    assert "mcp>=2.3,<3" in needs
    assert [need for need in needs if "<" in need] == ["mcp>=2.3,<3"]


def test_the_packages_our_user_named_are_dependencies() -> None:
    names = {need.split(">")[0] for need in PROJECT["project"]["dependencies"]}
    assert {"gitpython", "mcp", "python-frontmatter", "rapidfuzz"} <= names
