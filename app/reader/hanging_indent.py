"""Lines of code that are too long for their box: where they go on stands further in than where they begin."""

from __future__ import annotations

from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextTable

_LONG = 48  # letters from which a line may have to be broken
_FURTHER, _FURTHEST = 4, 24  # letters


def set_hanging_indent(table: QTextTable, letter: float) -> None:
    """Set the long lines of a box of code so; `letter` is the width of one, in pixels. Shown last in it is the code."""
    cell = table.cellAt(table.rows() - 1, 0)
    cursor = cell.firstCursorPosition()
    first = cursor.blockNumber()
    cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    for number, line in enumerate(cursor.selectedText().split("\u2029"), first):
        if len(line) > _LONG and not line.startswith("\t"):
            inset = letter * min(_FURTHEST, len(line) - len(line.lstrip(" ")) + _FURTHER)
            shape = QTextBlockFormat()
            shape.setLeftMargin(inset)
            shape.setTextIndent(-inset)
            QTextCursor(cursor.document().findBlockByNumber(number)).mergeBlockFormat(shape)
