"""The icons of the window, drawn from SVG strokes in any colour and for scale factors 1 to 3."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_STROKES = {
    "menu": "M2.5 4h11M2.5 8h11M2.5 12h11",
    "search": "M11.5 7a4.5 4.5 0 1 1-9 0a4.5 4.5 0 0 1 9 0zM10.4 10.4L14 14",
    "chevron": "M4.5 6.5L8 10l3.5-3.5",
    "back": "M10 3.5L5.5 8l4.5 4.5",
    "forward": "M6 3.5L10.500 8L6 12.5",
    "close": "M4.500 4.5l7 7M11.5 4.5l-7 7",
    "chip": "M4 4h8v8h-8zM6 4v-2M10 4v-2M6 14v-2M10 14v-2M4 6h-2M4 10h-2M14 6h-2M14 10h-2",
    "python": "M5.500 4.500L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5",
    "outline": "M2.500 4h11M5.500 8h8M5.500 12h8",
    "help": "M14 8a6 6 0 1 1-12 0a6 6 0 0 1 12 0zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.1M8 11.2v.1",
}
_SIDE = 16


@lru_cache(maxsize=128)
def icon(name: str, colour: str) -> QIcon:
    """Return an icon of 16 pixels in a colour such as #1c2024."""
    drawn = QIcon()
    for scale in (1, 2, 3):
        drawn.addPixmap(_pixmap(name, colour, scale))
    return drawn


def _pixmap(name: str, colour: str, scale: int) -> QPixmap:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="{_STROKES[name]}" fill="none" '
        f'stroke="{colour}" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>'
    )
    pixmap = QPixmap(_SIDE * scale, _SIDE * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, _SIDE * scale, _SIDE * scale))
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    return pixmap
