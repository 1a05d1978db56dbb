"""The reader's widget."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QTextBrowser, QWidget

from app.reader.pages import PageSet, PlacedCell
from app.theme import Theme
from app.words import Words
from snippets.outcome import Outcome


class ReaderView(QTextBrowser):
    """Shows a note, takes the output of its snippets in place, and reports what a person asks for."""

    link_activated = Signal(str)
    link_hovered = Signal(str)  # the true target, "" when the pointer left it
    run_requested = Signal(str, str)  # cell key, device
    stop_requested = Signal(str)
    copy_requested = Signal(str)  # cell key; the code is on the clipboard already
    edit_requested = Signal(int, str)  # line, side ("zh", "en" or "")
    log_requested = Signal(str)  # cell key: open the whole output
    file_requested = Signal(str)  # path of a file that a run left
    device_menu_requested = Signal(str, QPoint)  # cell key, where on the screen
    section_reached = Signal(str)
    zoom_changed = Signal(float)
    find_counted = Signal(int, int)  # current from 1, all; 0, 0 when nothing is found

    def __init__(self, words: Words, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._theme = theme

    def show_pages(self, pages: PageSet) -> None:
        """Show a note."""

    def cell(self, key: str) -> PlacedCell | None:
        """Return the cell of the shown note with this key."""
        raise NotImplementedError

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme, keeping the place and the outputs."""

    def set_device(self, device: str, *, key: str | None = None) -> None:
        """Choose the device of one cell, or of all that were given none of their own."""

    def cell_status(self, key: str, status: str, *, detail: str = "") -> None:
        """Say how a cell stands by the ledger: passed, failed, stale, never, unavailable ..."""

    def cell_started(self, key: str, device: str, *, page: str | None = None) -> None:
        """A run of the cell began; `page` is the PageSet's key, the shown one by default."""

    def cell_output(self, key: str, stream: str, text: str, *, page: str | None = None) -> None:
        """Take output; it is shown at most every 50 ms."""

    def cell_image(self, key: str, path: Path, *, page: str | None = None) -> None:
        """Show a picture of the run."""

    def cell_file(self, key: str, path: Path, *, page: str | None = None) -> None:
        """List a file of the run."""

    def cell_finished(
        self,
        key: str,
        outcome: Outcome,
        *,
        page: str | None = None,
        failed_line: int | None = None,
        as_recorded: bool | None = None,
    ) -> None:
        """Say how the run ended; `failed_line` counts from 1 in the cell's code."""

    def go_to(self, place: str | int) -> bool:
        """Go to an anchor or a line."""
        raise NotImplementedError

    def go_to_line(self, line: int, *, side: str = "") -> bool:
        """Go to a line of the note's source."""
        raise NotImplementedError

    def mark(self, words: tuple[str, ...]) -> None:
        """Mark words that a search found."""

    def find_text(self, text: str, *, backward: bool = False) -> tuple[int, int]:
        """Find in the page."""
        raise NotImplementedError

    def set_zoom(self, factor: float) -> None:
        """Scale everything; 1.0 is the natural size."""
