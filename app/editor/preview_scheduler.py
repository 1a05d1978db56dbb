"""Schedules the live preview: renders off the GUI thread after a pause in typing and follows the caret."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from app.editor.document_store import DocumentStore
from kb.rendering.rendered_page import Page
from kb.rendering.viewport import Viewport, ViewportPage, ViewportRequest

PAUSE = 35  # ms without a key before the page is rendered again: done before the next key of a fast typist
_SHARE = 4  # wait this many times as long as showing the last page took, so that keys come before a long page
_LONGEST = 3_000  # ms, the longest such wait
_FOLLOW = 60  # ms, so that a held arrow key does not scroll the page at each line
_GROW = 300  # ms without a key before a part of a long note grows: longer than the time between two keys
STEP = 20  # ms between two steps of growing


class PreviewTarget(Protocol):
    """The rendered page next to the source. `app.central` implements it, which this package cannot import."""

    def widget(self) -> QWidget:
        """Return the widget to put next to the source."""

    def show_page(self, page: Page, path: str, *, part: Viewport) -> None:
        """Show a page, which is a part of the note, and keep the scroll position."""

    def listen(
        self,
        *,
        run: Callable[[int, str], object],
        turn_to: Callable[[int], object],
        tick: Callable[[int, bool], object],
    ) -> None:
        """Call `run` with the line and device of a block to run, and `turn_to` with a line to edit.

        `tick` is called with the line of a task and whether it is done now.
        """

    def listen_for_more(self, look: Callable[[int], object]) -> None:
        """Call `look` with the line the page was scrolled to, near the end of the part shown of a longer note."""

    def follow(self, line: int) -> None:
        """Scroll to the content of this source line (from 1)."""

    def wait(self) -> None:
        """Postpone work that is not visible, because a key was pressed."""


def pause_after(seconds: float) -> int:
    """Return the pause in typing, in ms, before the next page is shown, if showing the last one took `seconds`."""
    return min(_LONGEST, max(PAUSE, round(1000 * seconds) * _SHARE if seconds > 2 * PAUSE / 1000 else PAUSE))


class PreviewScheduler(QObject):
    """Requests pages, one at a time, and shows them; of a long note only the part in view is rendered."""

    def __init__(
        self, preview: PreviewTarget, *, text: Callable[[], str], line: Callable[[], int], parent: QObject
    ) -> None:
        """Show in `preview` what `text` returns; `line` returns the line of the caret."""
        super().__init__(parent)
        self._store: DocumentStore | None = None
        self._preview = preview
        self._text, self._line = text, line
        self._path = ""
        self._on = False
        self._asked = 0  # number of the newest version of the text
        self._shown = 0  # number of the version that is shown
        self.part: Viewport | None = None  # the part of it that is shown
        self._looked = 0  # the line the page was scrolled to; 0 means the line of the caret
        self._followed = 0  # the line that the page was last scrolled to for the caret
        self._rendering = False
        self._pause = self._timer(PAUSE, self._ask)
        self._follow = self._timer(_FOLLOW, self._on_follow)
        self._growth = self._timer(_GROW, self._ask)
        preview.listen_for_more(self.look)

    def _timer(self, pause: int, work: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=pause)
        timer.timeout.connect(work)
        return timer

    @property
    def busy(self) -> bool:
        """Whether a page is being rendered, or the pause before it is running."""
        return self._rendering or self._pause.isActive()

    @property
    def growing(self) -> bool:
        """Whether the part shown of a long note will be extended."""
        return self._growth.isActive()

    def begin(self, store: DocumentStore, path: str) -> None:
        """Show another note; a page that is still being rendered is dropped."""
        self._store = store
        self._path, self._followed, self.part, self._looked = path, 0, None, 0
        self._asked += 1
        self._ask()

    def switch(self, *, on: bool) -> None:
        """Start or stop rendering."""
        self._on = on
        if on and self._path:
            self._asked += 1
            self._ask()
        else:
            self.stop()

    def edited(self) -> None:
        """React to a change of the text."""
        self._asked += 1
        self._looked = 0
        if self._on:
            self._preview.wait()
            self._pause.start()
            self._growth.stop()

    def moved(self) -> None:
        """React to the caret moving to another line."""
        self._looked = 0
        if self._on and not self._follow.isActive():
            self._follow.start()

    def look(self, line: int) -> None:
        """Render the part around this line, because the page was scrolled to it, near the end of the part shown."""
        part = self.part
        if self._on and part is not None and (part.above or part.below) and line != self._looked:
            self._looked = line
            if not self._pause.isActive():
                self._ask()

    def stop(self) -> None:
        """Stop requesting pages."""
        self._pause.stop()
        self._follow.stop()
        self._growth.stop()

    def _ask(self) -> None:
        if not self._on or self._rendering or self._store is None:
            return  # the request in progress asks again when it is done
        self._rendering = True
        number, path, part, line = self._asked, self._path, self.part, self._looked or self._line()
        grows = number == self._shown
        asked = ViewportRequest(line) if part is None else ViewportRequest(line, part.above, part.below, grows=grows)
        self._store.render(
            self._text(),
            path=path,
            asked=asked,
            done=lambda shown: self._on_rendered(shown, path, number, line),
            failed=self._on_failed,
        )

    def _on_rendered(self, shown: ViewportPage, path: str, number: int, line: int) -> None:
        self._rendering = False
        if not self._on:
            return
        if path == self._path:
            same, self.part, self._shown = number == self._shown, shown.part, number
            began = time.thread_time()
            self._preview.show_page(shown.page, path, part=shown.part)
            self._on_follow()
            if not same:
                self._pause.setInterval(pause_after(time.thread_time() - began))
            elsewhere = self._looked not in {0, line}  # scrolled since the request
            if (shown.part.unsettled or elsewhere) and number == self._asked:
                self._growth.start(STEP if same else _GROW)
        if number != self._asked and not self._pause.isActive():
            self._ask()

    def _on_failed(self, _error: Exception) -> None:
        self._rendering = False  # the previous page stays; the next key asks again

    def _on_follow(self) -> None:
        """Scroll the page to the caret's line if that is another one, unless a new page is due."""
        if self.busy:
            return
        if (line := self._line()) == self._followed:
            return
        if self.part is not None and not self.part.has(line):
            self._ask()  # that page is followed once it is there
            return
        self._followed = line
        self._preview.follow(line)
