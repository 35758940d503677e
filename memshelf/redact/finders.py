"""Hits that one regex cannot describe: values in their quotes, cookies, tables, lists of codes, addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from memshelf.redact.checks import Candidate
from memshelf.redact.regex import compiled

Finder = Callable[[str, "re.Match[str]"], Iterator[Candidate]]
"""What a rule's regex matched, in its text -> what the rule hits."""

ROWS = 200
"""How many rows of a table are looked at from its head."""

ITEMS = 6
"""How many passwords of a list in a line are looked at."""

_OPEN = r"(?!<[^<>\n]{1,60}>|\$[({]|\{\{|%\(|@[\w.]{1,40}\(|\w{1,20}://|[,;)\]}]{1,3}\s|\$\w{1,40}(?:[{\[]|->|::|\)[{,;\s]))"
_VALUE = (
    r"(?>(?:&[\w-]{1,40}[ \t]{1,9}|!!str[ \t]{1,9})?"
    r"(?:[bBrRuUfFnNeE@]{1,2}(?=[\"'])|\[\[(?=[^\[\]\n]{4,200}\]\]))?)"
    rf"(?:\\\"{_OPEN}([^\"\\\n]++)\\{{1,7}}\"|\"{_OPEN}((?>(?:[^\"\\\n]|\\.)+))\"|'{_OPEN}([^'\n]++)'"
    rf"|`{_OPEN}([^`\s]++)`|(?<=\[\[)([^\[\]\n]++)\]\]"
    rf"|«{_OPEN}([^«»\n]++)»|[„“]{_OPEN}([^„“”\n]++)[“”]|[\"'`]?+{_OPEN}(?![&*]?[&*]?(?:process|import|os|env|self|this|config|settings)\.\w)"
    r"(?![^\W\d][\w$]*+(?>(?:(?:\??\.|::|->)[\w$]++)*)[!?]?[(\[])(?![A-Z]\w{1,24}<)(?!![A-Za-z_/.-]{3,40}\s)"
    r"(?P<bare>(?:[^\s\"'`<&,;\\|«»]|[\"'](?=\w)|<(?![/A-Za-z])|\\(?![nrt\"'`])"
    r"|[&,;](?![\w.-]{0,40}(?: [\w.-]{1,20}){0,2}=|\s|\Z))+))"
)
_IDENTIFIER = r"[A-Za-z_$][\w$]*"
_IN_CALL = r"\(\{[^{}\n]*\Z"
_PAIR = r"[;\s]{0,3}([\w.%$@-]{1,60})=([^;\s\"'`]{0,4000})(?=;|\s|[\"'`]|\Z)"
_SESSION = (
    r"(?i)sess|(?:^|[._-])sid|auth|token|jwt|csrf|xsrf|remember|ticket|user|login|secret|key|\A[sdc]\Z|id\Z"
)
_MANNERS = r"(?i)(?:path|domain|expires|max-age|samesite|lang\w*|theme|locale|tz|_ga\w*|_gid|_fbp|currency)\Z"
_RULE_LINE = r"[ \t]{0,20}[|+]?[ \t:|+=-]{2,400}[|+]?[ \t]*\Z"
_SEED = r"(?>(?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ \t,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,30})(?![a-z])"
_NO_SEED = frozenset(
    [
        "the",
        "and",
        "was",
        "were",
        "are",
        "for",
        "with",
        "not",
        "from",
        "have",
        "has",
        "had",
        "its",
        "they",
        "but",
        "our",
        "been",
    ]
)
_CODE = (
    r"[\s,;•*`\"'-]{0,6}(?:\d{1,2}[.)] ?)?(\d{4} \d{4}(?! ?\d)|(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9]{4,12}"
    r"(?:-[A-Za-z0-9]{4,12}){0,4})(?![\w-])"
)
_LITERAL = r"\s{0,9}[NE]?(?:'([^'\n]{0,400})'|[^',()\n]{1,100}(?:\([^()]{0,100}\))?)(?:,|(?=\)))"
_ADJECTIVES = (
    r"(?i)[ \t*`\"_]*(?!(?:тип|type|max|min|has|id|число|длина|срок|имя|name|page|next|num)(?:\b|_))"
    r"(?:[^\W\d_]{2,16}(?:[ _-]| ?/ ?)){0,2}"
)
_ITEM = r"(?:[:—–=/,]|-(?= )| and| и|(?<=[:—–] )|(?<=[:—–])) ?[\"'`«]?([^\s\"'`«»,;:—–()/]{5,80})"
_ITEM_LINE = r"[ \t>]{0,12}(?:[-*+•–—]|\(?\d{1,3}[.):])[ \t][^\n]{1,400}(?:\n|\Z)"
_LAST_WORD = (
    r"[ \t>]{0,12}(?:[-*+•–—]|\(?\d{1,3}[.):]?)[ \t]{1,4}"
    r"(?:[^\n:=]{1,60}?[\"'`*]{0,3}(?::|=| [—–→-]| [/|])[\"'`*]{0,3}[ \t]{1,8})?(?:[^\s/]{1,40} ?/ ?)?"
    r"[\"'`*«]{0,3}(?P<value>[^\s\"'`«»„“”,;<>|(){}]{4,400})"
    r"[\"'`*»]{0,3}[.,;]?(?:[ \t][^\n]{0,80})?(?:\r?\n|\Z)"
)
_LOCAL = r"(?<![\w.+%-])[\w.+%-]{1,64}\Z"
_DOMAIN = r"@(?:[^\W_](?:[\w-]{0,62}[^\W_])?\.){1,6}[^\W\d_]{2,24}(?![^\W_]|-|_\w|\.\w)(?!:[~/])"


def _labelled(text: str, label: re.Match[str]) -> Iterator[Candidate]:
    """Yield the value behind `label`, without its quotes or the sentence's punctuation."""
    found = compiled(_VALUE).match(text, label.end())
    if found and found.lastindex:
        start, end = found.span(found.lastindex)
        if found["bare"]:
            if compiled(_IDENTIFIER).fullmatch(found["bare"]) and compiled(_IN_CALL).search(
                text, max(0, label.start() - 200), label.start()
            ):
                return
            start += len(found["bare"]) - len(found["bare"].lstrip("*").removeprefix("~~"))
            if text[max(0, label.start() - 1) : label.start()] == "/" and "/" in found["bare"]:
                start += found["bare"].index("/") + 1
            end = start + len(text[start:end].rstrip(".,;:?)]}>…*").removesuffix("~~"))
            if text.startswith(("...", "…"), end):
                return
        yield Candidate(text, start, end, label.start(), not found["bare"])


def _cookies(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the values of cookies that say who someone is."""
    at = head.end()
    for _ in range(60):
        pair = compiled(_PAIR).match(text, at)
        if not pair:
            return
        at = pair.end()
        long = len(pair[2]) >= 24
        if (
            not compiled(_MANNERS).match(pair[1])
            and len(pair[2]) >= 8
            and (long or compiled(_SESSION).search(pair[1]))
        ):
            yield Candidate(text, *pair.span(2), pair.start(1))


def _table(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the cells below a column's head: of a Markdown table, or of lines with commas, tabs or `;`."""
    begin = text.rfind("\n", 0, head.start()) + 1
    end = text.find("\n", head.end())
    line = text[begin:end] if end >= 0 else ""
    delimiter = next((each for each in "|\t,;" if each in line), "")
    before = text[begin : head.start()]
    if not delimiter or not compiled(_ADJECTIVES).fullmatch(before.rpartition(delimiter)[2]):
        return
    column, size = before.count(delimiter), line.count(delimiter)
    rule_end = text.find("\n", end + 1)
    if line.startswith("||"):  # Jira's heads
        column, size = before.count("||"), size - line.count("||")
    ruled = bool(compiled(_RULE_LINE).match(text[end + 1 : rule_end if rule_end >= 0 else len(text)]))
    if ruled != (delimiter == "|" and not line.startswith("||")):
        return
    if not ruled and text.endswith(f"\n{line}\n", 0, begin):  # a row of the table that begins above
        return
    for start, row in _rows(text, rule_end if ruled else end, ruled):
        if delimiter not in row or (not ruled and row.count(delimiter) != size):
            return
        yield from _cell(text, start, row.split(delimiter), column, head.start())


def _rows(text: str, at: int, ruled: bool) -> Iterator[tuple[int, str]]:
    """Yield the lines behind the end of a line at `at`, each with its start; rules between rows left out."""
    for _ in range(ROWS):
        if at < 0:
            return
        stop = text.find("\n", at + 1)
        row = text[at + 1 : stop if stop >= 0 else len(text)].rstrip("\r")
        if not (ruled and "+-" in row and compiled(_RULE_LINE).match(row)):
            yield at + 1, row
        at = stop


def _cell(text: str, begin: int, cells: list[str], column: int, head: int) -> Iterator[Candidate]:
    """Yield the cell of a row that begins at `begin`, without its markup."""
    if column < len(cells):
        start = begin + sum(len(cell) + 1 for cell in cells[:column])
        cell = cells[column]
        bare = cell.strip(" \t*`\"'")
        start += cell.find(bare) if bare else 0
        last = bare.rpartition(" / ")[2]
        yield Candidate(text, start + len(bare) - len(last), start + len(bare), head, quoted=True)


def _aligned(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the words below a column's head in lines whose columns two or more spaces keep apart."""
    begin = text.rfind("\n", 0, head.start()) + 1
    column = head.start("head") - begin
    at = text.find("\n", head.end("head"))
    for _ in range(ROWS):
        if at < 0:
            return
        stop = text.find("\n", at + 1)
        row = text[at + 1 : stop if stop >= 0 else len(text)]
        if not row[:column].strip():
            return
        word = compiled(r"(?<=\s)\S{4,200}(?=\s\s|\s?\Z)").match(row, column)
        if word:
            yield Candidate(text, at + 1 + word.start(), at + 1 + word.end(), head.start("head"), quoted=True)
        at = stop


def _below(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the last word of each line of the list below a heading: `- nas2 — value`, `(0) value`."""
    at = head.end()
    for _ in range(ROWS):
        line = compiled(_ITEM_LINE).match(text, at)
        if not line:
            return
        if found := compiled(_LAST_WORD).match(text, at):
            yield Candidate(text, *found.span("value"), head.start())
        at = line.end()


def _seed_phrase(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield 12 to 24 words of a wallet's phrase."""
    found = compiled(_SEED).match(text, head.end())
    end = found.start() + _seed_end(found[0]) if found else 0
    if found and end > found.start():
        words = compiled(r"[a-z]+").findall(text, found.start(), end)
        if not _NO_SEED.intersection(words):
            yield Candidate(text, found.start(), end, head.start(), quoted=True)


def _seed_end(words: str) -> int:
    """Return where a phrase of 12 to 24 words ends in lines of words, 0 for nowhere.

    It ends with a line, before an empty one, and lines of as many words as the last one belong to it.
    """
    block = compiled(r"\n[ \t]*\n").split(words, maxsplit=1)[0]
    lines = [len(compiled("[a-z]+").findall(line)) for line in block.split("\n")]
    total, end, place = 0, 0, 0
    for index, (line, count) in enumerate(zip(block.split("\n"), lines, strict=True)):
        total, place = total + count, place + len(line) + 1
        alike = index > 0 and count == lines[index - 1]
        if total in (12, 15, 18, 21, 24) and (not end or alike):
            end = place - 1
    return end


def _codes(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the codes of a list, as far as it goes."""
    at = head.end()
    while found := compiled(_CODE).match(text, at):
        at = found.end()
        yield Candidate(text, *found.span(1), head.start())


def _inserted(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the values of the columns that are named as secrets in an INSERT statement."""
    values = [*compiled(_LITERAL).finditer(text, head.end(), head.end() + 1000)]
    for column, literal in zip(head["columns"].split(","), values, strict=False):
        if compiled(r"(?i)passw|pwd|secret|token|api_?key|парол").search(column) and literal[1]:
            yield Candidate(text, *literal.span(1), literal.start(1), quoted=True)


def _listed(text: str, head: re.Match[str]) -> Iterator[Candidate]:
    """Yield the last words of `name — value, name: value` as far as the line goes."""
    end = text.find("\n", head.end())
    items = compiled(_ITEM).finditer(text, head.end(), min(head.end() + 300, end if end >= 0 else len(text)))
    for found in islice(items, ITEMS):
        value = found[1].rstrip(".")
        yield Candidate(text, found.start(1), found.start(1) + len(value), head.start())


def _address(text: str, sign: re.Match[str]) -> Iterator[Candidate]:
    """Yield the e-mail address around an @."""
    domain = compiled(_DOMAIN).match(text, sign.start())
    local = compiled(_LOCAL).search(text[max(0, sign.start() - 65) : sign.start()])
    if domain and local and not local[0].startswith((".", "-")):
        start = sign.start() - len(local[0])
        before = text[max(0, start - 40) : start]
        in_url = before.endswith((":", "=")) and "//" in before.rpartition(" ")[2]
        if not in_url and not before.endswith(("/", "@")):
            yield Candidate(text, start, domain.end(), start)


FINDERS: dict[str, Finder] = {
    "labelled": _labelled,
    "cookies": _cookies,
    "table": _table,
    "seed-phrase": _seed_phrase,
    "codes": _codes,
    "email": _address,
    "listed": _listed,
    "aligned": _aligned,
    "below": _below,
    "inserted": _inserted,
}
"""Name in the pack -> the function."""
