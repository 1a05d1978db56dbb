"""Has a document laid out a little at a time: Qt's own steps double until one takes the better part of a second."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QTextDocument

TURN = 0.008  # seconds of work before others have their turn
_BLOCKS = 8  # that are laid out before the clock is looked at


class LayoutThrottle(QObject):
    """Stands before the timers of one document's layout, which go off for as long as it is not all laid out."""

    def __init__(self, document: QTextDocument) -> None:
        """Pace a document, for as long as it is there."""
        super().__init__(document)
        self._document = document
        self._next = 0  # the number of the block that is to be laid out next
        document.documentLayout().installEventFilter(self)

    def begin(self) -> None:
        """Begin at the top: the document is laid out anew."""
        self._next = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Do a turn of the work; Qt has its own once there is nothing left of it."""
        if event.type() != QEvent.Type.Timer:
            return False
        layout, count = self._document.documentLayout(), self._document.blockCount()
        began = time.thread_time()
        while self._next < count and time.thread_time() - began < TURN:
            self._next = min(count, self._next + _BLOCKS)
            layout.blockBoundingRect(self._document.findBlockByNumber(self._next - 1))
        return self._next < count
