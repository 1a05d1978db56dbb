"""Fills a page that is in view, a few milliseconds at a time, so that the window answers all the while."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer

from app.reader.document import Built
from app.reader.growing import Grower
from app.reader.pages import Side
from app.reader.pairing import HeadingRow, Row
from app.reader.stretches import lines

TURN = 0.008  # seconds of work before others have their turn
PAUSE = 3  # ms
AFTER_KEY = 250  # ms for which somebody who types is left alone: longer than the time between two keys
AT_ONCE = 14  # stretches that are filled in while somebody waits for a place in them
_EACH = 700  # frames for which one more is put in at a time: each time Qt goes over all of them
_BELOW = 2  # stretches below a place that is gone to, so that it can stand at the top


class Filling(QObject):
    """What of a page is still to be put into its document."""

    def __init__(self, parent: QObject, done: Callable[[], object]) -> None:
        """Tell when all is done."""
        super().__init__(parent)
        self._done = done
        self._waiting: deque[Sequence[Row]] = deque()
        self._built: Built | None = None
        self._grower: Grower | None = None
        self._wanted: Callable[[], object] | None = None  # what is to be done once so many stretches are left
        self._left = 0
        self._rests = False
        self._until = 0.0  # the time before which somebody types
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_turn)

    @property
    def waiting(self) -> Sequence[Sequence[Row]]:
        """The rows that are not in the document yet, stretch by stretch."""
        return self._waiting

    def begin(self, built: Built, grower: Grower, groups: Sequence[Sequence[Row]]) -> None:
        """Fill a document with these rows; what was to go elsewhere is dropped."""
        self._built, self._grower, self._wanted = built, grower, None
        self._waiting = deque(groups)
        self._go_on()

    def change(self, groups: Sequence[Sequence[Row]]) -> None:
        """Fill in these rows in the place of those that were to come; a place that was asked for is still gone to."""
        self._waiting, self._left = deque(groups), min(self._left, max(0, len(groups) - 1))
        self._go_on()

    def wait(self) -> None:
        """Do nothing for a moment: somebody types."""
        self._until = time.monotonic() + AFTER_KEY / 1000
        self._go_on()

    def rest(self, *, on: bool) -> None:
        """Do nothing, as nobody sees the page, or go on."""
        self._rests = on
        self._go_on()

    def finish(self) -> None:
        """Fill in all there is."""
        self._fill(len(self._waiting))

    def reach(self, count: int, then: Callable[[], object]) -> None:
        """Do something once so many stretches are there: at once, or as soon as others have had their turns."""
        if count <= AT_ONCE:
            self._wanted = None
            self._fill(count)
            then()
        else:
            self._wanted, self._left = then, max(0, len(self._waiting) - count)

    def drop_wish(self) -> None:
        """Go nowhere any more when that place is there."""
        self._wanted = None

    def up_to_line(self, line: int, side: Side) -> int:
        """Return how many stretches are to be filled in before a line of a language's source is there."""
        found = 0
        for number, rows in enumerate(self._waiting, 1):
            if any(one == side and begins <= line for row in rows for one, begins in lines(row)):
                found = number + _BELOW
        return min(found, len(self._waiting))

    def up_to_heading(self, matches: Callable[[str, str], bool]) -> int:
        """Return how many stretches are to be filled in before a heading of an anchor and words is there; 0: none."""
        for number, rows in enumerate(self._waiting, 1):
            for row in rows:
                if isinstance(row, HeadingRow) and any(
                    one.anchor and matches(one.anchor, one.heading) for one in row.sides.values()
                ):
                    return min(number + _BELOW, len(self._waiting))
        return 0

    def _on_turn(self) -> None:
        began, last, spent = time.thread_time(), 0.0, 0.0
        while self._waiting and spent + last < TURN:  # what one more would take is known from the one before
            self._fill(1)
            last, spent = time.thread_time() - began - spent, time.thread_time() - began
        self._go_on()

    def _go_on(self) -> None:
        """Have the next turn as soon as it may be."""
        if self._rests or not self._waiting:
            self._timer.stop()
        else:
            self._timer.start(max(PAUSE, round(1000 * (self._until - time.monotonic()))))

    def _fill(self, count: int) -> None:
        if self._built is None or self._grower is None or not count:
            return
        document = self._built.document
        while count > 0:
            some = min(count, 1 + len(self._built.frames) // _EACH)
            self._grower.append([self._waiting.popleft() for _ in range(min(some, len(self._waiting)))])
            count -= some
            document.documentLayout().blockBoundingRect(document.lastBlock())  # else Qt does it all at once, later
        if self._wanted is not None and len(self._waiting) <= self._left:
            then, self._wanted = self._wanted, None
            then()
        if not self._waiting:
            self._timer.stop()
            self._done()
