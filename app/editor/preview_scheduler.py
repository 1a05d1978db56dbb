"""The live preview: rendered elsewhere after a pause in typing, the newest wins, and it follows the caret."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.editor.interfaces import EditorBackend, PreviewTarget
from kb.rendering.viewport import Viewport, ViewportPage, ViewportRequest

PAUSE = 35  # ms without a key before the page is rendered again: it is there before the next key of a quick writer
_SHARE = 4  # times what showing a page took, which is waited for where that is longer: keys go before a long page
_LONGEST = 3_000  # ms
_FOLLOW = 60  # ms, so that a held arrow key does not move the page at each line
_GROW = 300  # ms without a key before a part of a long note grows: longer than the time between two keys
STEP = 20  # ms between two steps of that


def pause_after(seconds: float) -> int:
    """Return for how many milliseconds nobody is to type before a page is shown that took so long the last time."""
    return min(_LONGEST, max(PAUSE, round(1000 * seconds) * _SHARE if seconds > 2 * PAUSE / 1000 else PAUSE))


class PreviewScheduler(QObject):
    """Asks for pages and shows them; at most one is being rendered. Of a long note it is the part that is looked at."""

    def __init__(
        self, preview: PreviewTarget, *, text: Callable[[], str], line: Callable[[], int], parent: QObject
    ) -> None:
        """Show in `preview` what `text` gives, at the caret's `line`."""
        super().__init__(parent)
        self._desk: EditorBackend | None = None
        self._preview = preview
        self._text, self._line = text, line
        self._path = ""
        self._on = False
        self._asked = 0  # number of the newest text that is wanted
        self._shown = 0  # and of the one that is shown, ...
        self._part: Viewport | None = None  # of which this is there, ...
        self._looked = 0  # and this line is looked at, or that of the caret
        self._followed = 0  # the line that the page was last moved to
        self._busy = False
        self._pause = self._timer(PAUSE, self._ask)
        self._follow = self._timer(_FOLLOW, self._on_follow)
        self._growth = self._timer(_GROW, self._ask)
        preview.listen_for_more(self.look)

    def _timer(self, pause: int, work: Callable[[], None]) -> QTimer:
        made = QTimer(self, singleShot=True, interval=pause)
        made.timeout.connect(work)
        return made

    def begin(self, desk: EditorBackend, path: str) -> None:
        """Turn to another note; what is still being rendered is dropped."""
        self._desk = desk
        self._path, self._followed, self._part, self._looked = path, 0, None, 0
        self._asked += 1
        self._ask()

    def switch(self, *, on: bool) -> None:
        """Render or rest."""
        self._on = on
        if on and self._path:
            self._asked += 1
            self._ask()
        else:
            self.stop()

    def edited(self) -> None:
        """Take in that the text was changed."""
        self._asked += 1
        self._looked = 0
        if self._on:
            self._preview.wait()
            self._pause.start()
            self._growth.stop()

    def moved(self) -> None:
        """Take in that the caret is in another line."""
        self._looked = 0
        if self._on and not self._follow.isActive():
            self._follow.start()

    def look(self, line: int) -> None:
        """Take in that another line is looked at on the page, near the end of what is there of it."""
        part = self._part
        if self._on and part is not None and (part.above or part.below) and line != self._looked:
            self._looked = line
            if not self._pause.isActive():
                self._ask()

    def stop(self) -> None:
        """Ask for nothing any more."""
        self._pause.stop()
        self._follow.stop()
        self._growth.stop()

    def _ask(self) -> None:
        if not self._on or self._busy or self._desk is None:
            return  # the one under way asks again when it is done
        self._busy = True
        number, path, part, line = self._asked, self._path, self._part, self._looked or self._line()
        grows = number == self._shown
        asked = ViewportRequest(line) if part is None else ViewportRequest(line, part.above, part.below, grows=grows)
        self._desk.render(
            self._text(),
            path=path,
            asked=asked,
            done=lambda shown: self._on_rendered(shown, path, number, line),
            failed=self._on_failed,
        )

    def _on_rendered(self, shown: ViewportPage, path: str, number: int, line: int) -> None:
        self._busy = False
        if not self._on:
            return
        if path == self._path:
            same, self._part, self._shown = number == self._shown, shown.part, number
            busy = time.thread_time()
            self._preview.show_page(shown.page, path, part=shown.part)
            self._on_follow()
            if not same:
                self._pause.setInterval(pause_after(time.thread_time() - busy))
            elsewhere = self._looked not in {0, line}  # since it was asked for
            if (shown.part.unsettled or elsewhere) and number == self._asked:
                self._growth.start(STEP if same else _GROW)
        if number != self._asked and not self._pause.isActive():
            self._ask()

    def _on_failed(self, _error: Exception) -> None:
        self._busy = False  # the page before stays; the next key asks again

    def _on_follow(self) -> None:
        """Move the page with the caret, and not while one types in the same line; a page to come is waited for."""
        if self._busy or self._pause.isActive():
            return
        if (line := self._line()) == self._followed:
            return
        if self._part is not None and not self._part.has(line):
            self._ask()  # and once that part is there it is followed
            return
        self._followed = line
        self._preview.follow(line)
