"""What the habits of the keys work on: a field, or a caret without one.

While a step of undo is under way, the lines of Qt's field are those of the text before, and a field that is given
another caret meanwhile looks at lines that are no more. So what happens at several carets in one step happens on a
stand that has a caret and nothing to show.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtGui import QTextCursor, QTextDocument


class EditTarget(Protocol):
    """A text with a caret."""

    def textCursor(self) -> QTextCursor:
        """Return a copy of the caret."""

    def setTextCursor(self, cursor: QTextCursor, /) -> None:
        """Put the caret elsewhere."""

    def document(self) -> QTextDocument:
        """Return the text."""

    def isReadOnly(self) -> bool:
        """Tell whether nothing can be typed."""

    def ensureCursorVisible(self) -> None:
        """Bring the caret into view."""


class CursorTarget:
    """A caret in a document, in the place of a field."""

    def __init__(self, document: QTextDocument) -> None:
        """Begin at the top."""
        self._document = document
        self._cursor = QTextCursor(document)

    def textCursor(self) -> QTextCursor:  # noqa: D102 - as EditTarget has it
        return QTextCursor(self._cursor)

    def setTextCursor(self, cursor: QTextCursor, /) -> None:  # noqa: D102
        self._cursor = QTextCursor(cursor)

    def document(self) -> QTextDocument:  # noqa: D102
        return self._document

    def isReadOnly(self) -> bool:  # noqa: D102
        return False

    def ensureCursorVisible(self) -> None:
        """Do nothing, as nothing is shown."""
