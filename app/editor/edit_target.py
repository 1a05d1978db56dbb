"""What the key commands edit: a text field, or a caret without one.

During an undo step the lines of Qt's field are still those of the text before it, and a field whose caret is set then
reads lines that no longer exist. So a step at several carets works on a `CursorTarget`, which displays nothing.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtGui import QTextCursor, QTextDocument


class EditTarget(Protocol):
    """A text with a caret."""

    def textCursor(self) -> QTextCursor:
        """Return a copy of the caret."""

    def setTextCursor(self, cursor: QTextCursor, /) -> None:
        """Set the caret."""

    def document(self) -> QTextDocument:
        """Return the document."""

    def isReadOnly(self) -> bool:
        """Return whether typing is disabled."""

    def ensureCursorVisible(self) -> None:
        """Scroll to the caret."""


class CursorTarget:
    """A caret in a document, without a field."""

    def __init__(self, document: QTextDocument) -> None:
        """Put the caret at the start of the document."""
        self._document = document
        self._cursor = QTextCursor(document)

    def textCursor(self) -> QTextCursor:  # noqa: D102 - see EditTarget
        return QTextCursor(self._cursor)

    def setTextCursor(self, cursor: QTextCursor, /) -> None:  # noqa: D102
        self._cursor = QTextCursor(cursor)

    def document(self) -> QTextDocument:  # noqa: D102
        return self._document

    def isReadOnly(self) -> bool:  # noqa: D102
        return False

    def ensureCursorVisible(self) -> None:
        """Do nothing: no text is displayed."""
