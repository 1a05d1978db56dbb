"""Short lines to choose one of, under a caret or under a field: each with what is told of it at its right."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PySide6 import QtWidgets  # QStyle by its module: to name it is to load six hundred names, and a start needs none
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.style.appearance import Appearance
from app.style.stylesheets import families
from app.style.theme import SANS, Theme
from kb.analysis.tokens import lowered

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


ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_PADDING = (14, 9)  # left and right, above and below
_SLIM = 6  # above and below what can be typed on
_NAMES = {"zh": "中", "en": "EN", "mixed": "中 EN"}
_BAR = 3  # pixels of the bar at the left of the current row
_SIZES = {"heading": 15, "place": 12, "excerpt": 14, "why": 12, "offer": 14, "told": 12}

AnyIndex = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class Row:
    """One result as it is shown, and where it leads."""

    heading: str
    place: str
    lang: str
    excerpt: str
    why: str
    marks: tuple[str, ...]
    path: str
    anchor: str
    line: int

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Kind and text of each line that has something to say."""
        place = "    ".join(part for part in (self.place, _NAMES.get(self.lang, "")) if part)
        lines = (("heading", self.heading), ("place", place), ("excerpt", self.excerpt), ("why", self.why))
        return tuple((kind, text) for kind, text in lines if text)

    @property
    def same(self) -> tuple[str, ...]:
        """What makes it the same result in two answers."""
        return (self.path, self.anchor, self.heading)

    @property
    def spoken(self) -> str:
        """What a screen reader says."""
        return ", ".join(text for _, text in self.lines)


@dataclass(frozen=True)
class QuerySuggestion:
    """A way to go on typing: `text` is what the field holds once it is taken, `marks` what of it was typed.

    `linked`: its detail says what taking it does.
    """

    label: str
    detail: str
    text: str
    marks: tuple[str, ...] = ()
    linked: bool = False

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The one line."""
        return (("offer", self.label),)

    @property
    def same(self) -> tuple[str, ...]:
        """What makes it the same offer."""
        return (self.text,)

    @property
    def spoken(self) -> str:
        """What a screen reader says."""
        return f"{self.label}, {self.detail}" if self.detail else self.label


class RowDelegate(QStyledItemDelegate):
    """Draws heading, place, excerpt and reason, the lines that a row has."""

    def __init__(self, look: Appearance, parent: QWidget) -> None:
        """Use the colours of `look`."""
        super().__init__(parent)
        self._look = look

    def sizeHint(self, _: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return the height of the row's lines."""
        row = index.data(ROW_ROLE)
        margin = _SLIM if isinstance(row, QuerySuggestion) else _PADDING[1]
        return QSize(100, sum(_face(kind)[1] for kind, _ in row.lines) + 2 * margin)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the row."""
        theme, row = self._look.theme, index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_background(painter, option, theme)
        margin = _SLIM if isinstance(row, QuerySuggestion) else _PADDING[1]
        box = option.rect.adjusted(_PADDING[0], margin, -_PADDING[0], -margin)
        if isinstance(row, QuerySuggestion):
            box.setRight(box.right() - self._paint_detail(painter, box, row))
        top = box.top()
        for kind, text in row.lines:
            plain, (_, height) = kind in {"heading", "excerpt", "offer"}, _face(kind)
            painter.setPen(QColor(theme.ink if plain else theme.dim))
            line = QRect(box.left(), top, box.width(), height)
            draw_line(painter, line, text, kind=kind, marks=row.marks if plain else (), mark=theme.mark)
            top += height
        painter.restore()

    def _paint_detail(self, painter: QPainter, box: QRect, offer: QuerySuggestion) -> int:
        """Draw what is told of an offer at the right edge; return the room it takes."""
        font, _ = _face("told")
        painter.setFont(font)
        painter.setPen(QColor(self._look.theme.accent if offer.linked else self._look.theme.dim))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, offer.detail)
        return QFontMetrics(font).horizontalAdvance(offer.detail) + 12


def draw_line(painter: QPainter, box: QRect, text: str, *, kind: str, marks: tuple[str, ...], mark: str) -> None:
    """Draw one line of text in a box, cut to fit, with words marked; the painter's pen is its colour."""
    _laid_out(text, kind, box.width(), marks, mark).draw(painter, QPointF(box.topLeft()))


@lru_cache(maxsize=600)  # a list or two: most rows are those of the letter before
def _laid_out(text: str, kind: str, width: int, marks: tuple[str, ...], mark: str) -> QTextLayout:
    font, _ = _face(kind)
    text = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    layout.setTextOption(option)
    layout.setFormats([_marked(text, start, end, mark) for start, end in spans(text, marks)])
    layout.setCacheEnabled(True)
    layout.beginLayout()
    layout.createLine().setLineWidth(width)
    layout.endLayout()
    return layout


def spans(text: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return where the words, in lower case, stand in the text, whatever its case."""
    wanted = _pattern(words)
    return [match.span() for match in wanted.finditer(lowered(text))] if wanted is not None else []


@lru_cache(maxsize=256)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    wanted = sorted({lowered(word) for word in words if word.strip()}, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, wanted))) if wanted else None


def _marked(text: str, start: int, end: int, colour: str) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    # Qt counts UTF-16 units, Python characters.
    marked.start = len(text[:start].encode("utf-16-le")) // 2
    marked.length = len(text[start:end].encode("utf-16-le")) // 2
    marked.format = QTextCharFormat()
    marked.format.setBackground(QColor(colour))
    marked.format.setFontUnderline(True)  # for who does not see the ground
    return marked


def paint_background(painter: QPainter, option: QStyleOptionViewItem, theme: Theme, *, inset: int = 8) -> None:
    """Draw what lies under a row of a list: of the current one with a bar at its left, of one that is pointed at."""
    if option.state & QtWidgets.QStyle.StateFlag.State_Selected:
        box = option.rect
        _ground(painter, box, theme.accent_soft)
        _ground(painter, QRect(box.left(), box.top() + inset, _BAR, box.height() - 2 * inset), theme.accent, 1.5)
    elif option.state & QtWidgets.QStyle.StateFlag.State_MouseOver:
        _ground(painter, option.rect, theme.code)


def _ground(painter: QPainter, box: QRect, colour: str, radius: float = 7) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(box, radius, radius)


@lru_cache(maxsize=16)
def _face(kind: str) -> tuple[QFont, int]:
    """Return the font of a kind of line, and the height of the line."""
    font = text_font(_SIZES[kind], bold=kind == "heading")
    return font, QFontMetrics(font).height() + 3


def text_font(pixels: int, *, bold: bool = False) -> QFont:
    """Return the interface's font in a size of pixels."""
    font = QFont()
    font.setFamilies(families(SANS))
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font
