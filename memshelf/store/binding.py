"""Which shelf a project is bound to, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from memshelf.formats import settings
from memshelf.store import projects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memshelf.store.library import Library
    from memshelf.store.projects import Project

SHELF_VARIABLE = "MEMSHELF_SHELF"


class Scope(NamedTuple):
    """The shelf a project is bound to (empty: none), why, and what a person should know of it."""

    shelf: str
    reason: str
    note: str = ""


def bound_shelf(library: Library, names: Sequence[str], variables: Mapping[str, str], start: Path) -> Scope:
    """Return the shelf of the project that `start` lies in.

    $MEMSHELF_SHELF first, then the shelf whose folder `start` lies in, then a binding in memshelf.yml,
    then the project's name: its origin's, else its main work tree's folder. A shelf that is bound to
    projects is no other project's by its name. The home folder never guesses.
    """
    if variables.get(SHELF_VARIABLE):
        return Scope(variables[SHELF_VARIABLE], f"${SHELF_VARIABLE}")
    on = next((name for name in names if start.is_relative_to(library.root / library.home(name))), "")
    if on:
        return Scope(on, "this folder lies on it")
    project = projects.around(start)
    if project is None:
        return Scope("", f"{start} is in no Git repository")
    bound = [name for name in names if any(map(project.matches, library.settings.shelf(name).projects))]
    if bound:
        also = f"{', '.join(bound[1:])} binds this project too: keep one of them" if bound[1:] else ""
        return Scope(bound[0], f"bound in {settings.NAME}", also)
    return _by_name(library, names, project)


def _by_name(library: Library, names: Sequence[str], project: Project) -> Scope:
    bind = f"`projects: [{project.name}]` under a shelf in {settings.NAME} binds this project"
    called = project.called
    if project.is_home:
        return Scope("", "the home folder never guesses", bind)
    if called not in names and library.common in (project.folder, project.folder / ".git"):
        return Scope("", f"this is the library itself, and no shelf is called {called}")
    if called not in names:
        return Scope("", f"no shelf is bound to {project.name} or called {called}", bind)
    if library.settings.shelf(called).projects:
        return Scope("", f"{called} is bound to other projects than {project.name}", bind)
    only = f"only the name says so, and another repository called {called} would share the shelf: {bind}"
    return Scope(called, f"the project is called {called}", only)
