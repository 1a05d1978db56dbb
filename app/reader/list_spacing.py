"""The room below a list that ends with a list within it."""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor


class ListSpacing:
    """Takes the blocks of lists in order, and has the room below a list behind all of it.

    Qt leaves it with the list's own last item, above the list within that.
    """

    def __init__(self) -> None:
        """Begin outside of any list."""
        self._last: QTextBlock | None = None
        self._depth = 0
        self._owed: list[tuple[int, float]] = []  # from which depth of a list how much room was taken

    def take(self, block: QTextBlock, depth: int) -> None:
        """Take in an item, `depth` lists deep."""
        last = self._last
        if last is not None and depth > self._depth:
            room, here = last.blockFormat().bottomMargin(), block.blockFormat().bottomMargin()
            if room > here:
                _set_below(last, here)
                self._owed.append((self._depth, room))
        elif last is not None:
            self._pay(last, depth)
        self._last, self._depth = block, depth

    def end(self) -> None:
        """Take in that the lists are at their end."""
        if self._last is not None:
            self._pay(self._last, 0)
            self._last, self._depth = None, 0

    def _pay(self, last: QTextBlock, depth: int) -> None:
        """Give the last item the room that was taken from those it stands in, down to a depth."""
        due = [room for deep, room in self._owed if deep >= depth]
        if due:
            _set_below(last, max(due))
            self._owed = [(deep, room) for deep, room in self._owed if deep < depth]


def _set_below(block: QTextBlock, room: float) -> None:
    shape = QTextBlockFormat()
    shape.setBottomMargin(room)
    QTextCursor(block).mergeBlockFormat(shape)
