"""A person edits a draft in their own editor; what they wrote is never lost."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memshelf.cli.terminal import RED
from memshelf.commands.revise import revise
from memshelf.errors import MemShelfError
from memshelf.formats import episode as episode_format

if TYPE_CHECKING:
    from memshelf.cli.screen import Screen
    from memshelf.commands.revise import Revised
    from memshelf.model import Entry
    from memshelf.store.library import Library

NAME = "draft.md"


def edit(library: Library, entry: Entry, today: str, screen: Screen) -> Revised | None:
    """Open the draft in the editor until the gate takes the text; None when the person gives up.

    A text that was not taken stays in a file that only the person can read, and the screen names it.
    Raises MemShelfError when there is no editor, or when it fails on an untouched text.
    """
    command = library.git.ask("var", "GIT_EDITOR")
    if not command:
        raise MemShelfError("no editor is known: set VISUAL or EDITOR, or pass --file FILE")
    file = Path(tempfile.mkdtemp(prefix="memshelf-edit-")) / NAME
    before = episode_format.render(entry.episode).encode()
    file.write_bytes(before)
    done = False
    try:
        while not done:
            try:
                _open(command, file)
                revised = revise(library, entry, episode_format.decode(file.read_bytes()), today)
                done = True
            except MemShelfError as error:
                if file.is_file() and file.read_bytes() == before:
                    raise
                screen.say(str(error), RED)
                if screen.choose("", ("[e]dit again", "[k]eep the text in a file")) == "k":
                    return None
        return revised
    finally:
        if done or not file.is_file() or file.read_bytes() == before:
            shutil.rmtree(file.parent, ignore_errors=True)
        else:
            name = f"{entry.shelf}/{entry.episode.id}"
            screen.say(
                f"the draft is as it was; your text is kept: memshelf review edit {name} --file {file}"
            )


def _open(command: str, file: Path) -> None:
    """Run the editor, a shell's command line as git takes it; Ctrl-C meanwhile is the editor's."""
    name = f'"{file}"' if os.name == "nt" else shlex.quote(str(file))
    code = os.waitstatus_to_exitcode(os.system(f"{command} {name}"))
    if code:
        raise MemShelfError(f"the editor ended with {code}: mend it, or set VISUAL or EDITOR to another")
