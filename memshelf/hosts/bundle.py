"""Bundle: write every package into a folder, the same bytes each time; or say which file there is stale."""

from __future__ import annotations

import importlib.metadata
import io
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import memshelf
from memshelf.errors import MemShelfError
from memshelf.hosts import packages
from memshelf.store import disk

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every file in the bundle: the earliest that a zip file can say."""


class Bundle(NamedTuple):
    """What was written, or with `check` what is not as it should be, by path."""

    folder: Path
    files: tuple[str, ...]
    check: bool = False

    @property
    def ok(self) -> bool:
        """Say whether all is as it should be."""
        return not (self.check and self.files)

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {"folder": str(self.folder), "stale" if self.check else "written": list(self.files)}

    def as_text(self) -> str:
        """Return a line a stale file, or one line for all that were written."""
        if self.check:
            return "\n".join(
                f"{self.folder / name}: stale, `memshelf bundle` writes it" for name in self.files
            )
        return f"{len(self.files)} files written to {self.folder}"


def bundle(folder: Path, *, check: bool = False) -> Bundle:
    """Write the packages into `folder`; with `check` write nothing and compare every byte.

    Raises MemShelfError when this installation does not know its own dependencies.
    """
    stale = []
    for path, content in _all(folder).items():
        if check and disk.read_bytes(path) != content:
            stale.append(path.relative_to(folder).as_posix())
        elif not check:
            disk.write_bytes(path, content)
            stale.append(path.relative_to(folder).as_posix())
    return Bundle(folder, tuple(stale), check)


def _all(folder: Path) -> dict[Path, bytes]:
    groups = {
        "claude-code": packages.plugin(),
        "gemini": packages.extension(),
        ".": packages.others(),
    }
    files = {
        folder / top / name: text.encode() for top, made in groups.items() for name, text in made.items()
    }
    files[folder / "memshelf.mcpb"] = _archive()
    return files


def _archive() -> bytes:
    """Return the Claude Desktop bundle: its manifest, and the product as it is here."""
    try:
        facts = importlib.metadata.metadata("memshelf")
    except importlib.metadata.PackageNotFoundError:
        raise MemShelfError("memshelf is not installed: `pip install .`, then try again") from None
    needs = [need for need in facts.get_all("Requires-Dist") or [] if "extra ==" not in need]
    files = {
        name: text.encode()
        for name, text in packages.desktop(sorted(needs), facts["Requires-Python"]).items()
    }
    top = Path(memshelf.__file__).parent
    for path in top.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            files[f"memshelf/{path.relative_to(top).as_posix()}"] = path.read_bytes()
    fresh = packages.repository()
    files |= {name: text.encode() for name, text in fresh.items() if name.startswith("memshelf/")}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name])
    return made.getvalue()
