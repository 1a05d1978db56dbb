"""Chooses the part of a long note that the preview shows: around the current line of the source.

Every key costs time in proportion to that part, so it is limited. It stays the same while the note is edited within it,
and grows and shrinks at one end at a time, so that the visible text need not move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kb.rendering.rendered_page import Page

# All are costs, as `kb.rendering.batches.cost` returns them.
WHOLE = 100_000  # a note of up to this cost is shown whole
_ABOVE = 2_000  # of a new part, above the current line, ...
_BELOW = 24_000  # ... and below it
_ROOM = 16_000  # that a part reaches on either side after growing
_MOST = 64_000  # of a part
_STEP = 1_500  # by which it grows or shrinks at a time: what a window inserts at once


class NotePieces(Protocol):
    """A note as a sequence of pieces."""

    @property
    def count(self) -> int:
        """Number of pieces."""

    @property
    def lines(self) -> int:
        """Number of lines of the note."""

    def line(self, number: int) -> int:
        """Return the first line of a piece."""

    def at_line(self, line: int) -> int:
        """Return the number of the piece that contains a line."""

    def cost(self, number: int) -> int:
        """Return the cost of showing a piece."""


@dataclass(frozen=True)
class ViewportRequest:
    """A request for a part with a given line of the note.

    `above` and `below` are the lines that are hidden above and below the part that is shown now, -1 if none is shown.
    `grows`: the part may grow or shrink by one step.
    """

    line: int
    above: int = -1
    below: int = -1
    grows: bool = False


@dataclass(frozen=True)
class Viewport:
    """The pieces of a part, and the number of lines above, below and in all. `unsettled`: it is still to change."""

    first: int = 0
    count: int = 0
    above: int = 0
    below: int = 0
    lines: int = 0
    unsettled: bool = False

    def has(self, line: int) -> bool:
        """Return whether a line of the note is in the part."""
        return (not self.above or line > self.above) and (not self.below or line <= self.lines - self.below)


@dataclass(frozen=True)
class ViewportPage:
    """The page of a part of a note."""

    page: Page
    part: Viewport


def chosen(note: NotePieces, asked: ViewportRequest) -> Viewport:
    """Return the part of a note to show."""
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
    """Extend a part to whole lines, because an endless paragraph or block of code is cut into several pieces."""
    while first and note.line(first - 1) == note.line(first):
        first -= 1
    while last + 1 < note.count and note.line(last + 1) == note.line(last):
        last += 1
    return first, last


def _begun(costs: list[int], here: int) -> tuple[int, int]:
    first, _ = _stretched(costs, here, here, -_ABOVE)
    return first, _stretched(costs, here, here, _BELOW)[1]


def _stretched(costs: list[int], first: int, last: int, by: int) -> tuple[int, int]:
    """Extend a part downwards, or upwards if `by` is negative, by at least that cost if there is as much."""
    left = abs(by)
    while left > 0 and by < 0 < first:
        first -= 1
        left -= costs[first]
    while left > 0 and by > 0 and last + 1 < len(costs):
        last += 1
        left -= costs[last]
    return first, last


def _grown(costs: list[int], here: int, first: int, last: int) -> tuple[int, int]:
    """Return the part after one step at one of its ends, or the same part if it has its final size."""
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
