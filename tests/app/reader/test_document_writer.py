"""Tests of comparing rows, and of positions after a replacement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reader.document_writer import ChunkSwap, changed, lines, unmoved
from app.reader.language_alignment import ProseRow, Row, rows
from app.reader.page_set import PageSet
from kb.rendering.render import render
from kb.rendering.rendered_page import Prose


def rows_of(text: str) -> list[Row]:
    """Return the rows of a note, in small pieces."""
    return rows(PageSet("k", {"": render(text, path="a.md", size=1)}, "en"))


def test_rows_that_only_moved_look_the_same() -> None:
    """Another line in the source is no change, also for a heading, a cell and a task; other text is."""
    parts = ["# T", "text", "- [ ] task", "```python id=a\n1\n```", "## Part"]
    old = rows_of("\n\n".join(parts))
    assert changed(old, rows_of("\n\n\n\n".join(parts))) == (len(old), 0)
    parts[1] = "other"
    assert changed(old, rows_of("\n\n".join(parts))) == (1, len(old) - 2)


def test_a_row_at_another_line_is_not_unmoved() -> None:
    """Rows are unmoved only at the same source lines, which `lines` gives."""
    one, other = rows_of("# T\n\n```python id=a\n1\n```\n"), rows_of("\n# T\n\n```python id=a\n1\n```\n")
    assert all(map(unmoved, one, one))
    assert not any(map(unmoved, one, other))
    assert [list(lines(row)) for row in one] == [[("", 1)], [("", 3)]]


@given(st.lists(st.sampled_from("ab"), max_size=6), st.lists(st.sampled_from("ab"), max_size=6))
def test_equal_beginning_and_end_never_overlap(old: list[str], new: list[str]) -> None:
    """The equal rows at both ends are equal, and each row counts once."""
    before, after = ([ProseRow({"": (Prose(text, 1),)}) for text in texts] for texts in (old, new))
    same, rest = changed(before, after)
    assert same + rest <= min(len(old), len(new))
    assert old[:same] == new[:same]
    assert old[len(old) - rest :] == new[len(new) - rest :]


@pytest.mark.parametrize(("position", "moved"), [(3, 3), (10, 10), (11, 11), (12, None), (13, 15), (20, 22)])
def test_positions_after_a_replacement(position: int, moved: int | None) -> None:
    """Positions before it stay, those after it move, also within its equal ends; those inside it have no place."""
    swap = ChunkSwap(10, "abXc".encode("utf-16-le"), "abYYYc".encode("utf-16-le"))
    assert swap.moved(position) == moved
