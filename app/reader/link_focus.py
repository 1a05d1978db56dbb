"""The link of a page that the keyboard is on: the ring around it, and how to find it again when its text is another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPen,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser

from app.reader.backdrop import fragments, text_rects
from app.reader.text_formats import BUTTON, STOP
from app.style.theme import Theme

_WIDTH = 2.0  # pixels
_ROUND = 6.0
_ROOM = {BUTTON: (3.5, 7.5), STOP: (3.5, 7.5)}  # beside and above the letters of what is drawn as a button
_PLAIN_ROOM = (3.5, 2.0)


@dataclass(frozen=True)
class FocusedLink:
    """Which link of a page it was: the so-manieth of the bar of a snippet's box, or of the whole page."""

    number: int
    box: QTextTable | None = None


class LinkFocus(QObject):
    """Shown where the keyboard came by a key; a click needs none, and takes it away."""

    def __init__(self, view: QTextBrowser) -> None:
        """Watch a page."""
        super().__init__(view)
        self._view = view
        self._on = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Come with Tab, go with a click."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self._on = False
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self._on |= event.key() in {Qt.Key.Key_Tab, Qt.Key.Key_Backtab}
        return super().eventFilter(watched, event)

    def paint(self, theme: Theme, zoom: float) -> None:
        """Paint around the link that the keyboard is on."""
        view = self._view
        if self._on and view.hasFocus():
            with QPainter(view.viewport()) as painter:
                painter.translate(0, -view.verticalScrollBar().value())
                _paint(painter, view.document(), view.textCursor(), theme=theme, zoom=zoom)

    def focused(self, *, rebuilt: bool) -> FocusedLink | None:
        """Return which link that is, before the whole page is made `anew`, or boxes are written."""
        return _held(self._view.textCursor(), rebuilt=rebuilt) if self._on and self._view.hasFocus() else None

    def restore(self, link: FocusedLink | None) -> None:
        """Have the keyboard on the link that it was on, whatever that says now."""
        if link is not None and (cursor := _again(self._view.document(), link)) is not None:
            self._view.setTextCursor(cursor)


def _paint(painter: QPainter, document: QTextDocument, cursor: QTextCursor, *, theme: Theme, zoom: float) -> None:
    looks = link_at(cursor)
    if looks is None:
        return
    wide, tall = _ROOM.get(looks.toolTip(), _PLAIN_ROOM)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.accent), _WIDTH))
    block = document.findBlock(cursor.selectionStart())
    stretch = cursor.selectionStart(), cursor.selectionEnd()
    for rect in text_rects(document.documentLayout(), block, stretch, looks.font()):
        painter.drawRoundedRect(_around(rect, wide * zoom, tall * zoom), _ROUND, _ROUND)


def link_at(cursor: QTextCursor) -> QTextCharFormat | None:
    """Return the format of the link that a cursor has selected; None where it is none."""
    if not cursor.hasSelection():
        return None
    end = QTextCursor(cursor)
    end.setPosition(cursor.selectionEnd())
    looks = end.charFormat()
    return looks if looks.isAnchor() and looks.anchorHref() else None


def _held(cursor: QTextCursor, *, rebuilt: bool) -> FocusedLink | None:
    if link_at(cursor) is None:
        return None
    start, box = cursor.selectionStart(), None if rebuilt else cursor.currentTable()
    if rebuilt:
        return FocusedLink(sum(1 for begin, _ in links(cursor.document().begin()) if begin < start))
    if box is None:
        return None  # nothing but boxes is written, and a cursor keeps its place
    bar = box.cellAt(0, 0).firstCursorPosition().block()
    return FocusedLink(sum(1 for begin, _ in links(bar, bar) if begin < start) if bar.contains(start) else 0, box)


def _again(document: QTextDocument, link: FocusedLink) -> QTextCursor | None:
    bar = link.box.cellAt(0, 0).firstCursorPosition().block() if link.box is not None else None
    found = None
    for number, found in enumerate(links(bar or document.begin(), bar)):  # noqa: B007 - the last one, if too few
        if number == link.number:
            break
    if found is None:
        return None
    cursor = QTextCursor(document)
    cursor.setPosition(found[0])
    cursor.setPosition(found[1], QTextCursor.MoveMode.KeepAnchor)
    return cursor


def links(block: QTextBlock, last: QTextBlock | None = None) -> Iterator[tuple[int, int]]:
    """Yield from where to where the links stand, from a block on, to the end or to the last block."""
    while block.isValid():
        inside = ((at.charFormat().anchorHref(), at.position(), at.length()) for at in fragments(block))
        for href, parts in groupby(inside, key=lambda part: part[0]):
            stretch = [(begin, begin + length) for _, begin, length in parts]
            if href:
                yield stretch[0][0], stretch[-1][1]
        if last is not None and block == last:
            return
        block = block.next()


def _around(rect: QRectF, wide: float, tall: float) -> QRectF:
    return rect.adjusted(-wide, -tall, wide, tall)
