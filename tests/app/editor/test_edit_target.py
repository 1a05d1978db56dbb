"""A caret without a field edits its document, and gives out copies of itself only."""

from __future__ import annotations

from PySide6.QtGui import QTextDocument

from app.editor.edit_target import CursorTarget


def test_a_cursor_changes_only_when_it_is_set(qapp: object) -> None:
    """Moving a returned cursor has no effect until it is given back, as with Qt's field."""
    document = QTextDocument("words")
    target = CursorTarget(document)
    cursor = target.textCursor()
    assert cursor.position() == 0
    cursor.setPosition(3)
    assert target.textCursor().position() == 0
    target.setTextCursor(cursor)
    cursor.setPosition(5)
    assert target.textCursor().position() == 3
    assert target.document() is document
    assert not target.isReadOnly()
