"""JSON that people keep, with comments and trailing commas: read, and edited as text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from memshelf.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

GAP = re.compile(r"(?:[\s\ufeff]|//[^\n]*|/\*(?s:.*?)\*/)*")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
SCALAR = re.compile(r"[^\s,:\[\]{}\"/]+")
INDENT = re.compile(r"\n([ \t]+)[\"\[{]")
NEW = "{}\n"
"""What stands for a file that is absent or empty."""


class Node(NamedTuple):
    """One value: where its text starts and ends, the value, and for a container its members in order."""

    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()


class Member(NamedTuple):
    """One member of a container: its key (the place in an array), where it starts, its value."""

    key: str | int
    start: int
    node: Node


def read(text: str) -> Any:
    """Return the value of a text; an empty one is an empty object. Raises FormatError with the line."""
    return _parse(text).value if text.strip("\ufeff \t\r\n") else {}


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """Return the text with `value` at `path`, containers made on the way; everything else stays as it is.

    An object that is there already keeps the members that `value` has not.

    Raises FormatError when the text is no JSON or something on the way is no object.
    """
    text = text if text.strip("\ufeff \t\r\n") else text + NEW
    root, rest = _reach(_parse(text), path)
    if not rest:
        value = root.value | value if isinstance(root.value, dict) and isinstance(value, dict) else value
        return text if root.value == value else _replaced(text, root, value)
    if not isinstance(root.value, dict):
        raise FormatError(f"{'.'.join(path[: len(path) - len(rest)]) or 'the file'} is no object: mend it")
    for key in reversed(rest[1:]):
        value = {key: value}
    return _inserted(text, root, rest[0], value)


def put_in_list(text: str, path: tuple[str, ...], value: Any, is_same: Callable[[Any], bool]) -> str:
    """Return the text with `value` in the array at `path`, in the place of the element that `is_same` knows.

    Raises FormatError as `put` does, and when there is something else than an array at `path`.
    """
    found, rest = _reach(_parse(text or NEW), path)
    if rest:
        return put(text, path, [value])
    if not isinstance(found.value, list):
        raise FormatError(f"{'.'.join(path)} is no list: mend it")
    same = [member for member in found.members if is_same(member.node.value)]
    if not same:
        return _inserted(text, found, len(found.members), value)
    return text if same[0].node.value == value else _replaced(text, same[0].node, value)


def take(text: str, path: tuple[str, ...], is_same: Callable[[Any], bool] | None = None) -> str:
    """Return the text without what is at `path`, or without the elements there that `is_same` knows.

    Containers on the way that hold nothing afterwards go too. Raises FormatError when it is no JSON.
    """
    if not text.strip("\ufeff \t\r\n"):
        return text
    root = _parse(text)
    found, rest = _reach(root, path)
    if rest:
        return text
    if is_same is None:
        return _pruned(_without(text, root, path), path[:-1])
    same = [one.key for one in found.members if isinstance(one.key, int) and is_same(one.node.value)]
    for key in reversed(same):
        text = _without(text, _parse(text), (*path, key))
    return _pruned(text, path) if same else text


def _parse(text: str) -> Node:
    start = _skip(text, 0)
    try:
        node = _value(text, start)
    except RecursionError:
        raise FormatError("nested too deep to be read: edit it by hand") from None
    end = _skip(text, node.end)
    if end < len(text):
        raise _fault(text, end, "something stands after the value")
    return node


def _value(text: str, at: int) -> Node:
    opening = text[at : at + 1]
    if opening in ("{", "["):
        return _container(text, at)
    found = STRING.match(text, at) or SCALAR.match(text, at)
    if not found:
        raise _fault(text, at, "a value is missing")
    try:
        return Node(at, found.end(), json.loads(found[0]))
    except ValueError:
        raise _fault(text, at, "this is no JSON value") from None


def _container(text: str, start: int) -> Node:
    """Read an object or an array from its opening bracket on; a comma may stand after its last member."""
    closing = "}" if text[start] == "{" else "]"
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        member = _keyed(text, at) if closing == "}" else Member(len(members), at, _value(text, at))
        members.append(member)
        at = _skip(text, member.node.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _fault(text, at, f"a comma or `{closing}` is missing")
    values = [member.node.value for member in members]
    value = dict(zip([member.key for member in members], values, strict=True)) if closing == "}" else values
    return Node(start, at + 1, value, tuple(members))


def _keyed(text: str, at: int) -> Member:
    key = STRING.match(text, at)
    colon = _skip(text, key.end()) if key else at
    if not key or text[colon : colon + 1] != ":":
        raise _fault(text, at, "a key and its colon are missing")
    return Member(json.loads(key[0], strict=False), at, _value(text, _skip(text, colon + 1)))


def _skip(text: str, at: int) -> int:
    found = GAP.match(text, at)
    return found.end() if found else at


def _fault(text: str, at: int, what: str) -> FormatError:
    line = text.count("\n", 0, at) + 1
    return FormatError(f"line {line}: {what}: mend it", line)


def _reach(node: Node, path: tuple[str | int, ...]) -> tuple[Node, tuple[str, ...]]:
    """Return the deepest node there is on the way along `path`, and what of the path is left."""
    for place, key in enumerate(path):
        found = [member.node for member in node.members if member.key == key]
        if not found:
            return node, tuple(str(name) for name in path[place:])
        node = found[-1]
    return node, ()


def _inserted(text: str, container: Node, key: str | int, value: Any) -> str:
    """Return the text with one more member, behind the last one and its comments."""
    inside, closing = container.start + 1, container.end - 1
    on_lines = "\n" in text[inside:closing] or not container.members
    outer = _indent_at(text, container.start)
    inner = _indent_at(text, container.members[-1].start) if container.members else outer + _unit(text)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    made = name + _rendered(text, value, inner, on_lines=on_lines)
    end = inside + len(text[inside:closing].rstrip())
    after = text[end:closing]
    if on_lines:
        made = _newline(text) + inner + made
        after = after if "\n" in after else _newline(text) + outer
    else:
        made = " " + made
    if not container.members:
        return text[:end] + made + after + text[closing:]
    last = container.members[-1].node.end
    comma = _skip(text, last)
    if text[comma] == ",":
        return text[:end] + made + "," + after + text[closing:]
    return text[:last] + "," + text[last:end] + made + after + text[closing:]


def _replaced(text: str, node: Node, value: Any) -> str:
    on_lines = "\n" in text[node.start : node.end] or not node.members
    made = _rendered(text, value, _indent_at(text, node.start), on_lines=on_lines)
    return text[: node.start] + made + text[node.end :]


def _without(text: str, root: Node, path: tuple[str | int, ...]) -> str:
    """Return the text without one member and its comma."""
    container, _ = _reach(root, path[:-1])
    place = max(place for place, member in enumerate(container.members) if member.key == path[-1])
    member = container.members[place]
    start = len(text[: member.start].rstrip())
    comma = _skip(text, member.node.end)
    if text[comma] == ",":
        return text[:start] + text[member.node.end : comma] + text[comma + 1 :]
    if place:
        before = container.members[place - 1].node.end
        comma = _skip(text, before)
        return text[:comma] + text[comma + 1 : start] + text[member.node.end :]
    rest = text[member.node.end :]
    return text[:start] + (rest.lstrip() if text[start - 1] in "{[" and rest.lstrip()[0] in "}]" else rest)


def _pruned(text: str, path: tuple[str, ...]) -> str:
    """Return the text without the containers along `path` that hold neither a member nor a comment."""
    if not path:
        return text
    root = _parse(text)
    found, rest = _reach(root, path)
    if rest or found.members or text[found.start + 1 : found.end - 1].strip():
        return text
    return _pruned(_without(text, root, path), path[:-1])


def _rendered(text: str, value: Any, indent: str, *, on_lines: bool) -> str:
    if not on_lines:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", _newline(text) + indent)


def _indent_at(text: str, at: int) -> str:
    """Return the white space that the line of `at` begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    found = INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
