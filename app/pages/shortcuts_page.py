"""Every command with its keys, which can be changed: a part of the settings."""

from __future__ import annotations

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QGridLayout, QKeySequenceEdit, QLabel, QLineEdit, QPushButton, QWidget

from app.commands.command_palette import fits
from app.commands.registry import Command, Commands
from app.i18n import Translator
from app.state.settings_store import SettingsStore
from app.style.appearance import Appearance, named
from app.style.icons import icon
from app.style.theme import Theme
from app.widgets.ime_fields import ImeLineEdit

_CLEARING = "_q_qlineeditclearaction"  # Qt's own name of the action that empties a field


class ShortcutsPage(QWidget):
    """A row for each command: its words, a field that takes the keys one presses, and a way back."""

    def __init__(self, memory: SettingsStore, words: Translator, look: Appearance, commands: Commands) -> None:
        """Read and write the keys of `commands` in the preferences."""
        super().__init__()
        self._memory, self._words, self._commands = memory, words, commands
        self._taken: tuple[str, str] = ("", "")  # what is wrong with the keys pressed last
        self._rows: dict[str, tuple[QLabel, QKeySequenceEdit, QPushButton]] = {}
        self.told = named(QLabel(wordWrap=True), "keysTold")
        self.wanted = ImeLineEdit()
        self.wanted.setClearButtonEnabled(True)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(4)
        self._grid.addWidget(self.wanted, 0, 0, 1, 2)
        for row, command in enumerate(commands):
            self._add(2 * row + 2, command)  # between two of them there is room for what is wrong with the first
        self.wanted.textChanged.connect(lambda _: self._narrow())
        look.changed.connect(self._wear)
        self._wear(look.theme)
        words.changed.connect(self.retranslate)
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

    def _wear(self, theme: Theme) -> None:
        """Draw the crosses that empty fields as every other cross of the window: Qt's are heavy, and there are many."""
        for line in self.findChildren(QLineEdit):
            if (cross := line.findChild(QAction, _CLEARING)) is not None:
                cross.setIcon(icon("close", theme.dim))

    def retranslate(self) -> None:
        """Word the rows again, and show the keys that hold now."""
        hint = self._words("查找命令", "Find a command")
        self.wanted.setPlaceholderText(hint)
        self.wanted.setAccessibleName(hint)
        self.told.setText(self._words(*self._taken))
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
        self._narrow()

    def _narrow(self) -> None:
        """Show the commands that are looked for, by their words in either language or by their keys."""
        typed = self.wanted.text().strip()
        for command in self._commands:
            shown = fits(command, typed) or typed.casefold() in self._commands.keys(command).casefold()
            label, field, back = self._rows[command.name]
            label.setVisible(shown)
            field.setVisible(shown)
            back.setVisible(shown and command.keys != self._commands.natural(command.name))
        self.told.setVisible(any(self._taken))  # it would take a line even where it says nothing

    def _on_keys(self, name: str, pressed: QKeySequence) -> None:
        keys = pressed.toString(QKeySequence.SequenceFormat.PortableText)
        command = next(command for command in self._commands if command.name == name)
        if keys == (command.keys[0] if command.keys else ""):
            return
        other = next((one for one in self._commands if keys in one.keys and one.name != name), None)
        if other is not None and command.where is other.where:
            self._grid.addWidget(self.told, 2 * list(self._rows).index(name) + 3, 0, 1, 3)  # beneath the field itself
            self._taken = (
                f"“{keys}”已用于“{other.zh}”；请先改掉那一个。",
                f'"{keys}" belongs to "{other.en}"; change that one first.',
            )
            self.retranslate()
            return
        self._taken = ("", "")
        self._keep(name, (keys,) if keys else ())

    def _keep(self, name: str, keys: tuple[str, ...]) -> None:
        changed = {**self._memory.preferences.keys, name: keys}
        if keys == self._commands.natural(name):
            del changed[name]
        self._memory.set_preference(shortcuts=tuple(f"{one}={' '.join(keys)}" for one, keys in changed.items()))
        self._commands.rebind(changed)
