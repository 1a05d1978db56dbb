"""Tables are found and aligned, and rows and columns are visited, added and removed, each as one undo step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.editor.source_editor import SourceEditor
from app.editor.table_commands import (
    cell_at,
    columns,
    extent,
    formatted,
    with_column,
    with_row,
    without_column,
    without_row,
)

TABLE = "| a   | 中文 |\n|:----|-----:|\n| one |    x |\n"
CELLS = st.lists(st.text(alphabet="ab 中", max_size=4), min_size=2, max_size=2)
ROW = st.lists(st.text(alphabet="ab 中文`:-", max_size=6), min_size=1, max_size=4)


def put(source: SourceEditor, line: int, column: int) -> None:
    """Put the caret at a line and column, both from 0."""
    cursor = source.textCursor()
    cursor.setPosition(source.document().findBlockByNumber(line).position() + column)
    source.setTextCursor(cursor)


def test_a_table_is_brought_into_line() -> None:
    """A Chinese character is two columns wide; alignments are kept, and missing cells are added."""
    table = formatted(["| a | 中文名 | c", "|:-|:-:|--:|", "| long cell | x | 1 |", "|`a\\|b`| y"])
    assert table.lines == (
        "| a         | 中文名 |   c |",
        "|:----------|:------:|----:|",
        "| long cell |   x    |   1 |",
        "| `a\\|b`    |   y    |     |",
    )
    assert [len(row) for row in table.cells] == [3, 3, 3]
    assert table.lines[2][table.cells[1][0].start : table.cells[1][0].end] == "long cell"
    assert with_row(table.lines, len(table.lines)).lines[-1] == "|           |        |     |"


@given(ROW, st.lists(ROW, max_size=4))
def test_a_table_in_line_stays_as_it_is(head: list[str], rows: list[list[str]]) -> None:
    """Formatting twice changes nothing, all lines have the same width, and no word is lost."""
    lines = ["|" + "|".join(row) + "|" for row in (head, ["---"] * len(head), *rows)]
    table = formatted(lines)
    assert formatted(table.lines) == table
    assert len({columns(line) for line in table.lines}) == 1
    assert "".join("".join(lines[2:]).split()).replace("|", "") == "".join("".join(table.lines[2:]).split()).replace(
        "|", ""
    )


def test_a_table_is_found_around_a_line() -> None:
    """A table is found if its second line is a delimiter row."""
    lines = ["text | with a bar", "", "| a |", "|---|", "| b |", "", "end"]

    def line(at: int) -> str | None:
        return lines[at] if 0 <= at < len(lines) else None

    assert [extent(line, at) for at in range(7)] == [None, None, (2, 4), (2, 4), (2, 4), None, None]


@pytest.mark.parametrize(
    ("line", "at", "cell"), [("| a | b |", 3, 0), ("| a | b |", 6, 1), ("a | b", 0, 0), ("a | b", 4, 1)]
)
def test_the_cell_of_a_place(line: str, at: int, cell: int) -> None:
    """With and without a bar at the start of the row."""
    assert cell_at(line, at) == cell


@given(CELLS, st.lists(CELLS, max_size=3), st.integers(0, 2))
def test_a_column_that_comes_and_goes_leaves_the_table_as_it_was(
    head: list[str], rows: list[list[str]], at: int
) -> None:
    """At any position; the same is true of a row of the body."""
    table = formatted(["|" + "|".join(row) + "|" for row in (head, [":--", "--:"], *rows)]).lines
    more = with_column(table, at).lines
    assert all(line.count("|") == 4 for line in more)
    fewer = without_column(more, at)
    assert fewer is not None
    assert fewer.lines == table
    row = 2 + at % (len(rows) + 1)
    again = without_row(with_row(table, row).lines, row)
    assert again is not None
    assert again.lines == table


def test_the_head_and_the_last_column_stay() -> None:
    """Without them there would be no table."""
    lines = ["| a |", "|---|", "| b |"]
    assert without_row(lines, 0) is None
    assert without_row(lines, 1) is None
    assert without_column(lines, 0) is None
    assert with_row(lines, 0).lines[2] == "|     |"


def test_enter_goes_down_and_out(source: SourceEditor) -> None:
    """To the cell below, to a new row after the last, and from an empty last row out of the table."""
    source.load(TABLE)
    put(source, 0, 2)
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.textCursor().selectedText() == "one"
    source.moveCursor(source.textCursor().MoveOperation.Right)
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.raw() == TABLE + "|     |      |\n"
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.raw() == TABLE + "\n"
    assert source.line() == 4


def test_enter_at_the_ends_of_a_row_is_a_line_end(source: SourceEditor) -> None:
    """For users who type the bars themselves, or insert a line above the table."""
    source.load(TABLE.strip())
    source.moveCursor(source.textCursor().MoveOperation.End)
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.raw() == TABLE
    put(source, 0, 0)
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.raw() == "\n" + TABLE


@pytest.mark.parametrize(
    ("change", "made"),
    [
        ("row_above", "| a   | 中文 |\n|:----|-----:|\n|     |      |\n| one |    x |\n"),
        ("row_below", "| a   | 中文 |\n|:----|-----:|\n| one |    x |\n|     |      |\n"),
        ("column_left", "| a   |     | 中文 |\n|:----|-----|-----:|\n| one |     |    x |\n"),
        ("column_right", "| a   | 中文 |     |\n|:----|-----:|-----|\n| one |    x |     |\n"),
        ("row_away", "| a   | 中文 |\n|:----|-----:|\n"),
        ("column_away", "| a   |\n|:----|\n| one |\n"),
    ],
)
def test_rows_and_columns_are_added_and_taken_away(source: SourceEditor, change: str, made: str) -> None:
    """Alignments are kept, the caret is in the new cell, one undo step reverts it, and an input method types there."""
    source.load(TABLE)
    table = source.typist.tabling
    put(source, 2, 9)
    acts = {
        "row_above": lambda: table.add_row(0),
        "row_below": lambda: table.add_row(1),
        "column_left": lambda: table.add_column(0),
        "column_right": lambda: table.add_column(1),
        "row_away": table.remove_row,
        "column_away": table.remove_column,
    }
    assert acts[change]()
    assert source.raw() == made
    source.undo()
    assert source.raw() == TABLE
    source.redo()
    if change.startswith(("row_a", "column_l")) and change != "row_away":
        acts["row_below"]()
        event = QInputMethodEvent()
        event.setCommitString("值")
        QApplication.sendEvent(source, event)
        assert "| 值" in source.raw()


def test_beside_a_table_nothing_is_added(source: SourceEditor) -> None:
    """Commands on tables do nothing in prose and in code."""
    text = "```\n| a |\n|---|\n```\nprose\n"
    source.load(text)
    table = source.typist.tabling
    for line in (1, 4):
        put(source, line, 1)
        assert not any(
            (table.add_row(1), table.add_column(1), table.remove_row(), table.remove_column(), table.enter())
        )
    assert source.raw() == text
