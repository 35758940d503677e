"""What must never be stored is found in one pass over the text, and marks are put there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memshelf.redact.checks import CHECKS, Candidate, entropy, is_placeholder
from memshelf.redact.finders import FINDERS
from memshelf.redact.marks import MARK, Marks, Origin, Redaction, report
from memshelf.redact.pack import Pack, Rule, built_in
from memshelf.redact.patterns import matches
from memshelf.redact.policy import Policy
from memshelf.redact.regex import compiled

SPREADS = 8
"""From this many characters on a caught value goes wherever else it stands."""

NEAR = 160
"""Characters behind an anchor in which a match that begins before it must show."""

PROSE = 4
"""The layer whose values stand in sentences."""

QUOTES = ('"', "'", "`", "«", "“")
_DIGITS = r"[0-9][0-9 ().\-\u2011\u00a0]{5,28}[0-9]"
_LINE = 200


class Hit(NamedTuple):
    """`text[start:end]` must go; of overlapping hits the lowest `rank` names the mark."""

    start: int
    end: int
    rank: int
    kind: str
    origin: Origin


def redact(text: str, policy: Policy, marks: Marks | None = None) -> tuple[str, tuple[Redaction, ...]]:
    """Return `text` with marks where secrets stood, and the new marks in order of place.

    Marks that `text` holds already are left alone. Without `marks` the numbers start behind them; with
    `marks` the numbering runs on over several texts, and values that an earlier text gave away go from this
    one too. Redacting twice is redacting once.
    """
    marks = Marks.after(text) if marks is None else marks
    given: dict[str, Origin] = {}
    while hits := list(_hits(text, policy, marks)):
        parts, done = [], 0
        for hit in hits:
            parts += [text[done : hit.start], marks.give(hit.kind, text[hit.start : hit.end], hit.origin)]
            given.setdefault(parts[-1], hit.origin)
            done = hit.end
        text = "".join([*parts, text[done:]])
    return text, report(text, given)


def _hits(text: str, policy: Policy, marks: Marks) -> Iterator[Hit]:
    """Yield disjoint hits in order: overlapping ones joined under the lowest rank, marks left out."""
    found = [*_of_policy(text, policy), *_of_pack(text, built_in(), policy), *_of_names(text, policy)]
    found += _repeated(text, found, marks)
    joined: list[Hit] = []
    for hit in sorted(found):
        if joined and hit.start < joined[-1].end:
            joined[-1] = _joined(joined[-1], hit)
        else:
            joined.append(hit)
    if not joined:
        return
    unmarked = MARK.sub(lambda mark: "\0" * len(mark[0]), text)
    for hit in joined:
        for piece in re.compile(r"[^\0]+").finditer(unmarked, hit.start, hit.end):
            if piece.span() == (hit.start, hit.end) or any(map(str.isalnum, piece[0])):
                yield hit._replace(start=piece.start(), end=piece.end())


def _joined(first: Hit, second: Hit) -> Hit:
    """Return what goes of two hits that overlap; personal data gives way to a secret."""
    best = min(first, second, key=lambda hit: hit.rank)
    worse = second if best is first else first
    if best.origin.class_ == "secret" and worse.origin.class_ == "personal":
        return best
    return best._replace(start=first.start, end=max(first.end, second.end))


def _of_policy(text: str, policy: Policy) -> Iterator[Hit]:
    for kind, regex in policy.patterns:
        origin = Origin("POLICY.patterns", "secret")
        yield from (Hit(*span, 0, kind, origin) for span in matches(regex, text))


def _of_names(text: str, policy: Policy) -> Iterator[Hit]:
    """Yield where people stand that the shelf names, in any case and with the endings of Russian."""
    if policy.screening.personal.get("name") == "keep":
        return
    for name in policy.screening.names:
        words = r"\s{1,3}".join(map(_declined, name.split()))
        pattern = compiled(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
        for found in pattern.finditer(text):
            yield Hit(*found.span(), 5000, "name", Origin("names", "personal"))


def _declined(word: str) -> str:
    """Return a regex for a Russian word with any ending, for any other word as it is."""
    if not re.search(r"[а-яё]\Z", word, re.IGNORECASE):
        return re.escape(word)
    return re.escape(re.sub(r"(?<=\w\w)(?:ий|ый|ой|ая|яя|ия|ья|[аяйьоеыи])\Z", "", word)) + r"\w{0,3}"


def _of_pack(text: str, pack: Pack, policy: Policy) -> list[Hit]:
    hits: list[Hit] = []
    kept: list[tuple[int, int]] = []
    done: dict[int, int] = {}
    for start, end, index in _anchored(text, pack):
        rule = pack.rules[index]
        match = _match(text, pack, index, start, end)
        if not match or start < done.get(index, 0):
            continue
        for found in _candidates(text, rule, match):
            if rule.class_ == "keep":
                kept.append((found.start, found.end))
            elif (
                policy.applies(rule.id, rule.kind) and _holds(rule, found) and _unallowed(policy, rule, found)
            ):
                done[index] = max(done.get(index, 0), found.end)
                origin = Origin(rule.id, rule.class_)
                hits.append(Hit(found.start, found.end, rule.layer * 1000 + index, rule.kind, origin))
    if kept and hits:
        hits = [hit for hit in hits if not any(start <= hit.start < end for start, end in kept)]
    return hits


def _anchored(text: str, pack: Pack) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, index of the rule) for each anchor in `text`."""
    folded = text.lower()
    if len(folded) != len(text):  # İ alone grows
        folded = text.replace("\u0130", "i").lower()
    for last, targets in pack.automaton.iter(folded):
        end = last + 1
        for length, index in targets:
            yield end - length, end, index
    for run in compiled(_DIGITS).finditer(text):
        for index in pack.on_digits:
            yield *run.span(), index


def _match(text: str, pack: Pack, index: int, start: int, end: int) -> re.Match[str] | None:
    """Return what the rule's regex matches at one anchor."""
    pattern, rule = pack.pattern(index), pack.rules[index]
    if not rule.before:
        return pattern.match(text, start, end + rule.after)
    found = pattern.search(text, max(0, start - rule.before), end + min(rule.after, NEAR))
    if not found or found.end() <= start:
        return None
    return pattern.match(text, found.start(), end + rule.after)


def _candidates(text: str, rule: Rule, match: re.Match[str]) -> Iterator[Candidate]:
    """Yield what a match would take out, before it is judged."""
    if rule.finder:
        yield from FINDERS[rule.finder](text, match)
        return
    names: list[str] | list[int] = [name for name in match.groupdict() if name.startswith("value")]
    for name in names or [0]:
        if match[name]:
            yield _trimmed(text, *match.span(name), match.start(), rule.layer)


def _unallowed(policy: Policy, rule: Rule, found: Candidate) -> bool:
    """Tell whether personal data has no leave of the shelf to be there."""
    return rule.class_ != "personal" or not policy.lets(found.value)


def _trimmed(text: str, start: int, end: int, begin: int, layer: int) -> Candidate:
    """Return the value without its quotes and, in prose, without the sentence's punctuation."""
    quoted = text[start] in "\"'" and text[end - 1] == text[start] and end - start > 2
    if quoted:
        start, end = start + 1, end - 1
    elif layer == PROSE:
        end = start + len(text[start:end].rstrip(".,;:?…*"))
        quoted = text[start - 1 : start] in QUOTES
    return Candidate(text, start, end, begin, quoted)


def _holds(rule: Rule, found: Candidate) -> bool:
    """Tell whether a match is a hit: its checks hold and nothing lets it go."""
    value = found.value
    if not value or is_placeholder(value) or (rule.entropy and entropy(value) < rule.entropy):
        return False
    return all(CHECKS[check](found) for check in rule.checks) and not _allowed(rule, found)


def _allowed(rule: Rule, found: Candidate) -> bool:
    allow = rule.allow
    if any(compiled(regex, re.IGNORECASE).search(found.value) for regex in allow.value):
        return True
    if allow.key and any(compiled(regex, re.IGNORECASE).search(_key(found)) for regex in allow.key):
        return True
    return bool(allow.line) and any(
        compiled(regex, re.IGNORECASE).search(_line(found)) for regex in allow.line
    )


def _key(found: Candidate) -> str:
    """Return the whole name in front of the value: what the rule matched, and the word it is part of."""
    before = re.search(r"[\w.-]*\Z", found.text[max(0, found.begin - 40) : found.begin])
    return (before[0] if before else "") + found.key


def _line(found: Candidate) -> str:
    """Return the value's line, cut to what stands near."""
    left = found.text[max(0, found.start - _LINE) : found.start].rpartition("\n")[2]
    return left + found.value + found.text[found.end : found.end + _LINE].partition("\n")[0]


def _repeated(text: str, found: list[Hit], marks: Marks) -> Iterator[Hit]:
    """Yield where the values of secrets, found here or known to `marks`, stand once more."""
    values = {value: (kind, origin) for kind, value, origin in marks.known() if origin.class_ == "secret"}
    for hit in found:
        if hit.origin.class_ == "secret":
            values.setdefault(text[hit.start : hit.end], (hit.kind, hit.origin))
    for value, (kind, origin) in values.items():
        if len(value) < SPREADS or "«redacted:" in value:
            continue
        at = text.find(value)
        while at >= 0:
            end = at + len(value)
            if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
                yield Hit(at, end, 6000, kind, origin)
            at = text.find(value, end)
