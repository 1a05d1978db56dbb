"""Fields to type in: each knows whether an input method holds text, and leaves every key to it meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

if TYPE_CHECKING:
    _Widget = QWidget
else:  # two of Qt's own classes cannot be one's parents
    _Widget = object


class _Shield(_Widget):
    """What a field has from here: no key does anything while text is composed."""

    @property
    def composing(self) -> bool:
        """Whether an input method holds text."""
        raise NotImplementedError

    def event(self, event: QEvent) -> bool:
        """Keep every key from becoming a shortcut while text is composed."""
        if self.composing and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do nothing by keys that are the input method's."""
        if self.composing:
            event.accept()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Stay while text is composed."""
        return self.composing or super().focusNextPrevChild(next_)


class ImeLineEdit(_Shield, QLineEdit):
    """While text is composed no key is a shortcut, moves the focus, confirms or cancels anything but the composing."""

    composed = Signal()  # what was composed is there now, or was given up

    def __init__(self, parent: QWidget | None = None) -> None:
        """Be empty."""
        super().__init__(parent)
        self._composing = False

    @property
    def composing(self) -> bool:
        """Whether an input method holds text."""
        return self._composing

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Let the input method compose."""
        preedit, committed = bool(event.preeditString()), bool(event.commitString())
        super().inputMethodEvent(event)
        if preedit:
            self._composing = True
        elif committed:  # the key that confirmed may still arrive in this turn of the event loop
            QTimer.singleShot(0, self, self._on_composed)
        elif self.composing:
            self._on_composed()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hold nothing any more."""
        self._composing = False
        super().focusOutEvent(event)

    def _on_composed(self) -> None:
        self._composing = False
        self.composed.emit()


class ImeTextEdit(_Shield, QPlainTextEdit):
    """Some lines to type in, of which the same holds."""

    @property
    def composing(self) -> bool:
        """Whether an input method holds text."""
        return bool(self.textCursor().block().layout().preeditAreaText())
