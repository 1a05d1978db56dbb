"""The keys that are the editor's own, wherever in it the focus is."""

from __future__ import annotations

from PySide6.QtCore import QKeyCombination, Qt
from PySide6.QtGui import QKeyEvent

_CONTROL = Qt.KeyboardModifier.ControlModifier
_KEYPAD = Qt.KeyboardModifier.KeypadModifier
_COMMANDS = {
    QKeyCombination(_CONTROL, Qt.Key.Key_S): "save",
    QKeyCombination(_CONTROL, Qt.Key.Key_E): "close",
    QKeyCombination(_CONTROL, Qt.Key.Key_F): "find",
    QKeyCombination(_CONTROL, Qt.Key.Key_H): "replace",
    QKeyCombination(_CONTROL, Qt.Key.Key_Return): "run",
    QKeyCombination(_CONTROL | _KEYPAD, Qt.Key.Key_Enter): "run",
    QKeyCombination(Qt.KeyboardModifier.NoModifier, Qt.Key.Key_F3): "find_next",
    QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F3): "find_previous",
    QKeyCombination(Qt.KeyboardModifier.NoModifier, Qt.Key.Key_Escape): "escape",
}


def command_of(event: QKeyEvent) -> str | None:
    """Return the command of the editor that a key stands for."""
    return _COMMANDS.get(event.keyCombination())
