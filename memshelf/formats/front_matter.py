"""YAML that is text only: front matter and settings files. The only module that knows YAML.

Every scalar is read as text (`on`, `0123` and `12:30` stay what they look like). A repeated key, an
anchor and an alias are errors. Written scalars follow JSON's rules, so line-based readers can follow.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import yaml
from frontmatter.default_handlers import BaseHandler
from yaml.resolver import Resolver

from memshelf.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memshelf.model import Value

Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

BARE_KEYS = frozenset(
    (
        "id",
        "kind",
        "form",
        "date",
        "span",
        "approx_tokens",
        "approx_tokens_source",
        "mode",
        "pinned",
        "retain_until",
    )
)
"""Keys whose values are written without quotes when they can be: words, numbers, dates."""

BARE = re.compile(r"[a-z0-9][a-z0-9.-]*")
UNPRINTABLE = re.compile("[\x7f\x80-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
NAME = re.compile(r"'[\w-]{2,}'")
MARK = "---"


class StrictLoader(Loader):  # type: ignore[misc] # the C loader has no stubs
    """PyYAML's text-only loader that takes a repeated key for the error it is."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = True) -> dict[str, Any]:
        """Return the mapping with text keys."""
        seen: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise FormatError("a key is not plain text: write `key: value`", line)
            if key_node.value in seen:
                raise FormatError("a key stands twice: keep one of the two", line)
            seen[key_node.value] = self.construct_object(value_node, deep)
        return seen


def load(text: str) -> dict[str, Any]:
    """Read a YAML mapping; every scalar comes back as text.

    Raises FormatError with the line in `text`, never quoting the text itself.
    """
    try:
        if "&" in text or "*" in text:
            _refuse_anchors(text)
        data = yaml.load(text, Loader=StrictLoader)
    except yaml.MarkedYAMLError as error:
        line = getattr(error.problem_mark or error.context_mark, "line", -1) + 1
        problem = NAME.sub("…", error.problem or error.context or "cannot be read")
        raise FormatError(f"broken YAML: {problem}: put the value in double quotes", line) from None
    except RecursionError:
        raise FormatError("values are nested too deep: write flat lists `[a, b]`") from None
    except yaml.YAMLError:
        raise FormatError("broken YAML: a character that YAML does not allow: remove it") from None
    if data is None or data == "":
        return {}
    if not isinstance(data, dict):
        raise FormatError("not a list of `key: value` lines: write one key a line")
    return data


def _refuse_anchors(text: str) -> None:
    for event in yaml.parse(text, Loader=Loader):
        if getattr(event, "anchor", None):
            raise FormatError(
                "anchors and aliases (&, *) are not read: put the value in double quotes",
                getattr(event.start_mark, "line", -1) + 1,
            )


def dump(pairs: Iterable[tuple[str, Value]]) -> str:
    """Write flat `key: value` lines, lists as `[a, b]`, free text double-quoted."""
    return "".join(f"{key}: {_scalar(key, value)}\n" for key, value in pairs)


def _scalar(key: str, value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(item if _reads_as_text(item) else quoted(item) for item in value) + "]"
    return value if key in BARE_KEYS and BARE.fullmatch(value) else quoted(value)


def _reads_as_text(value: str) -> bool:
    """Tell whether any YAML reader takes the bare `value` for text."""
    if not BARE.fullmatch(value):
        return False
    tag = Resolver().resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call] # PyYAML
    return bool(tag == "tag:yaml.org,2002:str")


def quoted(value: str) -> str:
    """Return `value` as a double-quoted scalar that both JSON and YAML read back exactly."""
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


class Handler(BaseHandler):
    """python-frontmatter's handler interface over `load` and `dump`.

    The block opens at the first byte, or after one H1 and blank lines, and closes at the next `---`.
    """

    FM_BOUNDARY = re.compile(r"^---[ \t]*$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = MARK

    def split(self, text: str) -> tuple[str, str]:
        """Return the YAML, led by as many line ends as stand before it, and the rest with a leading H1.

        Raises FormatError when there is no block or it is never closed.
        """
        heading = re.match(r"\s*(?:# [^\n]*\n\s*)?", text)
        before = heading[0] if heading else ""
        if not re.match(r"---[ \t]*(\n|$)", text[len(before) :]):
            raise FormatError(
                "no front matter: begin the file with a line `---`, the keys, and a line `---`", 1
            )
        try:
            _, block, rest = self.FM_BOUNDARY.split(text[len(before) :], 2)
        except ValueError:
            raise FormatError(
                "the front matter is never closed: end it with a line `---`", before.count("\n") + 1
            ) from None
        return "\n" * before.count("\n") + block, before.strip() + rest

    def load(self, fm: str) -> dict[str, Any]:
        """Read the block's YAML as text."""
        return load(fm)

    def export(self, metadata: dict[str, object], **_: object) -> str:
        """Write the block's lines, without the delimiters."""
        return dump(metadata.items())  # type: ignore[arg-type] # the interface says object
