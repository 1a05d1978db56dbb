"""The field under an output in which a line is typed that a run waits for."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.i18n import Translator
from app.reader.text_formats import TYPING_PX
from app.style.stylesheets import families
from app.style.theme import Theme
from app.widgets.ime_fields import ImeLineEdit

_TEXT_PX = 13


class InputField(ImeLineEdit):
    """Enter sends the line; Ctrl+D, in an empty field, ends the input, as in a terminal."""

    typed = Signal(str)  # a line with its end; "" is the end of the input

    def __init__(self, words: Translator, theme: Theme, parent: QWidget) -> None:
        """Be empty, and nowhere yet."""
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
        """Show dots for what is typed, as a password is asked for, or the text again."""
        mode = QLineEdit.EchoMode.Password if hidden else QLineEdit.EchoMode.Normal
        if mode != self.echoMode():
            self.setEchoMode(mode)
            self._reword()

    def place(self, room: QRectF, zoom: float) -> None:
        """Stand in a rectangle of the viewport."""
        font = QFont(families(self._theme.code_font))
        font.setPixelSize(max(1, round(_TEXT_PX * zoom)))
        self.setFont(font)
        height = round((TYPING_PX - 4) * zoom)
        self.setGeometry(round(room.left()), round(room.bottom()) - height - 2, round(room.width()), height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the input with Ctrl+D where nothing stands in the field."""
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
        hidden = self.echoMode() == QLineEdit.EchoMode.Password
        if hidden:
            self.setAccessibleName(words("输入密码给正在运行的代码", "Type a password for the running code"))
            self.setPlaceholderText(
                words("代码在等密码：不显示，也不保留", "it waits for a password, which is neither shown nor kept")
            )
            return
        self.setAccessibleName(words("输入一行给正在运行的代码", "Type a line for the running code"))
        self.setPlaceholderText(
            words(
                "代码在等一行输入：回车发送，Ctrl+D 结束", "it waits for a line: Enter sends it, Ctrl+D ends the input"
            )
        )
