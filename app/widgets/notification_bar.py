"""Notifications above the page, each with its actions and a close button."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.i18n import Translator
from app.style.appearance import Appearance, named
from app.style.icons import icon
from app.style.theme import Theme
from app.widgets.accessibility import announce_alert
from app.widgets.deferred_delete import delete_later
from app.widgets.notification import Notification, NotificationAction

PASSING_MS = 8000  # for which a passing notification stays, while nobody attends to it
_MOST = 4
_CHECK_MS = 500
_READABLE = 420  # pixels of a sentence, at least, with its buttons in the same line
_SIGN_ROOM = 16  # pixels, so that all sentences begin in one column
_SIGNS = {"told": "ⓘ", "asked": "?", "failed": "!"}
_KINDS = {"told": ("消息", "Message"), "asked": ("问题", "Question"), "failed": ("出错", "Failure")}


class NotificationBar(QWidget):
    """The current notifications, the newest last; none is modal."""

    def __init__(self, words: Translator, look: Appearance) -> None:
        """Create an empty bar."""
        super().__init__()
        self._words = words
        self._look = look
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.cards: list[NotificationCard] = []
        self._expiry = QTimer(self, interval=_CHECK_MS)
        self._expiry.timeout.connect(self._remove_expired)
        words.changed.connect(self.retranslate)
        self.hide()

    def show_notice(self, notice: Notification) -> None:
        """Show a notification instead of an older one with the same topic or sentence."""
        for card in tuple(self.cards):
            if (notice.topic and card.notice.topic == notice.topic) or card.notice.en == notice.en:
                self._remove(card)
        card = NotificationCard(notice, self._words, self._look)
        card.done.clicked.connect(lambda: self._remove(card))
        for button, choice in card.buttons:
            button.clicked.connect(lambda _=False, chosen=choice: self._choose(card, chosen))
        self.cards.append(card)
        self._column.addWidget(card)
        self._expiry.start()
        while len(self.cards) > _MOST:
            self._remove(self.cards[0])
        self.show()
        announce_alert(card, card.accessibleName(), urgent=notice.kind != "told")

    @property
    def busy(self) -> bool:
        """Whether it waits to remove passing notifications."""
        return self._expiry.isActive()

    def _remove_expired(self) -> None:
        """Remove passing notifications that were unattended for `PASSING_MS`."""
        passing = [card for card in self.cards if card.notice.passing]
        for card in passing:
            card.checks += not card.attended
            if card.checks * _CHECK_MS > PASSING_MS:
                self._remove(card)
        if not passing:
            self._expiry.stop()

    def drop(self, topic: str) -> None:
        """Remove the notification of a topic."""
        for card in tuple(self.cards):
            if card.notice.topic == topic:
                self._remove(card)

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        for card in self.cards:
            card.retranslate()

    def _choose(self, card: NotificationCard, choice: NotificationAction) -> None:
        self._remove(card)
        choice.act()

    def _remove(self, card: NotificationCard) -> None:
        if card in self.cards:
            self.cards.remove(card)
            self._column.removeWidget(card)
            delete_later(card)
        self.setVisible(bool(self.cards))


class NotificationCard(QFrame):
    """One notification."""

    def __init__(self, notice: Notification, words: Translator, look: Appearance) -> None:
        """Show the sentence and the actions of `notice`."""
        super().__init__()
        self.notice = notice
        self.checks = 0  # of the bar at which nobody attended to it
        self._words = words
        self.setObjectName("notice")
        self.setProperty("kind", notice.kind)
        self._sign = named(QLabel(_SIGNS[notice.kind], alignment=Qt.AlignmentFlag.AlignCenter), "noticeSign")
        self._sign.setMinimumWidth(_SIGN_ROOM)
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons = [(QPushButton(), choice) for choice in notice.choices]
        self.done = QToolButton()
        self.done.setProperty("quiet", True)
        self._choices = QWidget()
        row = QHBoxLayout(self._choices)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        for number, (button, _) in enumerate(self.buttons):
            button.setProperty("accent", number == 0 and notice.kind == "asked")
            row.addWidget(button)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(16, 7, 8, 7)
        self._grid.setSpacing(10)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self._sign, 0, 0)
        self._grid.addWidget(self._label, 0, 1)
        self._grid.addWidget(self.done, 0, 3)
        self._place_choices(below=False)
        look.changed.connect(self._set_theme)
        self._set_theme(look.theme)
        self.retranslate()

    def _set_theme(self, theme: Theme) -> None:
        self.done.setIcon(icon("close", theme.dim))

    def _place_choices(self, *, below: bool) -> None:
        self._below = below
        self._grid.removeWidget(self._choices)
        self._grid.addWidget(self._choices, int(below), 1 if below else 2, alignment=Qt.AlignmentFlag.AlignLeft)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Move the buttons below the sentence if the bar is too narrow for one line."""
        super().resizeEvent(event)
        if (below := self.width() - self._choices.sizeHint().width() < _READABLE) != self._below:
            self._place_choices(below=below)

    @property
    def attended(self) -> bool:
        """Whether the pointer is over it, or one of its buttons is focused."""
        focused = self.window().focusWidget()
        return self.underMouse() or (focused is not None and self.isAncestorOf(focused))

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        self._sign.setAccessibleName(self._words(*_KINDS[self.notice.kind]))
        sentence = self._words(self.notice.zh, self.notice.en)
        self.setAccessibleName(sentence)
        self._label.setText(sentence)
        for button, choice in self.buttons:
            button.setText(self._words(choice.zh, choice.en))
        name = self._words("关闭此消息", "Close this message")
        self.done.setAccessibleName(name)
        self.done.setToolTip(name)
