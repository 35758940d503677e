"""What guards the memory on its Git host, as far as it can be seen from here. Asked by doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memshelf.commands import workflows
from memshelf.commands.diagnosis import Unknown
from memshelf.model import Conventions
from memshelf.rules.facts import Facts, Host
from memshelf.rules.shelf import examine
from memshelf.store import remote
from memshelf.store.disk import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Finding
    from memshelf.store.library import Library

GATE = "branch-without-gate"
CHECK = "memshelf check"
"""The name of the check that a branch's rules demand."""

UNSEEN = (
    "whether the branch on GitHub can be changed without a person cannot be seen from here: "
    f"`memshelf explain {GATE}` says how to ask"
)
SILENT = (
    "GitHub told no rules of the branch; an older branch protection does not show there: look in its settings"
)


def gate(library: Library, told: object, today: str) -> Iterator[Finding | Unknown]:
    """Yield what is wrong with the workflows and owners, and with the branch's rules where they are `told`.

    `told` is what GitHub's API lists of them, None: it was not asked.
    """
    demanded = _lacking(told)
    yield from examine(Facts(host=_host(library, demanded or ())), Conventions(today))
    if demanded is None and (told is not None or _has_workflows(library)):
        yield Unknown((GATE,), "", UNSEEN if told is None else SILENT, far=True)


def _host(library: Library, ungated: tuple[str, ...]) -> Host:
    """Look at the files on disk. Where no workflow is there, another host may be the one that renders."""
    top = workflows.top(library)
    there = {path: raw for path in workflows.NAMES if (raw := read_bytes(top / path)) is not None}
    if not there:
        name = remote.remote_of(library)
        url = library.git.ask("remote", "get-url", name) if name else ""
        alone = library.settings.derived == "bot" and (not url or workflows.github_of(url) is not None)
        return Host(missing=(workflows.RENDER,) * alone, ungated=ungated)
    fresh = workflows.templates(library, workflows.pinned(library))
    drifted = tuple(path for path, raw in there.items() if raw.replace(b"\r\n", b"\n") != fresh[path])
    missing = tuple(path for path in workflows.NAMES if path not in there)
    return Host(missing, drifted, tuple(workflows.unowned(library)), ungated)


def _has_workflows(library: Library) -> bool:
    return any((workflows.top(library) / path).is_file() for path in workflows.NAMES)


def _lacking(rules: object) -> tuple[str, ...] | None:
    """Return what the branch's rules do not demand; None where they say nothing.

    An older branch protection is not among them, so an empty list proves nothing.
    """
    if not isinstance(rules, list) or not rules:
        return None
    known = {rule.get("type"): rule.get("parameters") or {} for rule in rules if isinstance(rule, dict)}
    request = known.get("pull_request", {})
    checks = known.get("required_status_checks", {}).get("required_status_checks") or []
    again = request.get("dismiss_stale_reviews_on_push") or request.get("require_last_push_approval")
    wanted = {
        "a pull request": "pull_request" in known,
        "an approval": bool(request.get("required_approving_review_count")),
        "the approval of a code owner": request.get("require_code_owner_review"),
        "a new approval after a push": again,
        f"the check `{CHECK}`": any(one.get("context") == CHECK for one in checks),
    }
    return tuple(name for name, demanded in wanted.items() if not demanded)
