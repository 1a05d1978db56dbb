"""The lines of two outputs laid over each other, in colours."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.i18n import Translator
from app.style.appearance import Appearance, FocusLine
from app.style.stylesheets import in_columns
from snippets.results.output_comparison import OutputDiff

_MARGIN = 12  # pixels around the lines
_SIGNS = {"kept": "  ", "removed": "- ", "added": "+ "}


class LineDiff(QPlainTextEdit):
    """Shows removed lines with -, added ones with +, and those that are in both."""

    def __init__(self, words: Translator, look: Appearance, parent: QWidget | None = None) -> None:
        """Begin empty; `look` gives the colours."""
        super().__init__(parent)
        self._words, self._look = words, look
        self._shown: OutputDiff | str = ""
        self.setReadOnly(True)
        self.document().setDocumentMargin(_MARGIN)
        self.setTabChangesFocus(True)
        FocusLine(self)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setStyleSheet(in_columns(look.theme.code_font))
        self._reword()
        words.changed.connect(self._reword)
        look.changed.connect(self._show_again)

    def show_text(self, text: str) -> None:
        """Show a text as it is."""
        self._shown = text
        self.setPlainText(text)

    def show_difference(self, difference: OutputDiff) -> None:
        """Show two outputs line by line."""
        self._shown = difference
        self.clear()
        cursor = self.textCursor()
        for line in difference.lines:
            cursor.insertText(f"{_SIGNS[line.kind]}{line.text}\n", self._looks(line.kind))
        if difference.left_out:
            more = f"{difference.left_out:,}"
            cursor.insertText(self._words(f"另有 {more} 行未比较", f"{more} more lines are not compared"))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _looks(self, kind: str) -> QTextCharFormat:
        theme = self._look.theme
        looks = QTextCharFormat()
        looks.setForeground(QColor({"removed": theme.bad, "added": theme.good}.get(kind, theme.dim)))
        return looks

    def _reword(self) -> None:
        self.setAccessibleName(self._words("逐行对照", "Line by line"))
        self._show_again()

    def _show_again(self) -> None:
        if isinstance(self._shown, OutputDiff):
            self.show_difference(self._shown)
