"""Backgrounds in the source: find results, a box for each code fence, a band for the caret's line."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextBlock, QTextCharFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.editor.highlighter import Highlighter
from app.editor.text_search import TextMatch
from app.style.theme import Theme

_MOST = 500  # find results to highlight at a time
_RADIUS = 5  # pixels, of the corners of boxes
_BAND = 0.55  # opacity of the caret's band, so that code shows through


class FindHighlights(QObject):
    """Highlights find results in one field."""

    def __init__(self, field: QPlainTextEdit, theme: Theme) -> None:
        """Start without results."""
        super().__init__(field)
        self._field, self._theme = field, theme
        self._matches: Sequence[TextMatch] = ()
        self._current: TextMatch | None = None
        field.updateRequest.connect(self._on_update_request)

    def show(self, matches: Sequence[TextMatch], current: TextMatch | None) -> None:
        """Highlight these matches, which must be in order; `current` looks different."""
        self._matches, self._current = matches, current
        self._update()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._update()

    def _on_update_request(self, _area: object, scrolled: int) -> None:
        if scrolled and self._matches:
            self._update()

    def _update(self) -> None:
        if not self._matches:  # during a change of the text Qt does not know what is in view
            self._field.setExtraSelections([])
            return
        made: list[QTextEdit.ExtraSelection] = []
        first = self._field.cursorForPosition(self._field.viewport().rect().topLeft()).position()
        last = self._field.cursorForPosition(self._field.viewport().rect().bottomRight()).position()
        at = bisect_left(self._matches, first, key=lambda match: match.end)
        for match in self._matches[at : at + _MOST]:
            if match.start > last:
                break
            made.append(self._selection_of(match))
        self._field.setExtraSelections(made)

    def _selection_of(self, match: TextMatch) -> QTextEdit.ExtraSelection:
        made = QTextEdit.ExtraSelection()
        style = QTextCharFormat()
        current = match == self._current
        style.setFontUnderline(True)  # for users who cannot see the background colour
        style.setBackground(QColor(self._theme.accent if current else self._theme.mark))
        style.setForeground(QColor(self._theme.on_accent if current else self._theme.ink))
        made.cursor, made.format = match.cursor(self._field.document()), style
        return made


def paint_backgrounds(
    painter: QPainter,
    areas: Iterator[tuple[QTextBlock, QRectF]],
    *,
    highlighter: Highlighter,
    theme: Theme,
    caret_block: int,
) -> None:
    """Paint behind the blocks in view; `caret_block` is the block number of the caret, or -1."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    fence, band = QRectF(), QRectF()
    for block, area in areas:
        if block.blockNumber() == caret_block:
            band = area
        ends_open = highlighter.shown_state(block).kind == "fence"
        if ends_open or highlighter.shown_state(block.previous()).kind == "fence":
            fence = area if fence.isNull() else fence.united(area)
            if not ends_open:
                _box(painter, fence, theme.code)
                fence = QRectF()
    if not fence.isNull():
        _box(painter, fence, theme.code)
    if not band.isNull():
        _box(painter, band, theme.accent_soft, opacity=_BAND)


def _box(painter: QPainter, area: QRectF, colour: str, *, opacity: float = 1.0) -> None:
    fill = QColor(colour)
    fill.setAlphaF(opacity)
    painter.setBrush(fill)
    painter.drawRoundedRect(area, _RADIUS, _RADIUS)
