"""A note's document in a widget: shown, painted, gone about in, searched, sized and copied from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from app.parts.parting import let_go
from app.reader.boxes import Box
from app.reader.copying import plain_text
from app.reader.document import Built, build
from app.reader.drawing import Refusal, Setting
from app.reader.finding import Finder
from app.reader.fitting import fit, has_room_for_two
from app.reader.links import PageLinks
from app.reader.pages import PageSet, Side
from app.reader.painting import Backdrop, Scene
from app.reader.pairing import rows
from app.reader.pictures import Source
from app.reader.places import Place, Places
from app.reader.ring import Ring
from app.reader.saying import say_of
from app.style.theme import Theme
from app.threads import Door
from app.words import Words
from kb.errors import NoteMissing
from kb.vault import Vault

LEAST_ZOOM, MOST_ZOOM = 0.5, 3.0
_ZOOM_STEP = 1.1
_ROOM_ABOVE = 12  # pixels at zoom 1 above a place that is gone to
_EDGE = 48  # pixels from the top, and twice as many from the bottom, within which a link has the keyboard
_REACHED = 90  # pixels from the top within which a heading counts as reached


class PageView(QTextBrowser):
    """Shows a note as a document that loads nothing and follows no link by itself."""

    section_reached = Signal(str)
    zoom_changed = Signal(float)

    def __init__(self, words: Words, theme: Theme, parent: QWidget | None = None, *, door: Door | None = None) -> None:
        """Show nothing yet; large pictures are decoded through `door`."""
        super().__init__(parent)
        self._words, self._theme, self._door = words, theme, door
        self._zoom = 1.0
        self._pages: PageSet | None = None
        self._built: Built | None = None
        self._places: Places | None = None
        self._backdrop: Backdrop | None = None
        self._remote: dict[str, Source | Refusal] = {}  # pictures of other machines that were asked for
        self._jumped: tuple[QTextBlock, int] | None = None  # what was gone to, and the scroll bar's value then
        self._beside = True  # the two languages, not one under the other
        self.links = PageLinks(self, words, lambda: self._built)
        self._ring = Ring(self)
        self._finder = Finder(self.document(), theme)
        self._marked: tuple[str, ...] = ()
        self._hovered = ""
        self._section = ""
        self._zooming = QTimer(self, singleShot=True, interval=30)
        self._zooming.timeout.connect(self._rebuild_in_place)
        self._set_up()

    def _set_up(self) -> None:
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._wear_palette()
        self._name_itself()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._words.changed.connect(self._on_words_changed)

    # What is shown

    def show_pages(self, pages: PageSet) -> None:
        """Show a note. The same note again keeps the place, and the output of cells whose code is unchanged."""
        same = self._pages is not None and self._pages.key == pages.key
        place = self.place() if same else None
        self._pages = pages
        if not same:
            self._marked = ()
        self._build(keep=same)
        if place is not None:
            self.restore(place)
        else:
            self.verticalScrollBar().setValue(0)
        self._on_scrolled()

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
        found = self._places.find(place, side) if self._places else None
        if found is None:
            return False
        block, heading = found
        self._scroll_to(self._top_of(block) - self._room_above)
        self._jumped = (block, self.verticalScrollBar().value())
        if heading:
            self._announce(heading)
        return True

    def _reached(self) -> QTextBlock | None:
        """Return the heading that was gone to, for as long as nothing was scrolled since."""
        if self._jumped is None or self._jumped[1] != self.verticalScrollBar().value():
            return None
        return self._jumped[0]

    def go_to_line(self, line: int, *, side: Side | None = None) -> bool:
        """Go to a line of a note's source, in the language named or the first that is shown."""
        height = self._places.height_of_line(line, side) if self._places else None
        if height is not None:
            self._scroll_to(height - self._room_above)
        return height is not None

    def shows_line(self, line: int) -> bool:
        """Tell whether what a line of a note's source says is in view, and not at the very edge."""
        height = self._places.height_of_line(line, None) if self._places else None
        above, seen = self.verticalScrollBar().value(), self.viewport().height()
        return height is not None and above <= height <= above + seen - 5 * self._room_above

    def place(self) -> Place | None:
        """Return the place at the top of the view: a heading that was gone to is one, for all the air above it."""
        return self._places.place_at(self.verticalScrollBar().value() + self._room_above) if self._places else None

    def restore(self, place: Place) -> None:
        """Go back to a place, as far as it still exists."""
        if self._places:
            self._scroll_to(self._places.height_of(place) - self._room_above)

    @property
    def _room_above(self) -> int:
        return round(_ROOM_ABOVE * self._zoom)

    @property
    def section(self) -> str:
        """The anchor of the heading in view."""
        return self._section

    def _on_scrolled(self) -> None:
        if self._places:
            self._announce(self._places.heading_at(self.verticalScrollBar().value() + _REACHED))

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
                    self._scroll_to(top - self.viewport().height() / 3)
                return

    def find_text(self, text: str, *, backward: bool = False) -> tuple[int, int]:
        """Go to the next place of a text; return its number, from 1, and how many there are (0, 0: none)."""
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

    # Building

    def _build(self, *, keep: bool) -> None:
        pages = self._pages
        if pages is None:
            return
        old, link = self._built, self._ring.held(anew=True) if keep else None
        formulas = {side: page.formulas for side, page in pages.pages.items()}
        setting = Setting(self._theme, self._zoom, self._words, formulas, _locator(pages), self._door, self._remote)
        self._beside = has_room_for_two(self.viewport().width(), self._zoom)
        say = say_of(pages, self._words)
        built = build(pages, rows(pages), setting, say=say, parent=self, beside=self._beside)
        self.links.theme = self._theme
        self._built, self._hovered, self._section, self._jumped = built, "", "", None
        self._places = Places(pages, built, self._zoom)
        self._backdrop = Backdrop(built, self._theme, self._zoom)
        self._fit(self.viewport().width())
        self._attach(built, keep=keep)
        built.document.setTextWidth(self.viewport().width())
        built.document.setLayoutEnabled(True)  # all at once, at the right width
        self.setDocument(built.document)
        self._ring.hold(link)
        sought = self._finder.sought
        self._finder = Finder(built.document, self._theme)
        self._finder.mark(self._marked)
        if sought and keep:
            self._finder.find(sought, 0, backward=False)
        self._show_selections()
        if old is not None:
            let_go(old.document)

    def _attach(self, built: Built, *, keep: bool) -> None:
        """Fill a document that was built but not laid out yet; `keep` says that it is the same note's."""

    def _refit(self) -> None:
        """Adapt to another width what `_attach` filled in."""

    def show_remote(self, address: str, picture: Source | Refusal) -> None:
        """Show a picture of another machine that was asked for, or why there is none."""
        self._remote[address] = picture
        self._rebuild_in_place()

    def _rebuild_in_place(self) -> None:
        place = self.place()
        self._build(keep=True)
        if place is not None:
            self.restore(place)
        self.viewport().update()

    def _fit(self, width: int) -> None:
        if self._built is not None and self._pages is not None:
            two_columns = len(self._pages.sides()) > 1 and self._beside
            fit(self._built, width, two_columns=two_columns, zoom=self._zoom)

    def _wear_palette(self) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        colours.setColor(QPalette.ColorRole.Text, QColor(self._theme.ink))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(self._theme.selection))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(self._theme.ink))
        colours.setColor(QPalette.ColorRole.Dark, QColor(self._theme.line))
        self.setPalette(colours)

    def _name_itself(self) -> None:
        self.setAccessibleName(self._words("笔记", "Note"))

    def _on_words_changed(self) -> None:
        self._name_itself()
        self._rebuild_in_place()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page, what is behind the text, and the text."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._theme.page))
        if self._backdrop is not None:
            y = self.verticalScrollBar().value()
            visible = QRectF(event.rect()).translated(0, y)
            painter.translate(0, -y)
            self._backdrop.paint(painter, Scene(visible, self._hovered, self._failed_lines()))
        painter.end()
        super().paintEvent(event)
        self._ring.paint(self._theme, self._zoom)

    def _failed_lines(self) -> tuple[tuple[Box, int], ...]:
        """Return the lines of code to mark as failed."""
        return ()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the place when the lines break elsewhere."""
        place = self.place()
        two = self._pages is not None and len(self._pages.sides()) > 1
        if two and has_room_for_two(event.size().width(), self._zoom) != self._beside:
            self._zooming.start()  # the languages change places; not while a window is being dragged
        self._fit(event.size().width())
        self._refit()
        super().resizeEvent(event)
        if place is not None:
            self.restore(place)

    def _keeping_place(self, change: Callable[[], None]) -> None:
        """Make a change above the visible part without moving what is read."""
        block = self.cursorForPosition(QPoint(self.viewport().width() // 2, 1)).block()
        before, link = self._top_of(block), self._ring.held(anew=False)
        change()
        self._ring.hold(link)
        if block.isValid() and (moved := round(self._top_of(block) - before)):
            self._scroll_to(self.verticalScrollBar().value() + moved)

    def _show_selections(self) -> None:
        self.setExtraSelections(self._finder.selections())

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
        return went

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Size with Ctrl+plus, minus and 0."""
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

    # Geometry

    def _top_of(self, block: QTextBlock) -> float:
        return self.document().documentLayout().blockBoundingRect(block).top()

    def _scroll_to(self, top: float) -> None:
        self.document().documentLayout().documentSize()  # the bar's range follows the layout
        self.verticalScrollBar().setValue(round(max(0.0, top)))


def _locator(pages: PageSet) -> Callable[[Side, str], Path]:
    def locate(side: Side, target: str) -> Path:
        if pages.root is None or side not in pages.note_paths:
            raise NoteMissing(target)
        return Vault.open(pages.root).attachment(pages.note_paths[side], target)

    return locate
