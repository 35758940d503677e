"""Edits of texts that belong to others: what is put in can be read, and taken out nothing has changed."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memshelf.errors import FormatError
from memshelf.formats import jsonc, marked, toml_table

VALUE = {"command": "/a b/python", "args": ["-P", "ü"]}
PATH = ("mcpServers", "memshelf")

JSONC = {
    "comments": '{\n  // mine\n  "mcpServers": {\n    "x": {"a": 1} // x\n    /* end */\n  } /* z */\n}\n',
    "trailing commas": '{\n\t"mcpServers": {\n\t\t"x": {},\n\t},\n\t"list": [1, 2,],\n}\n',
    "CRLF": '{\r\n  "theme": "dark", // a\r\n  "mcpServers": {\r\n    "x": {}\r\n  }\r\n}\r\n',
    "one line": '{"mcpServers":{"x":{}},"y":[1,{"a":null}]}',
    "no final newline": '{\n    "y": "// no comment",\n    "z": "/* nor this */"\n}',
    "byte order mark": '\ufeff{\n  "y": 1\n}\n',
    "a brace in a string": '{\n  "y": "}{",\n  "z\\"": "\\\\"\n}\n',
    "a comment at the end of the file": '{\n  "y": 1 // one\n  // two\n}\n// three',
}

BROKEN = (
    "{",
    '{"a" 1}',
    '{"a": 1 "b": 2}',
    "{'a': 1}",
    '{"a": tru}',
    "{} {}",
    '{"a": 1,, "b": 2}',
    "[" * 5000,
)


def is_ours(value: Any) -> bool:
    return value == VALUE


@pytest.mark.parametrize("name", JSONC)
def test_a_member_put_in_and_taken_out_leaves_every_byte(name: str) -> None:
    text = JSONC[name]
    changed = jsonc.put(text, PATH, VALUE)

    assert jsonc.read(changed)["mcpServers"] == jsonc.read(text).get("mcpServers", {}) | {"memshelf": VALUE}
    assert jsonc.put(changed, PATH, VALUE) == changed
    assert jsonc.take(changed, PATH) == text
    assert ("\r" in changed) == ("\r" in text)
    assert changed.count("\r") == (changed.count("\n") if "\r" in text else 0)


@pytest.mark.parametrize("name", JSONC)
def test_an_element_put_in_and_taken_out_leaves_every_byte(name: str) -> None:
    text = JSONC[name]
    changed = jsonc.put_in_list(text, ("hooks", "Stop"), VALUE, is_ours)

    assert jsonc.read(changed) == jsonc.read(text) | {"hooks": {"Stop": [VALUE]}}
    assert jsonc.take(changed, ("hooks", "Stop"), is_ours) == text


def test_an_element_goes_behind_those_of_others_and_a_second_one_in_its_place() -> None:
    text = '{"hooks": {"Stop": [{"hooks": []}]}}'
    first = jsonc.put_in_list(text, ("hooks", "Stop"), VALUE, is_ours)
    second = jsonc.put_in_list(first, ("hooks", "Stop"), {"command": "new"}, is_ours)

    assert jsonc.read(first)["hooks"]["Stop"] == [{"hooks": []}, VALUE]
    assert jsonc.read(second)["hooks"]["Stop"] == [{"hooks": []}, {"command": "new"}]
    assert jsonc.take(first, ("hooks", "Stop"), is_ours) == text


def test_a_comment_stays_beside_what_it_is_about() -> None:
    text = '{\n  "a": 1, // of a\n  "b": 2 // of b\n}\n'
    assert jsonc.put(text, ("c",), 3) == '{\n  "a": 1, // of a\n  "b": 2, // of b\n  "c": 3\n}\n'
    assert jsonc.take(text, ("b",)).startswith('{\n  "a": 1 // of a')


def test_what_a_person_added_to_our_entry_stays() -> None:
    text = jsonc.put("{}", PATH, VALUE | {"env": {"A": "1"}})
    assert jsonc.read(jsonc.put(text, PATH, {"command": "new"}))["mcpServers"]["memshelf"] == {
        "command": "new",
        "args": VALUE["args"],
        "env": {"A": "1"},
    }


@pytest.mark.parametrize("text", [*BROKEN, '{"mcpServers": []}', "[]", '{"mcpServers": 3}'])
def test_what_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        jsonc.put(text, PATH, VALUE)


def test_the_refusal_names_the_line() -> None:
    with pytest.raises(FormatError, match="line 3: "):
        jsonc.read('{\n  "a": 1\n  "b": 2\n}')


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
SPACES = st.sampled_from(["", " ", "\n", "\n  ", " // c\n", "/* c, } */", "\t"])


@given(
    st.dictionaries(st.text(), TREES, min_size=1, max_size=4),
    st.sampled_from([None, 1, 2, "\t"]),
    SPACES,
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_and_comes_back(
    tree: dict[str, Any], indent: int | str | None, space: str, data: st.DataObject
) -> None:
    tree.pop("mcpServers", None)
    text = json.dumps(tree, indent=indent, ensure_ascii=data.draw(st.booleans()))
    text = space + "{" + space + text[1:-1] + space + "}" + space
    changed = jsonc.put(text, PATH, VALUE)

    assert jsonc.read(text) == tree
    assert jsonc.read(changed) == tree | {"mcpServers": {"memshelf": VALUE}}
    assert jsonc.read(jsonc.take(changed, PATH)) == tree


TOML = {
    "comments": '# top\nmodel = "x" # mine\n\n[mcp_servers.other]\ncommand = "o"\n\n# about p\n[p]\na = 1\n',
    "CRLF": 'model = "x"\r\n[mcp_servers.other]\r\ncommand = "o"\r\n',
    "a header in a text": 'a = """\n[mcp_servers.memshelf]\n"""\n',
    "an array of tables": "[[a]]\nb = 1\n[[a]]\nb = [\n  [1],\n]\n",
    "empty": "",
}
TABLE = ("mcp_servers", "memshelf")


@pytest.mark.parametrize("name", TOML)
def test_a_table_put_in_and_taken_out_leaves_every_byte(name: str) -> None:
    text = TOML[name]
    try:
        changed = toml_table.put(text, TABLE, VALUE)
        taken = toml_table.take(changed, TABLE)
    except FormatError:
        assert name == "a header in a text"
        return

    assert tomllib.loads(changed)["mcp_servers"]["memshelf"] == VALUE
    assert (
        tomllib.loads(text).items()
        <= {**tomllib.loads(changed), "mcp_servers": {"other": {"command": "o"}}}.items()
    )
    assert toml_table.put(changed, TABLE, VALUE) == changed
    assert taken == text


def test_a_table_in_the_middle_is_renewed_in_place_and_keeps_what_a_person_added() -> None:
    own = "[mcp_servers.memshelf]\ncommand = 'old' # c\nenabled = true\n[mcp_servers.memshelf.env]\nA = '1'\n"
    text = f"{own}\n[p]\na = 1\n"
    changed = toml_table.put(text, TABLE, {"command": "new", "args": ["x"]})

    assert tomllib.loads(changed)["mcp_servers"]["memshelf"] == {
        "command": "new",
        "args": ["x"],
        "enabled": True,
        "env": {"A": "1"},
    }
    assert changed.endswith("\n\n[p]\na = 1\n")
    assert toml_table.take(changed, TABLE).strip() == "[p]\na = 1"


@pytest.mark.parametrize("text", ["a = ", "mcp_servers = {memshelf = {command = 'x'}}", "mcp_servers = 3"])
def test_a_table_that_is_written_otherwise_is_left_to_the_person(text: str) -> None:
    with pytest.raises(FormatError):
        toml_table.put(text, TABLE, VALUE)


@pytest.mark.parametrize("text", ["", "# Mine\n\nWords.\n", "no newline", "a\r\nb\r\n"])
def test_a_paragraph_is_put_in_once_and_goes_without_a_trace(text: str) -> None:
    changed = marked.put(text, "Words\nof ours.")

    assert marked.put(changed, "Words\nof ours.") == changed
    assert "New." in marked.put(changed, "New.")
    assert "of ours" not in marked.put(changed, "New.")
    assert marked.take(changed).rstrip() == text.rstrip()
