"""Derived files: the same episodes give the same bytes, and nothing in them is forged."""

from __future__ import annotations

from pathlib import Path

import pyromark
import pytest
from derived.samples import DNS, LATIN, SAMPLES, VLAN, crowd, entry, shelf_of
from hypothesis import given, settings
from hypothesis import strategies as st
from support import fine

from memshelf.derived import files as derived
from memshelf.derived.files import RENDERERS
from memshelf.derived.index_file import LINE, escape
from memshelf.lines import squeeze
from memshelf.model import Conventions, Shelf, State

GOLDEN = Path(__file__).parent / "derived"
PLAIN = Conventions("2026-07-10")


def render(name: str, shelf: Shelf) -> str:
    return derived.render(shelf, PLAIN)[name]


def index_lines(shelf: Shelf) -> list[str]:
    return [line for line in render("INDEX.md", shelf).split("\n") if line.startswith("- ")]


def events(markdown: str) -> list[str]:
    """Return the kinds of everything that opens in `markdown`, link targets included."""
    found = []
    for event in pyromark.events(markdown, options=pyromark.Options.ENABLE_STRIKETHROUGH):
        tag = event.get("Start", event) if isinstance(event, dict) else event
        name = next(iter(tag)) if isinstance(tag, dict) else str(tag)
        found.append(f"Link {tag['Link']['dest_url']}" if name == "Link" else name)
    return found


@pytest.mark.parametrize("file", sorted(RENDERERS))
@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_sample_renders_to_its_golden_file(sample: str, file: str, request: pytest.FixtureRequest):
    text = render(file, SAMPLES[sample])
    golden = GOLDEN / sample / file
    if request.config.getoption("--update", default=False):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(text.encode())
    assert text.encode() == golden.read_bytes()


@pytest.mark.parametrize("file", sorted(RENDERERS))
@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_order_of_files_does_not_matter(sample: str, file: str):
    shelf = SAMPLES[sample]
    turned = shelf._replace(entries=shelf.entries[::-1], unreadable=shelf.unreadable[::-1])
    assert render(file, turned) == render(file, shelf)


@pytest.mark.parametrize("file", sorted(RENDERERS))
@pytest.mark.parametrize("sample", sorted(SAMPLES))
def test_file_ends_in_one_newline_and_has_no_other_line_end(sample: str, file: str):
    text = render(file, SAMPLES[sample])
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert text.split("\n") == [*text.splitlines(), ""]


@pytest.mark.parametrize("file", sorted(RENDERERS))
def test_drafts_are_in_no_derived_file(file: str):
    accepted = shelf_of(entry(VLAN))
    draft = entry(DNS, State.DRAFT)
    assert render(file, accepted._replace(drafts=(draft,))) == render(file, accepted)
    assert render(file, shelf_of(entry(VLAN), draft)) == render(file, accepted)


def test_index_of_157_episodes_costs_at_most_6000_tokens():
    shelf = crowd(157)
    assert len(index_lines(shelf)) == 157
    assert len(render("INDEX.md", shelf)) / 4 <= 6000


def test_index_line_keeps_its_length_whatever_the_id():
    long = fine(id="2026-06-02-" + "a" * 50, title="word " * 24, summary="other " * 18)
    (line,) = index_lines(shelf_of(entry(long)))
    assert len(line) < LINE
    assert "word word" in line
    assert "other other" in line


def test_short_summary_stands_whole_beside_a_long_title():
    (line,) = index_lines(shelf_of(entry(fine(title="word " * 24, summary="Chosen: one resolver"))))
    assert ": Chosen: one resolver ○" in line


def test_shelfs_own_markers_choose_the_headline():
    episode = fine(digest="Первая фраза про сеть. Gewählt: ein Resolver.")
    own = Conventions("2026-07-10", markers=("Gewählt",))
    text = derived.render(shelf_of(entry(episode)), own)["INDEX.md"]
    assert ": Gewählt: ein Resolver." in text


@pytest.mark.parametrize("body", ["None.", "none", "Нет.", "*None.*", "", " \n"])
def test_nothing_open_has_no_open_mark(body: str):
    (line,) = index_lines(shelf_of(entry(fine(open_threads=body))))
    assert "○" not in line


@pytest.mark.parametrize("body", ["None of the devices is moved.", "- who rotates keys?", "Нет владельца."])
def test_open_thread_has_an_open_mark(body: str):
    (line,) = index_lines(shelf_of(entry(fine(open_threads=body))))
    assert " ○" in line


def test_only_links_of_the_renderer_are_links():
    kinds = events(render("INDEX.md", SAMPLES["nasty"]))
    assert [kind for kind in kinds if kind.startswith("Link")] == [
        "Link docs/topics/2026-07-01-nasty.md",
        "Link docs/topics/2026-06-30-broken.md",
        "Link docs/topics/a%20b%5D%28c%29.md",
    ]
    assert kinds.count("Heading") == 2
    assert not {"Html", "InlineHtml", "HtmlBlock", "Image"} & set(kinds)


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=80), st.text(st.characters(codec="utf-8"), max_size=80))
def test_no_text_forms_a_link_a_heading_html_or_a_line(title: str, summary: str):
    text = render("INDEX.md", shelf_of(entry(fine(title=title, summary=summary))))
    kinds = events(text)
    assert [kind for kind in kinds if kind.startswith("Link")] == [
        "Link docs/topics/2026-07-10-auth-tokens.md"
    ]
    assert kinds.count("Heading") == kinds.count("Item") == 1
    assert not {"Html", "InlineHtml", "HtmlBlock", "Image", "CodeBlock"} & set(kinds)
    assert len(text.splitlines()) == 5
    assert "](" not in text.replace("](docs/topics/2026-07-10-auth-tokens.md)", "")


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_escaped_text_reads_as_it_was(text: str):
    plain = squeeze(f"a &lt; \\# {text}")
    shown = (event.get("Text", "") for event in pyromark.events(escape(plain)) if isinstance(event, dict))
    assert "".join(shown) == plain


def test_escape_keeps_github_from_linking_addresses():
    assert escape("www.a.b https://c.d") == "www\\.a.b https\\://c.d"


def test_escape_leaves_plain_text_alone():
    plain = 'snake_case, 10/20 & a (b) "c" #1 — «ё» v1.2 a:b 🎉'
    assert escape(plain) == plain


@pytest.mark.parametrize("prefix", ["", "nested/library/"])
def test_link_starts_at_the_shelf_wherever_the_library_lies(prefix: str):
    moved = entry(VLAN, path=f"{prefix}shelves/sample/docs/topics/{VLAN.id}.md")
    assert f"](docs/topics/{VLAN.id}.md)" in render("INDEX.md", shelf_of(moved))
    root = entry(VLAN, path=f"docs/topics/{VLAN.id}.md")
    assert f"](docs/topics/{VLAN.id}.md)" in render("INDEX.md", shelf_of(root))


def test_ledger_counts_every_committed_state_and_rounds_down_as_its_family_does():
    states = (State.ACCEPTED, State.ARCHIVED, State.SUPERSEDED)
    entries = [
        entry(fine(id=f"2026-01-0{at}-{LATIN[at]}", digest="a" * at), state)
        for at, state in enumerate(states, 4)
    ]
    rows = [line.split("\t") for line in render("ledger.tsv", shelf_of(*entries)).split("\n")[1:-1]]
    assert [(row[1], row[4]) for row in rows] == [
        ("2026-01-04-token", "1"),
        ("2026-01-05-ledger", "1"),
        ("2026-01-06-digest", "1"),
    ]


@pytest.mark.parametrize(
    ("tokens", "source", "written"),
    [
        ("900", "estimate", "900"),
        ("900", "unmeasured", "0"),
        ("many", "measured", "0"),
        ("9" * 5000, "estimate", "0"),
    ],
)
def test_ledger_writes_an_unmeasured_session_as_zero(tokens: str, source: str, written: str):
    episode = fine(approx_tokens=tokens, approx_tokens_source=source)
    assert render("ledger.tsv", shelf_of(entry(episode))).split("\n")[1].split("\t")[3] == written


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8")))
def test_ledger_row_has_six_columns_whatever_the_notes(notes: str):
    lines = render("ledger.tsv", shelf_of(entry(fine(notes=notes)))).splitlines()
    assert [len(line.split("\t")) for line in lines] == [6, 6]
