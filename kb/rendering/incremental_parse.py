"""Parses a note again after an edit, but only the regions that the edit affects.

The result is the same as parsing the whole note. Regions are parsed again if they changed or if the edit may have moved
their end; all of them are parsed again if the definitions for the whole note changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from kb.markdown.block_parser import LOOKS_AHEAD
from kb.markdown.fences import unique_name
from kb.markdown.lines import split_lines
from kb.markdown.markdown_extension import without_marks
from kb.markdown.sections import unique_anchor
from kb.notes.frontmatter import LARGEST, split
from kb.rendering.parse_regions import ParseOptions, ParseRegion, read_again, read_region, rename_parts

MOST_CELLS = 4_000  # Python fences that can be run; further ones are shown as code
_STEP = 512  # lines that are compared at a time


class IncrementalParse:
    """The regions of one note in order. `heading_changes` counts how often its headings changed."""

    def __init__(self, *, size: int, whole: int, between: Callable[[], object] = lambda: None) -> None:
        """Cut the note into batches of `size` characters; a note of up to `whole` characters is one batch.

        `between` is called after each region. After an exception from it this object must not be used any more.
        """
        self._size, self._whole, self._between = size, whole, between
        self._written: list[str] = []  # the lines of the text as written
        self._lines: list[str] = []
        self._options: ParseOptions | None = None
        self.first = 1  # the first line after the front matter
        self.all: list[ParseRegion] = []
        self.heading_changes = 0

    def update(self, text: str) -> None:
        """Parse the new text of the note."""
        written = split_lines(text)
        first = self._first_line(text, written)
        whole = len(text) <= self._whole
        options = ParseOptions(10 * self._whole if whole else self._size, whole, {})
        before = self._options
        if before is None or first != self.first or (before.size, before.whole) != (options.size, options.whole):
            self._read_all(written, first, options)
        else:
            same, rest = _common_ends(self._written, written)
            if same < max(len(written), len(self._written)):
                self._update_lines(written, same, rest)
        if (targets := self._targets()) != self._current().targets:
            self._read_all(written, first, ParseOptions(options.size, whole, targets))
        self._written = written

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self._lines)

    def _current(self) -> ParseOptions:
        assert self._options is not None
        return self._options

    def _first_line(self, text: str, written: Sequence[str]) -> int:
        """Return the first line after the front matter, which is read again only if it changed."""
        head = self.first - 1
        if not text.startswith("---"):
            return 1
        if head and self._written[:head] == written[:head]:
            return self.first
        return split(without_marks(text[:LARGEST])).lines + 1

    def _read_all(self, written: list[str], first: int, options: ParseOptions) -> None:
        self._lines = [without_marks(line) for line in written]
        self.first, self._options, self.all = first, options, []
        self.all = list(self._read_on(first - 1, 0))
        self._update_positions(named=True)

    def _read_on(self, start: int, cells: int) -> Iterator[ParseRegion]:
        """Yield regions from a line (0-based) on."""
        while True:
            region = read_region(self._lines, start, self._current(), cells=MOST_CELLS - cells)
            self._between()
            yield region
            start, cells = start + len(region.lines), cells + region.cells
            if start >= len(self._lines):
                return

    def _update_lines(self, written: list[str], same: int, rest: int) -> None:
        """Parse the changed lines: all but the first `same` and the last `rest` ones."""
        end, more = len(self._written) - rest, len(written) - len(self._written)
        self._lines[same:end] = [without_marks(line) for line in written[same : len(written) - rest]]
        at = self._touched(same)
        start, cells = self.all[at].before, sum(region.cells for region in islice(self.all, at))
        starts = [region.before for region in self.all]
        fresh: list[ParseRegion] = []
        stop = len(self.all)
        for region in self._read_on(start, cells):
            fresh.append(region)
            start += len(region.lines)
            stop = bisect_right(starts, start - more)
            if end <= start - more < len(self._written) and starts[stop - 1] == start - more:
                stop -= 1
                break
        else:
            stop = len(self.all)
        gone = self.all[at:stop]
        self.all[at:stop] = fresh
        self._update_positions(named=not _keep_names(gone, fresh))

    def _touched(self, line: int) -> int:
        """Return the index of the first region that a change of a line (0-based) may affect."""
        at = max(0, bisect_right(self.all, line, key=lambda region: region.before) - 1)
        if at and self.all[at].before == line:
            at -= 1  # the region before ended because of that line
        for number in range(at - 1, -1, -1):
            region = self.all[number]
            ends = region.before + len(region.lines)
            if ends + LOOKS_AHEAD <= line:
                break
            if ends + region.reach > line:
                at = number
        return at

    def _update_positions(self, *, named: bool) -> None:
        """Update the positions of the regions and, if they may have changed, the names of headings and fences.

        A region is parsed again if the number of its cells that can be run changed.
        """
        before, cells = self.first - 1, 0
        for number, region in enumerate(self.all):
            region.before = before
            if region.allowed != min(max(0, MOST_CELLS - cells), region.cells):
                self.all[number] = read_again(region, self._lines, self._current(), cells=MOST_CELLS - cells)
                self.all[number].before = before
                named = True
            before, cells = before + len(region.lines), cells + region.cells
        if named:
            self._update_names()

    def _update_names(self) -> None:
        self.heading_changes += 1
        anchors: dict[str, int] = {}
        names: dict[str, int] = {}
        runnable = 0
        for region in self.all:
            own = []
            for wanted, runs in region.wanted:
                runnable += runs
                own.append(unique_name(wanted or (f"block{runnable}" if runs else ""), names))
            rename_parts(region, [unique_anchor(wanted, anchors) for _, _, wanted in region.slugs], own)

    def _targets(self) -> dict[str, str]:
        """Return the references to snippets with their destinations; the first definition of each name counts."""
        found: dict[str, str] = {}
        for region in self.all:
            for name, leads in region.defined.items():
                found.setdefault(name, leads)
        return {name: leads for name, leads in found.items() if leads.startswith("snippet:")}


def _keep_names(gone: Sequence[ParseRegion], fresh: Sequence[ParseRegion]) -> bool:
    """Give new regions the names in those that they replace; return False if they do not ask for the same ones."""
    if [one for region in gone for one in (*region.slugs, *region.wanted)] != [
        one for region in fresh for one in (*region.slugs, *region.wanted)
    ]:
        return False
    anchors = (head.anchor for region in gone for head in region.heads.values())
    names = (fence.id for region in gone for fence in region.fences.values())
    for region in fresh:
        rename_parts(region, list(islice(anchors, len(region.heads))), list(islice(names, len(region.fences))))
    return True


def _common_ends(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are the same at the beginning, and how many of the others at the end."""
    most = min(len(one), len(other))
    same = _common_beginning(one[:most], other[:most])
    left = most - same
    return same, _common_beginning(one[len(one) - left :][::-1], other[len(other) - left :][::-1])


def _common_beginning(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines are the same at the beginning of two texts with as many lines."""
    at = 0
    while at < len(one) and one[at : at + _STEP] == other[at : at + _STEP]:
        at += _STEP
    return next((number for number in range(at, min(at + _STEP, len(one))) if one[number] != other[number]), len(one))
