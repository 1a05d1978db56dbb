"""The cells of the shown note during runs: takes output and events, and writes them at most every 50 ms."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextCursor

from app.i18n import Translator
from app.reader import cell_text
from app.reader.cell_state import CellState, Copied, EarlierRun, Hint, Program, name_of, state_of
from app.reader.cell_view import CellView
from app.reader.page_set import PlacedCell
from app.reader.reader_document import Built
from kb.rendering.rendered_page import Cell
from snippets.errors import Sentence
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress

PAUSE_MS = 50
COPIED_MS = 1600  # how long a cell says that its code was copied
_SHARE = 4  # after writing, the pause is at least this many times its duration
_SECOND_MS = 1000


class LiveCells(QObject):
    """States by cell key; they outlive the document, which is rebuilt for another theme, zoom or language.

    A page may have thousands of cells: the state of a cell is created on first use.
    """

    written = Signal()  # the text of cells changed

    def __init__(self, words: Translator, around: Callable[[Callable[[], None]], None], parent: QObject) -> None:
        """Write through `around`, so that the page can keep its place."""
        super().__init__(parent)
        self._words = words
        self._around = around
        self._cells: dict[str, Cell] = {}
        self._states: dict[str, CellState] = {}  # those in use
        self._boxes: list[tuple[PlacedCell, CellView]] = []
        self._placed: Sequence[PlacedCell] = ()
        self._built: Built | None = None
        self._device = "cpu"
        self._dirty: set[str] = set()
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self._clock = QTimer(self, interval=_SECOND_MS)
        self._clock.timeout.connect(self._on_second)
        self._copied = QTimer(self, singleShot=True, interval=COPIED_MS)
        self._copied.timeout.connect(lambda: self.show_copied(None))

    @property
    def boxes(self) -> list[tuple[PlacedCell, CellView]]:
        """The cells in the document, from top to bottom."""
        return self._boxes

    @property
    def placed(self) -> Sequence[PlacedCell]:
        """All cells of the note, also those that are not in the document yet."""
        return self._placed

    def attach(self, built: Built, placed: Sequence[PlacedCell], *, keep: bool) -> None:
        """Write into a new document; with `keep`, cells whose code is unchanged keep their output."""
        self._built, self._boxes = built, built.boxes
        self._know(placed, self._states if keep else {})
        self._dirty = set(self._cells)
        self._write()

    def know(self, placed: Sequence[PlacedCell]) -> None:
        """Take the cells of a note that changed; those whose code is unchanged keep their output."""
        before = {key: (state, state.recorded) for key, state in self._states.items()}
        self._know(placed, self._states)
        for key, (state, recorded) in before.items():
            if self._states.get(key) is not state or state.recorded != recorded:
                self._dirty.add(key)

    def adopt(self, fresh: Sequence[tuple[PlacedCell, CellView]]) -> None:
        """Write cells that are new in the document."""
        if self._built is not None:
            for placed, box in fresh:
                if (state := self.state(placed.key)) is not None:
                    self._write_bar(box, state, self._built.column)
                    box.write_body(cell_text.body(state, self._words))

    def _known(self) -> Iterator[tuple[PlacedCell, CellView, CellState]]:
        """Yield the cells of the document with their states, without those that the note no longer has."""
        for placed, box in self._boxes:
            if (state := self.state(placed.key)) is not None:
                yield placed, box, state

    def _know(self, placed: Sequence[PlacedCell], old: Mapping[str, CellState]) -> None:
        self._placed, self._states = placed, {}
        self._cells = {one.key: one.cell for one in reversed(placed)}  # the first of two with one key counts
        for key, known in old.items():
            if (cell := self._cells.get(key)) is not None and cell.code == known.code:
                known.recorded, known.name = cell.output, name_of(cell)
                self._states[key] = known

    def state(self, key: str) -> CellState | None:
        """Return a cell's state; None if the note has no such cell."""
        if key not in self._states and (cell := self._cells.get(key)) is not None:
            self._states[key] = state_of(cell)
        return self._states.get(key)

    def failed_lines(self) -> Iterator[tuple[CellView, int]]:
        """Yield the cells whose run failed, each with the line of its code."""
        for _, box, state in self._known():
            if state.failed_line is not None:
                yield box, state.failed_line

    def choose_device(self, device: str, key: str | None) -> None:
        """Choose the device of one cell, or, without `key`, of all cells that have no device of their own."""
        if key is None:
            self._device = device
            self._soon(*self._states)
        elif state := self.state(key):
            state.device = device
            self._soon(key)

    def device_of(self, key: str) -> str:
        """Return the device on which a cell would run."""
        state = self.state(key)
        return (state.device if state else "") or self._device

    def set_standing(self, key: str, status: str, detail: str) -> None:
        """Show a cell's status in the ledger."""
        if state := self.state(key):
            state.standing, state.detail = status, detail
            self._soon(key)

    def asks_for_password(self, key: str) -> bool:
        """Return whether a cell waits for a password."""
        return (state := self.state(key)) is not None and state.midway.secret

    def waiting(self) -> Iterator[tuple[str, CellView]]:
        """Yield the cells that wait for a line of input, each key once."""
        seen = set()
        for placed, box, state in self._known():
            if state.midway.waits and placed.key not in seen:
                seen.add(placed.key)
                yield placed.key, box

    def start(self, key: str, device: str, program: Program) -> None:
        """Show that a run of `program` began."""
        if state := self.state(key):
            state.start(device, program)
            self._clock.start()
            self._soon(key)

    def take_output(self, key: str, stream: str, text: str) -> None:
        """Take output; the terminal bounds it at once, the document follows later."""
        if state := self.state(key):
            state.terminal.feed(stream, text)
            self._soon(key)

    def take_figure(self, key: str, path: Path) -> None:
        """Show a picture of the run; a picture that was overwritten is updated in its place."""
        if state := self.state(key):
            if path in state.figures:
                state.versions[path] = state.versions.get(path, 0) + 1
            else:
                state.figures.append(path)
            self._soon(key)

    def picture(self, key: str, recorded: tuple[Path, ...]) -> None:
        """Take the recorded pictures of a cell."""
        if (state := self.state(key)) and state.pictured != recorded:
            state.pictured = recorded
            self._soon(key)

    def take_file(self, key: str, path: Path, size: int | None) -> None:
        """List a file of the run."""
        if state := self.state(key):
            state.files = [known for known in state.files if known[0] != path] + [(path, size)]
            self._soon(key)

    def recall(self, key: str, earlier: EarlierRun, program: Program) -> None:
        """Show the latest run of an earlier session, if the cell has not run in this one."""
        if state := self.state(key):
            state.program = program
            state.recall(earlier)
            self._soon(key)

    def update_progress(self, key: str, midway: RunProgress) -> None:
        """Show the progress of an active run."""
        if (state := self.state(key)) and state.running:
            state.update_progress(midway)
            self._soon(key)

    def offer(self, key: str, reason: Sentence) -> None:
        """Offer another run, with blocking launches."""
        if state := self.state(key):
            state.offer = reason
            self._soon(key)

    def point_at(self, key: str, line: int) -> CellView | None:
        """Mark a line of a cell's code, and return the cell's view."""
        state = self.state(key)
        box = next((box for placed, box in self._boxes if placed.key == key), None)
        if state is not None:
            state.failed_line = line
        return box

    def turn(self, key: str, what: str, *, on: bool) -> None:
        """Show or hide the stacks of silent ranks ("stacks"), or equal lines of several ranks ("apart")."""
        if state := self.state(key):
            setattr(state, what, on)
            self._dirty.add(key)
            self.flush()

    def finish(self, key: str, outcome: Outcome, *, failed_line: int | None, as_recorded: bool | None) -> None:
        """Show how the run ended."""
        if state := self.state(key):
            state.finish(outcome, failed_line=failed_line, as_recorded=as_recorded)
            self._soon(key)

    def show_hints(self, key: str, hints: tuple[Hint, ...]) -> None:
        """List the sections that explain why the run failed."""
        if (state := self.state(key)) and not state.running and state.hints != hints:
            state.hints = hints
            self._soon(key)

    def fold(self, key: str, *, unfolded: bool) -> None:
        """Show all kept lines, or fold them."""
        if state := self.state(key):
            state.unfolded = unfolded
            self._dirty.add(key)
            self.flush()

    def show_copied(self, key: str | None, what: Copied = "code") -> None:
        """Say for a moment that a cell's code or install command was copied; None ends this everywhere."""
        for each, state in self._states.items():
            copied: Copied = what if each == key else ""
            if state.copied != copied:
                state.copied = copied
                self._dirty.add(each)
        self.flush()
        if key is not None:
            self._copied.start()

    def refit(self) -> None:
        """Write the bars for another width."""
        if self._built is not None:
            cursor = QTextCursor(self._built.document)
            cursor.beginEditBlock()
            for _, box, state in self._known():
                self._write_bar(box, state, self._built.column)
            cursor.endEditBlock()

    def reword(self) -> None:
        """Write every cell in another language."""
        self._soon(*self._states)

    def flush(self) -> None:
        """Write pending changes now."""
        self._pause.stop()
        if not self._dirty:
            return
        began = time.perf_counter()
        self._around(self._write)
        spent_ms = (time.perf_counter() - began) * _SECOND_MS
        self._pause.setInterval(max(PAUSE_MS, round(spent_ms * _SHARE)))

    def _soon(self, *keys: str) -> None:
        self._dirty.update(keys)
        if not self._pause.isActive():
            self._pause.start()

    def _write(self) -> None:
        if self._built is None:
            return
        cursor = QTextCursor(self._built.document)
        cursor.beginEditBlock()
        for placed, box, state in self._known():
            if placed.key in self._dirty:
                self._write_bar(box, state, self._built.column)
                box.write_body(cell_text.body(state, self._words))
        cursor.endEditBlock()
        self._dirty.clear()
        self.written.emit()

    def _write_bar(self, box: CellView, state: CellState, width: float) -> None:
        left, right = cell_text.actions(state, self._device, self._words), cell_text.facts(state, self._words)
        box.write_bar(left, right, width=width)

    def _on_second(self) -> None:
        running = [key for key, state in self._states.items() if state.running]
        if running:
            self._soon(*running)
        else:
            self._clock.stop()
