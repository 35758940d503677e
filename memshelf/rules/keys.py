"""Rules about an episode's front-matter values: each one line, each of its own shape."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, timedelta
from typing import TYPE_CHECKING

from memshelf.model import FORMS, KINDS, MAX_ID, MAX_SUMMARY, MAX_TAGS, MAX_TITLE, Level
from memshelf.rules.registry import Breach, rule
from memshelf.text import slug

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memshelf.model import Conventions, Episode, Value

MAX_TAG = 40
MODES = ("live", "import")
TOKEN_SOURCES = ("measured", "estimate", "unmeasured")
ID = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:-[a-z0-9]+)+")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
RESERVED = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
FRONT_MATTER_MARK = "---"
SINGLE = (
    *("id", "kind", "form", "title", "date", "span", "summary", "approx_tokens", "approx_tokens_source"),
    *("mode", "retain_until", "pinned", "notes", "tags", "supersedes", "client", "session"),
)


def _fault(text: str) -> str:
    """Return what keeps `text` from being one line of front matter, and the way out; empty when fine."""
    unsafe = UNSAFE.search(text)
    if unsafe and unsafe[0] == "\n":
        return "holds a line break: write one line"
    if unsafe:
        return f"holds U+{ord(unsafe[0]):04X}: take it out"
    return "holds ---, the front matter's mark: write a dash" if FRONT_MATTER_MARK in text else ""


def _texts(value: Value) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def is_date(text: str) -> bool:
    """Tell whether `text` is a real day written YYYY-MM-DD."""
    if not DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _misshapen(text: str, fine: bool) -> bool:
    """Whether `text` is to be reported; what `value-not-one-line` reports is not told twice."""
    return not fine and not _fault(text)


@rule(Level.ERROR, bad={"title": "Auth\ntokens"}, good={"title": 'Auth: [JWT] #1 "ok" 🔑 ё'})
def value_not_one_line(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A front-matter value is not one plain line.

    A line break, a control character or `---` in a value could end the front matter early or forge a key
    for line-based readers. Write one line; every other character is fine.
    """
    pairs: list[tuple[str, Value]] = [(key, getattr(episode, key)) for key in SINGLE]
    others = [("another key", value) for pair in episode.other for value in pair]
    for place, value in (*pairs, *others):
        fault = next(filter(None, map(_fault, _texts(value))), "")
        if fault:
            yield Breach(fault, place)


@rule(
    Level.ERROR,
    bad={"id": "2026-02-31-auth", "date": ""},
    good={"id": "2026-07-11-auth", "date": "2026-07-11"},
)
def id_malformed(episode: Episode, conventions: Conventions) -> Iterator[Breach]:
    """The id is not a date and a slug.

    The id is the file's name on every platform and the address in every link: `2026-07-10-auth-tokens`,
    a real date not after tomorrow, then words in a-z, 0-9 and single hyphens, at most 80 characters, and
    no name that Windows reserves.
    """
    fault = "" if _fault(episode.id) else _id_fault(episode.id, date.fromisoformat(conventions.today))
    if fault:
        yield Breach(fault, "id")


def _id_fault(name: str, today: date) -> str:
    if not name:
        return "no id: write a date and a slug, such as 2026-07-10-auth-tokens"
    if len(name) > MAX_ID:
        return f"{len(name)} characters, limit {MAX_ID}: cut {len(name) - MAX_ID}"
    if not ID.fullmatch(name):
        return _offer(name, today)
    if not is_date(name[:10]):
        return "its date is not in the calendar: write a real one"
    if date.fromisoformat(name[:10]) - today > timedelta(days=1):
        return "its date lies ahead: write the day on which the topic was closed"
    return "its slug is a name that Windows reserves: add a word" if RESERVED.fullmatch(name[11:]) else ""


def _offer(name: str, today: date) -> str:
    """Say the shape; for an id in other letters offer its transliteration."""
    day, rest = (name[:10], name[10:]) if DATE.match(name) else (today.isoformat(), name)
    offer = "" if name.isascii() else slug(rest)
    if offer:
        return f"holds letters other than a-z: use {day}-{offer}"
    return "not a date and a slug: write YYYY-MM-DD-words in a-z, 0-9 and single hyphens"


@rule(Level.ERROR, bad={"kind": "note"}, good={"kind": "research"})
def kind_unknown(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The kind is none of topic, research and session.

    The kind decides the folder and the sections an episode needs. Choose one of the three.
    """
    if _misshapen(episode.kind, episode.kind in KINDS):
        yield Breach(f"not one of {', '.join(KINDS)}: choose one", "kind")


@rule(Level.ERROR, bad={"form": "story"}, good={"form": "decision"})
def form_unknown(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The form is none of decision, incident, experiment and feedback.

    The form adds sections that such an episode needs. Choose one of the four or leave it out.
    """
    if _misshapen(episode.form, episode.form in ("", *FORMS)):
        yield Breach(f"not one of {', '.join(FORMS)}: choose one or leave it out", "form")


@rule(Level.ERROR, bad={"title": " "}, good={"title": "认证"})
def title_missing(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """There is no title.

    Lists and search results show the title. Write one line that names the topic.
    """
    if not episode.title.strip():
        yield Breach("no title: name the topic in one line", "title")


@rule(Level.ERROR, bad={"title": "a" * (MAX_TITLE + 1)}, good={"title": "a" * MAX_TITLE})
def title_too_long(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The title is over 120 characters.

    A title stands on one line of every list. Name the topic; the digest tells the rest.
    """
    over = len(episode.title) - MAX_TITLE
    if over > 0:
        yield Breach(f"{len(episode.title)} characters, limit {MAX_TITLE}: cut {over}", "title")


@rule(Level.ERROR, bad={"summary": "a" * (MAX_SUMMARY + 1)}, good={"summary": "a" * MAX_SUMMARY})
def summary_too_long(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The summary is over 110 characters.

    The summary is the episode's line in the index, which every session pays for. Shorten it, or leave it
    out: the index then takes a sentence of the digest.
    """
    over = len(episode.summary) - MAX_SUMMARY
    if over > 0:
        yield Breach(f"{len(episode.summary)} characters, limit {MAX_SUMMARY}: cut {over}", "summary")


@rule(Level.ERROR, bad={"tags": ("Auth",)}, good={"tags": ("auth-2", "сеть", "认证")})
def tag_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A tag is not in lower-case letters, digits and hyphens, or there are too many.

    Tags are compared as they stand, so `Auth` and `auth` would be two. Letters of any script are fine; at
    most 40 characters a tag and 12 tags.
    """
    count = len(episode.tags)
    if count > MAX_TAGS:
        yield Breach(f"{count} tags, limit {MAX_TAGS}: drop {count - MAX_TAGS}", "tags")
    for index, tag in enumerate(episode.tags, 1):
        if len(tag) > MAX_TAG:
            yield Breach(
                f"tag {index}: {len(tag)} characters, limit {MAX_TAG}: cut {len(tag) - MAX_TAG}", "tags"
            )
        elif _misshapen(tag, bool(tag) and all(map(_in_tag, tag))):
            yield Breach(f"tag {index}: write lower-case letters, digits and hyphens", "tags")


def _in_tag(char: str) -> bool:
    letter = char.isalpha() and char == char.lower()
    return char == "-" or letter or unicodedata.category(char) in ("Nd", "Mn", "Mc")


@rule(Level.ERROR, bad={"span": "2026-07-10..2026-07-09"}, good={"span": "2026-07-10..2026-07-10"})
def span_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The span is not two dates in order.

    It says from when to when the work went on: `2026-07-09..2026-07-10`, the same day twice for one day.
    """
    first, _dots, last = episode.span.partition("..")
    fine = not episode.span or (is_date(first) and is_date(last) and first <= last)
    if _misshapen(episode.span, fine):
        yield Breach("not two dates in order: write YYYY-MM-DD..YYYY-MM-DD", "span")


@rule(Level.ERROR, bad={"date": "2026-07-09"}, good={"date": "2026-07-10"})
def date_differs(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The date is not the id's date.

    One of the two would be wrong in every list. The tool takes the date from the id: leave the key out.
    """
    known = is_date(episode.id[:10]) and ID.fullmatch(episode.id)
    if known and episode.date and _misshapen(episode.date, episode.date == episode.id[:10]):
        yield Breach("differs from the id's date: write that one", "date")


@rule(Level.ERROR, bad={"approx_tokens": "12k"}, good={"approx_tokens": "12000"})
def tokens_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The weight of the source session is no whole number, or its origin is unknown.

    The ledger adds these numbers up. `approx_tokens` is a number without signs or units;
    `approx_tokens_source` is measured, estimate or unmeasured.
    """
    count, source = episode.approx_tokens, episode.approx_tokens_source
    if _misshapen(count, bool(re.fullmatch("[0-9]{1,15}", count))):
        yield Breach("not a whole number: write digits only", "approx_tokens")
    if _misshapen(source, source in TOKEN_SOURCES):
        yield Breach(f"not one of {', '.join(TOKEN_SOURCES)}: choose one", "approx_tokens_source")


@rule(Level.ERROR, bad={"supersedes": ("auth",)}, good={"supersedes": ("2026-01-05-auth",)})
def supersedes_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """What the episode replaces is not given as ids, or is the episode itself.

    The older episode is struck in the index and points here, so it must be found by its id.
    """
    for index, name in enumerate(episode.supersedes, 1):
        if name == episode.id:
            yield Breach(f"id {index}: is this episode: name the older one", "supersedes")
        elif _misshapen(name, bool(ID.fullmatch(name)) and len(name) <= MAX_ID and is_date(name[:10])):
            yield Breach(f"id {index}: not an id: write it as the index shows it", "supersedes")


@rule(Level.ERROR, bad={"retain_until": "2027-02-30"}, good={"retain_until": "2027-02-28"})
def retain_until_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The date until which the episode is kept is no date.

    An episode must not vanish, or stay for ever, over a slip of the pen. Write a real date as YYYY-MM-DD.
    """
    if _misshapen(episode.retain_until, not episode.retain_until or is_date(episode.retain_until)):
        yield Breach("not a date: write YYYY-MM-DD", "retain_until")


@rule(Level.ERROR, bad={"pinned": "yes"}, good={"pinned": "true"})
def pinned_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The pin is neither true nor false.

    A pinned episode stands on top of the index. Write `true`, or leave the key out.
    """
    if _misshapen(episode.pinned, episode.pinned in ("", "true", "false")):
        yield Breach("neither true nor false: write true or leave it out", "pinned")


@rule(Level.ERROR, bad={"mode": "batch"}, good={"mode": "import"})
def mode_unknown(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """The mode is neither live nor import.

    It says whether the episode was written in the session it tells of or later from a transcript.
    """
    if _misshapen(episode.mode, episode.mode in MODES):
        yield Breach(f"not one of {', '.join(MODES)}: choose one", "mode")


@rule(
    Level.ERROR,
    bad={"allow": ("password",)},
    good={"allow": ("password decisions from the vendor's manual",)},
)
def allow_malformed(episode: Episode, _: Conventions) -> Iterator[Breach]:
    """A lifted redaction does not say what was lifted, where and why.

    It lets a text stand that looks like a secret, so whoever reads it must see what a person judged. Write
    `KIND PLACE why`: the kind as its mark names it, the field or section with `_` for spaces, the reason.
    """
    for index, entry in enumerate(episode.allow, 1):
        if _misshapen(entry, len(entry.split(maxsplit=2)) == 3):
            yield Breach(
                f"entry {index}: write `KIND PLACE why`, as `password decisions from a manual`", "allow"
            )
