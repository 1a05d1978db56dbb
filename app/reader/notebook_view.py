"""The reader's widget: a note with its cells, their output in place, and signals for everything a user can request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QMenu, QTextBrowser, QToolTip, QWidget

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.backdrop import Scene
from app.reader.cell_state import EarlierRun, Hint, Program
from app.reader.image_loader import ImageSource
from app.reader.image_object import ImageRefusal, alt_text_at
from app.reader.input_field import InputFields
from app.reader.link_targets import (
    ButtonTarget,
    EnlargeImage,
    ImageTarget,
    JumpTarget,
    Target,
    as_written,
    readable_target,
)
from app.reader.note_page import NotePage
from app.reader.page_clicks import ClickHandler
from app.reader.page_navigator import PageNavigator
from app.reader.page_set import PageSet, PlacedCell, Side
from app.reader.scroll_anchors import ScrollAnchor
from app.reader.selection_text import plain_text
from app.style.theme import Theme
from app.widgets.accessibility import announce
from snippets.errors import Sentence
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress

LEAST_ZOOM, MOST_ZOOM = 0.5, 3.0
_ZOOM_STEP = 1.1
_EDGE = 48  # pixels from the top, and twice as many from the bottom, where a focused link is too close to the edge


class NotebookView(QTextBrowser):
    """Shows a note, shows the output of its cells in place, and reports what the user requests.

    It opens, runs and loads nothing by itself. Its parts: `page` has the document and its cells, `links` handles
    clicks on the page's own links.
    """

    link_activated = Signal(str)
    link_hovered = Signal(str)  # the true target, "" when the pointer left it
    section_reached = Signal(str)  # anchor of the heading in view
    zoom_changed = Signal(float)
    run_requested = Signal(str, str)  # cell key, device
    stop_requested = Signal(str)
    copy_requested = Signal(str)  # cell key; its code is on the clipboard already
    edit_requested = Signal(int, str)  # line, side ("zh", "en" or "")
    log_requested = Signal(str)  # cell key: open the whole output
    file_requested = Signal(str)  # path of a file that a run left
    hint_requested = Signal(str, int)  # cell key, index of the hint
    typed = Signal(str, str)  # cell key, a line with its end; "" for the end of the input
    blocking_requested = Signal(str)  # cell key: run it again with blocking launches
    python_requested = Signal()  # choose another interpreter
    differs_requested = Signal(str)  # cell key: show how its output differs from the recorded one
    device_menu_requested = Signal(str, QPoint)  # cell key, position on the screen

    def __init__(
        self, words: Translator, theme: Theme, parent: QWidget | None = None, *, executor: GuiExecutor | None = None
    ) -> None:
        """Start empty; large pictures are decoded through `executor`."""
        super().__init__(parent)
        self._replace_viewport()
        self._words = words
        self._hovered = ""  # address of the link under the pointer
        self.page = NotePage(self, words, theme, executor)
        self.links = ClickHandler(self, self.page, words)
        self._navigator = PageNavigator(self, self.page, self.section_reached.emit)
        self.inputs = InputFields(self, self.page, words, self.typed.emit)
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._set_palette(theme)
        self.setAccessibleName(words("笔记", "Note"))
        self.page.rebuilt.connect(self._on_rebuilt)
        self.page.cells.written.connect(self.inputs.place)
        self.verticalScrollBar().valueChanged.connect(self._navigator.report_section)
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.highlighted.connect(self._on_highlighted)
        words.changed.connect(self._on_words_changed)

    def _replace_viewport(self) -> None:
        """Make the viewport in Python: to return Qt's own one PySide would load every kind of widget."""
        pane = QWidget()
        pane.setObjectName("qt_scrollarea_viewport")  # the name that style sheets use
        pane.setBackgroundRole(QPalette.ColorRole.Base)
        pane.setMouseTracking(True)
        pane.setCursor(Qt.CursorShape.IBeamCursor)
        self.setViewport(pane)  # deletes the one before
        self.document().documentLayout().setPaintDevice(pane)  # else Qt would go on measuring by the old one

    def _set_palette(self, theme: Theme) -> None:
        colours = self.palette()
        colours.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        colours.setColor(QPalette.ColorRole.Text, QColor(theme.ink))
        colours.setColor(QPalette.ColorRole.Highlight, QColor(theme.selection))
        colours.setColor(QPalette.ColorRole.HighlightedText, QColor(theme.ink))
        colours.setColor(QPalette.ColorRole.Dark, QColor(theme.line))
        self.setPalette(colours)

    def _on_rebuilt(self) -> None:
        self._hovered = ""
        QTimer.singleShot(0, self, self.inputs.place)  # the document is in view by then

    def _on_words_changed(self) -> None:
        self.setAccessibleName(self._words("笔记", "Note"))
        self.page.rebuild()
        self.page.cells.reword()

    # The page

    def show_pages(self, pages: PageSet) -> None:
        """Show a note. The same note keeps its place, and the output of cells whose code is unchanged."""
        self.page.show(pages)
        self._navigator.report_section()

    def show_remote(self, address: str, picture: ImageSource | ImageRefusal) -> None:
        """Show a requested remote picture, or why it cannot be shown."""
        self.page.show_remote(address, picture)

    def set_theme(self, theme: Theme) -> None:
        """Use another theme; the place and the outputs stay."""
        if theme is not self.page.theme:
            self._set_palette(theme)
            self.page.set_theme(theme)
        self.inputs.set_theme(theme)

    @property
    def zoom(self) -> float:
        """The scale; 1.0 is the natural size."""
        return self.page.zoom

    def set_zoom(self, factor: float) -> None:
        """Scale everything; 1.0 is the natural size."""
        factor = round(min(MOST_ZOOM, max(LEAST_ZOOM, factor)), 2)
        if factor != self.page.zoom:
            self.page.set_zoom(factor)
            self.zoom_changed.emit(factor)

    @property
    def busy(self) -> bool:
        """Whether a part of the page is still to be filled in or laid out."""
        return self.page.busy

    def wait(self) -> None:
        """Pause filling in a long page for a moment, because the user is typing."""
        self.page.filling.wait()

    def rest(self) -> None:
        """Fill nothing in until the page is shown, except up to a place that is requested."""
        self.page.filling.rest(on=True)

    def showEvent(self, event: QShowEvent) -> None:
        """Continue filling in the page."""
        super().showEvent(event)
        self.page.filling.rest(on=False)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop filling in the page."""
        super().hideEvent(event)
        self.rest()

    # Places and words

    @property
    def section(self) -> str:
        """The anchor of the heading in view."""
        return self._navigator.section

    def place(self) -> ScrollAnchor | None:
        """Return the place at the top of the view."""
        return self.page.place()

    def restore(self, place: ScrollAnchor) -> None:
        """Scroll back to a place, as far as it still exists; in a long note, as soon as it is filled in."""
        self.page.restore(place)

    def go_to(self, place: str | int, *, side: Side | None = None) -> bool:
        """Go to a heading's anchor, to another anchor of the page, or to a line; return False if there is none.

        If both languages have such a place, `side` says which is meant; by default it is the first one shown.
        """
        return self._navigator.go_to(place, side=side)

    def go_to_line(self, line: int, *, side: Side | None = None) -> bool:
        """Go to a line of a note's source, in the language named or the first one shown."""
        return self._navigator.go_to_line(line, side=side)

    def shows_line(self, line: int) -> bool:
        """Return whether a line of a note's source is in view, and not at the very edge."""
        return self._navigator.shows_line(line)

    def mark(self, words: Iterable[str]) -> None:
        """Mark the words that a search matched, and show the first of them in the section that is in view."""
        self._navigator.mark(words)

    def find_text(self, text: str, *, backward: bool = False) -> tuple[int, int]:
        """Go to the next match of a text; return its number, from 1, and the number of matches (0, 0: none)."""
        return self._navigator.find_text(text, backward=backward)

    # The cells

    @property
    def placed(self) -> Sequence[PlacedCell]:
        """All cells of the note, also those that are not filled in yet."""
        return self.page.cells.placed

    def cell(self, key: str) -> PlacedCell | None:
        """Return the cell of the shown note with this key.

        A key is the cell's own, followed by "#2" and so on where the two languages of a note have different code
        under one name.
        """
        return next((placed for placed in self.placed if placed.key == key), None)

    def set_device(self, device: str, *, key: str | None = None) -> None:
        """Choose the device of one cell, or of all cells that have no device of their own."""
        self.page.cells.choose_device(device, key)

    def cell_status(self, key: str, status: str, *, detail: str = "") -> None:
        """Show a cell's status in the ledger: passed, failed, stale, never, unavailable ..."""
        self.page.cells.set_standing(key, status, detail)

    def cell_started(self, key: str, device: str, program: Program | None = None) -> None:
        """Show that a run of the cell began, and remove the results of earlier runs."""
        self.page.cells.start(key, device, program or Program())

    def cell_recalled(self, key: str, earlier: EarlierRun, program: Program) -> None:
        """Show the latest run of an earlier session, if the cell has not run in this one."""
        self.page.cells.recall(key, earlier, program)

    def cell_midway(self, key: str, midway: RunProgress) -> None:
        """Show the progress of a run: what it waits for, and which processes are silent."""
        self.page.cells.update_progress(key, midway)

    def cell_offer(self, key: str, reason: Sentence) -> None:
        """Offer another run of the cell, with blocking launches, and say why."""
        self.page.cells.offer(key, reason)

    def cell_output(self, key: str, stream: str, text: str) -> None:
        """Take output of any amount; it is shown at most every 50 ms."""
        self.page.cells.take_output(key, stream, text)

    def cell_image(self, key: str, path: Path) -> None:
        """Show a picture of the run."""
        self.page.cells.take_figure(key, path)

    def cell_pictured(self, key: str, recorded: tuple[Path, ...]) -> None:
        """Show recorded pictures under the recorded output, until there is a run."""
        self.page.cells.picture(key, recorded)

    def cell_file(self, key: str, path: Path, *, size: int | None = None) -> None:
        """List a file of the run, with its size in bytes."""
        self.page.cells.take_file(key, path, size)

    def cell_finished(
        self, key: str, outcome: Outcome, *, failed_line: int | None = None, as_recorded: bool | None = None
    ) -> None:
        """Show how the run ended; `failed_line` counts from 1 in the cell's code."""
        self.page.cells.finish(key, outcome, failed_line=failed_line, as_recorded=as_recorded)
        if (state := self.page.cells.state(key)) is not None:
            said = outcome.sentence(self._words.language)
            announce(self, f"{state.name}: {said}" if state.name else said, urgent=outcome.status != "passed")

    def cell_hints(self, key: str, hints: tuple[Hint, ...]) -> None:
        """List the sections that explain why the run of a cell failed."""
        self.page.cells.show_hints(key, hints)

    def current_cell(self) -> str | None:
        """Return the key of the cell at the text cursor, else of the one nearest the middle of the view."""
        index = self._navigator.nearest_cell()
        return None if index is None else self.page.cells.boxes[index][0].key

    def run_current(self) -> None:
        """Request to run that cell, or to stop it if it is running."""
        if (index := self._navigator.nearest_cell()) is not None:
            state = self.page.cells.state(self.page.cells.boxes[index][0].key)
            self._act(index, "stop" if state is not None and state.running else "run")

    # Clicks

    def _target(self, url: QUrl) -> Target | None:
        return self.page.built.targets.link_of(url.toString()) if self.page.built is not None else None

    def _on_highlighted(self, url: QUrl) -> None:
        self._hovered = url.toString()
        self.link_hovered.emit(readable_target(self._target(url)))
        self.viewport().update()

    def _on_anchor_clicked(self, url: QUrl) -> None:
        target = self._target(url)
        if isinstance(target, ButtonTarget):
            boxes = self.page.cells.boxes
            index = next((at for at, (_, box) in enumerate(boxes) if box.number == target.box), None)
            if index is not None:
                self._act(index, target.action)
        elif target is None or self.links.follow(target):
            return
        elif not (isinstance(target, JumpTarget) and self.go_to(target.anchor, side=target.side)):
            self.link_activated.emit(as_written(target))

    def _act(self, index: int, action: str) -> None:
        """Do what a button of a cell means, such as "run" or "hint:2"."""
        key = self.page.cells.boxes[index][0].key
        verb, _, subject = action.partition(":")
        if request := self._requests.get(verb):
            request(key, subject)
        else:
            self._act_here(index, key, verb, subject)

    @cached_property
    def _requests(self) -> dict[str, Callable[[str, str], object]]:
        """Actions of other parts of the program, called with the cell's key and what follows the colon."""
        return {
            "run": lambda key, _: self.run_requested.emit(key, self.page.cells.device_of(key)),
            "stop": lambda key, _: self.stop_requested.emit(key),
            "log": lambda key, _: self.log_requested.emit(key),
            "differs": lambda key, _: self.differs_requested.emit(key),
            "hint": lambda key, number: self.hint_requested.emit(key, int(number)),
            "open": lambda _, path: self.file_requested.emit(path),
            "blocking": lambda key, _: self.blocking_requested.emit(key),
            "python": lambda *_: self.python_requested.emit(),
        }

    def _act_here(self, index: int, key: str, verb: str, subject: str) -> None:
        """Do what concerns the page alone."""
        cells = self.page.cells
        placed, state = cells.boxes[index][0], cells.state(key)
        if verb == "copy":
            QGuiApplication.clipboard().setText(placed.cell.code)
            cells.show_copied(key)
            self.copy_requested.emit(key)
        elif verb == "install" and state is not None and state.outcome is not None and state.outcome.lack is not None:
            QGuiApplication.clipboard().setText(state.outcome.lack.install or "")
            cells.show_copied(key, "command")
        elif verb == "edit":
            self.edit_requested.emit(placed.cell.line, placed.side)
        elif verb == "device":
            self.device_menu_requested.emit(key, self._below_device(index))
        elif verb == "enlarge":
            self.links.follow(EnlargeImage(ImageTarget(subject, figure=True)))
        elif verb == "line":
            self._go_to_code(key, int(subject))
        elif verb == "stacks":
            cells.turn(key, "stacks", on=state is not None and not state.stacks)
        elif verb in {"apart", "alike"}:
            cells.turn(key, "apart", on=verb == "apart")
        elif verb in {"fold", "unfold"}:
            cells.fold(key, unfolded=verb == "unfold")

    def _go_to_code(self, key: str, line: int) -> None:
        """Mark a line of a cell's code and bring it into view."""
        box = self.page.cells.point_at(key, line)
        block = box.code_block(line) if box is not None else None
        if block is not None:
            self._navigator.show_block(block)
        self.viewport().update()

    def _below_device(self, index: int) -> QPoint:
        """Return the point on the screen below the device button of a cell."""
        table = self.page.cells.boxes[index][1].table
        cursor = table.cellAt(0, 0).firstCursorPosition()
        text = cursor.block().text()
        cursor.setPosition(cursor.block().position() + max(0, text.rfind("▾") - 4))
        return self.viewport().mapToGlobal(self.cursorRect(cursor).bottomLeft() + QPoint(0, 6))

    # Painting and geometry

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the page, what is behind the text, the text, and the focused link."""
        with QPainter(self.viewport()) as painter:  # ends also after an error: an open painter ends the program
            painter.fillRect(event.rect(), QColor(self.page.theme.page))
            if self.page.backdrop is not None:
                y = self.verticalScrollBar().value()
                visible = QRectF(event.rect()).translated(0, y)
                painter.translate(0, -y)
                failed = tuple(self.page.cells.failed_lines())
                self.page.backdrop.paint(painter, Scene(visible, self._hovered, failed))
        super().paintEvent(event)
        self.page.link_focus.paint(self.page.theme, self.page.zoom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the page out for another width and keep the place."""
        self.page.resize(event)
        self.inputs.place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Move the input fields with the page."""
        super().scrollContentsBy(dx, dy)
        self.inputs.place()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the page's fonts when the window gets another font: Qt would set the whole page in it."""
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange}:
            QAbstractScrollArea.changeEvent(self, event)
        else:
            super().changeEvent(event)

    # Keys, wheel, clipboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run the current cell with Ctrl+Enter; zoom with Ctrl+plus, minus and 0."""
        key, control = event.key(), event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.run_current()
            return
        self.page.filling.drop_request()
        if control and key in {Qt.Key.Key_Equal, Qt.Key.Key_Plus}:
            self.set_zoom(self.zoom * _ZOOM_STEP)
        elif control and key == Qt.Key.Key_Minus:
            self.set_zoom(self.zoom / _ZOOM_STEP)
        elif control and key == Qt.Key.Key_0:
            self.set_zoom(1.0)
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next_: bool) -> bool:  # noqa: FBT001 - Qt's own signature
        """Go to the next link, starting from what is in view and keeping off its edges, or leave the page."""
        if not next_ and self.textCursor().hasSelection() and not self.textCursor().selectionStart():
            return self.window().focusNextPrevChild(next_)  # Qt would stay at a link that begins the page
        if not self.textCursor().hasSelection():  # Qt would begin at the ends of the page
            cursor = self.cursorForPosition(QPoint(1, 1 if next_ else self.viewport().height() - 1))
            cursor.movePosition(QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
        went = super().focusNextPrevChild(next_)
        rect, height = self.cursorRect(), self.viewport().height()
        if self.hasFocus() and not _EDGE <= rect.top() <= height - 2 * _EDGE:
            self.page.scroll_to(self.verticalScrollBar().value() + rect.top() - height / 3)
        announce(self, alt_text_at(self.textCursor(), self._words) if went and self.hasFocus() else "")
        return went

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl and the wheel."""
        self.page.filling.drop_request()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self.set_zoom(self.zoom * _ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy clean text."""
        data = QMimeData()
        data.setText(plain_text(self.textCursor()))
        return data

    # Tooltips and menu

    def viewportEvent(self, event: QEvent) -> bool:
        """Show our own tooltips: those of the document mark kinds of text."""
        if not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        hint = self.links.hint(self._target(QUrl(self.anchorAt(event.pos()))))
        if hint:
            QToolTip.showText(event.globalPos(), hint, self.viewport())
        else:
            QToolTip.hideText()
        return True

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the context menu."""
        menu = self.context_menu(event.pos())
        menu.exec(event.globalPos())
        menu.deleteLater()

    def context_menu(self, position: QPoint) -> QMenu:
        """Return the menu for a point of the viewport."""
        words, menu = self._words, QMenu(self)
        copy = menu.addAction(words("复制", "Copy"), self.copy)
        copy.setEnabled(self.textCursor().hasSelection())
        target = self._target(QUrl(self.anchorAt(position)))
        if address := as_written(target):
            address = readable_target(target) if address.startswith("wiki:") else address
            clipboard = QGuiApplication.clipboard()
            menu.addAction(words("复制链接地址", "Copy link address"), lambda: clipboard.setText(address))
        menu.addAction(words("全选", "Select all"), self.selectAll)
        table = self.cursorForPosition(position).currentTable()
        boxes = self.page.cells.boxes
        index = next((at for at, (_, box) in enumerate(boxes) if table and box.table == table), None)
        if index is not None:  # a narrow bar has no space for these buttons
            menu.addSeparator()
            menu.addAction(words("复制代码", "Copy the code"), lambda: self._act(index, "copy"))
            menu.addAction(words("在编辑器中打开", "Open in the editor"), lambda: self._act(index, "edit"))
        return menu
