"""Paints a search result, and measures it."""

from __future__ import annotations

import re

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.look import Look
from app.sheets import SANS, families

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_PADDING = (14, 9)  # left and right, above and below
_NAMES = {"zh": "中", "en": "EN"}


class RowPainter(QStyledItemDelegate):
    """Draws heading, place, excerpt and reason, the lines that a row has."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        """Use the colours of `look`."""
        super().__init__(parent)
        self._look = look
        self._fonts = {
            "heading": text_font(15, bold=True),
            "place": text_font(12),
            "excerpt": text_font(14),
            "why": text_font(12),
        }

    def sizeHint(self, _: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of the row's lines."""
        lines = self._lines(index)
        heights = (QFontMetrics(self._fonts[kind]).height() + 3 for kind, _ in lines)
        return QSize(100, sum(heights) + 2 * _PADDING[1])

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        theme = self._look.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            _ground(painter, option.rect, theme.accent_soft)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            _ground(painter, option.rect, theme.code)
        marks = index.data(ROW_ROLE).marks
        box = option.rect.adjusted(_PADDING[0], _PADDING[1], -_PADDING[0], -_PADDING[1])
        top = box.top()
        for kind, text in self._lines(index):
            font = self._fonts[kind]
            height = QFontMetrics(font).height() + 3
            colour = theme.ink if kind in {"heading", "excerpt"} else theme.dim
            line = QRect(box.left(), top, box.width(), height)
            draw_line(painter, line, text, font, colour, marks if kind in {"heading", "excerpt"} else (), theme.mark)
            top += height
        painter.restore()

    @staticmethod
    def _lines(index: QModelIndex | QPersistentModelIndex) -> list[tuple[str, str]]:
        row = index.data(ROW_ROLE)
        place = "    ".join(part for part in (row.place, _NAMES.get(row.lang, "")) if part)
        lines = [("heading", row.heading), ("place", place), ("excerpt", row.excerpt), ("why", row.why)]
        return [(kind, text) for kind, text in lines if text]


def draw_line(  # noqa: PLR0917 - as QPainter's own
    painter: QPainter, box: QRect, text: str, font: QFont, colour: str, marks: tuple[str, ...], mark: str
) -> None:
    """Draw one line of text in a box, cut to fit, with words marked."""
    text = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats([_marked(text, start, end, mark) for start, end in spans(text, marks)])
    layout.beginLayout()
    layout.createLine().setLineWidth(box.width())
    layout.endLayout()
    painter.setPen(QColor(colour))
    layout.draw(painter, QPointF(box.topLeft()))


def spans(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where the words stand in the text, whatever their case."""
    wanted = sorted({word for word in words if word.strip()}, key=len, reverse=True)
    if not wanted:
        return []
    return [match.span() for match in re.finditer("|".join(map(re.escape, wanted)), text, re.IGNORECASE)]


def _marked(text: str, start: int, end: int, colour: str) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    # Qt counts UTF-16 units, Python characters.
    marked.start = len(text[:start].encode("utf-16-le")) // 2
    marked.length = len(text[start:end].encode("utf-16-le")) // 2
    marked.format = QTextCharFormat()
    marked.format.setBackground(QColor(colour))
    return marked


def _ground(painter: QPainter, box: QRect, colour: str) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(box, 7, 7)


def text_font(pixels: int, *, bold: bool = False) -> QFont:
    """Return the interface's font in a size of pixels."""
    font = QFont()
    font.setFamilies(families(SANS))
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font
