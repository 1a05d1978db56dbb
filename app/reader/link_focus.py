"""The focused link of a page: the ring around it, and how it is found again after its text has changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QEvent, QObject, Qt
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

from app.reader.backdrop import text_rects
from app.reader.text_formats import BUTTON, STOP, fragments
from app.style.theme import Theme

_WIDTH = 2.0  # pixels of the ring
_RADIUS = 6.0  # pixels
_BUTTON_SPACE = {BUTTON: (3.5, 7.5), STOP: (3.5, 7.5)}  # pixels at zoom 1 left and above the letters of buttons
_SPACE = (3.5, 2.0)


@dataclass(frozen=True)
class FocusedLink:
    """The focused link by its index: in the bar of a cell, or in the whole page if `box` is None."""

    number: int
    box: QTextTable | None = None


class LinkFocus(QObject):
    """The focus ring: shown after Tab, hidden after a click."""

    def __init__(self, view: QTextBrowser) -> None:
        super().__init__(view)
        self._view = view
        self._visible = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show the ring after Tab, hide it after a click."""
        if event.type() == QEvent.Type.MouseButtonPress:
            self._visible = False
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            self._visible |= event.key() in {Qt.Key.Key_Tab, Qt.Key.Key_Backtab}
        return super().eventFilter(watched, event)

    def paint(self, theme: Theme, zoom: float) -> None:
        """Paint the ring around the focused link."""
        view = self._view
        if self._visible and view.hasFocus():
            with QPainter(view.viewport()) as painter:
                painter.translate(0, -view.verticalScrollBar().value())
                _paint(painter, view.document(), view.textCursor(), theme=theme, zoom=zoom)

    def focused(self, *, rebuilt: bool) -> FocusedLink | None:
        """Return the focused link before the whole page is `rebuilt`, or else before cells are written."""
        return (
            _focused_link(self._view.textCursor(), rebuilt=rebuilt) if self._visible and self._view.hasFocus() else None
        )

    def restore(self, link: FocusedLink | None) -> None:
        """Focus a link again, whatever its text is now."""
        if link is not None and (cursor := _cursor_of(self._view.document(), link)) is not None:
            self._view.setTextCursor(cursor)


def _paint(painter: QPainter, document: QTextDocument, cursor: QTextCursor, *, theme: Theme, zoom: float) -> None:
    style = link_at(cursor)
    if style is None:
        return
    wide, tall = _BUTTON_SPACE.get(style.toolTip(), _SPACE)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.accent), _WIDTH))
    block = document.findBlock(cursor.selectionStart())
    span = cursor.selectionStart(), cursor.selectionEnd()
    for rect in text_rects(document.documentLayout(), block, span, style.font()):
        ring = rect.adjusted(-wide * zoom, -tall * zoom, wide * zoom, tall * zoom)
        painter.drawRoundedRect(ring, _RADIUS, _RADIUS)


def link_at(cursor: QTextCursor) -> QTextCharFormat | None:
    """Return the format of the link that a cursor has selected; None if it is not a link."""
    if not cursor.hasSelection():
        return None
    end = QTextCursor(cursor)
    end.setPosition(cursor.selectionEnd())
    style = end.charFormat()
    return style if style.isAnchor() and style.anchorHref() else None


def _focused_link(cursor: QTextCursor, *, rebuilt: bool) -> FocusedLink | None:
    if link_at(cursor) is None:
        return None
    start, box = cursor.selectionStart(), None if rebuilt else cursor.currentTable()
    if rebuilt:
        return FocusedLink(sum(1 for begin, _ in links(cursor.document().begin()) if begin < start))
    if box is None:
        return None  # only cells are written, so the cursor keeps its place
    bar = box.cellAt(0, 0).firstCursorPosition().block()
    return FocusedLink(sum(1 for begin, _ in links(bar, bar) if begin < start) if bar.contains(start) else 0, box)


def _cursor_of(document: QTextDocument, link: FocusedLink) -> QTextCursor | None:
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
    """Yield start and end of the links, from a block on, to the end or to the last block."""
    while block.isValid():
        inside = ((at.charFormat().anchorHref(), at.position(), at.length()) for at in fragments(block))
        for href, parts in groupby(inside, key=lambda part: part[0]):
            spans = [(begin, begin + length) for _, begin, length in parts]
            if href:
                yield spans[0][0], spans[-1][1]
        if last is not None and block == last:
            return
        block = block.next()
