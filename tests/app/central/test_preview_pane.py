"""The line to which a link in the preview leads if that part of a long note is not rendered."""

from __future__ import annotations

import pytest

from app.central.preview_pane import line_of
from kb.notes.note import parse

NOTE = "# T\n\nwords[^a]\n\n## Part 3\n\n```\n[^b]: code\n```\n\n  [^a]: what it says\n"


@pytest.mark.parametrize(
    ("anchor", "line"),
    [("part-3", 5), ("Part 3", 5), ("T#part 3", 5), ("fn:a", 11), ("fn:c", 0), ("nowhere", 0)],
)
def test_an_anchor_is_found_in_the_source(anchor: str, line: int) -> None:
    """Headings are found by anchor or text, as on the page; footnotes by their label."""
    assert line_of(parse("a.md", NOTE.encode()), anchor) == line
