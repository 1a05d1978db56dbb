"""The bar above the source: one sentence that matters now, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.i18n import Translator
from app.style.theme import Theme
from app.widgets.deferred_delete import delete_later
from app.widgets.notification import Notification

_READABLE = 300  # pixels that a sentence has beside its choices, at least


class MessageBar(QFrame):
    """Shows one notice at a time; without one it is not there."""

    def __init__(self, words: Translator, theme: Theme, parent: QWidget | None = None) -> None:
        """Begin without a notice."""
        super().__init__(parent)
        self.setObjectName("ask")
        self._words = words
        self._notice: Notification | None = None
        self._sentence = QLabel()
        self._sentence.setWordWrap(True)
        self._sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        choices = QWidget()
        self._choices = QHBoxLayout(choices)
        self._choices.setContentsMargins(0, 0, 0, 0)
        self._choices.setSpacing(8)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(18, 9, 12, 9)
        self._row.setSpacing(8)
        self._row.addWidget(self._sentence, 1)
        self._row.addWidget(choices, alignment=Qt.AlignmentFlag.AlignLeft)
        self.set_theme(theme)
        self.setVisible(False)
        words.changed.connect(self._retranslate)

    @property
    def notice(self) -> Notification | None:
        """What is shown."""
        return self._notice

    def show_notice(self, notice: Notification | None) -> None:
        """Show a notice in place of the one before, or nothing."""
        if notice == self._notice:
            return
        self._notice = notice
        self._retranslate()
        self.setVisible(notice is not None)
        if notice is not None:
            self._announce(self._sentence.text())

    def set_theme(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self.setStyleSheet(
            f"#ask {{ background: {theme.accent_soft}; border: none; border-bottom: 1px solid {theme.line}; }}"
            f"#ask QLabel {{ color: {theme.ink}; }}"
        )

    def _retranslate(self) -> None:
        for before in self.findChildren(QPushButton):
            self._choices.removeWidget(before)
            delete_later(before)
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
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange sentence and choices for the width there is."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Have the choices below the sentence where both have too little room beside each other."""
        below = self.width() - self._choices.sizeHint().width() < _READABLE
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)

    def _announce(self, sentence: str) -> None:
        """Have a screen reader read the sentence, since the strip takes no focus."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
