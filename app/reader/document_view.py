"""The widget under the page: builds a note's document, fills it, changes it in place, and keeps what is read still."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QPalette, QResizeEvent, QShowEvent, QTextBlock
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QTextBrowser, QTextEdit, QWidget

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.backdrop import Backdrop
from app.reader.document_patch import alike, patch
from app.reader.document_search import DocumentSearch
from app.reader.document_writer import FIRST, DocumentWriter, cost, grouped
from app.reader.fill_scheduler import FillScheduler, LayoutThrottle
from app.reader.header_text import note_labels
from app.reader.image_loader import ImageSource
from app.reader.image_object import ImageRefusal, Setting
from app.reader.language_alignment import CellRow, Row, rows
from app.reader.link_focus import LinkFocus
from app.reader.page_clicks import ClickHandler
from app.reader.page_set import PageSet, PlacedCell, Side
from app.reader.reader_document import Built, DocumentChunk, build
from app.reader.scroll_anchors import ScrollAnchor, ScrollAnchors
from app.style.stylesheets import GUTTER
from app.style.theme import Theme
from app.widgets.deferred_delete import delete_later
from kb.errors import NoteMissing
from kb.vault.vault import Vault

_COLUMN, _TWO_COLUMNS = 720, 1080  # pixels at zoom 1: 45 Chinese characters, or two times about 34
_LEAST_FOR_TWO = 600  # pixels at zoom 1
_MARGIN, _LEAST_MARGIN, _TOP, _BOTTOM = 40, 20, 22, 120
_NARROW = 15  # the part of a narrow view that each margin takes
_BOX_PADDING = 28  # of a snippet's box, left and right together


def fits_two_languages(width: int, zoom: float) -> bool:
    """Tell whether two languages fit beside each other into `width` pixels; else they stand one under the other."""
    return width >= _LEAST_FOR_TWO * zoom


def fit(built: Built, width: int, *, two_columns: bool, zoom: float) -> None:
    """Centre the column within `width` pixels, no wider than is good to read."""
    most = (_TWO_COLUMNS if two_columns else _COLUMN) * zoom
    least = min(_MARGIN, max(_LEAST_MARGIN, width / _NARROW))
    margin = max(least, (width - most) / 2)
    built.column = column = max(80.0, width - 2 * margin)
    built.pictures.column = (column - GUTTER * zoom) / 2 if two_columns else column
    built.pictures.box = column - _BOX_PADDING * zoom
    frame = built.document.rootFrame()
    shape = frame.frameFormat()
    if shape.leftMargin() != margin:
        shape.setMargin(0)
        shape.setLeftMargin(margin)
        shape.setRightMargin(margin)
        shape.setTopMargin(_TOP)
        shape.setBottomMargin(_BOTTOM)
        frame.setFrameFormat(shape)
    for each in built.columns:
        each.fit(built.pictures.column)


_ROOM_ABOVE = 12  # pixels at zoom 1 above a place that is gone to
_QUICK = 0.012  # seconds of laying out that nobody feels while a window is being dragged
_REST_MS = 60  # for which a window's size is to stay before what takes longer is laid out anew
_LOOKED_AT = 60  # blocks from the top of the view, by one of which it is kept still


class DocumentView(QTextBrowser):
    """Has a note's document, and no more to do with what is on it than that."""

    zoom_changed = Signal(float)

    def __init__(
        self, words: Translator, theme: Theme, parent: QWidget | None = None, *, door: GuiExecutor | None = None
    ) -> None:
        """Show nothing yet; large pictures are decoded through `door`."""
        super().__init__(parent)
        self._look_through_a_pane_of_ours()
        self._words, self._theme, self._door = words, theme, door
        self._zoom = 1.0
        self._pages: PageSet | None = None
        self._built: Built | None = None
        self._grower: DocumentWriter | None = None
        self._pacer: LayoutThrottle | None = None
        self._places: ScrollAnchors | None = None
        self._backdrop: Backdrop | None = None
        self._remote: dict[str, ImageSource | ImageRefusal] = {}  # pictures of other machines that were asked for
        self._jumped: tuple[QTextBlock, int] | None = None  # what was gone to, and the scroll bar's value then
        self._beside = True  # the two languages, not one under the other
        self.links = ClickHandler(self, words, lambda: self._built)
        self._ring = LinkFocus(self)
        self._finder = DocumentSearch(self.document(), theme)
        self._marked: tuple[str, ...] = ()
        self._hovered = ""
        self._section = ""
        self._filling = FillScheduler(self, self._on_filled)
        self._spent = 0.0  # seconds that the last laying out for another width took
        self._resting = QTimer(self, singleShot=True, interval=_REST_MS)
        self._resting.timeout.connect(self._on_rested)
        self._zooming = QTimer(self, singleShot=True, interval=30)
        self._zooming.timeout.connect(self._rebuild_in_place)
        self._set_up()

    def _look_through_a_pane_of_ours(self) -> None:
        """Have a viewport like Qt's own, made by Python: to hand that one out PySide loads every kind of widget."""
        pane = QWidget()
        pane.setObjectName("qt_scrollarea_viewport")  # by which a style sheet knows it
        pane.setBackgroundRole(QPalette.ColorRole.Base)
        pane.setMouseTracking(True)
        pane.setCursor(Qt.CursorShape.IBeamCursor)
        self.setViewport(pane)  # which ends the one before
        self.document().documentLayout().setPaintDevice(pane)  # Qt's would go on to measure by that one

    def _set_up(self) -> None:
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._wear_palette()
        self._name_itself()
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._words.changed.connect(self._on_words_changed)

    def _wear_palette(self) -> None:
        """Take on the colours of the theme."""

    def _name_itself(self) -> None:
        self.setAccessibleName(self._words("笔记", "Note"))

    def changeEvent(self, event: QEvent) -> None:
        """Leave the page its fonts where the window is given others: Qt would set all of it in that of the widget."""
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange}:
            QAbstractScrollArea.changeEvent(self, event)
        else:
            super().changeEvent(event)

    def _on_scrolled(self) -> None:
        """Take in that another part of the page is in view."""

    def _on_words_changed(self) -> None:
        self._name_itself()
        self._rebuild_in_place()

    # What is shown

    def show_pages(self, pages: PageSet) -> None:
        """Show a note. The same note again keeps the place, and the output of cells whose code is unchanged.

        Of a long note the beginning is there at once, and the rest soon. Of the same note that says something else by
        now, only that is made anew, and what is looked at stays where it is.
        """
        same = self._pages is not None and self._pages.key == pages.key
        if same and self._patched(pages):
            self._section = ""  # to be told again, as of a page that is built anew
            self._on_scrolled()
            return
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

    def place(self) -> ScrollAnchor | None:
        """Return the place at the top of the view: a heading that was gone to is one, for all the air above it."""
        return self._places.place_at(self.verticalScrollBar().value() + self._room_above) if self._places else None

    def restore(self, place: ScrollAnchor) -> None:
        """Go back to a place, as far as it still exists; in a long note, as soon as that is there."""
        self._filling.reach(
            lambda: self._filling.up_to_line(place.line, place.side) if place.line else 0, lambda: self._restore(place)
        )

    def _restore(self, place: ScrollAnchor) -> None:
        if self._places:
            self._scroll_to(self._places.height_of(place) - self._room_above)

    @property
    def _room_above(self) -> int:
        return round(_ROOM_ABOVE * self._zoom)

    # Building

    def _setting(self, pages: PageSet) -> Setting:
        formulas = {side: page.formulas for side, page in pages.pages.items()}
        return Setting(self._theme, self._zoom, self._words, formulas, _locator(pages), self._door, self._remote)

    def _build(self, *, keep: bool) -> None:
        pages = self._pages
        if pages is None:
            return
        old, link = self._built, self._ring.focused(anew=True) if keep else None
        self._zooming.stop()  # what is built now has the size that is wanted
        laid = rows(pages)
        first, *others = grouped(laid) or [[]]
        self._have_bar(always=any(length > FIRST for length in accumulate(map(cost, laid))))
        self._beside = fits_two_languages(self.viewport().width(), self._zoom)
        built = build(
            pages, first, self._setting(pages), say=note_labels(pages, self._words), parent=self, beside=self._beside
        )
        self.links.theme = self._theme
        self._built, self._hovered, self._section, self._jumped = built, "", "", None
        self._grower = DocumentWriter(built, self._adopt, self._theme, self._zoom)
        self._places = ScrollAnchors(pages, built, self._zoom)
        self._backdrop = Backdrop(built, self._theme, self._zoom)
        self._fit(self.viewport().width())
        self._attach(built, _placed(laid), keep=keep)
        shown = sum(map(cost, first))
        while others and shown < FIRST:  # nothing of it is laid out yet
            shown += sum(map(cost, others[0]))
            self._grower.append([others.pop(0)])
        built.document.setTextWidth(self.viewport().width())
        built.document.setLayoutEnabled(True)  # all at once, at the right width
        self.setDocument(built.document)
        self._pacer = LayoutThrottle(built.document)
        self._ring.restore(link)
        sought = self._finder.sought
        self._finder = DocumentSearch(built.document, self._theme)
        self._find_again(sought if keep else "")
        if old is not None:
            delete_later(old.document)
        self._filling.begin(built, self._grower, others)

    def _have_bar(self, *, always: bool) -> None:
        """Have a scroll bar from the first where there will be one: all would be laid out once more when it comes."""
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if always else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        if policy != self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)

    def _find_again(self, sought: str) -> None:
        """Mark again what was marked and looked for, in a document that has changed."""
        if self._marked or sought or self._finder.selections():
            self._finder.mark(self._marked)
            if sought:
                self._finder.find(sought, 0, backward=False)
        self._show_selections()

    def _patched(self, pages: PageSet) -> bool:
        """Change the document where the note has changed, if that is all, and if it is little."""
        before, built, grower = self._pages, self._built, self._grower
        if before is None or built is None or grower is None or self._places is None or not alike(before, pages):
            return False
        laid, setting, known = rows(pages), self._setting(pages), (built.pages, built.say)
        built.pages, built.say = pages, note_labels(pages, self._words)
        built.pictures.set_theme(setting)
        self._know(_placed(laid))
        if not self._keeping_still(lambda: patch(built, grower, self._filling, laid), grower):
            built.pages, built.say = known
            return False
        self._pages, self._jumped = pages, None
        self._places = ScrollAnchors(pages, built, self._zoom)
        self._find_again(self._finder.sought)
        return True

    def _keeping_still(self, change: Callable[[], bool], grower: DocumentWriter) -> bool:
        """Change the document and leave what is in view where it is, as far as it is still there."""
        above, seen, before = self.verticalScrollBar().value(), list(self._in_sight()), grower.swap
        if not change():
            return False
        for position, top in seen if grower.swap is not before else ():
            place = grower.swap.moved(position)
            if place is not None:
                if moved := round(self._top_of(self.document().findBlock(place)) - top):
                    self._scroll_to(above + moved)
                break
        return True

    def _in_sight(self) -> Iterator[tuple[int, float]]:
        """Yield the blocks from the top of the view on: position, and height in the document."""
        block = self.cursorForPosition(QPoint(self.viewport().width() // 4, 1)).block()
        bottom = self.verticalScrollBar().value() + self.viewport().height()
        for _ in range(_LOOKED_AT):
            if not block.isValid() or (top := self._top_of(block)) > bottom:
                return
            yield block.position(), top
            block = block.next()

    def _attach(self, built: Built, placed: Sequence[PlacedCell], *, keep: bool) -> None:
        """Fill a document that was built but not laid out yet; `keep` says that it is the same note's."""

    def _know(self, placed: Sequence[PlacedCell]) -> None:
        """Take in that the note has these cells now."""

    def _adopt(self, stretches: Sequence[DocumentChunk]) -> None:
        """Fill stretches that are new in the document and not laid out yet."""
        if self._built is not None:
            for stretch in stretches:
                for each in stretch.columns:
                    each.fit(self._built.pictures.column)

    def _on_filled(self) -> None:
        """Mark in all of the page what could be marked in its beginning only."""
        if self._marked or self._finder.sought:
            self._find_again(self._finder.sought)

    def _refit(self) -> None:
        """Adapt to another width what `_attach` filled in."""

    def show_remote(self, address: str, picture: ImageSource | ImageRefusal) -> None:
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

    def wait(self) -> None:
        """Put off for a moment what of a long page is still to come: somebody types, and keys go before it."""
        self._filling.wait()

    def rest(self) -> None:
        """Fill nothing in until the page is seen again, except where a place in it is asked for."""
        self._filling.rest(on=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Go on with a page that is seen."""
        super().showEvent(event)
        self._filling.rest(on=False)

    def hideEvent(self, event: QHideEvent) -> None:
        """Rest."""
        super().hideEvent(event)
        self.rest()

    # Geometry

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the place when the lines break elsewhere; what takes long waits until the window rests."""
        two = self._pages is not None and len(self._pages.sides()) > 1
        if two and fits_two_languages(event.size().width(), self._zoom) != self._beside:
            self._zooming.start()  # the languages change places; not while a window is being dragged
        if event.size().width() == event.oldSize().width():
            super().resizeEvent(event)
        elif self._spent < _QUICK:
            self._resize(event)
        else:
            self._resting.start()

    def _on_rested(self) -> None:
        self._resize(QResizeEvent(self.viewport().size(), self.viewport().size() / 2))

    def _resize(self, event: QResizeEvent) -> None:
        began, place = time.thread_time(), self.place()
        if self._pacer is not None:
            self._pacer.begin()
        self._fit(event.size().width())
        self._refit()
        QTextEdit.resizeEvent(self, event)
        if place is not None:
            self._restore(place)
        self._spent = time.thread_time() - began

    def _keeping_place(self, change: Callable[[], None]) -> None:
        """Make a change above the visible part without moving what is read."""
        block = self.cursorForPosition(QPoint(self.viewport().width() // 2, 1)).block()
        before, link = self._top_of(block), self._ring.focused(anew=False)
        change()
        self._ring.restore(link)
        if block.isValid() and (moved := round(self._top_of(block) - before)):
            self._scroll_to(self.verticalScrollBar().value() + moved)

    def _show_selections(self) -> None:
        self.setExtraSelections(self._finder.selections())

    def _top_of(self, block: QTextBlock) -> float:
        return self.document().documentLayout().blockBoundingRect(block).top()

    def _scroll_to(self, top: float) -> None:
        self.document().documentLayout().documentSize()  # the bar's range follows the layout
        self.verticalScrollBar().setValue(round(max(0.0, top)))


def _placed(laid: Sequence[Row]) -> list[PlacedCell]:
    return [row.placed for row in laid if isinstance(row, CellRow)]


def _locator(pages: PageSet) -> Callable[[Side, str], Path]:
    def locate(side: Side, target: str) -> Path:
        if pages.root is None or side not in pages.note_paths:
            raise NoteMissing(target)
        return Vault.open(pages.root).attachment(pages.note_paths[side], target)

    return locate
