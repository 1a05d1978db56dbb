"""Text fields that leave every key to an input method while it composes text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

if TYPE_CHECKING:
    _Widget = QWidget
else:  # a Python class cannot have two Qt classes as its bases
    _Widget = object


class _ImeKeys(_Widget):
    """Mixin for a field: no key has an effect of its own while text is composed."""

    @property
    def composing(self) -> bool:
        """Whether an input method is composing text."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        """Let no key become a shortcut while text is composed."""
        if self.composing and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore keys while text is composed: they belong to the input method."""
        if self.composing:
            event.accept()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Keep the focus while text is composed."""
        return self.composing or super().focusNextPrevChild(next_)


class ImeLineEdit(_ImeKeys, QLineEdit):
    """A line in which keys confirm or cancel the composition only, as long as there is one."""

    composed = Signal()  # a composition was confirmed or cancelled

    def __init__(self, parent: QWidget | None = None) -> None:
        """Create an empty line."""
        super().__init__(parent)
        self._composing = False

    @property
    def composing(self) -> bool:
        """Whether an input method is composing text."""
        return self._composing

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Note whether a composition begins or ends."""
        preedit, committed = bool(event.preeditString()), bool(event.commitString())
        super().inputMethodEvent(event)
        if preedit:
            self._composing = True
        elif committed:  # the key that confirmed it may still arrive in this turn of the event loop
            QTimer.singleShot(0, self, self._on_composed)
        elif self.composing:
            self._on_composed()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Forget the composition."""
        self._composing = False
        super().focusOutEvent(event)

    def _on_composed(self) -> None:
        self._composing = False
        self.composed.emit()


class ImeTextEdit(_ImeKeys, QPlainTextEdit):
    """Several lines with the same behaviour."""

    @property
    def composing(self) -> bool:
        """Whether an input method is composing text."""
        return bool(self.textCursor().block().layout().preeditAreaText())
