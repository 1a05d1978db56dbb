"""The text of a note in Qt's document: converted without loss, read incrementally, and inserted in chunks.

Qt ends a paragraph at U+2029, U+FDD0 and U+FDD1 as well as at a line feed. If a note contains these, they are replaced
by private-use characters that the note does not contain. kb restores line ends, line by line.
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
_MUCH = 20_000  # characters; after a longer insertion the lines are read from the document again
_PIECE = 400_000  # characters to insert at once: some 20 ms


class TextCodec:
    """Converts one note's text between the file and Qt's document."""

    def __init__(self, text: str, substitutes: Mapping[str, str] | None = None) -> None:
        """Choose substitutes for the special characters in the text on disk; keep the given ones."""
        self._text = text
        self._substitutes = dict(substitutes or {})
        known = self._substitutes.keys()
        special = [char for char in _ENDS_A_PARAGRAPH + _LINE_SEPARATOR if char in text and char not in known]
        if special:
            taken = set(self._substitutes.values())
            free = (chr(code) for code in _PRIVATE if chr(code) not in text and chr(code) not in taken)
            self._substitutes |= zip(special, free, strict=False)

    def after(self, text: str) -> TextCodec:
        """Return the codec for a newer text on disk, in which substitutes on screen keep their meaning."""
        return TextCodec(text, self._substitutes)

    def shown(self) -> str:
        """Return the text for Qt's document, with line feeds as line ends."""
        table = {ord(char): other for char, other in self._substitutes.items() if char != _LINE_SEPARATOR}
        text = self._text.translate(table) if table else self._text
        return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text

    def written(self, raw: str) -> str:
        """Return the text for the file; `raw` is the text of Qt's document, with U+2029 between paragraphs."""
        text = raw.replace("\u2029", "\n")
        if text == self.shown():
            return self._text
        if not self._substitutes:
            return restore_line_ends(self._text, text) if "\r" in self._text else text
        substituted = {ord(char): other for char, other in self._substitutes.items()}
        original = {ord(other): char for char, other in self._substitutes.items()}
        return restore_line_ends(self._text.translate(substituted), text.translate(substituted)).translate(original)


class LineBuffer(QObject):
    """Keeps the lines of a document up to date. Within an undo step it has the text from before the step."""

    def __init__(self, document: QTextDocument) -> None:
        """Follow the changes of a document."""
        super().__init__(document)
        self._document = document
        self._lines: list[str] | None = None  # None until they are read
        document.contentsChange.connect(self._on_change)

    def text(self) -> str:
        """Return the text, with line feeds as line ends."""
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


class ChunkedInsert(QObject):
    """Inserts a long text into a field piece by piece; a short one at once."""

    finished = Signal()

    def __init__(self, field: QPlainTextEdit) -> None:
        """Insert into `field`."""
        super().__init__(field)
        self._field = field
        self._text, self._at = "", 0
        self.under_way = False
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_piece)

    def begin(self, text: str) -> None:
        """Replace the text of the field, without undo steps."""
        self.under_way = True
        self._text, self._at = text, _PIECE
        self._field.setPlainText(text[:_PIECE])
        if len(text) > _PIECE:
            self._field.document().setUndoRedoEnabled(False)
            self._timer.start(0)
        else:
            self._finish()

    def stop(self) -> None:
        """Stop inserting; the rest is left out."""
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
