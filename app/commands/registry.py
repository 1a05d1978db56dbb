"""The registry of commands, from which menu, palette, shortcuts and tooltips are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.i18n import Translator, first_of


@dataclass(frozen=True)
class DynamicCommands:
    """Commands that depend on the state, such as one for each known vault, and their common name."""

    zh: str
    en: str
    commands: Callable[[], Sequence[Command]]


@dataclass(frozen=True)
class Command:
    """A command: its name in both languages, its keys, its group in the menu, and the call that does it."""

    name: str
    group: str
    zh: str
    en: str
    act: Callable[[], object]
    keys: tuple[str, ...] = ()
    hidden: bool = False  # not in the menu, only by its keys and the palette
    where: QWidget | None = None  # its keys work only here; None: in the whole window
    bound: Callable[[Sequence[str]], object] | None = None  # called with changed keys, if a widget handles them itself
    told: str = ""  # detail at the right of its name
    also: str = ""  # other words that the palette finds it by
    more: DynamicCommands | None = None  # listed after it


class Commands(QObject):
    """The commands of a window, each with a QAction that has its shortcuts."""

    def __init__(self, window: QWidget, words: Translator) -> None:
        """Create an empty registry; actions are added to `window`."""
        super().__init__(window)
        self._window = window
        self._words = words
        self._commands: dict[str, Command] = {}
        self._actions: dict[str, QAction] = {}
        self._natural: dict[str, tuple[str, ...]] = {}
        self._more: Callable[[], Iterable[Command]] | None = None
        words.changed.connect(self._retranslate)

    def add(self, *commands: Command) -> None:
        """Register commands; their shortcuts work at once."""
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
        """Register the commands that `more` returns when the registry is first read, or by `complete`."""
        self._more = more

    @property
    def expecting(self) -> bool:
        """Whether commands are still to be registered."""
        return self._more is not None

    def complete(self) -> None:
        """Register the expected commands now."""
        if (more := self._more) is not None:
            self._more = None
            self.add(*more())
            self.rebind(self._words.keys)

    def rebind(self, changed: Mapping[str, tuple[str, ...]]) -> None:
        """Set the keys of commands by name; all others get their default keys. Tooltips are updated."""
        for name, command in self._commands.items():
            keys = changed.get(name, self._natural[name])
            if keys != command.keys:
                self._commands[name] = replace(command, keys=keys)
                self._actions[name].setShortcuts([QKeySequence(one) for one in keys])
                if command.bound is not None:
                    command.bound(keys)
        self._words.rebind(changed)

    def natural(self, name: str) -> tuple[str, ...]:
        """Return the default keys of a command."""
        self.complete()
        return self._natural[name]

    def __iter__(self) -> Iterator[Command]:
        """Yield the commands in the order of registration."""
        self.complete()
        return iter(self._commands.values())

    def action(self, name: str) -> QAction:
        """Return the QAction of a command, for a menu or a button."""
        self.complete()
        return self._actions[name]

    def run(self, name: str) -> None:
        """Run a command as if its key were pressed."""
        self.action(name).trigger()

    def tip(self, name: str) -> str:
        """Return the name of a command with its key, for a tooltip."""
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
