"""The search field: it reports what is typed, but not what an input method is still composing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QLabel, QLineEdit

from app.i18n import Translator
from app.style.appearance import Appearance
from app.style.icons import icon
from app.widgets.ime_fields import ImeLineEdit

PAUSE_MS = 20  # keys typed faster than this cause one search
_PLACEHOLDER_AT = 34  # pixels from the left end, after the icon
_HELP_ROOM = 34  # pixels at the right end
_MOVES = {
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_PageUp: -5,
    Qt.Key.Key_PageDown: 5,
}
_ENTER = {Qt.Key.Key_Return, Qt.Key.Key_Enter}
_OWN = {*_ENTER, Qt.Key.Key_F1}
_FIRST, _LAST = 1500, 6000  # characters kept of a long pasted text
_PLAIN = Qt.KeyboardModifier.NoModifier


class SearchField(ImeLineEdit):
    """A line edit that reports what is typed, but not text that is still being composed."""

    asked = Signal(str)  # the current text
    moved = Signal(int)  # rows to move by
    entered = Signal(bool)  # with Ctrl: in a new tab
    left = Signal()  # Escape
    lost = Signal()  # another widget has the focus
    pressed = Signal()  # clicked into
    help_asked = Signal()  # F1, or the question mark at its end
    completed = Signal()  # Tab while a completion is offered

    def __init__(self, words: Translator, look: Appearance) -> None:
        """Start empty."""
        super().__init__()
        self._words = words
        self._look = look
        self.completing = False  # whether Tab accepts a completion instead of moving the focus
        self.setObjectName("searchField")
        self.setMinimumWidth(150)
        self.setMaximumWidth(560)
        self._glass = self.addAction(icon("search", look.theme.dim), QLineEdit.ActionPosition.LeadingPosition)
        self._help = self.addAction(icon("help", look.theme.dim), QLineEdit.ActionPosition.TrailingPosition)
        self._help.triggered.connect(self.help_asked)
        self._hint = QLabel(self)
        self._hint.setObjectName("searchHint")
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(lambda: self.asked.emit(self.text()))
        self.textChanged.connect(self._on_text_changed)
        self.composed.connect(self._pause.start)
        words.changed.connect(self.retranslate)
        look.changed.connect(lambda _: self._wear())
        self.retranslate()

    def retranslate(self) -> None:
        """Update the texts for the interface language."""
        self.setPlaceholderText(self._words("搜索笔记、代码、报错…", "Search notes, code, errors…"))
        self.setAccessibleName(self._words("搜索", "Search"))
        self.setToolTip(self._words.with_key(self._words("搜索全部笔记", "Search all notes"), "search", "Ctrl+K"))
        self._help.setText(self._words("搜索语法", "How to search"))
        self._help.setToolTip(self._words("搜索语法  (F1)", "How to search  (F1)"))
        self._hint.setText(self._words.key("search", "Ctrl+K").replace("+", " "))
        self._place_hint()

    def put(self, text: str) -> None:
        """Replace the text as if it had been typed, so that it can be undone."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()
        self.insert(text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Do not search for text that is still being composed."""
        super().inputMethodEvent(event)
        if self.composing:
            self._pause.stop()
        self._show_hint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move in the results, open one, or leave; everything else is typing."""
        key = Qt.Key(event.key())
        if self.composing:
            super().keyPressEvent(event)
        elif key in _MOVES:
            self.moved.emit(_MOVES[key])
        elif key in _ENTER:
            self._search_now()
            self.entered.emit(bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif key == Qt.Key.Key_F1:
            self.help_asked.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.insert(shortened(QGuiApplication.clipboard().text()))
        elif key != Qt.Key.Key_Backspace or event.modifiers() != _PLAIN or not self._take_chip():
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep Ctrl+Enter, which elsewhere runs code, and F1, which elsewhere opens the manual."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _OWN:
            event.accept()
            return True
        return super().event(event)

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Let Tab accept a completion if there is one."""
        if next_ and self.completing and not self.composing:
            self.completed.emit()
            return True
        return super().focusNextPrevChild(next_)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Report that another part of the window has the focus."""
        super().focusOutEvent(event)
        if event.reason() not in {Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason}:
            self.lost.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Report a click: an empty field then shows the notes read last."""
        super().mousePressEvent(event)
        self.pressed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the hint at the right edge."""
        super().resizeEvent(event)
        self._place_hint()

    def _place_hint(self) -> None:
        self._hint.adjustSize()
        self._show_hint()
        left = self.width() - self._hint.width() - _HELP_ROOM
        self._hint.move(QPoint(left, (self.height() - self._hint.height()) // 2))

    def _wear(self) -> None:
        self._glass.setIcon(icon("search", self._look.theme.dim))
        self._help.setIcon(icon("help", self._look.theme.dim))

    def _on_text_changed(self) -> None:
        self._show_hint()
        if not self.composing:
            self._pause.start()

    def _show_hint(self) -> None:
        """Show the shortcut while the field is empty, if it fits next to the placeholder."""
        letters, asked = self.fontMetrics(), self.placeholderText()
        needed = letters.horizontalAdvance(asked) + letters.height() + self._hint.width()
        roomy = self.width() - _PLACEHOLDER_AT - _HELP_ROOM >= needed
        self._hint.setVisible(not self.text() and not self.composing and roomy)

    def _search_now(self) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self.asked.emit(self.text())

    def _take_chip(self) -> bool:
        """Remove the filter before the cursor, together with the space after it."""
        from app.search.filter_chips import ending_at  # noqa: PLC0415 - an empty field needs no parser

        text, cursor = self.text(), self.cursorPosition()
        part = None if self.hasSelectedText() else ending_at(text, cursor)
        if part is None:
            return False
        self.setSelection(part.start, cursor - part.start)
        self.del_()
        return True


def shortened(text: str) -> str:
    """Return a pasted text without its middle if it is long: the error is at the end of a traceback."""
    text = text.strip()
    return text if len(text) <= _FIRST + _LAST else f"{text[:_FIRST]}\n{text[-_LAST:]}"
