"""The page of the shown note: its document is built, filled, patched when the note changes, and kept in place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QTextBlock
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.backdrop import Backdrop
from app.reader.document_patch import alike, patch
from app.reader.document_search import DocumentSearch
from app.reader.document_writer import FIRST, DocumentWriter, cost, grouped
from app.reader.fill_scheduler import FillScheduler, LayoutThrottle
from app.reader.header_text import note_labels
from app.reader.image_loader import ImageSource
from app.reader.image_object import ImageRefusal, Setting, drawn_summary
from app.reader.language_alignment import CellRow, Row, rows
from app.reader.link_focus import LinkFocus
from app.reader.live_cells import LiveCells
from app.reader.page_set import PageSet, PlacedCell, Side
from app.reader.reader_document import Built, DocumentChunk, build
from app.reader.scroll_anchors import ScrollAnchor, ScrollAnchors
from app.style.stylesheets import GUTTER
from app.style.theme import Theme
from app.widgets.deferred_delete import delete_later
from kb.errors import NoteMissing
from kb.vault.vault import Vault

_COLUMN, _TWO_COLUMNS = 720, 1080  # pixels at zoom 1: 45 Chinese characters, or twice about 34
_LEAST_FOR_TWO = 600  # pixels at zoom 1
_MARGIN, _LEAST_MARGIN, _TOP, _BOTTOM = 40, 20, 22, 120  # pixels
_NARROW = 15  # each margin takes this fraction of a narrow view: width / 15
_BOX_PADDING = 28  # pixels at zoom 1 of a snippet's box, left and right together
_SPACE_ABOVE = 12  # pixels at zoom 1 above a place that the view scrolls to
_QUICK = 0.012  # seconds of layout that are not noticeable while a window is being resized
_RESIZE_MS = 60  # how long a window must keep its size before a slow layout starts
_ZOOM_MS = 30  # delay before a new zoom is applied
_MOST_KEPT = 60  # blocks from the top of the view; the view is kept still by the first that survives a change


class NotePage(QObject):
    """The document that a view shows, with its cells, links and marked words.

    `built`, `anchors` and `backdrop` are None until the first note is shown. Heights are in pixels from the top of the
    document.
    """

    rebuilt = Signal()  # there is a new document
    patched = Signal()  # the document was changed in place

    def __init__(self, view: QTextBrowser, words: Translator, theme: Theme, executor: GuiExecutor | None) -> None:
        """Fill `view`; large pictures are decoded through `executor`."""
        super().__init__(view)
        self._view, self._words, self._executor = view, words, executor
        self.theme, self.zoom = theme, 1.0
        self.pages: PageSet | None = None
        self.built: Built | None = None
        self.anchors: ScrollAnchors | None = None
        self.backdrop: Backdrop | None = None
        self.cells = LiveCells(words, self._keep_place, self)
        self.filling = FillScheduler(self, self._on_filled)
        self.link_focus = LinkFocus(view)
        self.search = DocumentSearch(view.document(), theme)
        self.marked: tuple[str, ...] = ()  # words of a search
        self.remote: dict[str, ImageSource | ImageRefusal] = {}  # requested remote pictures by address
        self._writer: DocumentWriter | None = None
        self._throttle: LayoutThrottle | None = None
        self._side_by_side = True
        self._resize_seconds = 0.0  # how long the last layout for another width took
        self._resize_timer = QTimer(self, singleShot=True, interval=_RESIZE_MS)
        self._resize_timer.timeout.connect(self._on_size_settled)
        self._rebuild_timer = QTimer(self, singleShot=True, interval=_ZOOM_MS)
        self._rebuild_timer.timeout.connect(self.rebuild)

    @property
    def busy(self) -> bool:
        """Whether rows are missing from the document, or a change of size or zoom is not laid out yet."""
        return bool(self.filling.waiting) or self._resize_timer.isActive() or self._rebuild_timer.isActive()

    # Showing a note

    def show(self, pages: PageSet) -> None:
        """Show a note. The same note keeps its place, and the output of cells whose code is unchanged.

        The beginning of a long note is shown at once, the rest soon after. If the same note has changed, only the
        changes are written, and what is in view does not move.
        """
        same = self.pages is not None and self.pages.key == pages.key
        if same and self._patch(pages):
            return
        place = self.place() if same else None
        self.pages = pages
        if not same:
            self.marked = ()
        self._build(keep=same)
        if place is not None:
            self.restore(place)
        else:
            self._view.verticalScrollBar().setValue(0)

    def rebuild(self) -> None:
        """Build the document again, for another theme, zoom or language, and keep the place."""
        place = self.place()
        self._build(keep=True)
        if place is not None:
            self.restore(place)
        self._view.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Show the page in another theme."""
        self.theme = theme
        self.rebuild()

    def set_zoom(self, factor: float) -> None:
        """Scale the page soon, together with any other change of the next 30 ms; 1.0 is the natural size."""
        self.zoom = factor
        self._rebuild_timer.start()

    def show_remote(self, address: str, picture: ImageSource | ImageRefusal) -> None:
        """Show a requested remote picture, or why it cannot be shown."""
        self.remote[address] = picture
        self.rebuild()

    # Building

    def _build(self, *, keep: bool) -> None:
        pages = self.pages
        if pages is None:
            return
        old, link = self.built, self.link_focus.focused(rebuilt=True) if keep else None
        self._rebuild_timer.stop()  # this build has the wanted zoom
        laid = rows(pages)
        first, *others = grouped(laid) or [[]]
        self._show_scroll_bar(always=any(length > FIRST for length in accumulate(map(cost, laid))))
        width = self._view.viewport().width()
        self._side_by_side = _fits_two_languages(width, self.zoom)
        labels = note_labels(pages, self._words)
        built = build(pages, first, self._setting(pages), say=labels, parent=self._view, beside=self._side_by_side)
        self.built = built
        writer = self._writer = DocumentWriter(built, self._adopt, self.theme, self.zoom)
        self.anchors = ScrollAnchors(pages, built, self.zoom)
        self.backdrop = Backdrop(built, self.theme, self.zoom)
        self.rebuilt.emit()
        self._fit(width)
        self.cells.attach(built, _placed(laid), keep=keep)
        self._view.setAccessibleDescription(drawn_summary(pages, self._words))
        shown = sum(map(cost, first))
        while others and shown < FIRST:  # nothing is laid out yet
            shown += sum(map(cost, others[0]))
            writer.append([others.pop(0)])
        built.document.setTextWidth(width)
        built.document.setLayoutEnabled(True)  # all at once, at the right width
        self._view.setDocument(built.document)
        self._throttle = LayoutThrottle(built.document)
        self.link_focus.restore(link)
        sought = self.search.sought
        self.search = DocumentSearch(built.document, self.theme)
        self._search_again(sought if keep else "")
        if old is not None:
            delete_later(old.document)
        self.filling.begin(built, writer, others)

    def _setting(self, pages: PageSet) -> Setting:
        formulas = {side: page.formulas for side, page in pages.pages.items()}
        return Setting(self.theme, self.zoom, self._words, formulas, _locator(pages), self._executor, self.remote)

    def _show_scroll_bar(self, *, always: bool) -> None:
        """Show the scroll bar from the start where one will be needed: its arrival would lay out everything again."""
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if always else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        if policy != self._view.verticalScrollBarPolicy():
            self._view.setVerticalScrollBarPolicy(policy)

    def _adopt(self, chunks: Sequence[DocumentChunk]) -> None:
        """Fill in the tables and cells of new chunks, which are not laid out yet."""
        if self.built is not None:
            for chunk in chunks:
                for columns in chunk.columns:
                    columns.fit(self.built.pictures.column)
        self.cells.adopt([box for chunk in chunks for box in chunk.boxes])

    # Patching

    def _patch(self, pages: PageSet) -> bool:
        """Change the document where the note has changed; return False if it has to be built again."""
        before, built, writer = self.pages, self.built, self._writer
        if before is None or built is None or writer is None or not alike(before, pages):
            return False
        laid, setting, known = rows(pages), self._setting(pages), (built.pages, built.say)
        built.pages, built.say = pages, note_labels(pages, self._words)
        built.pictures.set_theme(setting)
        self.cells.know(_placed(laid))
        self._view.setAccessibleDescription(drawn_summary(pages, self._words))
        if not self._keep_view(lambda: patch(built, writer, self.filling, laid), writer):
            built.pages, built.say = known
            return False
        self.pages = pages
        self.anchors = ScrollAnchors(pages, built, self.zoom)
        self._search_again(self.search.sought)
        self.patched.emit()
        return True

    def _keep_view(self, change: Callable[[], bool], writer: DocumentWriter) -> bool:
        """Change the document, and keep what is in view where it is, as far as it is still there."""
        above, seen, before = self._view.verticalScrollBar().value(), list(self._blocks_in_view()), writer.swap
        if not change():
            return False
        for position, top in seen if writer.swap is not before else ():
            new_position = writer.swap.moved(position)
            if new_position is not None:
                if moved := round(self.top_of(self._view.document().findBlock(new_position)) - top):
                    self.scroll_to(above + moved)
                break
        return True

    def _blocks_in_view(self) -> Iterator[tuple[int, float]]:
        """Yield position and height of the blocks in view, from the top."""
        block = self._view.cursorForPosition(QPoint(self._view.viewport().width() // 4, 1)).block()
        bottom = self._view.verticalScrollBar().value() + self._view.viewport().height()
        for _ in range(_MOST_KEPT):
            if not block.isValid() or (top := self.top_of(block)) > bottom:
                return
            yield block.position(), top
            block = block.next()

    # Marked words

    def show_marks(self) -> None:
        """Highlight the marked words and the matches of a search in the page."""
        self._view.setExtraSelections(self.search.selections())

    def _search_again(self, sought: str) -> None:
        """Mark the same words, and find `sought`, in a document that has changed."""
        if self.marked or sought or self.search.selections():
            self.search.mark(self.marked)
            if sought:
                self.search.find(sought, 0, backward=False)
        self.show_marks()

    def _on_filled(self) -> None:
        """Mark words in the whole page, which until now could only be marked in its beginning."""
        if self.marked or self.search.sought:
            self._search_again(self.search.sought)

    # Geometry

    @property
    def space_above(self) -> int:
        """The pixels above a place that the view scrolls to."""
        return round(_SPACE_ABOVE * self.zoom)

    def top_of(self, block: QTextBlock) -> float:
        """Return where a block begins."""
        return self._view.document().documentLayout().blockBoundingRect(block).top()

    def scroll_to(self, top: float) -> None:
        """Bring a height of the document to the top of the view."""
        self._view.document().documentLayout().documentSize()  # the bar's range follows the layout
        self._view.verticalScrollBar().setValue(round(max(0.0, top)))

    def place(self) -> ScrollAnchor | None:
        """Return the place at the top of the view; the space above a heading belongs to the heading."""
        top = self._view.verticalScrollBar().value() + self.space_above
        return self.anchors.place_at(top) if self.anchors else None

    def restore(self, place: ScrollAnchor) -> None:
        """Scroll back to a place, as far as it still exists; in a long note, as soon as it is filled in."""
        self.filling.reach(
            lambda: self.filling.up_to_line(place.line, place.side) if place.line else 0,
            lambda: self._restore_now(place),
        )

    def _restore_now(self, place: ScrollAnchor) -> None:
        if self.anchors:
            self.scroll_to(self.anchors.height_of(place) - self.space_above)

    def resize(self, event: QResizeEvent) -> None:
        """Lay out for another width and keep the place; a layout that takes long waits until the size settles."""
        two_languages = self.pages is not None and len(self.pages.sides()) > 1
        if two_languages and _fits_two_languages(event.size().width(), self.zoom) != self._side_by_side:
            self._rebuild_timer.start()  # the languages change places, but not while a window is being resized
        if event.size().width() == event.oldSize().width():
            QTextEdit.resizeEvent(self._view, event)
        elif self._resize_seconds < _QUICK:
            self._resize_now(event)
        else:
            self._resize_timer.start()

    def _on_size_settled(self) -> None:
        size = self._view.viewport().size()
        self._resize_now(QResizeEvent(size, size / 2))

    def _resize_now(self, event: QResizeEvent) -> None:
        began, place = time.thread_time(), self.place()
        if self._throttle is not None:
            self._throttle.begin()
        self._fit(event.size().width())
        self.cells.refit()
        QTextEdit.resizeEvent(self._view, event)
        if place is not None:
            self._restore_now(place)
        self._resize_seconds = time.thread_time() - began

    def _fit(self, width: int) -> None:
        if self.built is not None and self.pages is not None:
            two_columns = len(self.pages.sides()) > 1 and self._side_by_side
            _fit_column(self.built, width, two_columns=two_columns, zoom=self.zoom)

    def _keep_place(self, change: Callable[[], None]) -> None:
        """Make a change above the visible part without moving what is in view."""
        block = self._view.cursorForPosition(QPoint(self._view.viewport().width() // 2, 1)).block()
        before, link = self.top_of(block), self.link_focus.focused(rebuilt=False)
        change()
        self.link_focus.restore(link)
        if block.isValid() and (moved := round(self.top_of(block) - before)):
            self.scroll_to(self._view.verticalScrollBar().value() + moved)


def _fits_two_languages(width: int, zoom: float) -> bool:
    """Return whether two languages fit side by side into `width` pixels; else one is shown below the other."""
    return width >= _LEAST_FOR_TWO * zoom


def _fit_column(built: Built, width: int, *, two_columns: bool, zoom: float) -> None:
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


def _placed(laid: Sequence[Row]) -> list[PlacedCell]:
    return [row.placed for row in laid if isinstance(row, CellRow)]


def _locator(pages: PageSet) -> Callable[[Side, str], Path]:
    """Return a function that finds an attachment of the note; it raises KbError."""

    def locate(side: Side, target: str) -> Path:
        if pages.root is None or side not in pages.note_paths:
            raise NoteMissing(target)
        return Vault.open(pages.root).attachment(pages.note_paths[side], target)

    return locate
