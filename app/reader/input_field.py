"""The fields under the output of cells whose run waits for a line of input."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QTextBrowser, QWidget

from app.i18n import Translator
from app.reader.note_page import NotePage
from app.reader.text_formats import TYPING_PX
from app.style.stylesheets import families
from app.style.theme import Theme
from app.widgets.deferred_delete import delete_later
from app.widgets.ime_fields import ImeLineEdit

_TEXT_PX = 13


class InputField(ImeLineEdit):
    """Enter sends the line; Ctrl+D, in an empty field, ends the input, as in a terminal."""

    typed = Signal(str)  # a line with its end; "" is the end of the input

    def __init__(self, words: Translator, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words
        self.returnPressed.connect(self._send)
        self._reword()
        words.changed.connect(self._reword)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Take the colours and the font of a theme."""
        self._theme = theme
        self.setStyleSheet(
            f"QLineEdit {{ background: {theme.field}; color: {theme.ink}; border: 1px solid {theme.accent};"
            f" border-radius: 6px; padding: 0 8px; selection-background-color: {theme.selection};"
            f" selection-color: {theme.ink}; placeholder-text-color: {theme.dim}; }}"
        )

    def hide_text(self, *, hidden: bool) -> None:
        """Show dots instead of the text, for a password, or show the text again."""
        mode = QLineEdit.EchoMode.Password if hidden else QLineEdit.EchoMode.Normal
        if mode != self.echoMode():
            self.setEchoMode(mode)
            self._reword()

    def place(self, room: QRectF, zoom: float) -> None:
        """Move to the lower end of a rectangle of the viewport."""
        font = QFont(families(self._theme.code_font))
        font.setPixelSize(max(1, round(_TEXT_PX * zoom)))
        self.setFont(font)
        height = round((TYPING_PX - 4) * zoom)
        self.setGeometry(round(room.left()), round(room.bottom()) - height - 2, round(room.width()), height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the input with Ctrl+D if the field is empty."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.key() == Qt.Key.Key_D and not self.text() and not self.composing:
            self.typed.emit("")
        else:
            super().keyPressEvent(event)

    def _send(self) -> None:
        text = self.text()
        self.clear()
        self.typed.emit(f"{text}\n")

    def _reword(self) -> None:
        words = self._words
        if self.echoMode() == QLineEdit.EchoMode.Password:
            name = words("输入密码给正在运行的代码", "Type a password for the running code")
            hint = words("代码在等密码：不显示，也不保留", "waiting for a password, which is neither shown nor kept")
        else:
            name = words("输入一行给正在运行的代码", "Type a line for the running code")
            hint = words(
                "代码在等一行输入：回车发送，Ctrl+D 结束", "waiting for a line: Enter sends it, Ctrl+D ends the input"
            )
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)


class InputFields:
    """The input fields on a page, one for each cell that waits for a line."""

    def __init__(
        self, view: QTextBrowser, page: NotePage, words: Translator, typed: Callable[[str, str], object]
    ) -> None:
        """Call `typed` with the cell's key and each line."""
        self._view, self._page, self._words, self._typed = view, page, words, typed
        self.fields: dict[str, InputField] = {}  # by cell key

    def set_theme(self, theme: Theme) -> None:
        """Take the colours and the font of a theme."""
        for field in self.fields.values():
            field.set_theme(theme)
        self.place()

    def place(self) -> None:
        """Put a field under the output of each cell that waits for a line, and remove the others."""
        cells = self._page.cells
        waiting = dict(cells.waiting())
        for key in self.fields.keys() - waiting.keys():
            field = self.fields.pop(key)
            if field.hasFocus():
                self._view.setFocus()
            delete_later(field)
        for key in waiting.keys() - self.fields.keys():
            self._add(key)
        document = self._view.document()
        for key, box in waiting.items():
            block = box.typing_block()  # it may be in a document that is still being built
            if block is not None and block.document() is document and block.layout().lineCount():
                rect, line = document.documentLayout().blockBoundingRect(block), block.layout().lineAt(0)
                rect.setBottom(rect.top() + line.y() + line.ascent() + 6 * self._page.zoom)
                field = self.fields[key]
                field.place(rect.translated(0, -self._view.verticalScrollBar().value()), self._page.zoom)
                field.hide_text(hidden=cells.asks_for_password(key))
                field.show()

    def _add(self, key: str) -> None:
        field = self.fields[key] = InputField(self._words, self._page.theme, self._view.viewport())
        field.hide_text(hidden=self._page.cells.asks_for_password(key))  # before anything can be typed
        field.typed.connect(lambda text: self._typed(key, text))
        if self._view.hasFocus():
            field.setFocus()
