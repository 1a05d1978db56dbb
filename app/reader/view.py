"""The reader's widget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
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
from app.reader.document import Built, build
from app.reader.drawing import Setting
from app.reader.finding import Finder
from app.reader.fitting import fit
from app.reader.live import LiveCells
from app.reader.markup import Press
from app.reader.pages import PageSet, PlacedCell, Side
from app.reader.painting import Backdrop, Scene
from app.reader.pairing import rows
from app.reader.places import Place, Places
from app.theme import Theme
from app.threads import Door
from app.words import Words
from kb.errors import NoteMissing
from kb.vault import Vault
from snippets.outcome import Outcome

LEAST_ZOOM, MOST_ZOOM = 0.5, 3.0
_ZOOM_STEP = 1.1
_ROOM_ABOVE = 18  # pixels above a place that is gone to
_REACHED = 90  # pixels from the top within which a heading counts as reached


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
        self._places: Places | None = None
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
        found = self._places.height_of_anchor(place) if self._places else None
        if found is None:
            return False
        height, heading = found
        self._scroll_to(height - _ROOM_ABOVE)
        if heading:
            self._announce(place)
        return True

    def go_to_line(self, line: int, *, side: Side | None = None) -> bool:
        """Go to a line of a note's source, in the language named or the first that is shown."""
        height = self._places.height_of_line(line, side) if self._places else None
        if height is not None:
            self._scroll_to(height - _ROOM_ABOVE)
        return height is not None

    def place(self) -> Place | None:
        """Return the place at the top of the view."""
        return self._places.place_at(self.verticalScrollBar().value()) if self._places else None

    def restore(self, place: Place) -> None:
        """Go back to a place, as far as it still exists."""
        if self._places:
            self._scroll_to(self._places.height_of(place))

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
        self._places = Places(pages, built, self._zoom)
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
        if self._built is not None and self._pages is not None:
            fit(self._built, width, two_columns=len(self._pages.sides()) > 1, zoom=self._zoom)

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
        if self._places:
            self._announce(self._places.heading_at(self.verticalScrollBar().value() + _REACHED))

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

    def _top_of(self, block: QTextBlock) -> float:
        return self.document().documentLayout().blockBoundingRect(block).top()

    def _scroll_to(self, top: float) -> None:
        self.document().documentLayout().documentSize()  # the bar's range follows the layout
        self.verticalScrollBar().setValue(round(max(0.0, top)))

    def _nearest_cell(self) -> int | None:
        middle = self.verticalScrollBar().value() + self.viewport().height() / 2
        return self._places.nearest_box(self.textCursor().position(), middle) if self._places else None


def _locator(pages: PageSet) -> Callable[[Side, str], Path]:
    def locate(side: Side, target: str) -> Path:
        if pages.root is None or side not in pages.note_paths:
            raise NoteMissing(target)
        return Vault.open(pages.root).attachment(pages.note_paths[side], target)

    return locate
