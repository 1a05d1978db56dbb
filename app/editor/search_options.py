"""How what is looked for is meant: three small buttons, the same wherever something is found and replaced."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QPushButton

from app.editor.text_search import SearchPattern
from app.i18n import Translator


class SearchOptions(QObject):
    """Match case, whole words, regular expression: each a button that stays down."""

    changed = Signal()

    def __init__(self, words: Translator, parent: QObject | None = None) -> None:
        """Have every button up."""
        super().__init__(parent)
        self._words = words
        self.case, self.whole_word, self.regular = (_toggle(text) for text in ("Aa", "ab", ".*"))
        font = self.whole_word.font()
        font.setUnderline(True)
        self.whole_word.setFont(font)
        for button in self:
            button.toggled.connect(lambda _: self.changed.emit())
        words.changed.connect(self.retranslate)
        self.retranslate()

    def __iter__(self) -> Iterator[QPushButton]:
        """Yield the buttons in the order they stand in."""
        return iter((self.case, self.whole_word, self.regular))

    def needle(self, pattern: str) -> SearchPattern:
        """Return what is looked for with these words."""
        return SearchPattern(
            pattern, case=self.case.isChecked(),
            whole_word=self.whole_word.isChecked(), regular=self.regular.isChecked(),
        )  # fmt: skip

    def retranslate(self) -> None:
        """Word the buttons again."""
        words = self._words
        names = (words("区分大小写", "Match case"), words("全字匹配", "Whole words"),
                 words("正则表达式", "Regular expression"))  # fmt: skip
        for button, name in zip(self, names, strict=True):
            button.setAccessibleName(name)
            button.setToolTip(name)


def small(text: str) -> QPushButton:
    """Return a button without a frame that is as wide as a sign."""
    button = QPushButton(text)
    button.setProperty("quiet", True)
    button.setStyleSheet("padding: 5px 0; min-width: 34px; max-width: 34px;")
    return button


def _toggle(text: str) -> QPushButton:
    button = small(text)
    button.setCheckable(True)
    return button
