"""What must never be stored: the rules, each linear in the text, and what puts marks there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memshelf.redact.marks import MARK, Marks, Redaction, report
from memshelf.redact.policy import Policy

Hit = tuple[int, int, tuple[int, str]]  # start, end, (rank, kind)
_TOKEN = re.compile(
    r"""(?ax)(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=/bot))(?:
    (?P<github_token>gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})
    |(?P<gitlab_token>gl(?:pat|rt|dt|ptt|cbt|ft|soat|oas|agent|imt)-[\w-]{20,}(?:\.\w{2,9}){0,2})
    |(?P<slack_token>xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-[\w-]{20,}|hooks\.slack\.com/services/T\w+/B\w+/\w+)
    |(?P<aws_key_id>A(?:KI|SI|BI|CC)A[A-Z2-7]{16}(?!\w))|(?P<telegram_token>\d{8,10}:AA[\w-]{33})
    |(?P<anthropic_key>sk-ant-[\w-]{20,})|(?P<jwt>(?<![_-])eyJ[\w-]{8,}(?:\.[\w-]+){2,4})
    |(?P<openai_key>sk-(?:proj|svcacct|admin|or-v1)-[\w-]{20,}|sk-[A-Za-z0-9]{20,})
    |(?P<google_key>AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})
    |(?P<stripe_key>[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{24,}={0,2})
    |(?P<npm_token>npm_[A-Za-z0-9]{36,})|(?P<pypi_token>pypi-AgE[\w-]{50,})|(?P<huggingface_token>hf_[A-Za-z0-9]{30,})
    |(?P<provider_token>SG\.[\w-]{16,}\.[\w-]{16,}|(?:dckr_pat_|do[opr]_v1_|hv[bsr]\.|gsk_|xai-|r8_|lin_api_|ntn_
        |figd_|shp(?:at|ca|pa|ss)_|dapi|glsa_|y[0-3]_|AQVN|vk1\.a\.|dp\.pt\.|tskey-|sbp_|sq[apu]_|ATATT3)[\w-]{26,}))"""
)
_PEM = re.compile(
    r"(?P<private_key>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?>(?:[^-]+|-(?!----))*)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?>(?:(?>(?:[\s>\"',]|\\[nr]|[A-Z][A-Za-z-]{1,20}: [^\n]{0,99}+)*)[A-Za-z0-9+/=]{16,}+)+)"
    r"(?:\s++[A-Za-z0-9+/=]+(?=\s*(?:```|\Z)))?))"
)
_URL = re.compile(r"://[^\s/?#:@\"'<>|]{0,100}:(?!\d{1,5}[/?#,;)\]])(?P<url_password>[^\s/\"'<>|«»]{1,256})@")
_HEADER = re.compile(r"(?ai:\b(?:bearer|basic)[ \t]{1,9}(?P<authorization>[\w.~+/-]{6,}={0,2}))")
_LABEL = re.compile(
    r"(?i)(?:(?P<password>pass(?:word|wd|phrase|code)|(?<=[_-])pass|(?<![a-z])pwd?|парол(?:ь|я|ю|ем|е))"
    r"|(?:api|app|access|secret|private|account|auth|server|encryption|signing|master)[ _-]?key"
    r"|(?<!page)(?<!page_)token|secret(?:_key_base)?|credentials?|токен[а-я]{0,2}"
    r"|ключ[а-я]{0,2}(?: доступа| api| апи)?|секрет(?:ный ключ|а|ом)?)"
    r"[\\\"'`*]{0,4}(?: (?:от|для|к|на|for|of|to)(?: [\w.-]{1,30}){1,3})?"
    r"[ \t]{0,40}(?:={1,3}>?|:=|:(?![:?+-])|\||—)\*{0,2}[ \t]{0,40}"
)
_OPEN = r"(?!<[^<>\n]{1,60}>|\$[({]|\{\{|%\(|\w{1,20}://)"
_VALUE = re.compile(
    rf"\\\"{_OPEN}([^\"\\\n]++)\\\"|\"{_OPEN}((?>(?:[^\"\\\n]|\\.)+))\"|'{_OPEN}([^'\n]++)'|`{_OPEN}([^`\n]++)`"
    rf"|«{_OPEN}([^«»\n]++)»|[\"'`]?+{_OPEN}(?!(?:process|import|os|env|self|this|config|settings)\.\w)"
    r"(?![A-Za-z_$][\w$]*+(?>(?:\.[\w$]++)*)[(\[])"
    r"(?P<bare>(?:[^\s\"'`<&,;\\|«»]|[\"'](?=\w)|<(?![/A-Za-z])|[&,;](?![\w.-]{0,40}=|\s|\Z)|\\(?![nrt\"'`]))+)"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:(?:your|my|insert|enter|put|ваш|встав|замен|укаж)\w*[-_ ].*|\W*|\[[\w ]*\]|pass(?:word|wd)?"
    r"|secret|token|string|none|null|true|false|required|optional|(?-i:\$[A-Z_][A-Z0-9_]*|\$[a-z_]+|%[A-Z_]+%)"
    r"|\$?\{.*\})$|change[-_]?me|placeholder|redacted|(?-i:EXAMPLE)"
)
_WORD = re.compile(r"[A-ZА-ЯЁ]{0,16}[a-zа-яё]{0,30}(?:[A-ZА-ЯЁ][a-zа-яё]{1,30}){0,6}")
_BEGINNINGS = """
ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glrt- gldt- glptt- glcbt- glft- glsoat- gloas- glagent-
glimt- xox xapp- hooks.slack.com akia asia abia acca :aa sk- eyj aiza gocspx- ya29. k_live_ k_test_
whsec_ npm_ pypi-age hf_ sg. dckr_pat_ doo_v1_ dop_v1_ dor_v1_ hvb. hvs. hvr. gsk_ xai- r8_ lin_api_
ntn_ figd_ shpat_ shpca_ shppa_ shpss_ dapi glsa_ y0_ y1_ y2_ y3_ aqvn vk1.a. dp.pt. tskey- sbp_
sqa_ sqp_ squ_ atatt3 :// bearer basic
"""
_SIGNS = ("private key", *_BEGINNINGS.split())
"""Without one of these, case aside, nothing has the shape of a secret."""

_NAMES = ("pass", "pwd", "парол", "key", "token", "secret", "credential", "токен", "ключ", "секрет")
"""Without one of these, case aside, nothing is labelled as one."""

_PATH = re.compile(r"(?:~|\.{0,2}|[A-Za-z]:)(?:[/\\][\w.@-]{1,24}){2,}")


def redact(text: str, policy: Policy, marks: Marks | None = None) -> tuple[str, tuple[Redaction, ...]]:
    """Return `text` with marks where secrets stood, and the new marks in order of place.

    Marks that `text` holds already are left alone. Without `marks` the numbers start behind them; with
    `marks` the numbering runs on over several texts. Redacting twice is redacting once.
    """
    marks = Marks.after(text) if marks is None else marks
    given: set[str] = set()
    while hits := list(_hits(text, policy)):
        parts, done = [], 0
        for start, end, (_, kind) in hits:
            parts += [text[done:start], marks.give(kind, text[start:end])]
            given.add(parts[-1])
            done = end
        text = "".join([*parts, text[done:]])
    return text, report(text, given)


def may_hold_secrets(text: str) -> bool:
    """Tell cheaply whether any pattern of ours could find something in `text` or a part of it."""
    folded = text.casefold()
    return _has_sign(folded) or _has_label(folded)


def _has_sign(folded: str) -> bool:
    return any(sign in folded for sign in _SIGNS)


def _has_label(folded: str) -> bool:
    return any(sign in folded for sign in "=:|—") and any(name in folded for name in _NAMES)


def _hits(text: str, policy: Policy) -> Iterator[Hit]:
    """Yield disjoint hits in order: overlapping ones joined under the lowest label, marks left out."""
    joined: list[Hit] = []
    for hit in sorted([*_shaped(text, policy), *_labelled(text)]):
        start, end, label = joined.pop() if joined and hit[0] < joined[-1][1] else hit
        joined.append((start, max(end, hit[1]), min(label, hit[2])))
    if not joined:
        return
    unmarked = MARK.sub(lambda mark: "\0" * len(mark[0]), text)
    for start, end, label in joined:
        for piece in re.compile(r"[^\0]+").finditer(unmarked, start, end):
            if piece.span() == (start, end) or any(map(str.isalnum, piece[0])):
                yield *piece.span(), label


def _shaped(text: str, policy: Policy) -> Iterator[Hit]:
    for kind, regex in policy.patterns:
        yield from ((*found.span(), (0, kind)) for found in re.finditer(regex, text) if found[0])
    if not _has_sign(text.casefold()):
        return
    for rank, pattern in enumerate((_PEM, _TOKEN, _URL, _HEADER), 1):
        for found in pattern.finditer(text):
            name = found.lastgroup or ""
            if pattern is _PEM or _is_secret(found[name], password=pattern is _URL, quoted=True):
                yield *found.span(name), (rank, name.replace("_", "-"))


def _labelled(text: str) -> Iterator[Hit]:
    done = 0
    if not _has_label(text.casefold()):
        return
    for label in _LABEL.finditer(text):
        found = _VALUE.match(text, label.end()) if label.start() >= done else None
        if found and found.lastindex:
            password, start = bool(label["password"]), found.start(found.lastindex)
            value = found["bare"].rstrip(".,;:?)]}>…*") if found["bare"] else found[found.lastindex]
            if _is_secret(value, password=password, quoted=not found["bare"]):
                done = start + len(value)
                yield start, done, (9, "password" if password else "secret")


def _is_secret(value: str, *, password: bool, quoted: bool) -> bool:
    """Whether `value` is neither a stand-in nor made of the words, numbers and paths of prose and code."""
    if len(value) < (4 if password else 8) or len(set(value[-12:])) < 3 or _PLACEHOLDER.search(value):
        return False
    if _PATH.fullmatch(value) and (password or value.islower()):
        return False
    if password and (value.isdigit() or (quoted and not re.search(r"\s", value))):
        return True
    parts = re.split(r"[\s._/(){}]+" if password else r"[-\s._/~@,;(){}!]+", value)
    return not all(_WORD.fullmatch(part) or part.isdigit() for part in parts)
