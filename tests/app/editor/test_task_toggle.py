"""A tick is one character of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.editor.line_commands import ticked


@pytest.mark.parametrize(
    ("text", "line", "made"),
    [
        ("- [ ] a\n", 1, "- [x] a\n"),
        ("> 1. [ ] a", 1, "> 1. [x] a"),
        ("- - [ ] a", 1, "- - [x] a"),
        ("a\r\n\r\n  * [ ] b\r\nc", 3, "a\r\n\r\n  * [x] b\r\nc"),
        ("a\r- [ ] b\r", 2, "a\r- [x] b\r"),
        ("- [x] a", 1, "- [x] a"),
    ],
)
def test_the_box_is_ticked(text: str, line: int, made: str) -> None:
    """In lists, quotes and lists within lists, whatever the line ends."""
    assert ticked(text, line, done=True) == made


def test_and_emptied() -> None:
    """Also where it was ticked with a capital letter."""
    assert ticked("- [X] a [x] b", 1, done=False) == "- [ ] a [x] b"


@pytest.mark.parametrize(
    ("text", "line"), [("a", 1), ("- [ ] a", 2), ("- [ ] a", 0), ("[ ] a", 1), ("- [-] a", 1), ("", 1)]
)
def test_what_is_no_task_stays(text: str, line: int) -> None:
    """Where the line is another by now, nothing is written."""
    assert ticked(text, line, done=True) is None


@given(st.lists(st.sampled_from(["- [ ] a", "> - [x] b", "text", "", "  1. [X] 中\u2028文"])), st.integers(0, 9),
       st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())  # fmt: skip
def test_at_most_one_character_differs(lines: list[str], line: int, end: str, done: bool) -> None:  # noqa: FBT001
    """And the text is as long as before."""
    text = end.join(lines)
    made = ticked(text, line, done=done)
    if made is not None:
        assert len(made) == len(text)
        assert sum(a != b for a, b in zip(text, made, strict=True)) <= 1
