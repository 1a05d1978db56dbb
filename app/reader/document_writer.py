"""Lets a note's document grow stretch by stretch, and puts stretches in the place of those that changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import is_

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor, QTextTable

from app.reader.document_html import document_html
from app.reader.language_alignment import CellRow, HeadingRow, ProseRow, Row
from app.reader.link_targets import LinkTargets
from app.reader.reader_document import (
    Built,
    DocumentChunk,
    ReaderDocument,
    empty_document,
    format_blocks,
    tables_within,
)
from app.style.theme import Theme
from kb.lazy_regex import expression
from kb.rendering.rendered_page import Prose

FIRST = 11_000  # characters of HTML that are laid out before a page is shown: more than a screen of it
MOST = 4_000  # of each stretch after that: a few milliseconds' work
_TASK = expression(r"(?<=href=\")task:(\d+)")
_CELL, _HEADING = 1_200, 300  # characters that a box and a heading cost like, beside their own


def grouped(laid: Sequence[Row]) -> list[list[Row]]:
    """Return the rows in stretches; of prose that follows prose, each has one of its own, so that it is found again."""
    groups: list[list[Row]] = []
    length = 0
    for row in laid:
        much = cost(row)
        follows = bool(groups) and isinstance(row, ProseRow) and isinstance(groups[-1][-1], ProseRow)
        if not groups or follows or length + much > MOST:
            groups.append([])
            length = 0
        groups[-1].append(row)
        length += much
    return groups


def cost(row: Row) -> int:
    """Return how much a row is to set, in characters of HTML."""
    if isinstance(row, CellRow):
        return _CELL + len(row.placed.cell.code_html)
    if isinstance(row, HeadingRow):
        return _HEADING
    return sum(len(prose.html) for proses in row.sides.values() for prose in proses)


def key(row: Row) -> object:
    """Return all that a row looks like: where it stands in the source is no part of it."""
    if isinstance(row, CellRow):
        cell = row.placed.cell
        told = cell.code, cell.code_html, cell.label, cell.output, cell.marked, tuple(cell.options.items())
        return row.placed.key, row.placed.side, told, tuple(row.lines)
    if isinstance(row, HeadingRow):
        return "heading", tuple((side, section.heading_html) for side, section in row.sides.items())
    return "prose", tuple((side, *map(_looks, proses)) for side, proses in row.sides.items())


def _looks(prose: Prose) -> object:
    if "task:" not in prose.html:
        return prose.html
    return _TASK.sub(lambda task: f"task:{int(task[1]) - prose.line}", prose.html)


def lines(row: Row) -> Iterator[tuple[str, int]]:
    """Yield where a row begins in each language's source."""
    if isinstance(row, CellRow):
        yield from row.lines.items()
    elif isinstance(row, HeadingRow):
        yield from ((side, section.line) for side, section in row.sides.items())
    else:
        yield from ((side, proses[0].line) for side, proses in row.sides.items())


def changed(old: Sequence[Row], new: Sequence[Row]) -> tuple[int, int]:
    """Return how many rows at the beginning look the same in both, and how many of the others at the end."""
    most = min(len(old), len(new))
    same = next((at for at in range(most) if not _alike(old[at], new[at])), most)
    rest = next((at for at in range(most - same) if not _alike(old[-1 - at], new[-1 - at])), most - same)
    return same, rest


def _alike(one: Row, other: Row) -> bool:
    """Tell whether two rows look the same; most of a page are of the very same things."""
    return unmoved(one, other) or key(one) == key(other)


def unmoved(one: Row, other: Row) -> bool:
    """Tell whether two rows are of the same things, which stand where they stood."""
    if isinstance(one, ProseRow) and isinstance(other, ProseRow):
        return one.sides.keys() == other.sides.keys() and all(
            len(proses) == len(others := other.sides[side]) and all(map(is_, proses, others))
            for side, proses in one.sides.items()
        )
    if isinstance(one, HeadingRow) and isinstance(other, HeadingRow):
        return [(side, head.heading_html, head.line) for side, head in one.sides.items()] == [
            (side, head.heading_html, head.line) for side, head in other.sides.items()
        ]
    return isinstance(one, CellRow) and one == other


Adopt = Callable[[Sequence[DocumentChunk]], object]
_LEAD = "<p>\u200b</p>"  # what comes behind it begins with a block of its own, wherever it is put


@dataclass(frozen=True)
class ChunkSwap:
    """What was put in the place of what, from a position of the document on; texts in UTF-16, as Qt counts."""

    start: int
    gone: bytes
    come: bytes

    def moved(self, position: int) -> int | None:
        """Return where what stood at a position stands now; None where it is in what differs."""
        at, end = 2 * (position - self.start), len(self.gone)
        if at < 0 or at < _in_common(self.gone, self.come):
            return position
        if at >= end or end - at <= _in_common(self.gone[::-1], self.come[::-1]):
            return position + (len(self.come) - end) // 2
        return None


def _in_common(one: bytes, other: bytes) -> int:
    """Return how many bytes at the beginning of both are the same."""
    return bisect_left(range(min(len(one), len(other))), x=True, key=lambda at: one[: at + 1] != other[: at + 1])


class DocumentWriter:
    """Works on one document, which may be in view.

    What is put in is made ready in a document aside, which is never laid out, and comes at one go.
    """

    def __init__(self, built: Built, adopt: Adopt, theme: Theme, zoom: float) -> None:
        """Work on `built`, which was built with this theme and size; `adopt` writes what is in its boxes."""
        self._built, self._adopt = built, adopt
        self.swap = ChunkSwap(0, b"", b"")  # the last that was made where something was before
        self._sheet: ReaderDocument = empty_document(theme, zoom, None)

    def append(self, groups: Sequence[Sequence[Row]]) -> None:
        """Put stretches of these rows behind all there is."""
        self.replace(len(self._built.stretches), len(self._built.stretches), groups)

    def replace(self, at: int, end: int, groups: Sequence[Sequence[Row]]) -> None:
        """Put stretches of these rows in the place of those from `at` up to `end`; something is to be left."""
        built, document = self._built, self._built.document
        start = place = _end(built.stretches[at - 1].last) if at else 0
        gone = _end(built.stretches[end - 1].last) - start if end > at else 0
        number, made, places = sum(len(one.rows) for one in built.stretches[: min(at, 2)]), [], [start]  # 2 is as good
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        for rows in groups:
            made.append(self._ready(rows, number, led=place > 0))
            place = self._insert(place)
            places.append(place)
            number += len(rows)
        if gone:
            self.swap = ChunkSwap(start, _text(document, place, gone), _text(document, start, place - start))
            _take_out(document, place, gone)
        cursor.endEditBlock()
        for stretch, (begin, stop) in zip(made, pairwise(places), strict=True):
            _settle(stretch, document, begin, stop)
        built.take(at, end, made)

    def _ready(self, rows: Sequence[Row], number: int, *, led: bool) -> DocumentChunk:
        """Make rows ready in the document aside; `led`: behind a block that is not taken along."""
        built, sheet, marked = self._built, self._sheet, len(self._built.targets.marked)
        proses = len(built.targets.prose_lines)
        lead = _LEAD if led else ""
        sheet.setHtml(
            document_html(rows, built.pages, built.targets, built.say, beside=built.beside, first=number, lead=lead)
        )
        first = sheet.begin().next() if led else sheet.begin()
        made = format_blocks(built, rows, list(tables_within(sheet.rootFrame())), first, marked=marked)
        made.proses = range(proses, len(built.targets.prose_lines))
        self._adopt([made])
        return made

    def _insert(self, place: int) -> int:
        """Put what is ready in at the end of the block that ends at a place, or at the beginning; return its end."""
        aside, cursor = QTextCursor(self._sheet), QTextCursor(self._built.document)
        aside.setPosition(1 if place else 0)
        aside.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        before = self._built.document.characterCount()
        cursor.setPosition(place)
        cursor.insertFragment(aside.selection())
        first = self._built.document.begin()
        if not place and first.length() == 1:  # before a table; it has kept how the block looked that stood there
            cursor.setPosition(0)
            cursor.setBlockFormat(self._sheet.begin().blockFormat())
            cursor.setBlockCharFormat(self._sheet.begin().charFormat())
        return place + self._built.document.characterCount() - before


def _text(document: ReaderDocument, place: int, count: int) -> bytes:
    cursor = QTextCursor(document)
    cursor.setPosition(place)
    cursor.setPosition(place + count, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().encode("utf-16-le", "surrogatepass")


def _take_out(document: ReaderDocument, place: int, count: int) -> None:
    cursor = QTextCursor(document)
    cursor.setPosition(place)
    cursor.setPosition(place + count, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    last = document.findBlock(place)
    if last.length() == 1:  # behind a table; it has taken over how the block looked that is gone
        QTextCursor(last).setBlockFormat(QTextBlockFormat())


def _settle(stretch: DocumentChunk, document: ReaderDocument, begin: int, end: int) -> None:
    """Have a stretch that was made ready aside mean what stands in the document, from one place to another."""
    block = document.findBlock(begin + 1) if begin else document.begin()
    first = block.blockNumber() - stretch.first
    found = list(_tables(block, end, [kind in {"cell", "code"} for _, kind in stretch.frames]))
    own = {id(table): one for (table, _), one in zip(stretch.frames, found, strict=True)}
    stretch.frames = [(own[id(table)], kind) for table, kind in stretch.frames]
    for _, box in stretch.boxes:
        box.table = own[id(box.table)]
    for columns in stretch.columns:
        columns.table = own[id(columns.table)]
    stretch.codes = {number: own[id(table)] for number, table in stretch.codes.items()}
    stretch.landmarks = [
        replace(mark, block=document.findBlockByNumber(first + number))
        for mark, number in zip(stretch.landmarks, stretch.numbers, strict=True)
    ]
    stretch.last = document.findBlock(end)


def with_new_lines(stretch: DocumentChunk, rows: Sequence[Row], targets: LinkTargets) -> None:
    """Take in where the rows of a stretch, which look as they did, stand in the source now."""
    stretch.rows = rows
    proses = (line for row in rows if isinstance(row, ProseRow) for _, line in lines(row))
    for number, line in zip(stretch.proses, proses, strict=True):
        targets.prose_lines[number] = line
    places = [line for row in rows for _, line in lines(row)]
    if places != [mark.line for mark in stretch.landmarks]:
        stretch.landmarks = [replace(mark, line=line) for mark, line in zip(stretch.landmarks, places, strict=True)]
    placed = (row.placed for row in rows if isinstance(row, CellRow))
    stretch.boxes = [(cell, box) for cell, (_, box) in zip(placed, stretch.boxes, strict=True)]


def _end(block: QTextBlock) -> int:
    return block.position() + block.length() - 1


def _tables(block: QTextBlock, end: int, closed: Sequence[bool]) -> Iterator[QTextTable]:
    """Yield the tables of some blocks in order, each before those within it; in those that are closed are none."""
    seen: set[int] = set()
    while block.isValid() and block.position() <= end:
        frame, around = QTextCursor(block).currentFrame(), []
        while isinstance(frame, QTextTable) and frame.objectIndex() not in seen:
            around.append(frame)
            frame = frame.parentFrame()
        for table in reversed(around):
            seen.add(table.objectIndex())
            yield table
        inside = around and closed[len(seen) - 1]
        block = block.document().findBlock(around[0].lastPosition() + 1) if inside else block.next()
