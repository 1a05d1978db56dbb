"""The text of a selection as it is copied: without buttons, with the alternative text of pictures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtGui import QTextBlock, QTextCursor, QTextFormat

from app.reader.text_formats import CHROME, LABEL, fragments
from app.reader.text_spacing import GAP

_TYPED = {0x2028: "\n", 0xA0: " ", 0x2060: None}  # characters of the layout, as one would type them
_ALT = QTextFormat.Property.ImageAltText


def plain_text(cursor: QTextCursor) -> str:
    """Return the selected text, cell by cell if cells of a table are selected."""
    table = cursor.currentTable() if cursor.hasComplexSelection() else None
    if table is None:
        return "\n".join(_lines(cursor.document().findBlock(cursor.selectionStart()), cursor))
    first_row, rows, first_column, columns = _selected_cells(cursor)
    texts: list[str] = []
    for row in range(first_row, first_row + rows):
        for column in range(first_column, first_column + columns):
            cell = table.cellAt(row, column)
            inside = cell.firstCursorPosition()
            inside.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
            texts += _lines(inside.document().findBlock(inside.selectionStart()), inside)
    return "\n".join(texts)


def _selected_cells(cursor: QTextCursor) -> tuple[int, int, int, int]:
    found: Any = cursor.selectedTableCells()  # the stubs only have the C++ form with four pointers
    first_row, rows, first_column, columns = found
    return first_row, rows, first_column, columns


def _lines(block: QTextBlock, cursor: QTextCursor) -> Iterator[str]:
    start, end = cursor.selectionStart(), cursor.selectionEnd()
    while block.isValid() and block.position() <= end:
        if not block.blockFormat().hasProperty(CHROME) and not _is_label(block):
            yield "".join(_texts(block, start, end)).translate(_TYPED)
        block = block.next()


def _is_label(block: QTextBlock) -> bool:
    """Return whether a block is the label or the button of code."""
    first = next(fragments(block), None)
    return first is not None and first.charFormat().toolTip() == LABEL


def _texts(block: QTextBlock, start: int, end: int) -> Iterator[str]:
    for fragment in fragments(block):
        at, text = fragment.position(), fragment.text()
        if fragment.charFormat().toolTip() == GAP:
            text = ""
        elif fragment.charFormat().isImageFormat():
            alternative = fragment.charFormat().property(_ALT)
            text = str(alternative or "") if start <= at < end else ""
        else:
            # Qt counts a character beyond the first plane twice.
            units = text.encode("utf-16-le", "surrogatepass")
            cut = units[2 * max(0, start - at) : 2 * max(0, end - at)]
            text = cut.decode("utf-16-le", "replace")
        yield text
