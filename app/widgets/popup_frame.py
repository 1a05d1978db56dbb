"""A sheet that lies over the window, with round corners and a soft shadow, at little cost for what it covers.

Whatever lies under a part that is not opaque is painted again with each change of the sheet: the whole page, with every
key. So the sheet itself is a rectangle without its corners, and opaque; a widget under it paints corners and shadow.
"""

from __future__ import annotations

import itertools
from functools import lru_cache

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QHideEvent,
    QMoveEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QWidget

from app.style.appearance import Appearance

_REACH = 24  # pixels of shadow on each side
_FALL = 7  # pixels by which it lies lower than the sheet
_RADIUS = 9
_CORNER = _RADIUS + 1
_HAPPENS = frozenset((QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide))
_DARKNESS = 5  # of 255, for each of the rings that lie over each other


class PopupFrame(QFrame):
    """A frame without a place in a layout, over `window`, hidden at first; it never takes the keyboard."""

    def __init__(self, look: Appearance, window: QWidget) -> None:
        """Lie hidden over `window`, in the colours of `look`."""
        super().__init__(window)
        self._look = look
        self._shade = _Shade(look, window)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill everything: an opaque widget may leave nothing of what lies under it."""
        theme = self._look.theme
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(theme.field))
            for edge in _edges(self.rect()):  # filled: a pen would lie beside the edge where a pixel is more than one
                painter.fillRect(edge, QColor(theme.line))

    def moveEvent(self, event: QMoveEvent) -> None:
        """Take the shadow along."""
        super().moveEvent(event)
        self._shade.follow(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the shadow along, and leave the corners to it."""
        super().resizeEvent(event)
        width, height = self.width(), self.height()
        corners = (QPoint(x, y) for x in (0, width - _CORNER) for y in (0, height - _CORNER))
        shape = QRegion(self.rect())
        for corner in corners:
            shape -= QRegion(corner.x(), corner.y(), _CORNER, _CORNER)
        self.setMask(shape)
        self._shade.follow(self)

    def showEvent(self, event: QShowEvent) -> None:
        """Come with the shadow, over everything."""
        super().showEvent(event)
        self.raise_()
        self._shade.follow(self)

    def hideEvent(self, event: QHideEvent) -> None:
        """Go with the shadow."""
        super().hideEvent(event)
        self._shade.hide()


def _edges(rect: QRect) -> tuple[QRect, ...]:
    """Return the pixels along the edges of a rectangle."""
    width, height = rect.width(), rect.height()
    across = (QRect(0, y, width, 1) for y in (0, height - 1))
    return *across, *(QRect(x, 0, 1, height) for x in (0, width - 1))


class PopupShadow(QWidget):
    """The shadow of what lies over a window, nine pieces of one small picture."""

    def __init__(self, window: QWidget, *, of: QWidget | None = None) -> None:
        """Lie hidden in `window`; come, go and move with the one that it is the shadow `of`."""
        super().__init__(window)
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        if of is not None:
            of.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow what happens to the sheet."""
        if isinstance(watched, QWidget) and event.type() in _HAPPENS:
            self.follow(watched)
        return super().eventFilter(watched, event)

    def follow(self, sheet: QWidget) -> None:
        """Lie under a sheet: a part of the window, or a window of its own above this one."""
        lies = QRect(self._window.mapFromGlobal(sheet.mapToGlobal(QPoint())), sheet.size())
        self.setGeometry(lies.adjusted(-_REACH, -_REACH + _FALL, _REACH, _REACH + _FALL))
        if sheet.isVisible():
            self.raise_() if sheet.isWindow() else self.stackUnder(sheet)
        self.setVisible(sheet.isVisible())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is not under the sheet."""
        picture, side = _rings(), 2 * _REACH
        xs = (0, side, self.width() - side, self.width())
        ys = (0, side, self.height() - side, self.height())
        middle = self._sheet().adjusted(_CORNER, _CORNER, -_CORNER, -_CORNER)
        with QPainter(self) as painter:
            painter.setClipRegion(event.region() - QRegion(middle))
            for row, column in itertools.product(range(3), range(3)):
                room = QRect(QPoint(xs[column], ys[row]), QPoint(xs[column + 1] - 1, ys[row + 1] - 1))
                # In the middle lies the sheet; the field above, painted with every key, touches but the upper pieces.
                if (row, column) != (1, 1) and room.intersects(event.rect()):
                    painter.drawPixmap(room, picture, _piece(row, column, side))
            self._paint_corners(painter)

    def _paint_corners(self, painter: QPainter) -> None:
        """Draw nothing: a window has corners of its own."""

    def _sheet(self) -> QRect:
        """Return where the sheet lies."""
        return self.rect().adjusted(_REACH, _REACH - _FALL, -_REACH, -_REACH - _FALL)


class _Shade(PopupShadow):
    """The shadow of a sheet that is a rectangle without its corners, and those, round."""

    def __init__(self, look: Appearance, window: QWidget) -> None:
        super().__init__(window)
        self._look = look

    def _paint_corners(self, painter: QPainter) -> None:
        theme, sheet = self._look.theme, self._sheet()
        middle = QRegion(sheet.adjusted(_CORNER, 0, -_CORNER, 0)) + QRegion(sheet.adjusted(0, _CORNER, 0, -_CORNER))
        painter.setClipRegion(QRegion(sheet) - middle, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.line), 1))
        painter.setBrush(QColor(theme.field))
        painter.drawRoundedRect(QRectF(sheet).adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS, _RADIUS)


def _piece(row: int, column: int, side: int) -> QRect:
    """Return where a piece lies in the small picture, whose middle row and column are one pixel."""
    starts, lengths = (0, side, side + 1), (side, 1, side)
    return QRect(starts[column], starts[row], lengths[column], lengths[row])


@lru_cache(maxsize=1)
def _rings() -> QPixmap:
    """Draw the shadow of the smallest sheet: many rounded squares over each other, each a little larger."""
    whole = 4 * _REACH + 1
    pixmap = QPixmap(whole, whole)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    for ring in range(_REACH):
        share = (ring / _REACH) ** 2
        painter.setBrush(QColor(0, 0, 0, max(1, round(_DARKNESS * share))))
        radius = _RADIUS + _REACH - ring
        painter.drawRoundedRect(QRectF(ring, ring, whole - 2 * ring, whole - 2 * ring), radius, radius)
    painter.end()
    return pixmap
