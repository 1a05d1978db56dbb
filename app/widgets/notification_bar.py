"""Notices above the page: a sentence each, what can be done about it, and a way to put it away."""

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

_MOST = 4
PASSING_MS = 8000  # that such a notice stands
_LOOK_MS = 500
_READABLE = 420  # pixels that a sentence has beside its choices, at least
_SIGN_ROOM = 16  # pixels, so that sentences begin in one line
_SIGNS = {"told": "ⓘ", "asked": "?", "failed": "!"}
_KINDS = {"told": ("消息", "Message"), "asked": ("问题", "Question"), "failed": ("出错", "Failure")}


class NotificationBar(QWidget):
    """The notices in force, the newest last; nothing of them is modal."""

    def __init__(self, words: Translator, look: Appearance) -> None:
        """Show nothing yet."""
        super().__init__()
        self._words = words
        self._look = look
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.cards: list[NotificationCard] = []
        self._going = QTimer(self, interval=_LOOK_MS)
        self._going.timeout.connect(self._put_away_old)
        words.changed.connect(self.retranslate)
        self.hide()

    def show_notice(self, notice: Notification) -> None:
        """Show a notice in place of an older one of its topic; the same sentence twice is one."""
        for card in tuple(self.cards):
            if (notice.topic and card.notice.topic == notice.topic) or card.notice.en == notice.en:
                self._remove(card)
        card = NotificationCard(notice, self._words, self._look)
        card.done.clicked.connect(lambda: self._remove(card))
        for button, choice in card.buttons:
            button.clicked.connect(lambda _=False, chosen=choice: self._choose(card, chosen))
        self.cards.append(card)
        self._column.addWidget(card)
        self._going.start()
        while len(self.cards) > _MOST:
            self._remove(self.cards[0])
        self.show()
        announce_alert(card, card.accessibleName(), urgent=notice.kind != "told")

    def _put_away_old(self) -> None:
        """Put away what matters for the moment only, once there was time to read it."""
        passing = [card for card in self.cards if card.notice.passing]
        for card in passing:
            card.looks += not card.attended
            if card.looks * _LOOK_MS > PASSING_MS:
                self._remove(card)
        if not passing:
            self._going.stop()

    def drop(self, topic: str) -> None:
        """Put away what no longer matters."""
        for card in tuple(self.cards):
            if card.notice.topic == topic:
                self._remove(card)

    def retranslate(self) -> None:
        """Word the notices again."""
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
    """One notice."""

    def __init__(self, notice: Notification, words: Translator, look: Appearance) -> None:
        """Show its sentence and choices."""
        super().__init__()
        self.notice = notice
        self.looks = 0  # of the strip, since it has stood there
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
        look.changed.connect(self._wear)
        self._wear(look.theme)
        self.retranslate()

    def _wear(self, theme: Theme) -> None:
        self.done.setIcon(icon("close", theme.dim))

    def _place_choices(self, *, below: bool) -> None:
        self._below = below
        self._grid.removeWidget(self._choices)
        self._grid.addWidget(self._choices, int(below), 1 if below else 2, alignment=Qt.AlignmentFlag.AlignLeft)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have the choices below the sentence where both have too little room beside each other."""
        super().resizeEvent(event)
        if (below := self.width() - self._choices.sizeHint().width() < _READABLE) != self._below:
            self._place_choices(below=below)

    @property
    def attended(self) -> bool:
        """Whether somebody is at it, with the keyboard or the pointer."""
        focused = self.window().focusWidget()
        return self.underMouse() or (focused is not None and self.isAncestorOf(focused))

    def retranslate(self) -> None:
        """Word the notice again."""
        self._sign.setAccessibleName(self._words(*_KINDS[self.notice.kind]))
        sentence = self._words(self.notice.zh, self.notice.en)
        self.setAccessibleName(sentence)
        self._label.setText(sentence)
        for button, choice in self.buttons:
            button.setText(self._words(choice.zh, choice.en))
        name = self._words("关闭此消息", "Put this message away")
        self.done.setAccessibleName(name)
        self.done.setToolTip(name)
