"""Fills in and lays out a page in view a few milliseconds at a time, so that the window stays responsive."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QTextDocument

from app.reader.document_writer import DocumentWriter, lines
from app.reader.language_alignment import HeadingRow, ProseRow, Row
from app.reader.page_set import Side
from app.reader.reader_document import Built

TURN = 0.008  # seconds of work per turn of the event loop
AT_ONCE = 0.045  # seconds of work at once if the user waits for a place
PAUSE = 3  # ms between turns
AFTER_KEY = 250  # ms of pause after a key press: longer than the time between two keys
_EACH = 700  # each 700 frames, one more chunk is inserted at once: Qt goes over all frames at each insertion
_BELOW = 2  # chunks below a place, so that the place can scroll to the top
_BLOCKS = 8  # laid out between two looks at the clock


@dataclass(frozen=True)
class FillRequest:
    """A place to go to: `count` returns the number of chunks missing up to it, `then` goes there."""

    count: Callable[[], int]
    then: Callable[[], object]


class FillScheduler(QObject):
    """The rows that are not in the document yet, and the timer that fills them in."""

    def __init__(self, parent: QObject, done: Callable[[], object]) -> None:
        """Call `done` when all rows are filled in."""
        super().__init__(parent)
        self._done = done
        self._waiting: deque[Sequence[Row]] = deque()
        self._built: Built | None = None
        self._writer: DocumentWriter | None = None
        self._request: FillRequest | None = None  # done once `_left` chunks are left
        self._left = 0
        self._paused = False
        self._until = 0.0  # of time.monotonic(): pause until then
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_turn)

    @property
    def waiting(self) -> Sequence[Sequence[Row]]:
        """The rows that are not in the document yet, in chunks."""
        return self._waiting

    def begin(self, built: Built, writer: DocumentWriter, groups: Sequence[Sequence[Row]]) -> None:
        """Fill a document with these rows; the rows and the request of an earlier document are dropped."""
        self._built, self._writer, self._request = built, writer, None
        self._waiting = deque(groups)
        self._schedule()

    def change(self, groups: Sequence[Sequence[Row]]) -> None:
        """Replace the pending rows; a pending request is kept."""
        self._waiting = deque(groups)
        self._find_place()
        self._schedule()

    def wait(self) -> None:
        """Pause for a moment, because the user is typing."""
        self._until = time.monotonic() + AFTER_KEY / 1000
        self._schedule()

    def rest(self, *, on: bool) -> None:
        """Pause because the page is hidden, or continue."""
        self._paused = on
        self._schedule()

    def finish(self) -> None:
        """Fill in all rows now."""
        self._fill(len(self._waiting))

    def reach(self, count: Callable[[], int], then: Callable[[], object]) -> None:
        """Call `then` once `count()` chunks are filled in: now if that takes under 45 ms, else later."""
        self._request = None
        number, began = count(), time.thread_time()
        while number > 0 and time.thread_time() - began < AT_ONCE:
            some = min(number, self._at_a_time)
            self._fill(some)
            number -= some
        if number <= 0:
            then()
        else:
            self._request = FillRequest(count, then)
            self._find_place()

    def drop_request(self) -> None:
        """Drop the pending request."""
        self._request = None

    def _find_place(self) -> None:
        """Find the number of chunks that will be left when the requested place is filled in."""
        if self._request is not None:
            self._left = max(0, len(self._waiting) - max(1, self._request.count()))

    def up_to_line(self, line: int, side: Side) -> int:
        """Return the number of chunks missing up to a line of a language's source."""
        found = 0
        for number, rows in enumerate(self._waiting, 1):
            if any(one == side and begins <= line for row in rows for one, begins in lines(row)):
                found = number + _BELOW
        return min(found, len(self._waiting))

    def up_to_heading(self, matches: Callable[[str, str], bool]) -> int:
        """Return the number of chunks missing up to a heading; `matches` is called with anchor and words; 0: none."""
        return self._up_to(
            lambda row: (
                isinstance(row, HeadingRow)
                and any(one.anchor and matches(one.anchor, one.heading) for one in row.sides.values())
            )
        )

    def up_to_name(self, name: str) -> int:
        """Return the number of chunks missing up to a named element, such as a footnote; 0: none.

        It is too high if the name in quotes occurs earlier in the HTML.
        """
        return self._up_to(
            lambda row: (
                isinstance(row, ProseRow)
                and any(f'"{name}"' in prose.html for proses in row.sides.values() for prose in proses)
            )
        )

    def _up_to(self, found: Callable[[Row], object]) -> int:
        for number, rows in enumerate(self._waiting, 1):
            if any(map(found, rows)):
                return min(number + _BELOW, len(self._waiting))
        return 0

    def _on_turn(self) -> None:
        began, last, spent = time.thread_time(), 0.0, 0.0
        while self._waiting and spent + last < TURN:  # the next chunk will take about as long as the last one
            self._fill(1)
            last, spent = time.thread_time() - began - spent, time.thread_time() - began
        self._answer()
        self._schedule()

    def _schedule(self) -> None:
        """Schedule the next turn."""
        if self._paused or not (self._waiting or self._request):
            self._timer.stop()
        else:
            self._timer.start(max(PAUSE, round(1000 * (self._until - time.monotonic()))))

    def _fill(self, count: int) -> None:
        if self._built is None or self._writer is None or not count:
            return
        document = self._built.document
        while count > 0:
            some = min(count, self._at_a_time)
            self._writer.append([self._waiting.popleft() for _ in range(min(some, len(self._waiting)))])
            count -= some
            document.documentLayout().blockBoundingRect(document.lastBlock())  # else Qt lays it all out at once, later
        self._answer()
        if not self._waiting:
            self._timer.stop()
            self._done()

    @property
    def _at_a_time(self) -> int:
        """How many chunks are inserted at once."""
        return 1 + len(self._built.frames) // _EACH if self._built is not None else 1

    def _answer(self) -> None:
        """Answer the pending request if its place is filled in."""
        if self._request is not None and len(self._waiting) <= self._left:
            request, self._request = self._request, None
            request.then()


class LayoutThrottle(QObject):
    """Replaces the timers of one document's layout, which fire until all of it is laid out."""

    def __init__(self, document: QTextDocument) -> None:
        """Throttle the layout of a document during its lifetime."""
        super().__init__(document)
        self._document = document
        self._next = 0  # the number of the block to be laid out next
        document.documentLayout().installEventFilter(self)

    def begin(self) -> None:
        """Begin at the top, because the document is laid out again."""
        self._next = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Lay out for one turn; Qt gets its timer event once nothing is left to do."""
        if event.type() != QEvent.Type.Timer:
            return False
        layout, count = self._document.documentLayout(), self._document.blockCount()
        began = time.thread_time()
        while self._next < count and time.thread_time() - began < TURN:
            self._next = min(count, self._next + _BLOCKS)
            layout.blockBoundingRect(self._document.findBlockByNumber(self._next - 1))
        return self._next < count
