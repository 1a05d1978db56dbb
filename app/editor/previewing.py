"""The live preview: rendered elsewhere after a pause in typing, the newest wins, and it follows the caret."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from app.editor.ports import Desk, Preview
from kb.page import Page

PAUSE = 35  # ms without a key before the page is rendered again: it is there before the next key of a quick writer
_SHARE = 4  # times what showing a page took, which is waited for where that is longer: keys go before a long page
_LONGEST = 3_000  # ms
_FOLLOW = 60  # ms, so that a held arrow key does not move the page at each line


def pause_after(seconds: float) -> int:
    """Return for how many milliseconds nobody is to type before a page is shown that took so long the last time."""
    return min(_LONGEST, max(PAUSE, round(1000 * seconds) * _SHARE if seconds > 2 * PAUSE / 1000 else PAUSE))


class Previewing(QObject):
    """Asks for pages and shows them; at most one is being rendered."""

    def __init__(self, preview: Preview, *, text: Callable[[], str], line: Callable[[], int], parent: QObject) -> None:
        """Show in `preview` what `text` gives, at the caret's `line`."""
        super().__init__(parent)
        self._desk: Desk | None = None
        self._preview = preview
        self._text, self._line = text, line
        self._path = ""
        self._on = False
        self._asked = 0  # number of the newest text that is wanted
        self._followed = 0  # the line that the page was last moved to
        self._busy = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._pause.timeout.connect(self._ask)
        self._follow = QTimer(self)
        self._follow.setSingleShot(True)
        self._follow.setInterval(_FOLLOW)
        self._follow.timeout.connect(self._on_follow)

    def begin(self, desk: Desk, path: str) -> None:
        """Turn to another note; what is still being rendered is dropped."""
        self._desk = desk
        self._path, self._followed = path, 0
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
        if self._on:
            self._preview.wait()
            self._pause.start()

    def moved(self) -> None:
        """Take in that the caret is in another line."""
        if self._on and not self._follow.isActive():
            self._follow.start()

    def stop(self) -> None:
        """Ask for nothing any more."""
        self._pause.stop()
        self._follow.stop()

    def _ask(self) -> None:
        if not self._on or self._busy or self._desk is None:
            return  # the one under way asks again when it is done
        self._busy = True
        number, path = self._asked, self._path
        self._desk.render(
            self._text(), path=path, done=lambda page: self._on_rendered(page, path, number), failed=self._on_failed
        )

    def _on_rendered(self, page: Page, path: str, number: int) -> None:
        self._busy = False
        if not self._on:
            return
        if path == self._path:
            busy = time.thread_time()
            self._preview.show_page(page, path)
            self._on_follow()
            self._pause.setInterval(pause_after(time.thread_time() - busy))
        if number != self._asked and not self._pause.isActive():
            self._ask()

    def _on_failed(self, _error: Exception) -> None:
        self._busy = False  # the page before stays; the next key asks again

    def _on_follow(self) -> None:
        """Move the page with the caret, and not while one types in the same line; a page to come is waited for."""
        if self._busy or self._pause.isActive():
            return
        if (line := self._line()) != self._followed:
            self._followed = line
            self._preview.follow(line)
