"""Headings, tasks, list numbers and emphasis are toggled line by line, and a tick changes one character of a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.editor.line_commands import headed, in_order, next_numbers, tasked, ticked, toggled
from app.editor.source_editor import SourceEditor

LINES = st.sampled_from(["- [ ] a", "> - [x] b", "text", "", "  1. [X] 中\u2028文"])


@pytest.mark.parametrize(
    ("line", "level", "made"),
    [("words", 2, "## words"), ("# 标题", 3, "### 标题"), ("## 标题", 2, "标题"), ("", 1, "# "), ("#tag", 1, "# #tag")],
)
def test_a_heading_of_another_level(line: str, level: int, made: str) -> None:
    """The same level again gives plain text; text that only looks like a heading stays text."""
    assert headed(line, level) == made


@given(st.text(alphabet="中a *[]"), st.integers(1, 6), st.integers(1, 6))
def test_a_level_twice_is_none(line: str, level: int, other: int) -> None:
    """The last level counts, and the same level again restores the words."""
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
    """An item gets a box, a line of words becomes an item with a box, and a box is ticked."""
    assert tasked(line) == made


def test_all_lines_that_are_selected_change_in_one_step(source: SourceEditor) -> None:
    """One undo step reverts all lines."""
    source.load("- a\n- 任务\n")
    source.selectAll()
    source.linework.lead(tasked)
    assert source.raw().startswith("- [ ] a\n- [ ] 任务\n")
    source.undo()
    assert source.raw() == "- a\n- 任务\n"


def test_a_tick_from_elsewhere_changes_one_sign(source: SourceEditor) -> None:
    """As one step, without moving the caret; nothing if there is no such box, or the text is read-only."""
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
    """In lists, quotes and nested lists, whatever the line ends."""
    assert ticked(text, line, done=True) == made


def test_and_emptied() -> None:
    """Also if it was ticked with a capital letter."""
    assert ticked("- [X] a [x] b", 1, done=False) == "- [ ] a [x] b"


@pytest.mark.parametrize(
    ("text", "line"), [("a", 1), ("- [ ] a", 2), ("- [ ] a", 0), ("[ ] a", 1), ("- [-] a", 1), ("", 1)]
)
def test_what_is_no_task_stays(text: str, line: int) -> None:
    """If the line is no task, nothing is written."""
    assert ticked(text, line, done=True) is None


@given(st.lists(LINES), st.integers(0, 9), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_at_most_one_character_differs(lines: list[str], line: int, end: str, done: bool) -> None:  # noqa: FBT001
    """The text keeps its length."""
    text = end.join(lines)
    made = ticked(text, line, done=done)
    if made is not None:
        assert len(made) == len(text)
        assert sum(a != b for a, b in zip(text, made, strict=True)) <= 1


def test_the_numbers_below_a_new_item_count_on() -> None:
    """Only its siblings change, as long as they are numbered consecutively."""
    below = ["2. b", "   more", "   1. inner", "3. c", "text", "4. d"]
    assert next_numbers("2. ", below) == [(0, "3. b"), (3, "4. c")]
    assert next_numbers("2. ", ["1. ones", "1. ones"]) == []
    assert next_numbers("- ", below) == []
    assert next_numbers("> 2. ", ["> 2. b"]) == [(0, "> 3. b")]


def test_moved_items_keep_the_numbers_in_order() -> None:
    """Each level is sorted by itself; other lines stay."""
    assert in_order(["2. b", "   2. y", "   1. x", "1. a", "- c"]) == ["1. b", "   1. y", "   2. x", "2. a", "- c"]


@pytest.mark.parametrize(
    ("line", "start", "end", "mark", "made"),
    [
        ("a word b", 2, 6, "**", "a **word** b"),
        ("a word b", 1, 7, "**", "a **word** b"),
        ("a **word** b", 4, 8, "**", "a word b"),
        ("a **word** b", 2, 10, "**", "a word b"),
        ("a **word** b", 4, 8, "*", "a ***word*** b"),
        ("a ***word*** b", 5, 9, "*", "a **word** b"),
        ("a ***word*** b", 5, 9, "**", "a *word* b"),
        ("用 梯度 算", 2, 4, "`", "用 `梯度` 算"),
        ("", 0, 0, "**", "****"),
    ],
)
def test_emphasis_comes_and_goes(line: str, start: int, end: int, mark: str, made: str) -> None:
    """The marks go around the selection without its spaces, and are removed from inside and from outside."""
    marked = toggled(line, start, end, mark)
    assert line[: marked.start] + marked.text + line[marked.end :] == made


@given(st.text(alphabet="ab 中", min_size=1).filter(lambda text: text.strip()), st.sampled_from(["**", "*", "`"]))
def test_emphasis_twice_is_none(line: str, mark: str) -> None:
    """The marked text stays selected, and the second key removes the marks."""
    marked = toggled(line, 0, len(line), mark)
    made = line[: marked.start] + marked.text + line[marked.end :]
    again = toggled(made, marked.start + marked.selected[0], marked.start + marked.selected[1], mark)
    assert made[: again.start] + again.text + made[again.end :] == line
