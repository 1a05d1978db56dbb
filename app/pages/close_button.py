"""The way back from a page that is no note, for who has the pointer at hand rather than Escape."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QToolButton

from app.i18n import Translator
from app.style.appearance import Appearance
from app.style.icons import icon
from app.style.theme import Theme


class CloseButton(QToolButton):
    """Stands at the top right of a page and closes it."""

    def __init__(self, words: Translator, look: Appearance, close: Callable[[], object]) -> None:
        """Call `close` when pressed."""
        super().__init__()
        self._words = words
        self.setProperty("quiet", True)
        self.clicked.connect(close)
        words.changed.connect(self._retranslate)
        look.changed.connect(self._wear)
        self._retranslate()
        self._wear(look.theme)

    def _wear(self, theme: Theme) -> None:
        self.setIcon(icon("close", theme.dim))

    def _retranslate(self) -> None:
        name = self._words("回到笔记  (Esc)", "Back to the note  (Esc)")
        self.setToolTip(name)
        self.setAccessibleName(name)
