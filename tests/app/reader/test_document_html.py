"""Tests of the HTML that a note's document is built from."""

from __future__ import annotations

import pytest

from app.reader.document_html import (
    CODE,
    NoteLabels,
    alignment_of,
    attributes_of,
    coloured,
    document_html,
    number_of,
    span_of,
    with_alternatives,
)
from app.reader.language_alignment import rows
from app.reader.link_targets import BeginTranslation, LinkTargets, TagTarget
from app.reader.page_set import Mode, PageSet, Side
from app.reader.text_formats import FRAME_KINDS, table
from kb.rendering.render import render

LABELS = NoteLabels(lambda side: f"facts {side}", tags=("T<1>",), lacks="lacks", begin="begin", copy="copy")


def html_of(texts: dict[Side, str], mode: Mode = "both", *, beside: bool = True) -> tuple[str, LinkTargets]:
    """Return the HTML of a note and its targets."""
    pages = PageSet("k", {side: render(text, path=f"a.{side}.md") for side, text in texts.items()}, mode)
    targets = LinkTargets()
    return document_html(rows(pages), pages, targets, LABELS, beside=beside), targets


@pytest.mark.parametrize(
    ("attributes", "side"),
    [('align="right"', "right"), ('style="text-align: center"', "center"), ('align="justify"', "left"), ("", "left")],
)
def test_alignment(attributes: str, side: str) -> None:
    """By attribute or style; anything else is left."""
    assert alignment_of(attributes_of(attributes)) == side


@pytest.mark.parametrize(("text", "number"), [("120px", 120), ("50%", 50), ("", 0), ("x", 0), ("99999", 9999)])
def test_sizes(text: str, number: int) -> None:
    """A size has at most four digits; its unit does not matter."""
    assert number_of(text) == number


def test_spans_are_bounded() -> None:
    """A table cell of a million columns would take all memory."""
    assert span_of(attributes_of('colspan="3" rowspan="1"')) == ' colspan="3"'
    assert span_of(attributes_of('colspan="1000000"')) == ""


def test_colours_of_code() -> None:
    """Tokens of one colour are joined, those without colour are plain, and other spans stay."""
    assert coloured('<span class="k">if</span><span class="k">not</span>').count("<t") == 1
    assert coloured('<span class="mark">x</span>') == '<span class="mark">x</span>'


def test_a_remote_picture_keeps_its_words() -> None:
    """Its visible words become its title, with quotes escaped."""
    found = with_alternatives('<a class="remote-image" href="https://x.org/a.png">↗ a "b"</a>')
    assert found == '<a class="remote-image" href="https://x.org/a.png" title="a &quot;b&quot;"></a>'


def test_a_note_cannot_forge_marks() -> None:
    """Titles and colours of a note's own HTML are not those that mark kinds of text and tables."""
    forged = f'<span title="{CODE}">x</span>\n\n<table {table("cell")}><tr><td>y</td></tr></table>\n'
    html, _ = html_of({"": f"# T\n\n{forged}"}, "en")
    assert CODE not in html
    assert table("cell") not in html


def test_the_title_has_facts_and_tags() -> None:
    """The tags are escaped and link to their notes."""
    html, targets = html_of({"en": "# T\n\ntext\n"}, "en")
    assert f'<a href="{targets.link(TagTarget("T<1>"))}">T&lt;1&gt;</a>' in html
    assert "facts en" in html
    assert "lacks" not in html


def test_a_missing_language_can_be_started() -> None:
    """If the mode asks for it, the title names it with a link."""
    html, targets = html_of({"en": "# T\n"}, "both")
    assert f'lacks <a href="{targets.link(BeginTranslation("zh"))}">begin</a>' in html


def test_two_languages() -> None:
    """Side by side they share tables, in a narrow page there are none; a common cell is one table in both."""
    texts: dict[Side, str] = {"zh": "# 题\n\n甲\n\n```python\n1\n```\n", "en": "# T\n\na\n\n```python\n1\n```\n"}
    wide, _ = html_of(texts)
    narrow, _ = html_of(texts, beside=False)
    assert (wide.count(table("pair")), wide.count(table("cell"))) == (1, 1)
    assert (narrow.count(table("pair")), narrow.count(table("cell"))) == (0, 1)


def test_kinds_of_tables_differ() -> None:
    """The built document tells tables apart by these attributes alone."""
    assert len({table(kind) for kind in FRAME_KINDS}) == len(FRAME_KINDS)
