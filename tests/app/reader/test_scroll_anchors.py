"""Tests of places in a document: headings, source lines and their heights."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.reader.scroll_anchors import ScrollAnchors

TEXT = "# T\n\n" + "".join(f"## Part {n}\n\n{'words ' * 40}\n\n{'words ' * 40}\n\n" for n in range(6))
LINE = TEXT[: TEXT.index("## Part 3")].count("\n") + 1


@pytest.fixture
def anchors(view: NotebookView, note: Callable[..., PageSet]) -> ScrollAnchors:
    """Give the places of a note that is filled in."""
    view.show_pages(note(TEXT))
    view.page.filling.finish()
    assert view.page.anchors is not None
    return view.page.anchors


def test_a_heading_is_found_by_anchor_or_words(anchors: ScrollAnchors) -> None:
    """Also in other letters; unknown and empty names are not found."""
    by_anchor, by_words = anchors.find("part-3"), anchors.find("part 3")
    assert by_anchor is not None
    assert by_anchor == by_words
    assert by_anchor[0].text() == "Part 3"
    assert anchors.find("part-9") is None
    assert anchors.find("") is None


def test_the_heading_at_a_height(anchors: ScrollAnchors) -> None:
    """From the top of a heading on it is that heading, in any order of queries."""
    found = anchors.find("part-3")
    assert found is not None
    top = anchors.top_of(found[0])
    assert anchors.heading_at(top) == "part-3"
    assert anchors.heading_at(top - 1) == "part-2"
    assert anchors.heading_at(10**6) == "part-5"
    assert anchors.heading_at(-1) == ""


def test_a_line_between_known_lines_is_interpolated(anchors: ScrollAnchors) -> None:
    """The heading's line is at the heading, the lines below it are in order."""
    found = anchors.find("part-3")
    assert found is not None
    heights = [anchors.height_of_line(line, None) or 0.0 for line in range(LINE, LINE + 6)]
    assert heights[0] == anchors.top_of(found[0])
    assert heights == sorted(heights)
    assert heights[0] < heights[-1]
    assert anchors.height_of_line(0, None) is None


@pytest.mark.parametrize("y", [0.0, 33.5, 400.0, 900.25])
def test_a_place_has_its_height_again(anchors: ScrollAnchors, y: float) -> None:
    """The place at a height is at that height, as long as the document stays."""
    assert anchors.height_of(anchors.place_at(y)) == pytest.approx(y)


def test_an_unknown_language_is_the_first_shown(anchors: ScrollAnchors) -> None:
    """A note of one file has no language."""
    assert anchors.known("zh") == ""
    assert anchors.height_of_line(LINE, "zh") == anchors.height_of_line(LINE, None)
