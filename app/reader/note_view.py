"""A note's document in a widget: shown, painted, gone about in, searched, sized and copied from."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QMimeData, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextBlock,
    QTextCursor,
    QWheelEvent,
)

from app.reader.backdrop import Scene
from app.reader.cell_view import CellView
from app.reader.document_view import DocumentView
from app.reader.image_object import alt_text_at
from app.reader.page_set import Side
from app.reader.selection_text import plain_text
from app.style.theme import Theme
from app.widgets.accessibility import announce
from kb.markdown.sections import heading_tests

LEAST_ZOOM, MOST_ZOOM = 0.5, 3.0
_ZOOM_STEP = 1.1
_EDGE = 48  # pixels from the top, and twice as many from the bottom, within which a link has the keyboard
_BEGUN = 40  # pixels at zoom 1 from the top of a page within which is its title
_REACHED = 90  # pixels from the top within which a heading counts as reached


class NoteView(DocumentView):
    """Shows a note as a document that loads nothing and follows no link by itself."""

    section_reached = Signal(str)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme, keeping the place and the outputs."""
        if theme is not self._theme:
            self._theme = theme
            self._wear_palette()
            self._rebuild_in_place()

    @property
    def zoom(self) -> float:
        """The scale; 1.0 is the natural size."""
        return self._zoom

    def set_zoom(self, factor: float) -> None:
        """Scale everything; 1.0 is the natural size."""
        factor = round(min(MOST_ZOOM, max(LEAST_ZOOM, factor)), 2)
        if factor != self._zoom:
            self._zoom = factor
            self._zooming.start()
            self.zoom_changed.emit(factor)

    # Places

    def go_to(self, place: str | int, *, side: Side | None = None) -> bool:
        """Go to a heading's anchor, to another anchor of the page, or to a line; False where there is none.

        Where both languages have such a place, `side` says which is meant; else it is the first that is shown.
        """
        if isinstance(place, int):
            return self.go_to_line(place, side=side)
        found = self._there(place, side)
        if isinstance(found, bool):
            return found
        block, heading = found
        self._scroll_to(self._top_of(block) - self._room_above)
        self._jumped = (block, self.verticalScrollBar().value())
        if heading:
            self._announce(heading)
        return True

    def _there(self, anchor: str, side: Side | None) -> tuple[QTextBlock, str] | bool:
        """Return where an anchor is; True where it is on its way, and will be gone to, and False where it is not."""
        if self._places is None:
            return False
        found = self._places.find_heading(anchor, side)
        if anchor and self._filling.waiting and (found is None or found[1] != anchor) and self._to_fill(anchor, found):
            went: list[bool] = []
            self._filling.reach(
                lambda: self._to_fill(anchor, found),
                lambda: went.append(True) if not went else self.go_to(anchor, side=side),
            )
            if not went:
                went.append(False)
                return True
        return self._places.find(anchor, side) or False

    def _to_fill(self, anchor: str, found: object) -> int:
        """Return how many stretches are to be filled in before an anchor is there; 0 where it is not among them.

        Where a heading is `found` that is named likewise, only another one is looked for.
        """
        count = next((count for way in heading_tests(anchor) if (count := self._filling.up_to_heading(way))), 0)
        return count or (0 if found else self._filling.up_to_name(anchor))

    def _reached(self) -> QTextBlock | None:
        """Return the heading that was gone to, for as long as nothing was scrolled since."""
        if self._jumped is None or self._jumped[1] != self.verticalScrollBar().value():
            return None
        return self._jumped[0]

    def go_to_line(self, line: int, *, side: Side | None = None) -> bool:
        """Go to a line of a note's source, in the language named or the first that is shown."""
        if self._places is None or self._places.height_of_line(line, side) is None:
            return False
        known = self._places.known(side)
        self._filling.reach(lambda: self._filling.up_to_line(line, known), lambda: self._scroll_to_line(line, side))
        return True

    def _scroll_to_line(self, line: int, side: Side | None) -> None:
        height = self._places.height_of_line(line, side) if self._places else None
        if height is not None:
            self._scroll_to(height - self._room_above)

    def shows_line(self, line: int) -> bool:
        """Tell whether what a line of a note's source says is in view, and not at the very edge."""
        if self._places is None or self._filling.up_to_line(line, self._places.known(None)):
            return False
        height = self._places.height_of_line(line, None)
        above, seen = self.verticalScrollBar().value(), self.viewport().height()
        return height is not None and above <= height <= above + seen - 5 * self._room_above

    @property
    def section(self) -> str:
        """The anchor of the heading in view."""
        return self._section

    def _on_scrolled(self) -> None:
        if self._places:
            self._announce(self._places.heading_at(self.verticalScrollBar().value() + self._reading_line()))

    def _reading_line(self) -> float:
        """Return how far below the top of the view a heading counts as reached, in pixels.

        A page begins under its first one. Over its last screen the line goes down to the view's end: sections that
        cannot come to its top have their turn, too.
        """
        bar, seen = self.verticalScrollBar(), self.viewport().height()
        reached = min(_REACHED, _BEGUN * self._zoom + bar.value())
        if not bar.maximum() or self._filling.waiting:
            return reached
        left = min(1.0, (bar.maximum() - bar.value()) / min(seen, bar.maximum()))
        return reached + (1 - left) * max(0, seen - reached)

    def _announce(self, anchor: str) -> None:
        if anchor and anchor != self._section:
            self._section = anchor
            self.section_reached.emit(anchor)

    # Finding

    def mark(self, words: Iterable[str]) -> None:
        """Mark the words that a search matched, and show the first of them in the section that is in view."""
        self._marked = tuple(words)
        places = self._finder.mark(self._marked)
        self._show_selections()
        y = self.verticalScrollBar().value()
        for start, _ in places:
            top = self._top_of(self.document().findBlock(start))
            if top >= y:
                if top > y + self.viewport().height() - 60:
                    reached = self._reached()
                    self._scroll_to(top - self.viewport().height() / 3)
                    if reached is not None:  # what was gone to is still what is meant
                        self._jumped = (reached, self.verticalScrollBar().value())
                return

    def find_text(self, text: str, *, backward: bool = False) -> tuple[int, int]:
        """Go to the next place of a text; return its number, from 1, and how many there are (0, 0: none)."""
        self._filling.finish()
        start = self.cursorForPosition(QPoint(1, 1)).position()
        found = self._finder.find(text, start, backward=backward)
        self._show_selections()
        if found is None:
            return 0, 0
        top = self._top_of(self.document().findBlock(found[0]))
        y, height = self.verticalScrollBar().value(), self.viewport().height()
        if not y + 20 <= top <= y + height - 60:
            self._scroll_to(top - height / 3)
        return self._finder.current + 1, self._finder.count

    # Painting

    def _wear_palette(self) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        colours.setColor(QPalette.ColorRole.Text, QColor(self._theme.ink))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(self._theme.selection))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(self._theme.ink))
        colours.setColor(QPalette.ColorRole.Dark, QColor(self._theme.line))
        self.setPalette(colours)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page, what is behind the text, and the text."""
        with QPainter(self.viewport()) as painter:  # which ends whatever fails: one that is left open ends the program
            painter.fillRect(event.rect(), QColor(self._theme.page))
            if self._backdrop is not None:
                y = self.verticalScrollBar().value()
                visible = QRectF(event.rect()).translated(0, y)
                painter.translate(0, -y)
                self._backdrop.paint(painter, Scene(visible, self._hovered, self._failed_lines()))
        super().paintEvent(event)
        self._ring.paint(self._theme, self._zoom)

    def _failed_lines(self) -> tuple[tuple[CellView, int], ...]:
        """Return the lines of code to mark as failed."""
        return ()

    # Keys, wheel, clipboard

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Go to the next link from what is in view, and not to the very edge, or out of the page."""
        if not next_ and self.textCursor().hasSelection() and not self.textCursor().selectionStart():
            return self.window().focusNextPrevChild(next_)  # Qt would stay at a link that begins the page
        if not self.textCursor().hasSelection():  # Qt would begin at the ends of the page
            cursor = self.cursorForPosition(QPoint(1, 1 if next_ else self.viewport().height() - 1))
            cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
        went = super().focusNextPrevChild(next_)
        rect, height = self.cursorRect(), self.viewport().height()
        if self.hasFocus() and not _EDGE <= rect.top() <= height - 2 * _EDGE:
            self._scroll_to(self.verticalScrollBar().value() + rect.top() - height / 3)
        announce(self, alt_text_at(self.textCursor(), self._words) if went and self.hasFocus() else "")
        return went

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Size with Ctrl+plus, minus and 0."""
        self._filling.drop_wish()
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in {Qt.Key.Key_Equal, Qt.Key.Key_Plus}:
            self.set_zoom(self._zoom * _ZOOM_STEP)
        elif control and event.key() == Qt.Key.Key_Minus:
            self.set_zoom(self._zoom / _ZOOM_STEP)
        elif control and event.key() == Qt.Key.Key_0:
            self.set_zoom(1.0)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Size with Ctrl and the wheel."""
        self._filling.drop_wish()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self.set_zoom(self._zoom * _ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy clean text."""
        data = QMimeData()
        data.setText(plain_text(self.textCursor()))
        return data
