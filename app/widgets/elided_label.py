"""A label of one line that is cut in its middle where there is no room for all of it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel

_LEAST = 40  # pixels


class ElidedLabel(QLabel):
    """Says in its tooltip, and to a screen reader, what it has no room for."""

    def __init__(self) -> None:
        """Say nothing."""
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._whole = ""

    def setText(self, text: str) -> None:
        """Say another text, as much of it as there is room for."""
        self._whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._cut()

    def sizeHint(self) -> QSize:
        """Ask for the room of the whole text."""
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Be content with little."""
        return QSize(min(_LEAST, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the text for the room there is now."""
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, self.width())
        super().setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")
