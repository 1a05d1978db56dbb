"""Stretches of Qt's document, replaced so that only what differs is touched: caret, marks and undo stay small."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument

from app.editor.text_diff import pieces, units


def replace_in(document: QTextDocument, start: int, old: str, new: str) -> None:
    """Turn the text `old` that begins at a position into another, as one step."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for piece in reversed(pieces(old, new)):
        cursor.setPosition(start + units(old[: piece.start]))
        cursor.setPosition(start + units(old[: piece.end]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(piece.text)
    cursor.endEditBlock()


def rewrite_blocks(document: QTextDocument, lines: Mapping[int, str]) -> None:
    """Give blocks, by their number, other texts."""
    for number, text in lines.items():
        block = document.findBlockByNumber(number)
        if block.text() != text:
            replace_in(document, block.position(), block.text(), text)


def text_below(block: QTextBlock) -> str:
    """Return the text of all blocks below one."""
    cursor = QTextCursor(block)
    if not cursor.movePosition(QTextCursor.MoveOperation.NextBlock):
        return ""
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2029", "\n")
