"""How tightly a table is set that has too little room: less air beside its words, and then smaller letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextFormat, QTextTable, QTextTableCell

MOST_CELLS = 400  # of a table that is set otherwise: each takes a moment
_OWN_SIZE = QTextFormat.Property.UserProperty + 6  # the size of letters that were made smaller
_SIZE = QTextFormat.Property.FontPixelSize


class Density(NamedTuple):
    """The share that is left of the air beside words, and of the size of letters."""

    air: float = 1.0
    letters: float = 1.0

    def widths(self, widths: Sequence[float], padding: float) -> list[float]:
        """Return what is left of the columns' widths, of which so much is air at each side; the edges keep theirs."""
        left = [(width - 2 * padding) * self.letters + 2 * padding * self.air for width in widths]
        for edge in (0, -1):
            left[edge] += padding * (1 - self.air)
        return left


DENSITIES = (Density(), Density(air=0.4), Density(air=0.4, letters=0.87))


def apply_density(table: QTextTable, density: Density, padding: float) -> None:
    """Set a table so; `padding` is what its cells have at each side by themselves, in pixels."""
    cursor = table.firstCursorPosition()
    document = cursor.document()
    usual = document.defaultFont().pixelSize()
    cursor.beginEditBlock()
    for cell in _cells(table):
        shape = cell.format().toTableCellFormat()
        last = table.columns() == cell.column() + cell.columnSpan()
        shape.setLeftPadding(padding * (density.air if cell.column() else 1))
        shape.setRightPadding(padding * (1 if last else density.air))
        cell.setFormat(shape)
        for start, end, style in list(_letters(cell)):
            own = style.property(_OWN_SIZE) or style.property(_SIZE) or usual
            size = round(own * density.letters)
            if size != (style.property(_SIZE) or usual):
                changed = QTextCharFormat()
                changed.setProperty(_OWN_SIZE, own)
                changed.setProperty(_SIZE, size)
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(changed)
    cursor.endEditBlock()


def _cells(table: QTextTable) -> Iterator[QTextTableCell]:
    """Yield each cell once, however far it spans."""
    for row, column in product(range(table.rows()), range(table.columns())):
        cell = table.cellAt(row, column)
        if (cell.row(), cell.column()) == (row, column):
            yield cell


def _letters(cell: QTextTableCell) -> Iterator[tuple[int, int, QTextCharFormat]]:
    """Yield the stretches of one format in a cell: from where, to where, and their format."""
    block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
    while True:
        place = block.begin()
        while not place.atEnd():
            fragment = place.fragment()
            yield fragment.position(), fragment.position() + fragment.length(), fragment.charFormat()
            place += 1
        if block == last:
            return
        block = block.next()
