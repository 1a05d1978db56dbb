"""The table under the caret: brought into line, and walked through cell by cell."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor

from app.editor.edit_target import EditTarget
from app.editor.highlighter import Highlighter
from app.editor.minimal_edit import replace_in
from app.editor.table_model import (
    Table,
    TableCell,
    cell_at,
    extent,
    formatted,
    is_empty,
    with_column,
    with_row,
    without_column,
    without_row,
)
from app.editor.text_diff import units, up_to


class TableCommands:
    """Works on the tables of one field."""

    def __init__(self, field: EditTarget, highlighter: Highlighter) -> None:
        """Work in `field`; `highlighter` knows what is code, in which no table is one."""
        self._field, self._highlighter = field, highlighter

    def arrange(self) -> bool:
        """Bring the columns of the table under the caret into line, the caret staying in its cell."""
        found = self._table()
        if found is None:
            return False
        first, lines, row, cell = found
        table = formatted(lines)
        inner = self._inner(lines[row], cell)
        self._show(first, lines, table)
        place = self._cell(table, row, cell)
        self._put(first, table, place, select=False, inner=inner)
        return True

    def step(self, by: int) -> bool:
        """Go to the next cell or the one before, and bring the table into line; past the last one a row is added."""
        cursor = self._field.textCursor()
        found = None if cursor.block() != self._anchored(cursor) else self._table()
        if found is None:
            return False
        first, lines, row, cell = found
        table = formatted(lines)
        cells = [one for line in table.cells for one in line]
        here = cells.index(self._cell(table, row, cell)) + by
        if row == 1:
            here = len(table.cells[0]) + (-1 if by < 0 else 0)
        if here >= len(cells):
            table = with_row(lines, len(lines))
            cells = [one for line in table.cells for one in line]
        self._show(first, lines, table)
        self._put(first, table, cells[max(0, here)], select=True)
        return True

    def here(self) -> bool:
        """Tell whether the caret is in a table."""
        return self._table() is not None

    def enter(self) -> bool:
        """Go to the cell below, and add a row under the last; from an empty last row leave the table.

        At the ends of a line Enter is no more than a line's end, as for who writes the bars.
        """
        cursor = self._field.textCursor()
        line = cursor.block().text()
        before = up_to(line, cursor.positionInBlock())
        found = self._table() if before.strip() and line[len(before) :].strip() else None
        if found is None:
            return False
        first, lines, row, cell = found
        if row == len(lines) - 1 and row > 1 and is_empty(lines[row]):
            self._leave(first + row)
            return True
        below = max(row + 1, 2)
        table = formatted(lines) if below < len(lines) else with_row(lines, below)
        self._show(first, lines, table)
        self._put(first, table, self._cell(table, below, cell), select=True)
        return True

    def add_row(self, by: int) -> bool:
        """Add a row above (0) or below (1) that of the caret, which goes into it."""
        found = self._table()
        if found is None:
            return False
        first, lines, row, cell = found
        at = max(2, row + by)
        return self._change(first, lines, with_row(lines, at), at, cell)

    def add_column(self, by: int) -> bool:
        """Add a column left (0) or right (1) of the caret, which goes into it."""
        found = self._table()
        if found is None:
            return False
        first, lines, row, cell = found
        return self._change(first, lines, with_column(lines, cell + by), row, cell + by)

    def remove_row(self) -> bool:
        """Take the row of the caret away; the head stays."""
        found = self._table()
        table = without_row(found[1], found[2]) if found else None
        return found is not None and self._change(found[0], found[1], table, found[2], found[3])

    def remove_column(self) -> bool:
        """Take the column of the caret away; the only one stays."""
        found = self._table()
        table = without_column(found[1], found[3]) if found else None
        return found is not None and self._change(found[0], found[1], table, found[2], found[3])

    def _change(self, first: int, lines: list[str], table: Table | None, row: int, cell: int) -> bool:
        if table is not None:
            self._show(first, lines, table)
            self._put(first, table, self._cell(table, row, cell), select=True)
        return table is not None

    def _leave(self, number: int) -> None:
        """Take an empty row away and go on below the table."""
        block = self._field.document().findBlockByNumber(number)
        cursor = self._field.textCursor()
        cursor.setPosition(block.position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._field.setTextCursor(cursor)

    def _anchored(self, cursor: QTextCursor) -> object:
        return self._field.document().findBlock(cursor.anchor())

    def _table(self) -> tuple[int, list[str], int, int] | None:
        """Return the first line of the table under the caret, its lines, and the caret's row and cell."""
        cursor, document = self._field.textCursor(), self._field.document()

        def line(number: int) -> str | None:
            block = document.findBlockByNumber(number) if number >= 0 else None
            inside = block is not None and block.isValid() and not self._highlighter.in_fence(block)
            return block.text() if inside and block is not None else None

        here = cursor.blockNumber()
        found = extent(line, here)
        if found is None:
            return None
        lines = [line(number) or "" for number in range(found[0], found[1] + 1)]
        before = up_to(cursor.block().text(), cursor.positionInBlock())
        return found[0], lines, here - found[0], cell_at(cursor.block().text(), len(before))

    def _inner(self, line: str, cell: int) -> int:
        """Return how far behind the beginning of its cell's text the caret is, in characters."""
        before = up_to(line, self._field.textCursor().positionInBlock())
        start = next((at for at in range(len(line)) if cell_at(line, at) == cell and line[at] not in "| \t"), len(line))
        return max(0, len(before) - start)

    def _cell(self, table: Table, row: int, cell: int) -> TableCell:
        cells = table.cells[min(max(0, row - 1) if row else 0, len(table.cells) - 1)]
        return cells[min(cell, len(cells) - 1)]

    def _show(self, first: int, lines: list[str], table: Table) -> None:
        start = self._field.document().findBlockByNumber(first).position()
        replace_in(self._field.document(), start, "\n".join(lines), "\n".join(table.lines))

    def _put(self, first: int, table: Table, cell: TableCell, *, select: bool, inner: int = 0) -> None:
        block = self._field.document().findBlockByNumber(first + cell.row)
        text = table.lines[cell.row]
        caret = cell.start if select else min(cell.start + inner, cell.end)
        start, end = (block.position() + units(text[:at]) for at in (caret, cell.end))
        cursor = self._field.textCursor()
        cursor.setPosition(start)
        if select:
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
