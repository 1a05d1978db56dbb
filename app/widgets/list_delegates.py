"""Delegates of lists: choices with a detail at the right, and rows of search results with marked words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from PySide6 import QtWidgets  # QStyle by its module: naming it loads six hundred names, which a start does not need
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.style.appearance import Appearance
from app.style.stylesheets import families
from app.style.theme import SANS, Theme
from kb.analysis.tokens import lowered

ROW_ROLE = Qt.ItemDataRole.UserRole + 1
AnyIndex = QModelIndex | QPersistentModelIndex
Detail = Callable[[AnyIndex], str]

_MARGIN, _BETWEEN = 12, 14  # pixels
_LINE = Qt.AlignmentFlag.AlignVCenter
_PADDING = (14, 9)  # pixels left and right, above and below
_SUGGESTION_PADDING = 6  # pixels above and below a suggestion
_NAMES = {"zh": "中", "en": "EN", "mixed": "中 EN"}
_BAR = 3  # pixels of the bar at the left of the current row
_SIZES = {"heading": 15, "place": 12, "excerpt": 14, "why": 12, "offer": 14, "detail": 12}


class ChoiceDelegate(QStyledItemDelegate):
    """Draws the text of a choice, and its detail at the right as far as it fits."""

    def __init__(self, parent: QWidget, *, height: int, theme: Callable[[], Theme], told: Detail) -> None:
        """Draw lines of `height` pixels; `told` returns the detail at the right."""
        super().__init__(parent)
        self._height, self._theme, self._detail = height, theme, told
        self._font, self._small = text_font(14), text_font(13)

    def sizeHint(self, *_: object) -> QSize:
        """Return the size of a line."""
        return QSize(100, self._height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw a line."""
        theme, text, detail = self._theme(), str(index.data()), self._detail(index)
        wide, small = QFontMetrics(self._font), QFontMetrics(self._small)
        box = option.rect.adjusted(_MARGIN, 0, -_MARGIN, 0)
        rest = max(box.width() // 3, box.width() - wide.horizontalAdvance(text) - _BETWEEN)
        is_path = "/" in detail and " " not in detail  # the end of a path says most, of a sentence the beginning
        elide = Qt.TextElideMode.ElideMiddle if is_path else Qt.TextElideMode.ElideRight
        detail = small.elidedText(detail, elide, rest)
        room = box.width() - (small.horizontalAdvance(detail) + _BETWEEN if detail else 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_background(painter, option, theme, inset=6)
        painter.setPen(QColor(theme.dim))
        painter.setFont(self._small)
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | _LINE, detail)
        painter.setPen(QColor(theme.ink))
        painter.setFont(self._font)
        shown = wide.elidedText(text, Qt.TextElideMode.ElideRight, room)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | _LINE, shown)
        painter.restore()


@dataclass(frozen=True)
class Row:
    """One search result as it is shown, and the place it opens."""

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
        """Kind and text of each line that is not empty."""
        place = "    ".join(part for part in (self.place, _NAMES.get(self.lang, "")) if part)
        lines = (("heading", self.heading), ("place", place), ("excerpt", self.excerpt), ("why", self.why))
        return tuple((kind, text) for kind, text in lines if text)

    @property
    def same(self) -> tuple[str, ...]:
        """Identity of the result across two answers."""
        return (self.path, self.anchor, self.heading)

    @property
    def spoken(self) -> str:
        """Text for a screen reader."""
        return ", ".join(text for _, text in self.lines)


@dataclass(frozen=True)
class QuerySuggestion:
    """A completion of the query: choosing it puts `text` into the field; `marks` are the typed words in its label.

    `linked`: the detail names an action and is drawn like a link.
    """

    label: str
    detail: str
    text: str
    marks: tuple[str, ...] = ()
    linked: bool = False

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Kind and text of its only line."""
        return (("offer", self.label),)

    @property
    def same(self) -> tuple[str, ...]:
        """Identity of the suggestion across two answers."""
        return (self.text,)

    @property
    def spoken(self) -> str:
        """Text for a screen reader."""
        return f"{self.label}, {self.detail}" if self.detail else self.label


class RowDelegate(QStyledItemDelegate):
    """Draws the lines of a row: heading, place, excerpt and reason."""

    def __init__(self, look: Appearance, parent: QWidget) -> None:
        """Use the colours of `look`."""
        super().__init__(parent)
        self._look = look

    def sizeHint(self, _: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return a size as high as the row's lines."""
        row = index.data(ROW_ROLE)
        margin = _SUGGESTION_PADDING if isinstance(row, QuerySuggestion) else _PADDING[1]
        return QSize(100, sum(_face(kind)[1] for kind, _ in row.lines) + 2 * margin)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Draw the row."""
        theme, row = self._look.theme, index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_background(painter, option, theme)
        margin = _SUGGESTION_PADDING if isinstance(row, QuerySuggestion) else _PADDING[1]
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
        """Draw the detail of a suggestion at the right edge; return its width with the gap, in pixels."""
        font, _ = _face("detail")
        painter.setFont(font)
        painter.setPen(QColor(self._look.theme.accent if offer.linked else self._look.theme.dim))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, offer.detail)
        return QFontMetrics(font).horizontalAdvance(offer.detail) + 12


def draw_line(painter: QPainter, box: QRect, text: str, *, kind: str, marks: tuple[str, ...], mark: str) -> None:
    """Draw one line of text in a box, elided to fit, with words marked, in the colour of the painter's pen."""
    _laid_out(text, kind, box.width(), marks, mark).draw(painter, QPointF(box.topLeft()))


@lru_cache(maxsize=600)  # one or two lists: most rows stay the same from one typed letter to the next
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
    """Return start and end of each occurrence of the words in the text, ignoring case."""
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
    marked.format.setFontUnderline(True)  # not by colour alone
    return marked


def paint_background(painter: QPainter, option: QStyleOptionViewItem, theme: Theme, *, inset: int = 8) -> None:
    """Draw the background of the current row, with a bar at its left, or of the row under the pointer."""
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
    """Return the font of a kind of line, and the height of the line in pixels."""
    font = text_font(_SIZES[kind], bold=kind == "heading")
    return font, QFontMetrics(font).height() + 3


def text_font(pixels: int, *, bold: bool = False) -> QFont:
    """Return the interface font in a size in pixels."""
    font = QFont()
    font.setFamilies(families(SANS))
    font.setPixelSize(pixels)
    font.setBold(bold)
    return font
