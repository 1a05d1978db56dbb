"""The command palette: every command by its name, typed in part, run by Enter."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.commands.registry import Command, Commands
from app.parts.fields import Field
from app.parts.rows import text_font
from app.parts.telling import tell
from app.style.look import Look, named
from app.words import Words
from kb import sounds

AnyIndex = QModelIndex | QPersistentModelIndex
COMMAND_ROLE = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT = 32
_BAR = 3  # pixels of the bar at the left of the current row
_MOVES = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class Palette(QDialog):
    """A field with the commands that fit under it; in both languages, whichever the interface speaks."""

    def __init__(self, commands: Commands, words: Words, look: Look, window: QWidget) -> None:
        """Lie over `window`, hidden."""
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._window = window
        self._commands = commands
        self._words = words
        self.setObjectName("palette")
        self.field = named(Field(), "paletteField")
        self._model = _Model(words, self)
        self.list = named(QListView(), "resultsList")
        self.list.setModel(self._model)
        self.list.setItemDelegate(_Painter(look, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.list)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._on_chosen)

    def ask(self) -> None:
        """Open over the window with every command."""
        name = self._words("输入命令", "Type a command")
        self.field.setPlaceholderText(name)
        self.field.setAccessibleName(name)
        self.list.setAccessibleName(self._words("命令", "Commands"))
        self.field.clear()
        self._on_text_changed("")
        window = self._window
        width = min(560, window.width() - 40)
        self.setFixedWidth(width)
        self.move(window.mapToGlobal(QPoint((window.width() - width) // 2, 56)))
        self.show()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move and choose with the keys while the field has them."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and not self.field.composing:
            key = Qt.Key(event.key())
            if key in _MOVES:
                row = min(max(self.list.currentIndex().row() + _MOVES[key], 0), self._model.rowCount() - 1)
                self.list.setCurrentIndex(self._model.index(row))
                tell(self.list, self.list.currentIndex().data() or "")
                return True
            if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
                self._on_chosen(self.list.currentIndex())
                return True
        return super().eventFilter(watched, event)

    def _on_text_changed(self, text: str) -> None:
        found = [command for command in self._commands if fits(command, text)]
        self._model.set_commands(sorted(found, key=lambda command: not _has(command, text)))
        self.list.setCurrentIndex(self._model.index(0))
        self.list.setFixedHeight(max(1, min(self._model.rowCount() * ROW_HEIGHT, self._window.height() - 160)))
        self.adjustSize()

    def _on_chosen(self, index: QModelIndex) -> None:
        command = index.data(COMMAND_ROLE)
        self.hide()
        if command is not None:
            self._commands.run(command.name)


def fits(command: Command, typed: str) -> bool:
    """Tell whether every word typed is in a command's words, in either language, or in its name, or sounds so.

    What sounds so is typed in pinyin or by initials: "xinjian", "xin jian", "xj" for 新建.
    """
    return _has(command, typed) or sounds.fits("".join(typed.split()), command.zh) or _sounds(command, typed)


def _has(command: Command, typed: str) -> bool:
    text = _text(command)
    return all(word in text for word in typed.casefold().split())


def _sounds(command: Command, typed: str) -> bool:
    text = _text(command)
    return all(word in text or sounds.fits(word, command.zh) for word in typed.casefold().split())


def _text(command: Command) -> str:
    return f"{command.zh} {command.en} {command.name}".casefold()


class _Model(QAbstractListModel):
    def __init__(self, words: Words, parent: QObject) -> None:
        super().__init__(parent)
        self._words = words
        self._shown: list[Command] = []

    def set_commands(self, commands: list[Command]) -> None:
        self.beginResetModel()
        self._shown = commands
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self._shown):
            return None
        command = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(command.zh, command.en)
        return command if role == COMMAND_ROLE else None


class _Painter(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._font = text_font(14)
        self._small = text_font(12)

    def sizeHint(self, *_: object) -> QSize:
        return QSize(100, ROW_HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        theme = self._look.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.accent_soft))
            painter.drawRoundedRect(option.rect, 6, 6)
            painter.setBrush(QColor(theme.accent))
            painter.drawRoundedRect(QRect(option.rect.left(), option.rect.top() + 6, _BAR, ROW_HEIGHT - 12), 1.5, 1.5)
        box = option.rect.adjusted(12, 0, -12, 0)
        painter.setPen(QColor(theme.dim))
        painter.setFont(self._small)
        keys = Commands.keys(index.data(COMMAND_ROLE))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, keys)
        painter.setPen(QColor(theme.ink))
        painter.setFont(self._font)
        room = box.width() - QFontMetrics(self._small).horizontalAdvance(keys) - 10
        text = QFontMetrics(self._font).elidedText(index.data(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
