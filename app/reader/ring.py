"""The ring around the link of a page that the keyboard is on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextCharFormat, QTextCursor, QTextDocument

from app.reader.formats import BUTTON, STOP
from app.reader.painting import stretch_rects
from app.style.theme import Theme

_WIDTH = 2.0  # pixels
_ROUND = 6.0
_ROOM = {BUTTON: (3.5, 7.5), STOP: (3.5, 7.5)}  # beside and above the letters of what is drawn as a button
_PLAIN_ROOM = (3.5, 2.0)


def paint_ring(painter: QPainter, document: QTextDocument, cursor: QTextCursor, *, theme: Theme, zoom: float) -> None:
    """Paint around what a cursor has selected, if that is a link; the painter is in document coordinates."""
    looks = link_at(cursor)
    if looks is None:
        return
    wide, tall = _ROOM.get(looks.toolTip(), _PLAIN_ROOM)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.accent), _WIDTH))
    block = document.findBlock(cursor.selectionStart())
    stretch = cursor.selectionStart(), cursor.selectionEnd()
    for rect in stretch_rects(document.documentLayout(), block, stretch, looks.font()):
        painter.drawRoundedRect(_around(rect, wide * zoom, tall * zoom), _ROUND, _ROUND)


def link_at(cursor: QTextCursor) -> QTextCharFormat | None:
    """Return the format of the link that a cursor has selected; None where it is none."""
    if not cursor.hasSelection():
        return None
    end = QTextCursor(cursor)
    end.setPosition(cursor.selectionEnd())
    looks = end.charFormat()
    return looks if looks.isAnchor() and looks.anchorHref() else None


def _around(rect: QRectF, wide: float, tall: float) -> QRectF:
    return rect.adjusted(-wide, -tall, wide, tall)
