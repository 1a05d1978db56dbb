"""The reader's widget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QMenu, QTextBrowser, QToolTip, QWidget

from app.reader.copying import plain_text
from app.reader.document import Built, Landmark, anchored_block, build
from app.reader.drawing import Setting
from app.reader.finding import Finder
from app.reader.live import LiveCells
from app.reader.markup import Press
from app.reader.pages import PageSet, PlacedCell, Side
from app.reader.painting import Backdrop, Scene
from app.reader.pairing import rows
from app.theme import Theme
from app.threads import Door
from app.words import Words
from kb.errors import NoteMissing
from kb.vault import Vault
from snippets.outcome import Outcome

LEAST_ZOOM, MOST_ZOOM = 0.5, 3.0
_ZOOM_STEP = 1.1
_COLUMN, _TWO_COLUMNS = 720, 1080  # pixels at zoom 1: 45 Chinese characters, or two times about 32
_LEAST_MARGIN, _TOP, _BOTTOM = 40, 22, 120
_GUTTER = 44  # between the two languages, see the document's sheet
_BOX_PADDING = 28
_REACHED = 90  # pixels from the top within which a heading counts as reached


@dataclass(frozen=True)
class Place:
    """A place in a note: so many pixels (at zoom 1) under what begins at a line of one language."""

    key: str
    side: Side
    line: int
    offset: float


class ReaderView(QTextBrowser):
    """Shows a note, takes the output of its snippets in place, and reports what a person asks for.

    It opens, runs and loads nothing by itself.
    """

    link_activated = Signal(str)
    link_hovered = Signal(str)  # the true target, "" when the pointer left it
    run_requested = Signal(str, str)  # cell key, device
    stop_requested = Signal(str)
    copy_requested = Signal(str)  # cell key; its code is on the clipboard already
    edit_requested = Signal(int, str)  # line, side ("zh", "en" or "")
    log_requested = Signal(str)  # cell key: open the whole output
    file_requested = Signal(str)  # path of a file that a run left
    device_menu_requested = Signal(str, QPoint)  # cell key, where on the screen
    section_reached = Signal(str)
    zoom_changed = Signal(float)

    def __init__(self, words: Words, theme: Theme, parent: QWidget | None = None, *, door: Door | None = None) -> None:
        """Show nothing yet; large pictures are decoded through `door`."""
        super().__init__(parent)
        self._words, self._theme, self._door = words, theme, door
        self._zoom = 1.0
        self._pages: PageSet | None = None
        self._built: Built | None = None
        self._backdrop: Backdrop | None = None
        self._finder = Finder(self.document(), theme)
        self._marked: tuple[str, ...] = ()
        self._hovered = ""
        self._section = ""
        self._live = LiveCells(words, self._keeping_place, self)
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
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.highlighted.connect(self._on_highlighted)
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

    def cell(self, key: str) -> PlacedCell | None:
        """Return the cell of the shown note with this key.

        A key is the cell's own, with "#2" and so on behind it where the two languages of a note have different code
        under one name.
        """
        return next((placed for placed, _ in self._live.boxes if placed.key == key), None)

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

    # The cells

    def set_device(self, device: str, *, key: str | None = None) -> None:
        """Choose the device of one cell, or of all that were given none of their own."""
        self._live.choose_device(device, key)

    def cell_status(self, key: str, status: str, *, detail: str = "") -> None:
        """Say how a cell stands by the ledger: passed, failed, stale, never, unavailable ..."""
        self._live.set_standing(key, status, detail)

    def cell_started(self, key: str, device: str) -> None:
        """Show that a run of the cell began; what an earlier one left goes."""
        self._live.start(key, device)

    def cell_output(self, key: str, stream: str, text: str) -> None:
        """Take output of any amount; it is shown at most every 50 ms."""
        self._live.take_output(key, stream, text)

    def cell_image(self, key: str, path: Path) -> None:
        """Show a picture of the run."""
        self._live.take_figure(key, path)

    def cell_file(self, key: str, path: Path, *, size: int | None = None) -> None:
        """List a file of the run, with its size in bytes."""
        self._live.take_file(key, path, size)

    def cell_finished(
        self, key: str, outcome: Outcome, *, failed_line: int | None = None, as_recorded: bool | None = None
    ) -> None:
        """Say how the run ended; `failed_line` counts from 1 in the cell's code."""
        self._live.finish(key, outcome, failed_line=failed_line, as_recorded=as_recorded)

    def run_current(self) -> None:
        """Ask to run (or stop) the cell of the text cursor, else the one nearest the middle of what is visible."""
        if (index := self._nearest_cell()) is not None:
            key = self._live.boxes[index][0].key
            state = self._live.state(key)
            self._act(index, "stop" if state is not None and state.running else "run")

    # Places

    def go_to(self, place: str | int) -> bool:
        """Go to a heading's anchor, to another anchor of the page, or to a line; False where there is none."""
        if isinstance(place, int):
            return self.go_to_line(place)
        landmark = next((mark for mark in self._landmarks() if mark.anchor == place and place), None)
        block = landmark.block if landmark else anchored_block(self.document(), place)
        if block is None:
            return False
        self._scroll_to(self._top_of(block) - 18)
        if landmark:
            self._announce(place)
        return True

    def go_to_line(self, line: int, *, side: Side | None = None) -> bool:
        """Go to a line of a note's source; between two known places it is found by proportion."""
        marks = self._marks_of(side)
        before = [mark for mark in marks if mark.line <= line]
        if not before:
            return False
        here = before[-1]
        after = next((mark for mark in marks if mark.line > line), None)
        top = self._top_of(here.block)
        if after is not None:
            part = (line - here.line) / (after.line - here.line)
            top += part * max(0.0, self._top_of(after.block) - top)
        self._scroll_to(top - 18)
        return True

    def place(self) -> Place | None:
        """Return the place at the top of the view."""
        if self._pages is None:
            return None
        y = self.verticalScrollBar().value()
        marks = [(self._top_of(mark.block), mark) for mark in self._landmarks()]
        above = [pair for pair in marks if pair[0] <= y + 1]
        if not above:
            return Place(self._pages.key, "", 0, y / self._zoom)
        top, mark = above[-1]
        return Place(self._pages.key, mark.side, mark.line, (y - top) / self._zoom)

    def restore(self, place: Place) -> None:
        """Go back to a place, as far as it still exists."""
        top = 0.0
        marks = self._marks_of(place.side) or self._landmarks()
        if place.line and (before := [mark for mark in marks if mark.line <= place.line]):
            top = self._top_of(before[-1].block)
        self._scroll_to(top + place.offset * self._zoom)

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
        old = self._built
        formulas = {side: page.formulas for side, page in pages.pages.items()}
        setting = Setting(self._theme, self._zoom, self._words, formulas, _locator(pages), self._door)
        built = build(pages, rows(pages), setting, facts=self._facts, parent=self)
        self._built, self._hovered, self._section = built, "", ""
        self._backdrop = Backdrop(built, self._theme, self._zoom)
        self._fit(self.viewport().width())
        self._live.attach(built, keep=keep)
        built.document.setTextWidth(self.viewport().width())
        built.document.setLayoutEnabled(True)  # all at once, at the right width
        self.setDocument(built.document)
        sought = self._finder.sought
        self._finder = Finder(built.document, self._theme)
        self._finder.mark(self._marked)
        if sought and keep:
            self._finder.find(sought, 0, backward=False)
        self._show_selections()
        if old is not None:
            old.document.deleteLater()

    def _rebuild_in_place(self) -> None:
        place = self.place()
        self._build(keep=True)
        if place is not None:
            self.restore(place)
        self.viewport().update()

    def _fit(self, width: int) -> None:
        """Centre the column within `width` pixels, no wider than is good to read."""
        built, pages = self._built, self._pages
        if built is None or pages is None:
            return
        both = len(pages.sides()) > 1
        most = (_TWO_COLUMNS if both else _COLUMN) * self._zoom
        margin = max(_LEAST_MARGIN if width > most / 2 else _LEAST_MARGIN / 2, (width - most) / 2)
        column = max(80.0, width - 2 * margin)
        built.pictures.column = (column - _GUTTER * self._zoom) / 2 if both else column
        built.pictures.box = column - _BOX_PADDING * self._zoom
        frame = built.document.rootFrame()
        shape = frame.frameFormat()
        if shape.leftMargin() != margin:
            shape.setMargin(0)
            shape.setLeftMargin(margin)
            shape.setRightMargin(margin)
            shape.setTopMargin(_TOP)
            shape.setBottomMargin(_BOTTOM)
            frame.setFrameFormat(shape)

    def _facts(self, side: Side) -> str:
        pages = self._pages
        if pages is None:
            return ""
        where = " · ".join(filter(None, [pages.folders.get(side, ""), *pages.tags]))
        return "\u00a0\u00a0\u00a0".join(filter(None, [where, {"zh": "中文", "en": "English"}.get(side, "")]))

    def _wear_palette(self) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        colours.setColor(QPalette.ColorRole.Text, QColor(self._theme.ink))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(self._theme.accent_soft))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(self._theme.ink))
        colours.setColor(QPalette.ColorRole.Dark, QColor(self._theme.line))
        self.setPalette(colours)

    def _name_itself(self) -> None:
        self.setAccessibleName(self._words("笔记", "Note"))

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page, what is behind the text, and the text."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(self._theme.page))
        if self._backdrop is not None:
            y = self.verticalScrollBar().value()
            visible = QRectF(event.rect()).translated(0, y)
            painter.translate(0, -y)
            self._backdrop.paint(painter, Scene(visible, self._hovered, tuple(self._live.failed_lines())))
        painter.end()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the place when the lines break elsewhere."""
        place = self.place()
        self._fit(event.size().width())
        super().resizeEvent(event)
        if place is not None:
            self.restore(place)

    def _keeping_place(self, change: Callable[[], None]) -> None:
        """Make a change above the visible part without moving what is read."""
        block = self.cursorForPosition(QPoint(self.viewport().width() // 2, 1)).block()
        before = self._top_of(block)
        change()
        if block.isValid() and (moved := round(self._top_of(block) - before)):
            self._scroll_to(self.verticalScrollBar().value() + moved)

    def _show_selections(self) -> None:
        self.setExtraSelections(self._finder.selections())

    # Links

    def _on_anchor_clicked(self, url: QUrl) -> None:
        target = self._target(url)
        if isinstance(target, Press):
            self._act(target.box, target.action)
        elif target is not None and not (target.startswith("#") and self.go_to(target[1:])):
            self.link_activated.emit(target)

    def _act(self, index: int, action: str) -> None:
        placed = self._live.boxes[index][0]
        verb, _, subject = action.partition(":")
        if verb == "run":
            self.run_requested.emit(placed.key, self._live.device_of(placed.key))
        elif verb == "stop":
            self.stop_requested.emit(placed.key)
        elif verb == "copy":
            QGuiApplication.clipboard().setText(placed.cell.code)
            self.copy_requested.emit(placed.key)
        elif verb == "edit":
            self.edit_requested.emit(placed.cell.line, placed.side)
        elif verb == "device":
            self.device_menu_requested.emit(placed.key, self._under_action(index))
        elif verb == "log":
            self.log_requested.emit(placed.key)
        elif verb == "open":
            self.file_requested.emit(subject)
        elif verb in {"fold", "unfold"}:
            self._live.fold(placed.key, unfolded=verb == "unfold")

    def _under_action(self, index: int) -> QPoint:
        """Return the point on the screen under the device chooser of a box."""
        table = self._live.boxes[index][1].table
        cursor = table.cellAt(0, 0).firstCursorPosition()
        text = cursor.block().text()
        cursor.setPosition(cursor.block().position() + max(0, text.rfind("▾") - 4))
        return self.viewport().mapToGlobal(self.cursorRect(cursor).bottomLeft() + QPoint(0, 6))

    def _target(self, url: QUrl) -> str | Press | None:
        return self._built.targets.link_of(url.toString()) if self._built is not None else None

    def _on_highlighted(self, url: QUrl) -> None:
        self._hovered = url.toString()
        target = self._target(url)
        self.link_hovered.emit(target if isinstance(target, str) else "")
        self.viewport().update()

    def _on_scrolled(self) -> None:
        y = self.verticalScrollBar().value() + _REACHED
        reached = ""
        for mark in self._landmarks():
            if mark.anchor and self._top_of(mark.block) <= y:
                reached = mark.anchor
        self._announce(reached)

    def _announce(self, anchor: str) -> None:
        if anchor and anchor != self._section:
            self._section = anchor
            self.section_reached.emit(anchor)

    def _on_words_changed(self) -> None:
        self._name_itself()
        self._live.reword()

    # Keys, wheel, menu, clipboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run with Ctrl+Enter, size with Ctrl+plus, minus and 0."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.run_current()
        elif control and event.key() in {Qt.Key.Key_Equal, Qt.Key.Key_Plus}:
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

    def viewportEvent(self, event: QEvent) -> bool:
        """Word the tooltips: the document's own are marks of kinds."""
        if isinstance(event, QHelpEvent):
            self._show_tooltip(event)
            return True
        return super().viewportEvent(event)

    def _show_tooltip(self, event: QHelpEvent) -> None:
        target = self._target(QUrl(self.anchorAt(event.pos())))
        words = self._words
        hints = {
            "run": words("运行 (Ctrl+Enter)", "Run (Ctrl+Enter)"),
            "stop": words("停止 (Ctrl+Enter)", "Stop (Ctrl+Enter)"),
            "device": words("选择设备", "Choose the device"),
            "copy": words("复制代码", "Copy the code"),
            "edit": words("在编辑器中打开", "Open in the editor"),
        }
        hint = hints.get(target.action, "") if isinstance(target, Press) else target
        if hint:
            QToolTip.showText(event.globalPos(), hint, self.viewport())
        else:
            QToolTip.hideText()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer copying, of the selection and of a link's true target."""
        menu = self.context_menu(event.pos())
        menu.exec(event.globalPos())
        menu.deleteLater()

    def context_menu(self, position: QPoint) -> QMenu:
        """Return the menu for a point of the viewport."""
        menu = QMenu(self)
        copy = menu.addAction(self._words("复制", "Copy"), self.copy)
        copy.setEnabled(self.textCursor().hasSelection())
        target = self._target(QUrl(self.anchorAt(position)))
        if isinstance(target, str):
            clipboard = QGuiApplication.clipboard()
            menu.addAction(self._words("复制链接地址", "Copy link address"), lambda: clipboard.setText(target))
        menu.addAction(self._words("全选", "Select all"), self.selectAll)
        return menu

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy clean text."""
        data = QMimeData()
        data.setText(plain_text(self.textCursor()))
        return data

    # Geometry

    def _landmarks(self) -> list[Landmark]:
        return self._built.landmarks if self._built is not None else []

    def _marks_of(self, side: Side | None) -> list[Landmark]:
        """Return the landmarks of one language by line; of the first shown where none is named or known."""
        marks = self._landmarks()
        if side is None or all(mark.side != side for mark in marks):
            side = self._pages.sides()[0] if self._pages is not None and marks else ""
        return sorted((mark for mark in marks if mark.side == side), key=lambda mark: mark.line)

    def _top_of(self, block: QTextBlock) -> float:
        return self.document().documentLayout().blockBoundingRect(block).top()

    def _scroll_to(self, top: float) -> None:
        self.document().documentLayout().documentSize()  # the bar's range follows the layout
        self.verticalScrollBar().setValue(round(max(0.0, top)))

    def _nearest_cell(self) -> int | None:
        boxes = self._live.boxes
        position = self.textCursor().position()
        for index, (_, box) in enumerate(boxes):
            if box.table.firstPosition() <= position <= box.table.lastPosition():
                return index
        layout = self.document().documentLayout()
        middle = self.verticalScrollBar().value() + self.viewport().height() / 2
        rects = [layout.frameBoundingRect(box.table) for _, box in boxes]
        away = [max(rect.top() - middle, middle - rect.bottom(), 0.0) for rect in rects]
        return away.index(min(away)) if away else None


def _locator(pages: PageSet) -> Callable[[Side, str], Path]:
    def locate(side: Side, target: str) -> Path:
        if pages.root is None or side not in pages.note_paths:
            raise NoteMissing(target)
        return Vault.open(pages.root).attachment(pages.note_paths[side], target)

    return locate
