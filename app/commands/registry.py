"""Everything a person can do, in one registry: it fills the menu, the palette, the shortcuts and the tooltips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.i18n import Translator, first_of


@dataclass(frozen=True)
class DynamicCommands:
    """Commands that come and go with what there is, as the folders that were opened, and what they all do."""

    zh: str
    en: str
    commands: Callable[[], Sequence[Command]]


@dataclass(frozen=True)
class Command:
    """One thing to do: its words, its keys, the group it stands in, and the call that does it."""

    name: str
    group: str
    zh: str
    en: str
    act: Callable[[], object]
    keys: tuple[str, ...] = ()
    hidden: bool = False  # by its keys and the palette only, not in the menu
    where: QWidget | None = None  # its keys work only here; None for the whole window
    bound: Callable[[Sequence[str]], object] | None = None  # told of the keys it is given, by who takes them itself
    told: str = ""  # what is said of it at the right of its words
    more: DynamicCommands | None = None  # others that are listed after it


class Commands(QObject):
    """The commands of a window, each with an action that carries its shortcut."""

    def __init__(self, window: QWidget, words: Translator) -> None:
        """Hang the actions on `window`, worded by `words`."""
        super().__init__(window)
        self._window = window
        self._words = words
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self._natural: dict[str, tuple[str, ...]] = {}
        self._more: Callable[[], Iterable[Command]] | None = None
        words.changed.connect(self._retranslate)

    def add(self, *commands: Command) -> None:
        """Register commands; their shortcuts work from now on."""
        for command in commands:
            action = QAction(self._words(command.zh, command.en), self._window)
            action.setObjectName(command.name)
            action.setShortcuts([QKeySequence(keys) for keys in command.keys])
            action.triggered.connect(lambda _=False, act=command.act: act())
            if command.where is not None:
                action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            (command.where or self._window).addAction(action)
            self._commands[command.name] = command
            self._natural[command.name] = command.keys
            self._actions[command.name] = action

    def expect(self, more: Callable[[], Iterable[Command]]) -> None:
        """Register the commands that `more` makes once one of them is asked for, or by `complete`."""
        self._more = more

    @property
    def expecting(self) -> bool:
        """Whether commands are still expected."""
        return self._more is not None

    def complete(self) -> None:
        """Register what is expected."""
        if (more := self._more) is not None:
            self._more = None
            self.add(*more())
            self.rebind(self._words.keys)

    def rebind(self, changed: Mapping[str, tuple[str, ...]]) -> None:
        """Give commands other keys, by name; every other one has those it came with. Widgets word theirs anew."""
        for name, command in self._commands.items():
            keys = changed.get(name, self._natural[name])
            if keys != command.keys:
                self._commands[name] = replace(command, keys=keys)
                self._actions[name].setShortcuts([QKeySequence(one) for one in keys])
                if command.bound is not None:
                    command.bound(keys)
        self._words.rebind(changed)

    def natural(self, name: str) -> tuple[str, ...]:
        """Return the keys that a command came with."""
        self.complete()
        return self._natural[name]

    def __iter__(self) -> Iterator[Command]:
        """Yield the commands in the order they were registered."""
        self.complete()
        return iter(self._commands.values())

    def action(self, name: str) -> QAction:
        """Return the action of a command, for a menu or a button."""
        self.complete()
        return self._actions[name]

    def run(self, name: str) -> None:
        """Do a command as if its key were pressed."""
        self.action(name).trigger()

    def tip(self, name: str) -> str:
        """Return the words of a command with its keys, for a tooltip."""
        self.complete()
        command = self._commands[name]
        return self._words.with_key(self._words(command.zh, command.en), name, next(iter(self._natural[name]), ""))

    @staticmethod
    def keys(command: Command) -> str:
        """Return the first shortcut as the platform writes it."""
        return first_of(command.keys)

    def _retranslate(self) -> None:
        for name, command in self._commands.items():
            self._actions[name].setText(self._words(command.zh, command.en))
