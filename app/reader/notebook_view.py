"""The reader's widget: a note with its snippets, their output in place, and all that can be asked of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHelpEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from app.executor import GuiExecutor
from app.i18n import Translator
from app.reader.cell_state import EarlierRun, Hint, Program
from app.reader.cell_view import CellView
from app.reader.footnotes import footnote_text
from app.reader.image_object import drawn_summary
from app.reader.input_field import InputField
from app.reader.link_targets import (
    ButtonTarget,
    EnlargeImage,
    ImageTarget,
    JumpTarget,
    Target,
    as_written,
    readable_target,
)
from app.reader.live_cells import LiveCells
from app.reader.note_view import NoteView
from app.reader.page_set import PlacedCell
from app.reader.reader_document import Built, DocumentChunk
from app.style.theme import Theme
from app.widgets.accessibility import announce
from app.widgets.deferred_delete import delete_later
from snippets.errors import Sentence
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress


class NotebookView(NoteView):
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
    hint_requested = Signal(str, int)  # cell key, which of its hints
    typed = Signal(str, str)  # cell key, a line with its end; "" for the end of the input
    blocking_requested = Signal(str)  # cell key: run it again with blocking launches
    python_requested = Signal()  # choose another interpreter
    differs_requested = Signal(str)  # cell key: show how its output differs from the recorded one
    device_menu_requested = Signal(str, QPoint)  # cell key, where on the screen

    def __init__(
        self, words: Translator, theme: Theme, parent: QWidget | None = None, *, door: GuiExecutor | None = None
    ) -> None:
        """Show nothing yet; large pictures are decoded through `door`."""
        super().__init__(words, theme, parent, door=door)
        self._live = LiveCells(words, self._keeping_place, self)
        self._fields: dict[str, InputField] = {}
        self._live.written.connect(self._place_fields)
        self.anchorClicked.connect(self._on_anchor_clicked)
        self.highlighted.connect(self._on_highlighted)

    # The cells

    @property
    def placed(self) -> Sequence[PlacedCell]:
        """All cells of the page, those too that are not in the document yet."""
        return self._live.placed

    def cell(self, key: str) -> PlacedCell | None:
        """Return the cell of the shown note with this key.

        A key is the cell's own, with "#2" and so on behind it where the two languages of a note have different code
        under one name.
        """
        return next((placed for placed in self.placed if placed.key == key), None)

    def set_device(self, device: str, *, key: str | None = None) -> None:
        """Choose the device of one cell, or of all that were given none of their own."""
        self._live.choose_device(device, key)

    def cell_status(self, key: str, status: str, *, detail: str = "") -> None:
        """Say how a cell stands by the ledger: passed, failed, stale, never, unavailable ..."""
        self._live.set_standing(key, status, detail)

    def cell_started(self, key: str, device: str, program: Program | None = None) -> None:
        """Show that a run of the cell began, as a program of some name; what an earlier one left goes."""
        self._live.start(key, device, program or Program())

    def cell_recalled(self, key: str, earlier: EarlierRun, program: Program) -> None:
        """Show what an earlier window has seen of a cell that has not run in this one."""
        self._live.recall(key, earlier, program)

    def cell_midway(self, key: str, midway: RunProgress) -> None:
        """Show how a run stands that goes on: what it waits for, and who is silent."""
        self._live.update_progress(key, midway)

    def cell_offer(self, key: str, reason: Sentence) -> None:
        """Offer another run of the cell, with blocking launches, and say why."""
        self._live.offer(key, reason)

    def cell_output(self, key: str, stream: str, text: str) -> None:
        """Take output of any amount; it is shown at most every 50 ms."""
        self._live.take_output(key, stream, text)

    def cell_image(self, key: str, path: Path) -> None:
        """Show a picture of the run."""
        self._live.take_figure(key, path)

    def cell_pictured(self, key: str, recorded: tuple[Path, ...]) -> None:
        """Show recorded pictures under the recorded output, until there is a run."""
        self._live.picture(key, recorded)

    def cell_file(self, key: str, path: Path, *, size: int | None = None) -> None:
        """List a file of the run, with its size in bytes."""
        self._live.take_file(key, path, size)

    def cell_finished(
        self, key: str, outcome: Outcome, *, failed_line: int | None = None, as_recorded: bool | None = None
    ) -> None:
        """Say how the run ended; `failed_line` counts from 1 in the cell's code."""
        self._live.finish(key, outcome, failed_line=failed_line, as_recorded=as_recorded)
        if (state := self._live.state(key)) is not None:
            said = outcome.sentence(self._words.language)
            announce(self, f"{state.name}: {said}" if state.name else said, urgent=outcome.status != "passed")

    def cell_hints(self, key: str, hints: tuple[Hint, ...]) -> None:
        """Name the sections that explain why the run of a cell failed."""
        self._live.show_hints(key, hints)

    def current_cell(self) -> str | None:
        """Return the key of the cell of the text cursor, else of the one nearest the middle of what is visible."""
        index = self._nearest_cell()
        return None if index is None else self._live.boxes[index][0].key

    def run_current(self) -> None:
        """Ask to run (or stop) that cell."""
        if (index := self._nearest_cell()) is not None:
            key = self._live.boxes[index][0].key
            state = self._live.state(key)
            self._act(index, "stop" if state is not None and state.running else "run")

    def _attach(self, built: Built, placed: Sequence[PlacedCell], *, keep: bool) -> None:
        self._live.attach(built, placed, keep=keep)
        self.setAccessibleDescription(drawn_summary(built.pages, self._words))
        QTimer.singleShot(0, self, self._place_fields)  # the document is in view by then

    def _know(self, placed: Sequence[PlacedCell]) -> None:
        self._live.know(placed)
        if self._built is not None:
            self.setAccessibleDescription(drawn_summary(self._built.pages, self._words))

    def _adopt(self, stretches: Sequence[DocumentChunk]) -> None:
        super()._adopt(stretches)
        self._live.adopt([one for stretch in stretches for one in stretch.boxes])

    def _refit(self) -> None:
        self._live.refit()

    def _failed_lines(self) -> tuple[tuple[CellView, int], ...]:
        return tuple(self._live.failed_lines())

    def _on_words_changed(self) -> None:
        super()._on_words_changed()
        self._live.reword()

    def _nearest_cell(self) -> int | None:
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        position = self.textCursor().position()
        return self._places.nearest_box(position, (top, top + height), self._reached()) if self._places else None

    # Links

    def _on_anchor_clicked(self, url: QUrl) -> None:
        target = self._target(url)
        if isinstance(target, ButtonTarget):
            boxes = self._live.boxes
            index = next((at for at, (_, box) in enumerate(boxes) if box.number == target.box), None)
            if index is not None:
                self._act(index, target.action)
        elif target is not None and self.links.follow(target):
            return
        elif target is not None and not (
            isinstance(target, JumpTarget) and self.go_to(target.anchor, side=target.side)
        ):
            self.link_activated.emit(as_written(target))

    def _act(self, index: int, action: str) -> None:
        key = self._live.boxes[index][0].key
        verb, _, subject = action.partition(":")
        if asks := self._asks.get(verb):
            asks(key, subject)
        else:
            self._act_here(index, key, verb, subject)

    @cached_property
    def _asks(self) -> dict[str, Callable[[str, str], object]]:
        """What others are asked to do."""
        return {
            "run": lambda key, _: self.run_requested.emit(key, self._live.device_of(key)),
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
        placed, state = self._live.boxes[index][0], self._live.state(key)
        if verb == "copy":
            QGuiApplication.clipboard().setText(placed.cell.code)
            self._live.show_copied(key)
            self.copy_requested.emit(key)
        elif verb == "install" and state is not None and state.outcome is not None and state.outcome.lack is not None:
            QGuiApplication.clipboard().setText(state.outcome.lack.install or "")
            self._live.show_copied(key, "command")
        elif verb == "edit":
            self.edit_requested.emit(placed.cell.line, placed.side)
        elif verb == "device":
            self.device_menu_requested.emit(key, self._under_action(index))
        elif verb == "enlarge":
            self.links.follow(EnlargeImage(ImageTarget(subject, figure=True)))
        elif verb == "line":
            self._go_to_code(key, int(subject))
        elif verb == "stacks":
            self._live.turn(key, "stacks", on=state is not None and not state.stacks)
        elif verb in {"apart", "alike"}:
            self._live.turn(key, "apart", on=verb == "apart")
        elif verb in {"fold", "unfold"}:
            self._live.fold(key, unfolded=verb == "unfold")

    def _go_to_code(self, key: str, line: int) -> None:
        """Mark a line of a cell's code and bring it into view."""
        box = self._live.point_at(key, line)
        block = box.code_block(line) if box is not None else None
        if block is not None:
            top, y, height = self._top_of(block), self.verticalScrollBar().value(), self.viewport().height()
            if not y + 20 <= top <= y + height - 60:
                self._scroll_to(top - height / 3)
        self.viewport().update()

    # Lines that are typed

    def _place_fields(self) -> None:
        """Have a field over the output of each cell that waits for a line, and none elsewhere."""
        waiting = dict(self._live.waiting())
        for key in self._fields.keys() - waiting.keys():
            field = self._fields.pop(key)
            if field.hasFocus():
                self.setFocus()
            delete_later(field)
        for key in waiting.keys() - self._fields.keys():
            field = self._fields[key] = InputField(self._words, self._theme, self.viewport())
            field.hide_text(hidden=self._live.asks_for_password(key))  # before a letter can be typed
            field.typed.connect(lambda text, key=key: self.typed.emit(key, text))
            if self.hasFocus():
                field.setFocus()
        for key, box in waiting.items():
            block = box.typing_block()  # it may be of a document that is still being made
            if block is not None and block.document() is self.document() and block.layout().lineCount():
                rect, line = self.document().documentLayout().blockBoundingRect(block), block.layout().lineAt(0)
                rect.setBottom(rect.top() + line.y() + line.ascent() + 6 * self._zoom)
                self._fields[key].place(rect.translated(0, -self.verticalScrollBar().value()), self._zoom)
                self._fields[key].hide_text(hidden=self._live.asks_for_password(key))
                self._fields[key].show()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Have the fields follow the page."""
        super().scrollContentsBy(dx, dy)
        self._place_fields()

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme, keeping the place and the outputs."""
        super().set_theme(theme)
        for field in self._fields.values():
            field.set_theme(theme)
        self._place_fields()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Have the fields keep their places."""
        super().resizeEvent(event)
        self._place_fields()

    def _under_action(self, index: int) -> QPoint:
        """Return the point on the screen under the device chooser of a box."""
        table = self._live.boxes[index][1].table
        cursor = table.cellAt(0, 0).firstCursorPosition()
        text = cursor.block().text()
        cursor.setPosition(cursor.block().position() + max(0, text.rfind("▾") - 4))
        return self.viewport().mapToGlobal(self.cursorRect(cursor).bottomLeft() + QPoint(0, 6))

    def _target(self, url: QUrl) -> Target | None:
        return self._built.targets.link_of(url.toString()) if self._built is not None else None

    def _on_highlighted(self, url: QUrl) -> None:
        self._hovered = url.toString()
        self.link_hovered.emit(readable_target(self._target(url)))
        self.viewport().update()

    # Keys, tooltips, menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run with Ctrl+Enter."""
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if control and event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.run_current()
        else:
            super().keyPressEvent(event)

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
            "run": words.with_key(words("运行", "Run"), "run", "Ctrl+Enter"),
            "stop": words.with_key(words("停止", "Stop"), "run", "Ctrl+Enter"),
            "device": words("选择设备", "Choose the device"),
            "copy": words("复制代码", "Copy the code"),
            "edit": words("在编辑器中打开", "Open in the editor"),
            "enlarge": words("放大", "Enlarge"),
            "differs": words("看哪里不同", "See what differs"),
        }
        back = words("回到正文", "Back to the text")
        hint = (
            hints.get(target.action.partition(":")[0], "")
            if isinstance(target, ButtonTarget)
            else self.links.hint(target)
        )
        if isinstance(target, JumpTarget):
            hint = back if target.anchor.startswith("fnref") else footnote_text(self.document(), target)
        hint = hint or readable_target(target)
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
        if address := as_written(target):
            address = readable_target(target) if address.startswith("wiki:") else address
            clipboard = QGuiApplication.clipboard()
            menu.addAction(self._words("复制链接地址", "Copy link address"), lambda: clipboard.setText(address))
        menu.addAction(self._words("全选", "Select all"), self.selectAll)
        self._offer_cell(menu, position)
        return menu

    def _offer_cell(self, menu: QMenu, position: QPoint) -> None:
        """Offer what a narrow bar has no room for."""
        table = self.cursorForPosition(position).currentTable()
        index = next((i for i, (_, box) in enumerate(self._live.boxes) if table and box.table == table), None)
        if index is not None:
            menu.addSeparator()
            menu.addAction(self._words("复制代码", "Copy the code"), lambda: self._act(index, "copy"))
            menu.addAction(self._words("在编辑器中打开", "Open in the editor"), lambda: self._act(index, "edit"))
