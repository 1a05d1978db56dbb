"""The keys that are the editor's own, wherever in it the focus is; a person can give it others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

_NATURAL = {
    "save": ("Ctrl+S",),
    "close": ("Ctrl+E",),
    "find": ("Ctrl+F",),
    "replace": ("Ctrl+H",),
    "run": ("Ctrl+Return",),
    "find_next": ("F3",),
    "find_previous": ("Shift+F3",),
    "escape": ("Escape",),
}


class EditorKeys(QObject):
    """Which command of the editor a key stands for."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Have the keys that the editor comes with."""
        super().__init__(parent)
        self._keys: dict[str, tuple[str, ...]] = dict(_NATURAL)
        self._commands: dict[QKeyCombination, str] = {}
        self._learn()

    def command_of(self, event: QKeyEvent) -> str | None:
        """Return the command that a key stands for; one of the keypad is what it is elsewhere on the keyboard."""
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return self._commands.get(QKeyCombination(modifiers, Qt.Key.Key_Return if key == Qt.Key.Key_Enter else key))

    def bind(self, command: str, keys: Sequence[str]) -> None:
        """Give a command other keys, or none, as a shortcut writes them ("Ctrl+S")."""
        self._keys[command] = tuple(keys)
        self._learn()
        self.changed.emit()

    def shortcut_hint(self, *commands: str) -> str:
        """Return the first key of each command in brackets, for a tooltip; nothing where they have none."""
        native = QKeySequence.SequenceFormat.NativeText
        keys = (QKeySequence(self._keys[one][0]).toString(native) for one in commands if self._keys[one])
        return f" ({said})" if (said := ", ".join(keys)) else ""

    def _learn(self) -> None:
        pairs = ((QKeySequence(text), command) for command, keys in self._keys.items() for text in keys)
        self._commands = {
            keys[0]: command  # type: ignore[index]  # its stubs do not know
            for keys, command in pairs
            if not keys.isEmpty()
        }
