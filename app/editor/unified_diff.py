"""The lines in which two texts differ, as a unified diff in colours."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from app.style.stylesheets import in_columns
from app.style.theme import Theme

_MARGIN = 10  # pixels around the lines
_LONGEST = 20_000  # lines to compare; more would take seconds


def changed_lines(before: str, after: str) -> Iterator[str]:
    """Yield the lines of a unified diff without its file names; nothing if a version is too long."""
    old, new = before.splitlines(), after.splitlines()
    if max(len(old), len(new)) > _LONGEST:
        return
    found = difflib.unified_diff(old, new, n=2, lineterm="")
    for number, line in enumerate(found):
        if number > 1:  # the first two name files
            yield line


class UnifiedDiff(QPlainTextEdit):
    """Shows added lines with +, removed ones with -, and where they are with @; or a plain text."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        """Start empty, in the colours of a theme."""
        super().__init__(parent)
        self._theme = theme
        self._lines: tuple[str, ...] | None = ()
        self.setReadOnly(True)
        self.document().setDocumentMargin(_MARGIN)
        self.setStyleSheet(in_columns(theme.code_font))

    def show_lines(self, lines: Iterable[str]) -> None:
        """Show the lines of a unified diff."""
        self._lines = tuple(lines)
        self.clear()
        cursor = self.textCursor()
        for line in self._lines:
            cursor.insertText(line + "\n", self._format_of(line))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def show_text(self, text: str) -> None:
        """Show a plain text."""
        self._lines = None
        self.setCurrentCharFormat(QTextCharFormat())
        self.setPlainText(text)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.setStyleSheet(in_columns(theme.code_font))
        if self._lines is not None:
            self.show_lines(self._lines)

    def _format_of(self, line: str) -> QTextCharFormat:
        made = QTextCharFormat()
        colour = {"+": self._theme.good, "-": self._theme.bad, "@": self._theme.accent}.get(line[:1], self._theme.dim)
        made.setForeground(QColor(colour))
        return made
