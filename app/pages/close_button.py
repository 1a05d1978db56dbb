"""The close button of pages that are not notes; Escape does the same."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QToolButton

from app.i18n import Translator
from app.style.appearance import Appearance
from app.style.icons import icon
from app.style.theme import Theme


class CloseButton(QToolButton):
    """A button at the top right of a page."""

    def __init__(self, words: Translator, look: Appearance, close: Callable[[], object]) -> None:
        """Call `close` when pressed."""
        super().__init__()
        self._words = words
        self.setProperty("quiet", True)
        self.clicked.connect(close)
        words.changed.connect(self._retranslate)
        look.changed.connect(self._set_theme)
        self._retranslate()
        self._set_theme(look.theme)

    def _set_theme(self, theme: Theme) -> None:
        self.setIcon(icon("close", theme.dim))

    def _retranslate(self) -> None:
        name = self._words("回到笔记  (Esc)", "Back to the note  (Esc)")
        self.setToolTip(name)
        self.setAccessibleName(name)
