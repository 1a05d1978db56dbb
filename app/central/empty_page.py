"""What stands in the place of a page where no note is open: what one can do now."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QStackedWidget, QWidget

from app.i18n import Translator


class EmptyPage(QStackedWidget):
    """A sentence in the middle, or a page to begin with before there is a vault.

    It asks for no room of its own: the notices above are not to be squeezed by it.
    """

    def __init__(self, words: Translator) -> None:
        """Say nothing yet."""
        super().__init__()
        self._words = words
        self._beginning: QWidget | None = None
        self.sentence = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.sentence.setObjectName("emptyPage")
        self.addWidget(self.sentence)

    def hasHeightForWidth(self) -> bool:
        """Say no: Qt would have all pages beneath it, the editor too, be as high as they like to be."""
        return False

    @property
    def begins(self) -> bool:
        """Whether a page to begin with is in the place of the sentence."""
        return self._beginning is not None

    def begin_with(self, page: QWidget | None) -> None:
        """Show a page in the place of the sentence, or the sentence again; the page has the keyboard of this one."""
        self._beginning = page
        if page is not None:
            self.addWidget(page)
        shown = page or self.sentence
        self.setFocusProxy(shown)
        self.setCurrentWidget(shown)

    def show_hint(self, *, there_are: bool) -> None:
        """Say what to do where no note is open, or where there is none."""
        search, new = self._words.key("search", "Ctrl+K"), self._words.key("new", "Ctrl+N")
        self.sentence.setText(self._words(
            f"{f'按 {search} ' if search else ''}搜索，或在左边选一篇笔记",
            f"{f'Press {search} to search' if search else 'Search'}, or choose a note on the left",
        ) if there_are else self._words(
            f"还没有笔记：{f'按 {new} ' if new else ''}写第一篇，或把一个笔记文件夹拖到这里",
            f"No notes yet: {f'press {new} to ' if new else ''}write the first, or drop a folder of notes here",
        ))  # fmt: skip
