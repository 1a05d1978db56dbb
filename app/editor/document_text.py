"""Text into Qt's document and back without the loss of a character.

Qt ends a paragraph at U+2029, U+FDD0 and U+FDD1 as well as at a line feed, so where a note holds these they are shown
as private characters that the note does not use. Line ends are given back by kb, line by line.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit

from kb.files.encoding import restore_line_ends

_ENDS_A_PARAGRAPH = "\u2029\ufdd0\ufdd1"
_LINE_SEPARATOR = "\u2028"  # Qt keeps it, but kb would take it for a line end
_PRIVATE = range(0xF8FF, 0xE000, -1)


class TextCodec:
    """The way of one note's text to the screen and back."""

    def __init__(self, text: str, faces: Mapping[str, str] | None = None) -> None:
        """Learn from the text on disk which characters need another face; `faces` are those already in use."""
        self._text = text
        self._faces = dict(faces or {})
        special = [char for char in _ENDS_A_PARAGRAPH + _LINE_SEPARATOR if char in text and char not in self._faces]
        if special:
            taken = set(self._faces.values())
            free = (chr(code) for code in _PRIVATE if chr(code) not in text and chr(code) not in taken)
            self._faces |= zip(special, free, strict=False)

    def after(self, text: str) -> TextCodec:
        """Return the letters for a newer text on disk; faces that are on the screen keep their meaning."""
        return TextCodec(text, self._faces)

    def shown(self) -> str:
        """Return the text for the screen, with line feeds alone."""
        faces = {ord(char): face for char, face in self._faces.items() if char != _LINE_SEPARATOR}
        text = self._text.translate(faces) if faces else self._text
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def written(self, raw: str) -> str:
        """Return the text for the disk; `raw` is that of Qt's document, with U+2029 between paragraphs."""
        text = raw.replace("\u2029", "\n")
        if text == self.shown():
            return self._text
        if not self._faces:
            return restore_line_ends(self._text, text) if "\r" in self._text else text
        masked = {ord(char): face for char, face in self._faces.items()}
        bared = {ord(face): char for char, face in self._faces.items()}
        return restore_line_ends(self._text.translate(masked), text.translate(masked)).translate(bared)


_MUCH = 20_000  # characters; where more is put in at one go, the lines are asked for again when they are wanted


class LineBuffer(QObject):
    """Follows the changes of one document. Within a step of undo it has the text from before the step."""

    def __init__(self, document: QTextDocument) -> None:
        """Follow a document for as long as it is there."""
        super().__init__(document)
        self._document = document
        self._lines: list[str] | None = None  # not asked for yet
        document.contentsChange.connect(self._on_change)

    def text(self) -> str:
        """Return the text with line feeds."""
        if self._lines is None or len(self._lines) != self._document.blockCount():
            self._lines = self._document.toRawText().split("\u2029")
        return "\n".join(self._lines)

    def _on_change(self, position: int, _removed: int, added: int) -> None:
        if self._lines is None or added > _MUCH:
            self._lines = None
            return
        document = self._document
        block = document.findBlock(position)
        end = document.findBlock(min(position + added, document.characterCount() - 1)).blockNumber()
        first, fresh = block.blockNumber(), []
        while block.isValid() and block.blockNumber() <= end:
            fresh.append(block.text())
            block = block.next()
        gone = len(self._lines) - document.blockCount() + len(fresh)
        self._lines[first : first + gone] = fresh


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
