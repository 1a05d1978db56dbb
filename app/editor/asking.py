"""The bar above the source: one sentence that matters now, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.parts.notice import Notice
from app.parts.parting import let_go
from app.style.theme import Theme
from app.words import Words


class AskBar(QFrame):
    """Shows one notice at a time; without one it is not there."""

    def __init__(self, words: Words, theme: Theme, parent: QWidget | None = None) -> None:
        """Begin without a notice."""
        super().__init__(parent)
        self.setObjectName("ask")
        self._words = words
        self._notice: Notice | None = None
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._choices = QHBoxLayout()
        self._choices.setSpacing(8)
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 9, 12, 9)
        row.setSpacing(16)
        row.addWidget(self._sentence, 1)
        row.addLayout(self._choices)
        self.wear(theme)
        self.setVisible(False)
        words.changed.connect(self._retranslate)

    @property
    def notice(self) -> Notice | None:
        """What is shown."""
        return self._notice

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice in place of the one before, or nothing."""
        if notice == self._notice:
            return
        self._notice = notice
        self._retranslate()
        self.setVisible(notice is not None)
        if notice is not None:
            self._announce(self._sentence.text())

    def wear(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self.setStyleSheet(
            f"#ask {{ background: {theme.accent_soft}; border: none; border-bottom: 1px solid {theme.line}; }}"
            f"#ask QLabel {{ color: {theme.ink}; }}"
        )

    def _retranslate(self) -> None:
        while (item := self._choices.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                let_go(button)
        if self._notice is None:
            self._sentence.clear()
            return
        self._sentence.setText(self._words(self._notice.zh, self._notice.en))
        for number, choice in enumerate(self._notice.choices):
            button = QPushButton(self._words(choice.zh, choice.en))
            button.setProperty("accent", number == 0)
            button.setAccessibleName(button.text())
            button.clicked.connect(lambda _=False, act=choice.act: act())
            self._choices.addWidget(button)
            button.show()

    def _announce(self, sentence: str) -> None:
        """Have a screen reader read the sentence, since the strip takes no focus."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
