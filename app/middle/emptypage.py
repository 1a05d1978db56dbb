"""What stands in the place of a page where no note is open: what one can do now."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from app.words import Words


class EmptyPage(QLabel):
    """A sentence in the middle, which asks for no room of its own: the notices above are not to be squeezed by it."""

    def __init__(self, words: Words) -> None:
        """Say nothing yet."""
        super().__init__(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._words = words
        self.setObjectName("emptyPage")

    def hasHeightForWidth(self) -> bool:
        """Say no: Qt would have all pages beneath it, the editor too, be as high as they like to be."""
        return False

    def tell(self, *, there_are: bool) -> None:
        """Say what to do where no note is open, or where there is none."""
        self.setText(self._words(
            "按 Ctrl+K 搜索，或在左边选一篇笔记", "Press Ctrl+K to search, or choose a note on the left",
        ) if there_are else self._words(
            "还没有笔记：按 Ctrl+N 写第一篇，或把一个笔记文件夹拖到这里",
            "No notes yet: press Ctrl+N to write the first, or drop a folder of notes here",
        ))  # fmt: skip
