"""A label of one line that is elided in the middle if it is too long."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel

_MIN_WIDTH = 40  # pixels


class ElidedLabel(QLabel):
    """Keeps the whole text in its tooltip and its accessible name."""

    def __init__(self) -> None:
        """Create an empty label."""
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._whole = ""

    def setText(self, text: str) -> None:
        """Show as much of a text as fits."""
        self._whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """Return the size of the whole text."""
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Allow shrinking to 40 pixels."""
        return QSize(min(_MIN_WIDTH, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide the text for the new width."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, self.width())
        super().setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")
