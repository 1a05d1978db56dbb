"""The filters of a query as chips, each with a button that removes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QLayout, QLayoutItem, QPushButton, QWidget

from app.i18n import Translator
from app.style.appearance import named
from app.widgets.deferred_delete import delete_later
from kb.search.query import parts, without
from kb.search.query_syntax import FILTERS
from kb.search.query_tokens import QueryPart

_GAP = 6


@dataclass(frozen=True)
class Chip:
    """A filter as shown: its label, and the query without it. One not `understood` is searched as plain words."""

    label: str
    without: str
    understood: bool = True


def chips_of(text: str, words: Translator) -> tuple[Chip, ...]:
    """Return the filters of a query as chips, including invalid ones once something follows them."""
    return tuple(
        Chip(_label(part, words), without(text, part), part.understood)
        for part in parts(text)
        if part.name and (part.understood or part.end < len(text))
    )


def ending_at(text: str, cursor: int) -> QueryPart | None:
    """Return the filter after whose closing space the cursor is."""
    if ":" not in text.replace("：", ":") or not text[cursor - 1 : cursor].isspace():
        return None
    return next((part for part in parts(text) if part.name and part.understood and part.end == cursor - 1), None)


def _label(part: QueryPart, words: Translator) -> str:
    kind = FILTERS[part.name]
    name = words(kind.zh, kind.en)
    negated = words("不要 ", "not ") if part.kind == "not" else ""
    return f"{negated}{name}{words('：', ': ')}{part.value}"


class ChipRow(QWidget):
    """The chips of a query, wrapped into lines; hidden without any."""

    removed = Signal(str)  # the query without the chip

    def __init__(self, words: Translator, parent: QWidget) -> None:
        """Show no chips."""
        super().__init__(parent)
        self._words = words
        self.buttons: list[QPushButton] = []
        self._shown: tuple[Chip, ...] = ()
        self._lines = _Lines(self)
        self.hide()

    def show_chips(self, chips: Sequence[Chip]) -> None:
        """Replace the chips."""
        if (shown := tuple(chips)) == self._shown:
            return
        self._shown = shown
        for button in self.buttons:
            self._lines.removeWidget(button)
            delete_later(button)
        self.buttons = [self._button(chip) for chip in shown]
        self.setVisible(bool(shown))

    def _button(self, chip: Chip) -> QPushButton:
        button = named(QPushButton(f"{chip.label.replace('&', '&&')}  ✕", self), "chip")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setProperty("stray", not chip.understood)
        name = self._words(f"去掉筛选 {chip.label}", f"Take out the filter {chip.label}")
        if not chip.understood:
            name = self._words(
                f"看不懂 {chip.label}，已当作普通文字；点击去掉",
                f"{chip.label} was not understood and is read as words; click to take it out",
            )
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(lambda: self.removed.emit(chip.without))
        self._lines.addWidget(button)
        return button


class _Lines(QLayout):
    """Lays out widgets in a row and wraps them."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(8, 4, 8, 2)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        width = self.geometry().width() or 600
        return QSize(width, self.heightForWidth(width))

    def minimumSize(self) -> QSize:
        return QSize(80, self.heightForWidth(self.geometry().width() or 600))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Return the height for a width; `move`: also place the items."""
        room = rect.marginsRemoved(self.contentsMargins())
        at, height = QPoint(room.topLeft()), 0
        for item in self._items:
            size = item.sizeHint().boundedTo(QSize(room.width(), item.sizeHint().height()))
            if at.x() > room.left() and at.x() + size.width() > room.right() + 1:
                at, height = QPoint(room.left(), at.y() + height + _GAP), 0
            if move:
                item.setGeometry(QRect(at, size))
            at.setX(at.x() + size.width() + _GAP)
            height = max(height, size.height())
        margins = self.contentsMargins()
        return at.y() + height - rect.top() + margins.bottom() if self._items else margins.top() + margins.bottom()
