"""The grounds behind the source: one box for each code fence, a band for the caret's line."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QTextBlock

from app.editor.highlighter import Highlighter
from app.style.theme import Theme

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
