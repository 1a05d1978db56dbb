"""Which part of a long note is shown beside its source: around the line that is looked at, and little more.

What is shown costs its share with every key, so it has a bound. It stays what it is while the note is edited within
it, and grows and shrinks at one end at a time, so that what is looked at need not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kb.rendering.rendered_page import Page

WHOLE = 100_000  # of what a note costs to show that is shown whole: its characters, and so many more for each block
_ABOVE = 2_000  # that a part which is begun anew has above the line that is looked at, ...
_BELOW = 24_000  # ... and below it
_ROOM = 16_000  # that there is to be on either side of it, by and by
_MOST = 64_000  # that a part has on the whole
_STEP = 1_500  # by which it grows or shrinks at a time: what a window puts in at one go


class NotePieces(Protocol):
    """A note that is cut into pieces."""

    @property
    def count(self) -> int:
        """How many there are."""

    @property
    def lines(self) -> int:
        """How many lines the note has."""

    def line(self, number: int) -> int:
        """Return the line that a piece begins at."""

    def at_line(self, line: int) -> int:
        """Return the number of the piece that has a line."""

    def cost(self, number: int) -> int:
        """Return how much a piece is to show."""


@dataclass(frozen=True)
class ViewportRequest:
    """A part that is to have a line of the note. So many lines are left out above and below of what is shown now.

    `grows`: it may have something more, or less. With nothing shown yet both are -1.
    """

    line: int
    above: int = -1
    below: int = -1
    grows: bool = False


@dataclass(frozen=True)
class Viewport:
    """So many pieces from the `first` on, and which lines are left out of how many. `unsettled`: it is to grow."""

    first: int = 0
    count: int = 0
    above: int = 0
    below: int = 0
    lines: int = 0
    unsettled: bool = False

    def has(self, line: int) -> bool:
        """Tell whether a line of the note is in it."""
        return (not self.above or line > self.above) and (not self.below or line <= self.lines - self.below)


@dataclass(frozen=True)
class ViewportPage:
    """The page of a part of a note."""

    page: Page
    part: Viewport


def chosen(note: NotePieces, asked: ViewportRequest) -> Viewport:
    """Choose the part of a note to be shown."""
    costs = [note.cost(number) for number in range(note.count)]
    if sum(costs) <= WHOLE:
        return Viewport(0, note.count, lines=note.lines)
    at = note.at_line(min(max(1, asked.line), note.lines))
    here, _ = _of_whole_lines(note, at, at)
    first, last = _of_whole_lines(note, *_begun(costs, here))
    if asked.above >= 0:
        shown = _of_whole_lines(note, note.at_line(asked.above + 1), note.at_line(max(1, note.lines - asked.below)))
        if shown[0] <= here <= shown[1]:
            first, last = _of_whole_lines(note, *_grown(costs, here, *shown)) if asked.grows else shown
    above = note.line(first) - 1 if first else 0
    below = note.lines - note.line(last + 1) + 1 if last + 1 < note.count else 0
    unsettled = _of_whole_lines(note, *_grown(costs, here, first, last)) != (first, last)
    return Viewport(first, last - first + 1, above, below, note.lines, unsettled)


def _of_whole_lines(note: NotePieces, first: int, last: int) -> tuple[int, int]:
    """Have a part begin and end between two lines: a paragraph or a block of code without end is several pieces."""
    while first and note.line(first - 1) == note.line(first):
        first -= 1
    while last + 1 < note.count and note.line(last + 1) == note.line(last):
        last += 1
    return first, last


def _begun(costs: list[int], here: int) -> tuple[int, int]:
    first, _ = _stretched(costs, here, here, -_ABOVE)
    return first, _stretched(costs, here, here, _BELOW)[1]


def _stretched(costs: list[int], first: int, last: int, by: int) -> tuple[int, int]:
    """Stretch a part downwards, or upwards where the amount is negative, by so much at least if there is so much."""
    left = abs(by)
    while left > 0 and by < 0 < first:
        first -= 1
        left -= costs[first]
    while left > 0 and by > 0 and last + 1 < len(costs):
        last += 1
        left -= costs[last]
    return first, last


def _grown(costs: list[int], here: int, first: int, last: int) -> tuple[int, int]:
    """Change a part by one step at one of its ends, if it is not as it should be."""
    over, under = sum(costs[first:here]), sum(costs[here + 1 : last + 1])
    if under < _ROOM and last + 1 < len(costs):
        return _stretched(costs, first, last, _STEP)
    if over < _ROOM and first:
        return _stretched(costs, first, last, -_STEP)
    if over + under <= _MOST:
        return first, last
    gone = 0
    if over > under:
        while gone < _STEP and over - costs[first] >= _ROOM:
            gone, over, first = gone + costs[first], over - costs[first], first + 1
    else:
        while gone < _STEP and under - costs[last] >= _ROOM:
            gone, under, last = gone + costs[last], under - costs[last], last - 1
    return first, last
