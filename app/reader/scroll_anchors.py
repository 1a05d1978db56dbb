"""Places in a note: headings and source lines, as heights in its document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextBlock

from app.reader.document_html import anchor_name
from app.reader.page_set import PageSet, Side
from app.reader.reader_document import Built, Landmark, anchored_block
from kb.markdown.sections import heading_tests


@dataclass(frozen=True)
class ScrollAnchor:
    """A place in a note: `offset` pixels (at zoom 1) below what begins at a line of one language."""

    key: str
    side: Side
    line: int
    offset: float


class ScrollAnchors:
    """The places of one built document. Heights are in pixels from its top."""

    def __init__(self, pages: PageSet, built: Built, zoom: float) -> None:
        self._pages = pages
        self._built = built
        self._zoom = zoom
        self._latest = 0
        self._sorted: tuple[int, dict[Side, list[Landmark]]] = -1, {}

    def top_of(self, block: QTextBlock) -> float:
        """Return where a block begins."""
        return self._built.document.documentLayout().blockBoundingRect(block).top()

    def heading_at(self, y: float) -> str:
        """Return the anchor of the last heading above `y`; empty if there is none."""
        for at in range(self._above(y), 0, -1):
            if anchor := self._built.landmarks[at - 1].anchor:
                return anchor
        return ""

    def _above(self, y: float) -> int:
        """Return the number of landmarks above `y`, searched from the last result, as pages are read step by step.

        A query further down would lay out everything up to there.
        """
        marks = self._built.landmarks
        at = min(self._latest, len(marks))
        while at and self.top_of(marks[at - 1].block) > y:
            at -= 1
        while at < len(marks) and self.top_of(marks[at].block) <= y:
            at += 1
        self._latest = at
        return at

    def find(self, anchor: str, side: Side | None = None) -> tuple[QTextBlock, str] | None:
        """Return the block of an anchor, optionally of one language, and its heading's anchor; None if it is missing.

        A heading is found by its anchor, or by its words as in a wikilink.
        """
        if not anchor:
            return None
        if (found := self.find_heading(anchor, side)) is not None:
            return found
        sides = self._pages.sides() if side is None else (side,)
        block = anchored_block(self._built.document, [anchor_name(each, anchor) for each in sides])
        return (block, "") if block is not None else None

    def find_heading(self, anchor: str, side: Side | None = None) -> tuple[QTextBlock, str] | None:
        """Return the block of a heading and its anchor; None if there is none."""
        marks = self._headed(anchor)
        mark = next((mark for mark in marks if mark.side == side), marks[0] if marks else None)
        return None if mark is None else (mark.block, mark.anchor)

    def _headed(self, wanted: str) -> list[Landmark]:
        heads = [mark for mark in self._built.landmarks if mark.anchor]
        found = ([mark for mark in heads if way(mark.anchor, mark.heading)] for way in heading_tests(wanted))
        return next(filter(None, found), [])

    def height_of_line(self, line: int, side: Side | None) -> float | None:
        """Return the height of a source line, interpolated between known places; None if it is above them all."""
        marks = self._marks_of(side)
        before = [mark for mark in marks if mark.line <= line]
        if not before:
            return None
        here = before[-1]
        top = self.top_of(here.block)
        after = next((mark for mark in marks if mark.line > line), None)
        if after is None:
            return top
        part = (line - here.line) / (after.line - here.line)
        return top + part * max(0.0, self.top_of(after.block) - top)

    def place_at(self, y: float) -> ScrollAnchor:
        """Return the place at height `y`."""
        at = self._above(y + 1)
        if not at:
            return ScrollAnchor(self._pages.key, "", 0, y / self._zoom)
        mark = self._built.landmarks[at - 1]
        return ScrollAnchor(self._pages.key, mark.side, mark.line, (y - self.top_of(mark.block)) / self._zoom)

    def height_of(self, place: ScrollAnchor) -> float:
        """Return the height of a place, as far as it still exists."""
        marks = self._marks_of(place.side)
        before = [mark for mark in marks if mark.line <= place.line] if place.line else []
        return (self.top_of(before[-1].block) if before else 0.0) + place.offset * self._zoom

    def nearest_box(self, position: int, seen: tuple[float, float], reached: QTextBlock | None = None) -> int | None:
        """Return the index of the cell at a position if it is in view, else of the first in the section `reached`.

        If there is none, it is the cell nearest the middle of the view; `seen` is the view's upper and lower height.
        """
        tables, layout = [box.table for _, box in self._built.boxes], self._built.document.documentLayout()
        for index, table in enumerate(tables):
            if table.firstPosition() <= position <= table.lastPosition():
                rect = layout.frameBoundingRect(table)
                if rect.top() < seen[1] and rect.bottom() > seen[0]:
                    return index
        if reached is not None:
            heads = (mark.block.position() for mark in self._built.landmarks if mark.anchor)
            end = min(
                (head for head in heads if head > reached.position()), default=self._built.document.characterCount()
            )
            for index, table in enumerate(tables):
                if reached.position() < table.firstPosition() < end:
                    return index
        y = sum(seen) / 2
        rects = [layout.frameBoundingRect(table) for table in tables]
        away = [max(rect.top() - y, y - rect.bottom(), 0.0) for rect in rects]
        return away.index(min(away)) if away else None

    def known(self, side: Side | None) -> Side:
        """Return `side` if it is shown, else the first language shown."""
        shown = self._pages.sides()
        return side if side is not None and side in shown else next(iter(shown), "")

    def _marks_of(self, side: Side | None) -> Sequence[Landmark]:
        """Return the landmarks of a language by line, by default of the first one shown."""
        if self._sorted[0] != self._built.version:
            self._sorted = self._built.version, {}
        side = self.known(side)
        if side not in self._sorted[1]:
            own = (mark for mark in self._built.landmarks if mark.side == side)
            self._sorted[1][side] = sorted(own, key=lambda mark: mark.line)
        return self._sorted[1][side]
