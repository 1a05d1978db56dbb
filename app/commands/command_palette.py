"""The command palette: finds commands by a part of their name, and runs one by Enter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QListView, QVBoxLayout, QWidget

from app.commands.registry import Command, Commands
from app.i18n import Translator
from app.style.appearance import Appearance, named
from app.widgets.accessibility import announce
from app.widgets.ime_fields import ImeLineEdit
from app.widgets.list_delegates import AnyIndex, ChoiceDelegate
from kb.analysis import pinyin

COMMAND_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT = 32
_RECENT = 6  # recent commands that come first
_MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class CommandPalette(QDialog):
    """A field above the list of matching commands; their names are matched in both languages."""

    def __init__(self, commands: Commands, words: Translator, look: Appearance, window: QWidget) -> None:
        """Create it hidden over `window`."""
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._window = window
        self._commands = commands
        self._words = words
        self._recent: list[str] = []  # names of commands, the latest first
        self.setObjectName("palette")
        self.field = named(ImeLineEdit(), "paletteField")
        self._model = _Model(words, self)
        self.list = named(QListView(), "resultsList")
        self.list.setModel(self._model)
        delegate = ChoiceDelegate(self.list, height=ROW_HEIGHT, theme=lambda: look.theme, told=_detail)
        self.list.setItemDelegate(delegate)
        self.list.setMouseTracking(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.none = named(QLabel(), "resultsMessage")
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        for part in (self.field, self.none, self.list):
            column.addWidget(part)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._on_chosen)

    def ask(self) -> None:
        """Open over the window with every command."""
        name = self._words("输入命令", "Type a command")
        self.field.setPlaceholderText(name)
        self.field.setAccessibleName(name)
        self.list.setAccessibleName(self._words("命令", "Commands"))
        self.none.setText(self._words("没有这样的命令。", "There is no such command."))
        self.field.clear()
        self._on_text_changed("")
        window = self._window
        width = min(560, window.width() - 40)
        self.setFixedWidth(width)
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 56)))
        self.show()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list and choose by keys while the field is focused."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and not self.field.composing:
            key = Qt.Key(event.key())
            if key in _MOVES:
                row = min(max(self.list.currentIndex().row() + _MOVES[key], 0), self._model.rowCount() - 1)
                self.list.setCurrentIndex(self._model.index(row))
                announce(self.list, self.list.currentIndex().data() or "")
                return True
            if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._on_chosen(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _on_text_changed(self, text: str) -> None:
        found = [command for command in self._all() if fits(command, text)]
        self._model.set_commands(sorted(found, key=lambda command: self._rank(command, text)))
        self.list.setCurrentIndex(self._model.index(0))
        rows = min(self._model.rowCount(), max(1, (self._window.height() - 160) // ROW_HEIGHT))
        self.list.setFixedHeight(max(1, rows * ROW_HEIGHT + 2 * self.list.frameWidth()))
        self.list.setVisible(bool(rows))
        self.none.setVisible(not rows)
        if not rows:
            announce(self.field, self.none.text())
        self.adjustSize()

    def _all(self) -> Iterator[Command]:
        """Yield every command, each followed by its dynamic commands."""
        for command in self._commands:
            yield command
            if (more := command.more) is not None:
                for one in more.commands():
                    yield replace(one, zh=f"{more.zh}：{one.zh}", en=f"{more.en}: {one.en}")

    def _rank(self, command: Command, text: str) -> tuple[bool, bool, int]:
        """Return a key to sort by: commands that contain the words, then begin with them, then recent ones first."""
        begun = self._words(command.zh, command.en).casefold().startswith(text.strip().casefold())
        age = self._recent.index(command.name) if command.name in self._recent else len(self._recent)
        return (not _has(command, text), not begun, age)

    def _on_chosen(self, index: QModelIndex) -> None:
        command = index.data(COMMAND_ROLE)
        self.hide()
        if command is not None:
            self._recent = [command.name, *(name for name in self._recent if name != command.name)][:_RECENT]
            command.act()


def _detail(index: AnyIndex) -> str:
    command: Command = index.data(COMMAND_ROLE)
    return Commands.keys(command) or command.told


def fits(command: Command, typed: str) -> bool:
    """Return whether every typed word is in a command's name in either language, or is its pinyin.

    Pinyin may be abbreviated to initials: "xinjian", "xin jian", "xj" for 新建.
    """
    return _has(command, typed) or pinyin.fits("".join(typed.split()), command.zh) or _sounds(command, typed)


def _has(command: Command, typed: str) -> bool:
    text = _text(command)
    return all(word in text for word in typed.casefold().split())


def _sounds(command: Command, typed: str) -> bool:
    text = _text(command)
    return all(word in text or pinyin.fits(word, command.zh) for word in typed.casefold().split())


def _text(command: Command) -> str:
    return f"{command.zh} {command.en} {command.name} {command.also}".casefold()


class _Model(QAbstractListModel):
    def __init__(self, words: Translator, parent: QObject) -> None:
        super().__init__(parent)
        self._words = words
        self._shown: list[Command] = []

    def set_commands(self, commands: list[Command]) -> None:
        self.beginResetModel()
        self._shown = commands
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self._shown):
            return None
        command = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(command.zh, command.en)
        return command if role == COMMAND_ROLE else None
