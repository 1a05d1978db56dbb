"""A large text comes into a field piece by piece, so that the window answers meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

_PIECE = 400_000  # characters that are set at once: some 20 ms


class ChunkedInsert(QObject):
    """Fills a field; a text of one piece is there at once."""

    finished = Signal()

    def __init__(self, field: QPlainTextEdit) -> None:
        """Fill this field."""
        super().__init__(field)
        self._field = field
        self._text, self._at = "", 0
        self.under_way = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_piece)

    def begin(self, text: str) -> None:
        """Put a text in the place of the one before, without undo steps."""
        self.under_way = True
        self._text, self._at = text, _PIECE
        self._field.setPlainText(text[:_PIECE])
        if len(text) > _PIECE:
            self._field.document().setUndoRedoEnabled(False)
            self._timer.start(0)
        else:
            self._finish()

    def stop(self) -> None:
        """Leave the rest out."""
        self._timer.stop()
        self.under_way, self._text = False, ""

    def _on_piece(self) -> None:
        cursor = QTextCursor(self._field.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(self._text[self._at : self._at + _PIECE])
        self._at += _PIECE
        if self._at < len(self._text):
            self._timer.start(0)
        else:
            self._finish()

    def _finish(self) -> None:
        self._field.document().setUndoRedoEnabled(True)
        self.stop()
        self.finished.emit()
