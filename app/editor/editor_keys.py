"""The editor's own keys, which work wherever in the editor the focus is; users can change them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

_DEFAULT = {
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
    """The keys of each editor command."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Start with the default keys."""
        super().__init__(parent)
        self._keys: dict[str, tuple[str, ...]] = dict(_DEFAULT)
        self._commands: dict[QKeyCombination, str] = {}
        self._rebuild()

    def command_of(self, event: QKeyEvent) -> str | None:
        """Return the command of a key, if any; keypad keys count as their twins on the main keyboard."""
        key = Qt.Key(event.key())
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        return self._commands.get(QKeyCombination(modifiers, Qt.Key.Key_Return if key == Qt.Key.Key_Enter else key))

    def bind(self, command: str, keys: Sequence[str]) -> None:
        """Replace the keys of a command, written as in shortcuts ("Ctrl+S")."""
        self._keys[command] = tuple(keys)
        self._rebuild()
        self.changed.emit()

    def shortcut_hint(self, *commands: str) -> str:
        """Return the first keys of the commands in brackets, for a tooltip, or "" if there are none."""
        native = QKeySequence.SequenceFormat.NativeText
        keys = (QKeySequence(self._keys[one][0]).toString(native) for one in commands if self._keys[one])
        return f" ({joined})" if (joined := ", ".join(keys)) else ""

    def _rebuild(self) -> None:
        pairs = ((QKeySequence(text), command) for command, keys in self._keys.items() for text in keys)
        self._commands = {
            keys[0]: command  # type: ignore[index]  # missing in the stubs
            for keys, command in pairs
            if not keys.isEmpty()
        }
