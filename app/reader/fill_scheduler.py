"""Fills a page that is in view, a few milliseconds at a time, so that the window answers all the while."""

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

TURN = 0.008  # seconds of work before others have their turn
_BLOCKS = 8  # that are laid out before the clock is looked at


class LayoutThrottle(QObject):
    """Stands before the timers of one document's layout, which go off for as long as it is not all laid out."""

    def __init__(self, document: QTextDocument) -> None:
        """Pace a document, for as long as it is there."""
        super().__init__(document)
        self._document = document
        self._next = 0  # the number of the block that is to be laid out next
        document.documentLayout().installEventFilter(self)

    def begin(self) -> None:
        """Begin at the top: the document is laid out anew."""
        self._next = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Do a turn of the work; Qt has its own once there is nothing left of it."""
        if event.type() != QEvent.Type.Timer:
            return False
        layout, count = self._document.documentLayout(), self._document.blockCount()
        began = time.thread_time()
        while self._next < count and time.thread_time() - began < TURN:
            self._next = min(count, self._next + _BLOCKS)
            layout.blockBoundingRect(self._document.findBlockByNumber(self._next - 1))
        return self._next < count


PAUSE = 3  # ms
AFTER_KEY = 250  # ms for which somebody who types is left alone: longer than the time between two keys
AT_ONCE = 0.045  # seconds of work for somebody who waits for a place, before others have their turn
_EACH = 700  # frames for which one more is put in at a time: each time Qt goes over all of them
_BELOW = 2  # stretches below a place that is gone to, so that it can stand at the top


@dataclass(frozen=True)
class FillRequest:
    """A place that is asked for: how many stretches are to be filled in before it is there, and what to do then."""

    count: Callable[[], int]
    then: Callable[[], object]


class FillScheduler(QObject):
    """What of a page is still to be put into its document."""

    def __init__(self, parent: QObject, done: Callable[[], object]) -> None:
        """Tell when all is done."""
        super().__init__(parent)
        self._done = done
        self._waiting: deque[Sequence[Row]] = deque()
        self._built: Built | None = None
        self._grower: DocumentWriter | None = None
        self._wish: FillRequest | None = None  # what is to be done once so many stretches are left
        self._left = 0
        self._rests = False
        self._until = 0.0  # the time before which somebody types
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._on_turn)

    @property
    def waiting(self) -> Sequence[Sequence[Row]]:
        """The rows that are not in the document yet, stretch by stretch."""
        return self._waiting

    def begin(self, built: Built, grower: DocumentWriter, groups: Sequence[Sequence[Row]]) -> None:
        """Fill a document with these rows; what was to go elsewhere is dropped."""
        self._built, self._grower, self._wish = built, grower, None
        self._waiting = deque(groups)
        self._go_on()

    def change(self, groups: Sequence[Sequence[Row]]) -> None:
        """Fill in these rows in the place of those that were to come; a place that was asked for is still gone to."""
        self._waiting = deque(groups)
        self._wait_for_place()
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

    def reach(self, count: Callable[[], int], then: Callable[[], object]) -> None:
        """Do something once so many stretches are there: at once, or as soon as others have had their turns."""
        self._wish = None
        number, began = count(), time.thread_time()
        while number > 0 and time.thread_time() - began < AT_ONCE:
            some = min(number, self._at_a_time)
            self._fill(some)
            number -= some
        if number <= 0:
            then()
        else:
            self._wish = FillRequest(count, then)
            self._wait_for_place()

    def drop_wish(self) -> None:
        """Go nowhere any more when that place is there."""
        self._wish = None

    def _wait_for_place(self) -> None:
        """Find out how many stretches are left when the place is there that is asked for."""
        if self._wish is not None:
            self._left = max(0, len(self._waiting) - max(1, self._wish.count()))

    def up_to_line(self, line: int, side: Side) -> int:
        """Return how many stretches are to be filled in before a line of a language's source is there."""
        found = 0
        for number, rows in enumerate(self._waiting, 1):
            if any(one == side and begins <= line for row in rows for one, begins in lines(row)):
                found = number + _BELOW
        return min(found, len(self._waiting))

    def up_to_heading(self, matches: Callable[[str, str], bool]) -> int:
        """Return how many stretches are to be filled in before a heading of an anchor and words is there; 0: none."""
        return self._up_to(
            lambda row: (
                isinstance(row, HeadingRow)
                and any(one.anchor and matches(one.anchor, one.heading) for one in row.sides.values())
            )
        )

    def up_to_name(self, name: str) -> int:
        """Return how many stretches are to be filled in before what has a name is there, such as a footnote; 0: none.

        There may be one more, where the name is that of something else.
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
        while self._waiting and spent + last < TURN:  # what one more would take is known from the one before
            self._fill(1)
            last, spent = time.thread_time() - began - spent, time.thread_time() - began
        self._arrive()
        self._go_on()

    def _go_on(self) -> None:
        """Have the next turn as soon as it may be."""
        if self._rests or not (self._waiting or self._wish):
            self._timer.stop()
        else:
            self._timer.start(max(PAUSE, round(1000 * (self._until - time.monotonic()))))

    def _fill(self, count: int) -> None:
        if self._built is None or self._grower is None or not count:
            return
        document = self._built.document
        while count > 0:
            some = min(count, self._at_a_time)
            self._grower.append([self._waiting.popleft() for _ in range(min(some, len(self._waiting)))])
            count -= some
            document.documentLayout().blockBoundingRect(document.lastBlock())  # else Qt does it all at once, later
        self._arrive()
        if not self._waiting:
            self._timer.stop()
            self._done()

    @property
    def _at_a_time(self) -> int:
        """How many stretches are put in at one go."""
        return 1 + len(self._built.frames) // _EACH if self._built is not None else 1

    def _arrive(self) -> None:
        """Do what was asked for if its place is there."""
        if self._wish is not None and len(self._waiting) <= self._left:
            wish, self._wish = self._wish, None
            wish.then()
