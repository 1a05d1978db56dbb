"""The grounds behind the source: one box for each code fence, a band for the caret's line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextBlock, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.editor.highlighter import Highlighter
from app.editor.text_search import TextMatch
from app.style.theme import Theme

_MOST = 500


class FindHighlights(QObject):
    """The marks on one field."""

    def __init__(self, field: QPlainTextEdit, theme: Theme) -> None:
        """Begin without marks."""
        super().__init__(field)
        self._field, self._theme = field, theme
        self._matches: Sequence[TextMatch] = ()
        self._current: TextMatch | None = None
        field.updateRequest.connect(self._on_update_request)

    def show(self, matches: Sequence[TextMatch], current: TextMatch | None) -> None:
        """Mark these places, in order, and the current one among them."""
        self._matches, self._current = matches, current
        self._mark()

    def set_theme(self, theme: Theme) -> None:
        """Take on the colours of a theme."""
        self._theme = theme
        self._mark()

    def _on_update_request(self, _area: object, scrolled: int) -> None:
        if scrolled and self._matches:
            self._mark()

    def _mark(self) -> None:
        if not self._matches:  # while a text changes, Qt does not know yet what is in view
            self._field.setExtraSelections([])
            return
        made: list[QTextEdit.ExtraSelection] = []
        first = self._field.cursorForPosition(self._field.viewport().rect().topLeft()).position()
        last = self._field.cursorForPosition(self._field.viewport().rect().bottomRight()).position()
        at = bisect_left(self._matches, first, key=lambda match: match.end)
        for match in self._matches[at : at + _MOST]:
            if match.start > last:
                break
            made.append(self._marked(match))
        self._field.setExtraSelections(made)

    def _marked(self, match: TextMatch) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        looks = QTextCharFormat()
        current = match == self._current
        looks.setFontUnderline(True)  # for who does not see the ground
        looks.setBackground(QColor(self._theme.accent if current else self._theme.mark))
        looks.setForeground(QColor(self._theme.on_accent if current else self._theme.ink))
        made.cursor, made.format = match.cursor(self._field.document()), looks
        return made


_ROUND = 5  # pixels
_BAND = 0.55  # opacity of the caret's band, so that code shows through


def paint_backgrounds(
    painter: QPainter,
    areas: Iterator[tuple[QTextBlock, QRectF]],
    *,
    highlighter: Highlighter,
    theme: Theme,
    caret_block: int,
) -> None:
    """Paint behind the blocks in view; `caret_block` is -1 where there is no caret to show."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    fence, band = QRectF(), QRectF()
    for block, area in areas:
        if block.blockNumber() == caret_block:
            band = area
        if highlighter.in_fence(block):
            fence = area if fence.isNull() else fence.united(area)
            if highlighter.state_of(block).kind != "fence":
                _box(painter, fence, theme.code)
                fence = QRectF()
    if not fence.isNull():
        _box(painter, fence, theme.code)
    if not band.isNull():
        _box(painter, band, theme.accent_soft, opacity=_BAND)


def _box(painter: QPainter, area: QRectF, colour: str, *, opacity: float = 1.0) -> None:
    ground = QColor(colour)
    ground.setAlphaF(opacity)
    painter.setBrush(ground)
    painter.drawRoundedRect(area, _ROUND, _ROUND)
