"""A picture over the whole window: zoomed with the wheel or keys, moved with the mouse, closed with Escape."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

MOST, LEAST = 16.0, 0.05
_STEP = 1.2
_MARGIN = 36  # pixels around a fitted picture
_MOVED = 4  # pixels from which a press is a drag


class ImageViewer(QWidget):
    """Covers a window and shows one picture, at first as large as it fits, at most twice its own size."""

    def __init__(
        self, window: QWidget, size: QSizeF, draw: Callable[[QPainter, QRectF], object], *, name: str, paper: str
    ) -> None:
        """Show what `draw` paints into a rectangle; `size` is its own size in pixels, `paper` its background colour."""
        super().__init__(window)
        self._window = window
        self._size, self._draw, self._paper = size, draw, paper
        self._scale = 1.0
        self._middle = QPointF()
        self._pressed: QPoint | None = None
        self._dragged = False
        self._before = window.focusWidget()
        self.setAccessibleName(name)
        self.setObjectName("enlarged")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        window.installEventFilter(self)
        self.setGeometry(window.rect())
        self.fit()
        self.show()  # above everything in the window, as the last child
        self.setFocus()

    @property
    def scale(self) -> float:
        """The scale; 1.0 is the picture's own size."""
        return self._scale

    def fit(self) -> None:
        """Fit the picture into the window."""
        room = QSizeF(max(1, self.width() - 2 * _MARGIN), max(1, self.height() - 2 * _MARGIN))
        self._scale = min(2.0, room.width() / self._size.width(), room.height() / self._size.height())
        self._middle = QRectF(self.rect()).center()
        self.update()

    def zoom(self, factor: float, about: QPointF | None = None) -> None:
        """Zoom by a factor about a point, by default the middle."""
        about = QRectF(self.rect()).center() if about is None else about
        scale = min(MOST, max(LEAST, self._scale * factor))
        self._middle = about + (self._middle - about) * (scale / self._scale)
        self._scale = scale
        self.update()

    def leave(self) -> None:
        """Close, and return the focus to where it was."""
        self._window.removeEventFilter(self)
        self.hide()
        if self._before is not None:
            self._before.setFocus()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
            self.fit()
        return super().eventFilter(watched, event)

    def _rect(self) -> QRectF:
        size = self._size * self._scale
        return QRectF(self._middle - QPointF(size.width() / 2, size.height() / 2), size)

    def paintEvent(self, _: QPaintEvent) -> None:
        """Darken the window and paint the picture on its paper."""
        rect = self._rect()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(0, 0, 0, 190))
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.fillRect(rect, QColor(self._paper))
            self._draw(painter, rect)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape, Enter or the space bar; zoom with plus, minus, 0 and 1; move with the arrow keys."""
        key, step = event.key(), 60.0
        moves = {
            Qt.Key.Key_Left: QPointF(step, 0),
            Qt.Key.Key_Right: QPointF(-step, 0),
            Qt.Key.Key_Up: QPointF(0, step),
            Qt.Key.Key_Down: QPointF(0, -step),
        }
        if key in {Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            self.leave()
        elif key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal}:
            self.zoom(_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        elif key == Qt.Key.Key_1:
            self.zoom(1 / self._scale)
        elif key in moves:
            self._middle += moves[Qt.Key(key)]
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom about the pointer."""
        if event.angleDelta().y():
            self.zoom(_STEP ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag the picture."""
        self._pressed, self._dragged = event.position().toPoint(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the picture."""
        here = event.position().toPoint()
        if self._pressed is not None and (self._dragged or (here - self._pressed).manhattanLength() >= _MOVED):
            self._middle += QPointF(here - self._pressed)
            self._pressed, self._dragged = here, True
            self.update()

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        """Close after a click that moved nothing."""
        if self._pressed is not None and not self._dragged:
            self.leave()
        self._pressed = None
