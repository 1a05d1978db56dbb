"""Every command with its keys, which can be changed: what the help shows and what the settings change are one table."""

from __future__ import annotations

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QKeySequenceEdit, QLabel, QLineEdit, QPushButton, QWidget

from app.commands.registry import Command, Commands
from app.rooms.memory import Memory
from app.style.look import named
from app.words import Words


class KeysPage(QWidget):
    """A row for each command: its words, a field that takes the keys one presses, and a way back."""

    def __init__(self, memory: Memory, words: Words, commands: Commands) -> None:
        """Read and write the keys of `commands` in the preferences."""
        super().__init__()
        self._memory, self._words, self._commands = memory, words, commands
        self._taken: tuple[str, str] = ("", "")  # what is wrong with the keys pressed last
        self._rows: dict[str, tuple[QLabel, QKeySequenceEdit, QPushButton]] = {}
        self.told = named(QLabel(wordWrap=True), "keysTold")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(4)
        self._grid.addWidget(self.told, 0, 0, 1, 3)
        for row, command in enumerate(commands, 1):
            self._add(row, command)
        words.changed.connect(self.retranslate)
        commands.rebound.connect(self.retranslate)
        commands.rebind(memory.preferences.keys)
        self.retranslate()

    def field(self, name: str) -> QKeySequenceEdit:
        """Return the field that takes the keys of a command."""
        return self._rows[name][1]

    def _add(self, row: int, command: Command) -> None:
        field, back = QKeySequenceEdit(), QPushButton("↺")
        field.setMaximumSequenceLength(1)
        field.setClearButtonEnabled(True)
        back.setProperty("quiet", True)
        label = QLabel()
        label.setBuddy(field)
        name = command.name
        field.editingFinished.connect(lambda: self._on_keys(name, field.keySequence()))
        back.clicked.connect(lambda: self._keep(name, self._commands.natural(name)))
        for column, widget in enumerate((label, field, back)):
            self._grid.addWidget(widget, row, column)
        self._grid.setColumnStretch(0, 1)
        self._rows[name] = label, field, back

    def retranslate(self) -> None:
        """Word the rows again, and show the keys that hold now."""
        self.told.setText(self._words(*self._taken))
        self.told.setVisible(any(self._taken))  # it would take a line even where it says nothing
        for command in self._commands:
            label, field, back = self._rows[command.name]
            words = self._words(command.zh, command.en)
            label.setText(words)
            field.setAccessibleName(words)
            field.setKeySequence(QKeySequence(command.keys[0]) if command.keys else QKeySequence())
            for line in field.findChildren(QLineEdit):  # the one within it, which is what a screen reader finds
                line.setAccessibleName(words)
                line.setPlaceholderText(self._words("按下快捷键", "Press the keys"))  # new keys bring Qt's own back
            told = self._words("恢复原来的键", "Back to its own keys")
            back.setToolTip(told)
            back.setAccessibleName(f"{told}: {words}")
            back.setVisible(command.keys != self._commands.natural(command.name))

    def _on_keys(self, name: str, pressed: QKeySequence) -> None:
        keys = pressed.toString(QKeySequence.SequenceFormat.PortableText)
        command = next(command for command in self._commands if command.name == name)
        if keys == (command.keys[0] if command.keys else ""):
            return
        other = next((one for one in self._commands if keys in one.keys and one.name != name), None)
        if other is not None and command.where is other.where:
            self._taken = (
                f"“{keys}”已用于“{other.zh}”；请先改掉那一个。",
                f"“{keys}” belongs to “{other.en}”; change that one first.",
            )
            self.retranslate()
            return
        self._taken = ("", "")
        self._keep(name, (keys,) if keys else ())

    def _keep(self, name: str, keys: tuple[str, ...]) -> None:
        changed = {**self._memory.preferences.keys, name: keys}
        if keys == self._commands.natural(name):
            del changed[name]
        self._memory.prefer(shortcuts=tuple(f"{one}={' '.join(keys)}" for one, keys in changed.items()))
        self._commands.rebind(changed)
