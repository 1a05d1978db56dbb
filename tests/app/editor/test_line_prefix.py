"""What lines begin with: headings and tasks come and go by one key, and a click beside the source ticks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.editor.line_commands import headed, tasked
from app.editor.source_editor import SourceEditor


@pytest.mark.parametrize(
    ("line", "level", "made"),
    [("words", 2, "## words"), ("# 标题", 3, "### 标题"), ("## 标题", 2, "标题"), ("", 1, "# "), ("#tag", 1, "# #tag")],
)
def test_a_heading_of_another_level(line: str, level: int, made: str) -> None:
    """The same level again is plain text; what only looks like a heading is text."""
    assert headed(line, level) == made


@given(st.text(alphabet="中a *[]"), st.integers(1, 6), st.integers(1, 6))
def test_a_level_twice_is_none(line: str, level: int, other: int) -> None:
    """Words are a heading of whatever level came last, and the same once more gives the words back."""
    made = headed(headed(line, other), level) if other != level else headed(line, level)
    assert made == f"{'#' * level} {line.lstrip()}"
    assert headed(made, level) == line.lstrip()


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ("- [ ] do", "- [x] do"),
        ("  1. [X] done", "  1. [ ] done"),
        ("* item", "* [ ] item"),
        ("> words", "> - [ ] words"),
        ("  词", "  - [ ] 词"),
        ("", "- [ ] "),
    ],
)
def test_a_task_is_begun_ticked_and_opened(line: str, made: str) -> None:
    """An item gets a box, a line of words becomes an item, a box its tick."""
    assert tasked(line) == made


def test_all_lines_that_are_selected_change_in_one_step(source: SourceEditor) -> None:
    """Undone at once; the selection stays on the words."""
    source.load("- a\n- 任务\n")
    source.selectAll()
    source.linework.lead(tasked)
    assert source.raw().startswith("- [ ] a\n- [ ] 任务\n")
    source.undo()
    assert source.raw() == "- a\n- 任务\n"


def test_a_tick_from_elsewhere_changes_one_sign(source: SourceEditor) -> None:
    """As one step, the caret where it was; nothing where the box is so already, is none, or nothing may be typed."""
    text = "- [ ] one 😀\n- [x] two\nwords\n"
    source.load(text, line=3)
    source.linework.tick(1, True)
    assert source.raw() == text.replace("[ ]", "[x]")
    assert source.line() == 3
    for line in (1, 2, 3, 9):
        source.linework.tick(line, True)
    assert source.raw() == text.replace("[ ]", "[x]")
    source.undo()
    assert source.raw() == text
    source.lock(locked=True)
    source.linework.tick(2, False)
    assert source.raw() == text
