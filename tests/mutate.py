"""Does a test notice? Breaks a copy of the code in one place at a time and demands that a test fails.

`python tests/mutate.py [--only NAME] [--jobs 1]`; pytest does not collect it. Exit code 1: a mutation
survived or no longer fits the code, or the test that noticed fails on the whole code too.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTICED = 1
"""pytest's exit code when tests ran and one failed; every other one proves nothing."""

FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)

JOURNAL = (
    "journal.write(library.common, Journal(library.branch, old, new, tuple(paths), drafts, followers))\n"
)
TAKE = "try:\n        for follower in followers:\n            _take(follower)\n"


@dataclass(frozen=True)
class Mutation:
    """One way to break the code: in `file`, `old` (which stands there once) becomes `new`.

    `tests` are what must notice, as pytest takes it.
    """

    name: str
    file: str
    old: str
    new: str
    tests: str


MUTATIONS = (
    Mutation(
        "new-ids-in-either-order",
        "commands/merging.py",
        "sorted((ours, theirs), key=lambda copy: hashlib.sha256(copy.raw).hexdigest())",
        "(ours, theirs)",
        "tests/commands/test_merging.py",
    ),
    Mutation(
        "amend-against-purge",
        "commands/merging.py",
        "if kept is None or (base and kept.raw == base.raw):",
        "if kept is None or base:",
        "tests/commands/test_merging.py",
    ),
    Mutation(
        "clash-of-sections",
        "commands/amending.py",
        "if odd or torn:",
        "if odd:",
        "tests/commands/test_merging.py",
    ),
    Mutation(
        "edits-between-marks",
        "commands/resolve.py",
        'if own and here != _plain(content or b""):',
        "if False:",
        "tests/commands/test_resolve.py",
    ),
    Mutation(
        "published-by-others",
        "commands/publish.py",
        'not in {sheet.note.uuid for sheet in sheets} - {""}:',
        'in {"nothing"}:',
        "tests/commands/test_publish.py",
    ),
    Mutation(
        "word-limit",
        "rules/digest.py",
        "if words > MAX_WORDS:",
        "if words > MAX_WORDS + 1:",
        "tests/test_rules.py",
    ),
    Mutation(
        "marker-in-quotation",
        "rules/digest.py",
        "not markers.find(_prose(episode), ",
        "not markers.find(episode.digest, ",
        "tests/test_rules.py",
    ),
    Mutation(
        "we-in-quotation",
        "rules/digest.py",
        "said = _said(WE, _prose(episode))",
        "said = _said(WE, episode.digest)",
        "tests/test_rules.py",
    ),
    Mutation(
        "redaction-before-rendering",
        "commands/write.py",
        "request, redactions = _scrubbed(request, policy, base)",
        "redactions = _scrubbed(request, policy, base)[1]",
        "tests/test_doors_end_to_end.py",
    ),
    Mutation(
        "identifier-refusal",
        "redact/doors.py",
        "    _refuse(_secrets(request, policy))\n",
        "",
        "tests/test_doors.py",
    ),
    Mutation(
        "envelope-salt",
        "formats/envelope.py",
        "if nonce not in payload:",
        "if nonce:",
        "tests/test_envelope.py",
    ),
    Mutation(
        "compare-and-swap",
        "store/drafts.py",
        "new or zero, old or zero, durable=True",
        "new or zero, durable=True",
        "tests/store/test_drafts.py::test_of_different_texts_for_one_id_one_wins_and_the_others_are_told",
    ),
    Mutation(
        "accept-checks-its-base",
        "commands/shelving.py",
        'if (accepted.rev if accepted else "") != base:',
        'if base and (accepted.rev if accepted else "") != base:',
        "tests/store/test_accept.py::test_a_draft_whose_id_was_taken_meanwhile_is_refused",
    ),
    Mutation(
        "check-clean",
        "commands/shelving.py",
        "    landing.check_clean(library, sorted(paths))\n",
        "",
        "tests/store/test_accept.py::test_what_stands_in_the_way_is_told_and_nothing_changes",
    ),
    Mutation(
        "index-lock-ownership",
        "store/journal.py",
        "self.hold.exists() and self.lock.samefile(self.hold)",
        "self.hold.exists()",
        "tests/test_cli.py::test_the_lock_of_another_git_is_told_and_stays",
    ),
    Mutation(
        "journal-order",
        "store/landing.py",
        f"    {JOURNAL}    {TAKE}",
        f"    {TAKE}        {JOURNAL}",
        "tests/store/test_repair.py::test_an_accept_that_dies_before_any_of_its_steps_is_made_whole",
    ),
    Mutation(
        "derived-order",
        "derived/index_file.py",
        "kept = sorted(shelf.entries, key=lambda entry: (entry.episode.id, entry.path), reverse=True)",
        "kept = list(shelf.entries)",
        "tests/test_derived.py",
    ),
    Mutation(
        "derived-purity",
        "derived/ledger.py",
        "from typing import TYPE_CHECKING\n",
        "import os\nfrom typing import TYPE_CHECKING\n",
        "tests/test_architecture.py::test_a_pure_part_touches_no_disk",
    ),
    Mutation(
        "map-cursor",
        "derived/map.py",
        "return text, start + count if",
        "return text, count if",
        "tests/test_map.py",
    ),
    Mutation(
        "catalogue-torn-listing",
        "store/catalogue/fill.py",
        "if watch.branch_stamp(library) != before:",
        "if watch.branch_stamp(library) != before and not library:",
        "tests/store/test_catalogue.py",
    ),
    Mutation(
        "catalogue-words-stay",
        "store/catalogue/tables.py",
        "    if not SECURE_DELETE:\n",
        "    if SECURE_DELETE and not db:\n",
        "tests/store/test_catalogue.py",
    ),
    Mutation(
        "catalogue-forgets-successor",
        "store/catalogue/tables.py",
        '    touched |= set(db.execute("SELECT shelf, old FROM supersedes WHERE number = ?", (number,)))\n',
        "",
        "tests/store/test_catalogue.py",
    ),
    Mutation(
        "doctor-sound-forever",
        "store/catalogue/sound.py",
        "self.code + facts + raw",
        "self.code + raw",
        "tests/commands/test_doctor_states.py",
    ),
    Mutation(
        "search-outcome",
        "search/fulltext.py",
        "return Answer(Outcome.WRONG_SCOPE,",
        "return Answer(Outcome.NOTHING,",
        "tests/test_search.py",
    ),
    Mutation(
        "search-superseded-first",
        "search/order.py",
        "return falling(_below_successors(made))",
        "return falling(made)",
        "tests/test_search.py",
    ),
    Mutation(
        "search-echoes",
        "search/fulltext.py",
        "_apart(evidence(without_echoes(ranked, query), heads))",
        "_apart(evidence(ranked, heads))",
        "tests/test_search.py",
    ),
    Mutation(
        "search-no-verbatim", "search/query.py", "VERBATIM = 7.0", "VERBATIM = 0.0", "tests/test_search.py"
    ),
    Mutation(
        "search-corrects-what-is-there",
        "search/spelling.py",
        "for term in found if term not in known]",
        "for term in found]",
        "tests/test_search.py",
    ),
    Mutation(
        "search-another-shelfs-rows",
        "store/catalogue/view.py",
        "if starts.keys() <= set(names):",
        "if starts:",
        "tests/test_search.py",
    ),
    Mutation("terms-no-roots", "terms.py", 'term[-1] in "eily"', 'term[-1] in ""', "tests/test_terms.py"),
    Mutation(
        "write-duplicates",
        "search/likeness.py",
        "ALIKE = 0.5",
        "ALIKE = 5.0",
        "tests/commands/test_write.py",
    ),
    Mutation(
        "unknown-argument",
        "requests.py",
        'faults = [f"unknown argument{_meant(name, known)}" for name in passed if name not in known]',
        "faults: list[str] = []",
        "tests/test_adapters.py",
    ),
    Mutation(
        "agent-decides",
        "commands/drafts.py",
        "if host and not as_person:",
        "if host and as_person:",
        "tests/store/test_accept.py::test_an_agents_terminal_is_refused_unless_a_person_says_so",
    ),
    Mutation(
        "repeated-key",
        "formats/front_matter.py",
        "if key_node.value in seen:",
        "if key_node.value in seen and not seen:",
        "tests/commands/test_check.py",
    ),
    Mutation(
        "link-on-disk",
        "store/snapshot.py",
        "mode = path.lstat().st_mode",
        "mode = path.stat().st_mode",
        "tests/commands/test_check.py",
    ),
    Mutation(
        "link-in-git",
        "store/snapshot.py",
        "LINK_FAULT if blob.mode == SYMLINK else",
        "",
        "tests/store/test_snapshot.py",
    ),
    Mutation(
        "read-back",
        "commands/composing.py",
        "if document.episode != episode and not any",
        "if document.episode is None and not any",
        "tests/test_cli.py::test_what_would_read_back_as_another_episode_is_refused",
    ),
    Mutation(
        "home-guesses",
        "store/library.py",
        "if project.is_home:",
        "if not project.called:",
        "tests/commands/test_scope.py",
    ),
    Mutation(
        "field-that-nobody-reads",
        "requests.py",
        '    query: Annotated[str | None, Argument("only',
        '    colour: Annotated[str, Argument()] = ""\n    query: Annotated[str | None, Argument("only',
        "tests/test_adapters.py",
    ),
    Mutation(
        "flag-is-missing",
        "cli/options.py",
        "in arguments(request).items():",
        'in [each for each in arguments(request).items() if each[0] != "budget"]:',
        "tests/test_adapters.py",
    ),
    Mutation(
        "tool-renames-a-property",
        "server/tools.py",
        "{name: self._property(",
        '{name.replace("cursor", "page"): self._property(',
        "tests/test_adapters.py",
    ),
)


def main() -> int:
    """Try the mutations that were asked for and print a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=[each.name for each in MUTATIONS], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time")
    asked = parser.parse_args()
    chosen = [each for each in MUTATIONS if asked.only in (None, each.name)]
    with (
        tempfile.TemporaryDirectory(prefix="memshelf-mutate-") as name,
        ThreadPoolExecutor(asked.jobs) as pool,
    ):
        folder = Path(name)
        noticed = list(pool.map(lambda each: noticing_test(each, folder / each.name), chosen))
        tests = [test for test in noticed if test]
        code, output = tested(copied(folder / "whole"), tests) if tests else (0, "")
    if code:
        print(f"what noticed fails on the whole code too, and so proves nothing: mend it first\n{output}")
    return 0 if all(noticed) and not code else 1


def noticing_test(mutation: Mutation, folder: Path) -> str:
    """Break a copy in `folder`, print what came of it, and return the test that noticed, or nothing."""
    file = copied(folder) / "memshelf" / mutation.file
    text = file.read_text(encoding="utf-8")
    count = text.count(mutation.old)
    file.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    code, output = tested(folder, [mutation.tests]) if count == 1 else (0, "")
    failed = FAILED.search(output) if code == NOTICED else None
    if count != 1:
        said = f"DOES NOT FIT: its text stands {count} times in {mutation.file}, not once: write it anew"
    elif failed:
        said = f"noticed by {failed[1]}"
    else:
        said = "SURVIVED" if not code else f"NOT TRIED, pytest ended with {code}:\n{output}"
    print(f"{mutation.name}: {said}", flush=True)
    shutil.rmtree(folder)
    return failed[1] if failed else ""


def tested(folder: Path, tests: list[str]) -> tuple[int, str]:
    """Run tests on the copy in `folder`; return pytest's exit code and what it printed."""
    options = ["-n", "0", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--basetemp={folder}.tmp", *tests],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "400"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout


def copied(folder: Path) -> Path:
    """Copy every file that git knows, or would, to `folder` and return it."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    for name in set(names.split("\0")[:-1]):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    return folder


if __name__ == "__main__":
    sys.exit(main())
