"""What dropping files on the window would do, said over it while they are held there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QLabel, QWidget

_EDGE = 12  # pixels between it and the edge of the window


class DropHint(QLabel):
    """Lies over the window with a sentence; the pointer goes through it to what lies below."""

    def __init__(self, window: QWidget, meant: Callable[[Sequence[Path]], str]) -> None:
        """Watch `window`; `meant` says what dropping these files does."""
        super().__init__(window)
        self._window, self._meant = window, meant
        self.setObjectName("dropHint")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Come with files that are held over the window, and go with them."""
        if isinstance(event, QDragEnterEvent):
            places = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
            if places and watched is self._window:
                self._come(self._meant(places))
        elif event.type() in {QEvent.Type.DragLeave, QEvent.Type.Drop}:
            self.hide()
        return super().eventFilter(watched, event)

    def _come(self, sentence: str) -> None:
        self.setText(sentence)
        self.setAccessibleName(sentence)
        self.setGeometry(self._window.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE))
        self.show()
        self.raise_()
