"""Markdown tables: finding, aligning and changing them, and the commands on the table under the caret."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextCursor

from app.editor.edit_target import EditTarget
from app.editor.highlighter import Highlighter
from app.editor.text_diff import replace_in, units, up_to

_BAR = re.compile(r"(?<!\\)\|")
_DELIMITER = re.compile(r"\s*:?-+:?\s*")
_LEAST = 3  # characters, the least width of a column in the delimiter row
_BODY = 2  # the first line below the head and the delimiter row
_MOST = 2_000  # lines to search for the ends of a table


@dataclass(frozen=True)
class TableCell:
    """The position of a cell's text in the table's lines: the line, and a range of characters; all from 0."""

    row: int
    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """An aligned table: its lines, and its rows of cells without the delimiter row."""

    lines: tuple[str, ...]
    cells: tuple[tuple[TableCell, ...], ...]


def extent(line: Callable[[int], str | None], at: int) -> tuple[int, int] | None:
    """Return the first and last line of the table at line `at`, or None; `line` returns None past the ends."""
    first = last = at
    if not _is_row(line(at)):
        return None
    while at - first < _MOST and _is_row(line(first - 1)):
        first -= 1
    while last - at < _MOST and _is_row(line(last + 1)):
        last += 1
    second = line(first + 1) if first < last else None
    return (first, last) if second is not None and _delimits(_split(second)) else None


def formatted(lines: Sequence[str]) -> Table:
    """Return the table with aligned columns; missing cells are added."""
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    rows = [_split(line) for line in lines]
    count = max(map(len, rows))
    rows = [[*row, *[""] * (count - len(row))] for row in rows]
    sides = [_side(cell) for cell in rows[1]]
    widths = [
        max(_LEAST, *(columns(row[number]) for place, row in enumerate(rows) if place != 1)) for number in range(count)
    ]
    made: list[str] = []
    cells: list[tuple[TableCell, ...]] = []
    for place, row in enumerate(rows):
        if place == 1:
            made.append(indent + "|" + "|".join(map(_delimiter, sides, widths)) + "|")
            continue
        text, found = indent + "|", []
        for cell, side, width in zip(row, sides, widths, strict=True):
            before, behind = _padding(cell, side, width)
            start = len(text) + 1 + before
            found.append(TableCell(place, start, start + len(cell)))
            text += f" {' ' * before}{cell}{' ' * behind} |"
        made.append(text)
        cells.append(tuple(found))
    return Table(tuple(made), tuple(cells))


def with_row(lines: Sequence[str], at: int) -> Table:
    """Return the table with an empty row inserted at line `at` (from 0), but never above the body."""
    at = max(_BODY, at)
    return formatted((*lines[:at], "|" * (len(_split(lines[0])) + 1), *lines[at:]))


def without_row(lines: Sequence[str], at: int) -> Table | None:
    """Return the table without the row at a line; None for the head."""
    return formatted((*lines[:at], *lines[at + 1 :])) if at >= _BODY else None


def with_column(lines: Sequence[str], at: int) -> Table:
    """Return the table with an empty column inserted before column `at`."""
    return _with_cells(lines, lambda row: [*row[:at], "-" * _LEAST if _delimits(row) else "", *row[at:]])


def without_column(lines: Sequence[str], at: int) -> Table | None:
    """Return the table without a column; None if it is the only one."""
    return _with_cells(lines, lambda row: [*row[:at], *row[at + 1 :]]) if len(_split(lines[1])) > 1 else None


def is_empty(line: str) -> bool:
    """Return whether all cells of a row are empty."""
    return not any(_split(line))


def _with_cells(lines: Sequence[str], change: Callable[[list[str]], list[str]]) -> Table:
    table = formatted(lines).lines
    indent = table[0][: len(table[0]) - len(table[0].lstrip())]
    return formatted([f"{indent}|{'|'.join(change(_split(line)))}|" for line in table])


def cell_at(line: str, at: int) -> int:
    """Return the number of the cell (from 0) at a position in a row."""
    bare = len(line) - len(line.lstrip())
    bars = [match.start() for match in _BAR.finditer(line[:at])]
    led = line[bare : bare + 1] == "|"
    return max(0, len(bars) - led)


def columns(text: str) -> int:
    """Return the width of a text in columns of a monospaced font; Chinese characters take two."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def _is_row(line: str | None) -> bool:
    return line is not None and _BAR.search(line) is not None and not line.lstrip().startswith(">")


def _split(line: str) -> list[str]:
    bare = line.strip()
    bare = bare.removeprefix("|")
    if bare.endswith("|") and not bare.endswith("\\|"):
        bare = bare[:-1]
    return [cell.strip() for cell in _BAR.split(bare)]


def _delimits(row: list[str]) -> bool:
    return all(_DELIMITER.fullmatch(cell) for cell in row)


def _side(cell: str) -> str:
    """Return the alignment of a column by its delimiter: "l", "r", "c", or ""."""
    left, right = cell.startswith(":"), cell.endswith(":")
    return "c" if left and right else "l" if left else "r" if right else ""


def _delimiter(side: str, width: int) -> str:
    left, right = ":" if side in ("l", "c") else "-", ":" if side in ("r", "c") else "-"
    return left + "-" * width + right


def _padding(cell: str, side: str, width: int) -> tuple[int, int]:
    room = width - columns(cell)
    before = room if side == "r" else room // 2 if side == "c" else 0
    return before, room - before


class TableCommands:
    """Commands on the tables of one field; each returns whether the caret is in a table."""

    def __init__(self, field: EditTarget, highlighter: Highlighter) -> None:
        """Edit `field`; `highlighter` tells which lines are code, where tables are ignored."""
        self._field, self._highlighter = field, highlighter

    def arrange(self) -> bool:
        """Align the table; the caret stays in its cell."""
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
        """Align the table and go to the next (1) or previous (-1) cell; after the last one, add a row."""
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
        """Return whether the caret is in a table."""
        return self._table() is not None

    def enter(self) -> bool:
        """Go to the cell below, adding a row after the last; in an empty last row, remove it and leave the table.

        At the start or end of a line, Enter just breaks the line, for users who type the bars themselves.
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
        """Add a row above (0) or below (1) the caret, and go to it."""
        found = self._table()
        if found is None:
            return False
        first, lines, row, cell = found
        at = max(2, row + by)
        return self._change(first, lines, with_row(lines, at), at, cell)

    def add_column(self, by: int) -> bool:
        """Add a column left (0) or right (1) of the caret, and go to it."""
        found = self._table()
        if found is None:
            return False
        first, lines, row, cell = found
        return self._change(first, lines, with_column(lines, cell + by), row, cell + by)

    def remove_row(self) -> bool:
        """Remove the row of the caret, unless it is the head."""
        found = self._table()
        table = without_row(found[1], found[2]) if found else None
        return found is not None and self._change(found[0], found[1], table, found[2], found[3])

    def remove_column(self) -> bool:
        """Remove the column of the caret, unless it is the only one."""
        found = self._table()
        table = without_column(found[1], found[3]) if found else None
        return found is not None and self._change(found[0], found[1], table, found[2], found[3])

    def _change(self, first: int, lines: list[str], table: Table | None, row: int, cell: int) -> bool:
        if table is not None:
            self._show(first, lines, table)
            self._put(first, table, self._cell(table, row, cell), select=True)
        return table is not None

    def _leave(self, number: int) -> None:
        """Clear an empty row; the caret is then below the table."""
        block = self._field.document().findBlockByNumber(number)
        cursor = self._field.textCursor()
        cursor.setPosition(block.position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._field.setTextCursor(cursor)

    def _anchored(self, cursor: QTextCursor) -> object:
        return self._field.document().findBlock(cursor.anchor())

    def _table(self) -> tuple[int, list[str], int, int] | None:
        """Return the table's first line and its lines, and the caret's row and cell; None outside of tables."""
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
        """Return the offset of the caret in its cell's text, in characters."""
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
