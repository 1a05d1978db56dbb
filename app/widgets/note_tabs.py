"""The tabs of open notes: if they do not fit, the widest become narrower first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabBar

LEAST = 112  # pixels of a tab: enough for a word and the close button


class NoteTabs(QTabBar):
    """Gives each tab the width of its name, up to the largest width at which all tabs fit."""

    def __init__(self) -> None:
        """Create a bar without tabs."""
        super().__init__(expanding=False, drawBase=False, movable=True)
        self._widths: dict[tuple[str, bool], int] = {}  # of names, with or without a close button

    def showEvent(self, event: QShowEvent) -> None:
        """Measure the names again: before it is shown the font is not final."""
        self._widths.clear()
        super().showEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the names again in another font or style."""
        self._widths.clear()
        super().changeEvent(event)

    def tabSizeHint(self, index: int) -> QSize:
        """Return the size of a tab at the current width of the bar."""
        hint, count = super().tabSizeHint(index), self.count()
        if count > 1 and hint.width() > LEAST:
            most = widest([self._natural(at) for at in range(count)], self.width())
            hint.setWidth(min(hint.width(), max(LEAST, most)))
        return hint

    def minimumTabSizeHint(self, index: int) -> QSize:
        """Return the same size: Qt would shrink names to a letter before it offers scrolling."""
        return self.tabSizeHint(index)

    def _natural(self, index: int) -> int:
        """Return the width of a tab with its whole name, in pixels."""
        key = self.tabText(index), self.tabButton(index, QTabBar.ButtonPosition.RightSide) is not None
        if key not in self._widths:
            self._widths[key] = super().tabSizeHint(index).width()
        return self._widths[key]


def widest(widths: Sequence[int], room: int) -> int:
    """Return the largest width at which all `widths`, limited to it, fit into `room`."""
    left = room
    for count, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * count > left:
            return left // count
        left -= width
    return max(widths, default=room)
