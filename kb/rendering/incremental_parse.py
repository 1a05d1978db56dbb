"""Keeps what a note's blocks are while it is being written: after an edit, what it touched is read anew, and no more.

What comes out is what reading all of it would give. Besides the regions that were changed, those are read again whose
end the edit may have moved, and all of them where what the note means everywhere has become another.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from kb.markdown.block_parser import LOOKS_AHEAD
from kb.markdown.fences import unused
from kb.markdown.lines import split_lines
from kb.markdown.markdown_extension import without_marks
from kb.markdown.sections import unique
from kb.notes.frontmatter import LARGEST, split
from kb.rendering.parse_regions import ParseOptions, ParseRegion, read_again, read_region, renamed

MOST_CELLS = 4_000  # Python fences that can be run; what is beyond is shown as code
_STEP = 512  # lines that are compared at a time


class IncrementalParse:
    """The regions of one note, in order. `headed` counts how often its headings became others."""

    def __init__(self, *, size: int, whole: int, between: Callable[[], object] = lambda: None) -> None:
        """Cut into batches of `size` characters; a note of up to `whole` of them is one batch.

        `between` is called between two regions that are read. What it raises leaves these of no use.
        """
        self._size, self._whole, self._between = size, whole, between
        self._written: list[str] = []  # the lines as they are in the text
        self._lines: list[str] = []
        self._manner: ParseOptions | None = None
        self.first = 1  # the line that the note begins with, after its front matter
        self.all: list[ParseRegion] = []
        self.headed = 0

    def become(self, text: str) -> None:
        """Take in that the note says this now."""
        written = split_lines(text)
        first = self._front(text, written)
        whole = len(text) <= self._whole
        manner = ParseOptions(10 * self._whole if whole else self._size, whole, {})
        before = self._manner
        if before is None or first != self.first or (before.size, before.whole) != (manner.size, manner.whole):
            self._read_all(written, first, manner)
        else:
            same, rest = _alike(self._written, written)
            if same < max(len(written), len(self._written)):
                self._take_in(written, same, rest)
        if (targets := self._targets()) != self._known().targets:
            self._read_all(written, first, ParseOptions(manner.size, whole, targets))
        self._written = written

    @property
    def count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def _known(self) -> ParseOptions:
        assert self._manner is not None
        return self._manner

    def _front(self, text: str, written: Sequence[str]) -> int:
        """Return the first line behind the front matter, which is looked at again only where it changed."""
        head = self.first - 1
        if not text.startswith("---"):
            return 1
        if head and self._written[:head] == written[:head]:
            return self.first
        return split(without_marks(text[:LARGEST])).lines + 1

    def _read_all(self, written: list[str], first: int, manner: ParseOptions) -> None:
        self._lines = [without_marks(line) for line in written]
        self.first, self._manner, self.all = first, manner, []
        self.all = list(self._read_on(first - 1, 0))
        self._settle(named=True)

    def _read_on(self, start: int, cells: int) -> Iterator[ParseRegion]:
        """Read regions from a line on, counted from 0, for as long as they are asked for."""
        while True:
            region = read_region(self._lines, start, self._known(), cells=MOST_CELLS - cells)
            self._between()
            yield region
            start, cells = start + len(region.lines), cells + region.cells
            if start >= len(self._lines):
                return

    def _take_in(self, written: list[str], same: int, rest: int) -> None:
        """Read anew what changed: all but so many lines at the beginning and at the end."""
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
        self._settle(named=not _same_names(gone, fresh))

    def _touched(self, line: int) -> int:
        """Return the number of the first region that a change of a line, counted from 0, may concern."""
        at = max(0, bisect_right(self.all, line, key=lambda region: region.before) - 1)
        if at and self.all[at].before == line:
            at -= 1  # it ended there because of that line
        for number in range(at - 1, -1, -1):
            region = self.all[number]
            ends = region.before + len(region.lines)
            if ends + LOOKS_AHEAD <= line:
                break
            if ends + region.reach > line:
                at = number
        return at

    def _settle(self, *, named: bool) -> None:
        """Tell the regions where they stand and, where that may have changed, how their headings and fences are named.

        A region is read again whose cells can be run now, or can no longer.
        """
        before, cells = self.first - 1, 0
        for number, region in enumerate(self.all):
            region.before = before
            if region.allowed != min(max(0, MOST_CELLS - cells), region.cells):
                self.all[number] = read_again(region, self._lines, self._known(), cells=MOST_CELLS - cells)
                self.all[number].before = before
                named = True
            before, cells = before + len(region.lines), cells + region.cells
        if named:
            self._name()

    def _name(self) -> None:
        self.headed += 1
        anchors: dict[str, int] = {}
        names: dict[str, int] = {}
        runnable = 0
        for region in self.all:
            own = []
            for wanted, runs in region.wanted:
                runnable += runs
                own.append(unused(wanted or (f"block{runnable}" if runs else ""), names))
            renamed(region, [unique(wanted, anchors) for _, _, wanted in region.slugs], own)

    def _targets(self) -> dict[str, str]:
        """Return where the references lead that may lead to a snippet: the first definition of each counts."""
        found: dict[str, str] = {}
        for region in self.all:
            for name, leads in region.defined.items():
                found.setdefault(name, leads)
        return {name: leads for name, leads in found.items() if leads.startswith("snippet:")}


def _same_names(gone: Sequence[ParseRegion], fresh: Sequence[ParseRegion]) -> bool:
    """Give regions the names of those that they replace, where they ask for the same ones."""
    if [one for region in gone for one in (*region.slugs, *region.wanted)] != [
        one for region in fresh for one in (*region.slugs, *region.wanted)
    ]:
        return False
    anchors = (head.anchor for region in gone for head in region.heads.values())
    names = (fence.id for region in gone for fence in region.fences.values())
    for region in fresh:
        renamed(region, list(islice(anchors, len(region.heads))), list(islice(names, len(region.fences))))
    return True


def _alike(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Return how many lines at the beginning are the same, and how many of the others at the end."""
    most = min(len(one), len(other))
    same = _same(one[:most], other[:most])
    left = most - same
    return same, _same(one[len(one) - left :][::-1], other[len(other) - left :][::-1])


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many lines at the beginning of two equally long texts are the same."""
    at = 0
    while at < len(one) and one[at : at + _STEP] == other[at : at + _STEP]:
        at += _STEP
    return next((number for number in range(at, min(at + _STEP, len(one))) if one[number] != other[number]), len(one))
