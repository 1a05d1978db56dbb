"""The tabs of open notes: where there is too little room for all names, the longest yield first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabBar

LEAST = 112  # pixels of a tab, of which a word can be read beside the button that closes it


class NoteTabs(QTabBar):
    """Gives each tab the width of its name, or of the longest that all can have."""

    def __init__(self) -> None:
        """Hold no tabs yet."""
        super().__init__(expanding=False, drawBase=False, movable=True)
        self._known: dict[tuple[str, bool], int] = {}  # how wide names are, with their buttons or without

    def showEvent(self, event: QShowEvent) -> None:
        """Measure names as they are seen."""
        self._known.clear()
        super().showEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Measure names anew in another font or style."""
        self._known.clear()
        super().changeEvent(event)

    def tabSizeHint(self, index: int) -> QSize:
        """Return the size of a tab in the room there is."""
        hint, count = super().tabSizeHint(index), self.count()
        if count > 1 and hint.width() > LEAST:
            most = widest([self._natural(at) for at in range(count)], self.width())
            hint.setWidth(min(hint.width(), max(LEAST, most)))
        return hint

    def minimumTabSizeHint(self, index: int) -> QSize:
        """Return the size of a tab, too: Qt would cut names to a letter before it lets them be scrolled."""
        return self.tabSizeHint(index)

    def _natural(self, index: int) -> int:
        """Return how wide a tab is where there is room."""
        key = self.tabText(index), self.tabButton(index, QTabBar.ButtonPosition.RightSide) is not None
        if key not in self._known:
            self._known[key] = super().tabSizeHint(index).width()
        return self._known[key]


def widest(widths: Sequence[int], room: int) -> int:
    """Return how wide the widest may be so that all together fit in a room."""
    left = room
    for count, width in zip(range(len(widths), 0, -1), sorted(widths), strict=True):
        if width * count > left:
            return left // count
        left -= width
    return max(widths, default=room)
