"""The bar below the page to find text in it: a field, steps in both directions, and the count."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.i18n import Translator
from app.reader.notebook_view import NotebookView
from app.style.appearance import Appearance
from app.style.icons import icon
from app.style.theme import Theme
from app.widgets.ime_fields import ImeLineEdit


class FindBar(QWidget):
    """Finds text in the reader; Enter goes forward, Shift+Enter back, Escape closes the bar."""

    def __init__(self, view: NotebookView, words: Translator, look: Appearance) -> None:
        """Create it hidden; it finds in `view`."""
        super().__init__()
        self._view = view
        self._words = words
        self.setObjectName("findBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.field = ImeLineEdit()
        self.field.setMaximumWidth(360)
        self._count, self._found = QLabel(), (0, 0)
        self._count.setProperty("dim", True)
        self._before, self._after, self._done = QToolButton(), QToolButton(), QToolButton()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self.field, 1)
        for button in (self._before, self._after, self._done):
            button.setProperty("quiet", True)
            row.addWidget(button)
        row.insertWidget(1, self._count)
        row.addStretch(1)
        self.field.textChanged.connect(lambda text: self._find(backward=False) if text else self._count.clear())
        self._before.clicked.connect(lambda: self._find(backward=True))
        self._after.clicked.connect(lambda: self._find(backward=False))
        self._done.clicked.connect(self.leave)
        words.changed.connect(self.retranslate)
        look.changed.connect(self._set_theme)
        self._set_theme(look.theme)
        self.retranslate()
        self.hide()

    def retranslate(self) -> None:
        """Set all texts in the current language."""
        words = self._words
        self.field.setPlaceholderText(words("在本页中查找", "Find in this page"))
        self.field.setAccessibleName(words("在本页中查找", "Find in this page"))
        for button, zh, en in (
            (self._before, "上一处  (Shift+Enter)", "Previous  (Shift+Enter)"),
            (self._after, "下一处  (Enter)", "Next  (Enter)"),
            (self._done, "关闭  (Esc)", "Close  (Esc)"),
        ):
            button.setToolTip(words(zh, en))
            button.setAccessibleName(words(zh, en))
        if self._count.text():
            self._show_count(*self._found)

    def _set_theme(self, theme: Theme) -> None:
        for button, name in ((self._before, "back"), (self._after, "forward"), (self._done, "close")):
            button.setIcon(icon(name, theme.dim))

    def enter(self) -> None:
        """Show the bar and focus its field."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def leave(self) -> None:
        """Hide the bar and focus the page."""
        self.hide()
        self._view.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next or previous match by Enter, close by Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._find(backward=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def _find(self, *, backward: bool) -> None:
        if self.field.text():
            self._show_count(*self._view.find_text(self.field.text(), backward=backward))

    def _show_count(self, current: int, total: int) -> None:
        self._found = current, total
        none = self._words("没有找到", "Nothing found")
        self._count.setText(f"{current} / {total}" if total else none if self.field.text() else "")
