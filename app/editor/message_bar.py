"""The bar above the source: one notification and its actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.i18n import Translator
from app.style.theme import Theme
from app.widgets.deferred_delete import delete_later
from app.widgets.notification import Notification

_READABLE = 300  # pixels, the least width of the sentence next to its buttons


class MessageBar(QFrame):
    """Shows one notification at a time; hidden without one."""

    def __init__(self, words: Translator, theme: Theme, parent: QWidget | None = None) -> None:
        """Start hidden."""
        super().__init__(parent)
        self.setObjectName("ask")
        self._words = words
        self._notice: Notification | None = None
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentence.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        choices = QWidget()
        self._choices = QHBoxLayout(choices)
        self._choices.setContentsMargins(0, 0, 0, 0)
        self._choices.setSpacing(8)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(18, 9, 12, 9)
        self._row.setSpacing(8)
        self._row.addWidget(self.sentence, 1)
        self._row.addWidget(choices, alignment=Qt.AlignmentFlag.AlignLeft)
        self.set_theme(theme)
        self.setVisible(False)
        words.changed.connect(self._retranslate)

    @property
    def notice(self) -> Notification | None:
        """The notification that is shown."""
        return self._notice

    def show_notice(self, notice: Notification | None) -> None:
        """Replace the notification; None hides the bar."""
        if notice == self._notice:
            return
        self._notice = notice
        self._retranslate()
        self.setVisible(notice is not None)
        if notice is not None:
            self._announce(self.sentence.text())

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.setStyleSheet(
            f"#ask {{ background: {theme.accent_soft}; border: none; border-bottom: 1px solid {theme.line}; }}"
            f"#ask QLabel {{ color: {theme.ink}; }}"
        )

    def _retranslate(self) -> None:
        for before in self.findChildren(QPushButton):
            self._choices.removeWidget(before)
            delete_later(before)
        if self._notice is None:
            self.sentence.clear()
            return
        self.sentence.setText(self._words(self._notice.zh, self._notice.en))
        for number, choice in enumerate(self._notice.choices):
            button = QPushButton(self._words(choice.zh, choice.en))
            button.setProperty("accent", number == 0)
            button.setAccessibleName(button.text())
            button.clicked.connect(lambda _=False, act=choice.act: act())
            self._choices.addWidget(button)
            button.show()
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange the sentence and its buttons for the new width."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Put the buttons below the sentence if the bar is too narrow for both in one row."""
        below = self.width() - self._choices.sizeHint().width() < _READABLE
        self._row.setDirection(QBoxLayout.Direction.TopToBottom if below else QBoxLayout.Direction.LeftToRight)

    def _announce(self, sentence: str) -> None:
        """Announce the sentence to screen readers, since the bar never has the focus."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
