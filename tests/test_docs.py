"""The documents say what the code does: replayed, generated or compared, in both directions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from support import TODAY
from transcripts import Step, matches, replay, steps

from memshelf.cli import VERBS
from memshelf.formats import settings
from memshelf.formats.episode import KEYS, read_document
from memshelf.model import MANDATORY, SECTIONS, Conventions
from memshelf.rules import RULES
from memshelf.rules.lint import lint
from memshelf.rules.shelf import SHELF_RULES
from memshelf.server.app import TEMPLATES
from memshelf.server.prompts import PROMPTS
from memshelf.server.tools import TOOLS
from memshelf.text import count_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from support import Ran

    from memshelf.store.library import Library

ROOT = Path(__file__).parent.parent
README, SPEC = ROOT / "README.md", ROOT / "SPEC.md"
INSTALL = "python3 -m venv .venv && .venv/bin/pip install "
MAIN_JOB = INSTALL + ". && .venv/bin/memshelf demo"
TESTS = INSTALL + "'.[test]' && .venv/bin/pytest"


def rule_table() -> str:
    head = ["| rule | level | what is wrong |", "|---|---|---|"]
    of_episodes, of_shelves = (
        [f"| `{rule.name}` | {rule.level} | {rule.manual.split(chr(10))[0]} |" for rule in rules.values()]
        for rules in (RULES, SHELF_RULES)
    )
    between = ["", "`memshelf doctor` runs them over all that is committed or on disk, and these:", ""]
    return "\n".join([*head, *of_episodes, *between, *head, *of_shelves])


def key_table() -> str:
    rows = [f"| `{key}` | {about} |" for key, about in KEYS.items()]
    return "\n".join(["| key | meaning |", "|---|---|", *rows])


def section_list() -> str:
    return ", ".join(f"**{name}**" if name in MANDATORY else name for name in SECTIONS) + "."


def verb_table() -> str:
    tools = {"index": "read_index", "read": "read_episode", "write": "write_episode", "search": "search"}
    rows = [
        f"| `memshelf {verb}` | {f'`{tools[verb]}`' if verb in tools else ''} | {about} |"
        for verb, about in VERBS.items()
    ]
    return "\n".join(["| command | MCP tool | job |", "|---|---|---|", *rows])


GENERATED = [
    (SPEC, "keys", key_table),
    (SPEC, "sections", section_list),
    (SPEC, "rules", rule_table),
    (README, "commands", verb_table),
]


@pytest.mark.parametrize(("document", "name", "make"), GENERATED, ids=[name for _, name, _ in GENERATED])
def test_a_generated_block_is_what_the_code_says(
    document: Path, name: str, make: Callable[[], str], request: pytest.FixtureRequest
) -> None:
    text = document.read_text(encoding="utf-8")
    fresh = re.sub(
        rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", lambda _: f"\n{make()}\n\n", text, flags=re.DOTALL
    )
    if request.config.getoption("--update"):
        document.write_text(fresh, encoding="utf-8")
        text = fresh

    assert f"<!-- /{name} -->" in text
    assert text == fresh, "run `pytest --update`"


def test_spec_counts_words_as_the_code_does() -> None:
    block = re.search(r"<!-- words -->(.*)<!-- /words -->", SPEC.read_text(encoding="utf-8"), re.DOTALL)
    rows = re.findall(r"^\| `(.+)` \| (\d+) \|$", block[1] if block else "", re.MULTILINE)

    assert len(rows) == 7
    assert [(text, count_words(text)) for text, _ in rows] == [(text, int(count)) for text, count in rows]


def test_the_episodes_in_spec_obey_spec() -> None:
    examples = re.findall(
        r"^```markdown\n(.*?)^```$", SPEC.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )

    assert examples
    for text in examples:
        name = re.search(r"^id: (.+)$", text, re.MULTILINE)
        document = read_document(f"{name[1] if name else ''}.md", text.encode())
        assert lint(document, Conventions(TODAY)) == []


def test_the_settings_in_spec_are_read_and_complete() -> None:
    example = re.search(r"^```yaml\n(.*?)^```$", SPEC.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    text = example[1] if example else ""
    known = {"shelves", "branch", *settings.CHOICES}

    assert settings.parse(text).shelf("homelab").markers == ("决定",)
    assert set(yaml.safe_load(text)) == known
    assert set(yaml.safe_load(text)["shelves"]["homelab"]) == set(settings.SHELF_KEYS)


def test_every_command_tool_and_exit_code_is_documented() -> None:
    readme, spec = README.read_text(encoding="utf-8"), SPEC.read_text(encoding="utf-8")

    assert [verb for verb in VERBS if f"`memshelf {verb}" not in readme] == []
    assert [tool.name for tool in TOOLS if f"`{tool.name}`" not in readme] == []
    assert [prompt.name for prompt in PROMPTS if f"`{prompt.name}`" not in readme] == []
    assert [name for prompt in PROMPTS for name in prompt.arguments if f"`{name}`" not in spec] == []
    shapes = [uri.translate(str.maketrans("{}", "<>")).replace("<#", "#<") for uri, *_ in TEMPLATES]
    assert [shape for shape in shapes if f"`{shape}`" not in spec] == []
    assert re.findall(r"^\| (\d+) \|", spec, re.MULTILINE) == ["0", "1", "2", "3", "130"]


def test_the_two_commands_of_the_readme_are_the_ones_ci_runs() -> None:
    readme = README.read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert MAIN_JOB in readme
    assert TESTS in readme
    assert TESTS in ci.split("\n")


def test_the_readme_demo_is_what_the_demo_prints(cli: Callable[..., Ran], tmp_path: Path) -> None:
    shown = [step for step in steps(README) if step.command == "memshelf demo"]
    done = cli("demo", "--library", tmp_path / "library", CLAUDECODE="1", GIT_DIR="/nowhere")

    assert len(shown) == 1
    assert done.code == 0, done.err
    assert matches(shown[0].expected, done.out.rstrip("\n")), done.out


def replayed() -> list[Step]:
    return [step for step in steps(README) if step.command != "memshelf demo"]


def test_the_readme_commands_print_what_the_readme_says(
    library: Library, run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root)

    assert replayed()
    for step in replayed():
        printed = replay(step, run)
        assert matches(step.expected, printed), f"$ {step.command}\n{printed}"
