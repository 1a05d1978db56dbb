"""Short lines to choose one of, under a caret or under a field: each with what is told of it at its right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.style.theme import Theme
from app.widgets.result_rows import paint_background, text_font

_MARGIN, _BETWEEN = 12, 14  # pixels
_LINE = Qt.AlignmentFlag.AlignVCenter
Told = Callable[[QModelIndex | QPersistentModelIndex], str]


class ChoiceDelegate(QStyledItemDelegate):
    """Draws the words of a line, and what is told of it as far as there is room."""

    def __init__(self, parent: QWidget, *, height: int, theme: Callable[[], Theme], told: Told) -> None:
        """Draw lines of so many pixels; `told` says what stands at the right of one."""
        super().__init__(parent)
        self._height, self._theme, self._told = height, theme, told
        self._font, self._small = text_font(14), text_font(13)

    def sizeHint(self, *_: object) -> QSize:
        """Return the height of a line."""
        return QSize(100, self._height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw a line."""
        theme, text, told = self._theme(), str(index.data()), self._told(index)
        wide, small = QFontMetrics(self._font), QFontMetrics(self._small)
        box = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        rest = max(box.width() // 3, box.width() - wide.horizontalAdvance(text) - _BETWEEN)
        is_path = "/" in told and " " not in told  # of which the end says most, and of a sentence the beginning
        told = small.elidedText(told, Qt.TextElideMode.ElideMiddle if is_path else Qt.TextElideMode.ElideRight, rest)
        room = box.width() - (small.horizontalAdvance(told) + _BETWEEN if told else 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_background(painter, option, theme, inset=6)
        painter.setPen(QColor(theme.dim))
        painter.setFont(self._small)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | _LINE, told)
        painter.setPen(QColor(theme.ink))
        painter.setFont(self._font)
        shown = wide.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | _LINE, shown)
        painter.restore()
