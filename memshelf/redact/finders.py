"""Hits that one regex cannot describe: values in their quotes, and what spans many lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memshelf.redact.checks import Candidate

Finder = Callable[[str, "re.Match[str]"], Iterator[Candidate]]
"""What a rule's regex matched, in its text -> what the rule hits."""

_OPEN = r"(?!<[^<>\n]{1,60}>|\$[({]|\{\{|%\(|\w{1,20}://)"
_VALUE = re.compile(
    rf"\\\"{_OPEN}([^\"\\\n]++)\\\"|\"{_OPEN}((?>(?:[^\"\\\n]|\\.)+))\"|'{_OPEN}([^'\n]++)'|`{_OPEN}([^`\n]++)`"
    rf"|«{_OPEN}([^«»\n]++)»|[\"'`]?+{_OPEN}(?!(?:process|import|os|env|self|this|config|settings)\.\w)"
    r"(?![A-Za-z_$][\w$]*+(?>(?:\.[\w$]++)*)[(\[])"
    r"(?P<bare>(?:[^\s\"'`<&,;\\|«»]|[\"'](?=\w)|<(?![/A-Za-z])|[&,;](?![\w.-]{0,40}=|\s|\Z)|\\(?![nrt\"'`]))+)"
)


def _labelled(text: str, label: re.Match[str]) -> Iterator[Candidate]:
    """Yield the value behind `label`, without its quotes or the sentence's punctuation."""
    found = _VALUE.match(text, label.end())
    if found and found.lastindex:
        start, end = found.span(found.lastindex)
        if found["bare"]:
            end = start + len(found["bare"].rstrip(".,;:?)]}>…*"))
        yield Candidate(text, start, end, label[0], not found["bare"])


FINDERS: dict[str, Finder] = {"labelled": _labelled}
"""Name in the pack -> the function."""
