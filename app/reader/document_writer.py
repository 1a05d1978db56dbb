"""Writes a note's rows into its document in chunks: appends them, and replaces those that changed."""

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

FIRST = 11_000  # characters of HTML that are laid out before a page is shown: more than one screen
MOST = 4_000  # characters of HTML of each chunk: a few milliseconds of work
_TASK = expression(r"(?<=href=\")task:(\d+)")
_CELL, _HEADING = 1_200, 300  # the cost of a cell without its code, and of a heading, in characters of HTML
_LEAD = "<p>\u200b</p>"  # so that what follows begins with a block of its own, wherever it is inserted


Adopt = Callable[[Sequence[DocumentChunk]], object]


class DocumentWriter:
    """Writes into one document, which may be in view.

    New chunks are prepared in a second document, which is never laid out, and inserted at once.
    """

    def __init__(self, built: Built, adopt: Adopt, theme: Theme, zoom: float) -> None:
        """Write into `built`, which has this theme and zoom; `adopt` fills in the cells of new chunks."""
        self._built, self._adopt = built, adopt
        self.swap = ChunkSwap(0, b"", b"")  # the last replacement
        self._second: ReaderDocument = empty_document(theme, zoom, None)

    def append(self, groups: Sequence[Sequence[Row]]) -> None:
        """Append a chunk for each group of rows."""
        self.replace(len(self._built.chunks), len(self._built.chunks), groups)

    def replace(self, at: int, end: int, groups: Sequence[Sequence[Row]]) -> None:
        """Replace the chunks from `at` up to `end` by one for each group of rows; at least one chunk must remain."""
        built, document = self._built, self._built.document
        start = place = _end(built.chunks[at - 1].last) if at else 0
        gone = _end(built.chunks[end - 1].last) - start if end > at else 0
        number, made, places = (
            sum(len(one.rows) for one in built.chunks[: min(at, 2)]),
            [],
            [start],
        )  # document_html only distinguishes rows 0 and 1
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        for rows in groups:
            made.append(self._prepare(rows, number, led=place > 0))
            place = self._insert(place)
            places.append(place)
            number += len(rows)
        if gone:
            self.swap = ChunkSwap(start, _text(document, place, gone), _text(document, start, place - start))
            _remove(document, place, gone)
        cursor.endEditBlock()
        for chunk, (begin, stop) in zip(made, pairwise(places), strict=True):
            _rebind(chunk, document, begin, stop)
        built.take(at, end, made)

    def _prepare(self, rows: Sequence[Row], number: int, *, led: bool) -> DocumentChunk:
        """Prepare rows in the second document; `led`: after a block that is not copied."""
        built, second, marked = self._built, self._second, len(self._built.targets.marked)
        proses = len(built.targets.prose_lines)
        lead = _LEAD if led else ""
        second.setHtml(
            document_html(rows, built.pages, built.targets, built.say, beside=built.beside, first=number, lead=lead)
        )
        first = second.begin().next() if led else second.begin()
        made = format_blocks(built, rows, list(tables_within(second.rootFrame())), first, marked=marked)
        made.proses = range(proses, len(built.targets.prose_lines))
        self._adopt([made])
        return made

    def _insert(self, place: int) -> int:
        """Insert the prepared text after the block that ends at `place`, or at the beginning; return its end."""
        aside, cursor = QTextCursor(self._second), QTextCursor(self._built.document)
        aside.setPosition(1 if place else 0)
        aside.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        before = self._built.document.characterCount()
        cursor.setPosition(place)
        cursor.insertFragment(aside.selection())
        first = self._built.document.begin()
        if not place and first.length() == 1:  # before a table; it kept the format of the earlier block
            cursor.setPosition(0)
            cursor.setBlockFormat(self._second.begin().blockFormat())
            cursor.setBlockCharFormat(self._second.begin().charFormat())
        return place + self._built.document.characterCount() - before


@dataclass(frozen=True)
class ChunkSwap:
    """A replacement of text at a position of the document: the old and the new text in UTF-16, as Qt counts."""

    start: int
    gone: bytes
    come: bytes

    def moved(self, position: int) -> int | None:
        """Return the new position of what was at a position; None if it is inside the change."""
        at, end = 2 * (position - self.start), len(self.gone)
        if at < 0 or at < _common_length(self.gone, self.come):
            return position
        if at >= end or end - at <= _common_length(self.gone[::-1], self.come[::-1]):
            return position + (len(self.come) - end) // 2
        return None


def _common_length(one: bytes, other: bytes) -> int:
    """Return the length in bytes of the common beginning."""
    return bisect_left(range(min(len(one), len(other))), x=True, key=lambda at: one[: at + 1] != other[: at + 1])


def _text(document: ReaderDocument, place: int, count: int) -> bytes:
    cursor = QTextCursor(document)
    cursor.setPosition(place)
    cursor.setPosition(place + count, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().encode("utf-16-le", "surrogatepass")


def _remove(document: ReaderDocument, place: int, count: int) -> None:
    cursor = QTextCursor(document)
    cursor.setPosition(place)
    cursor.setPosition(place + count, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    last = document.findBlock(place)
    if last.length() == 1:  # after a table; it took over the format of the removed block
        QTextCursor(last).setBlockFormat(QTextBlockFormat())


def _rebind(chunk: DocumentChunk, document: ReaderDocument, begin: int, end: int) -> None:
    """Make a prepared chunk refer to its tables and blocks in the document, between two positions."""
    block = document.findBlock(begin + 1) if begin else document.begin()
    first = block.blockNumber() - chunk.first
    found = list(_tables(block, end, [kind in {"cell", "code"} for _, kind in chunk.frames]))
    own = {id(table): one for (table, _), one in zip(chunk.frames, found, strict=True)}
    chunk.frames = [(own[id(table)], kind) for table, kind in chunk.frames]
    for _, box in chunk.boxes:
        box.table = own[id(box.table)]
    for columns in chunk.columns:
        columns.table = own[id(columns.table)]
    chunk.codes = {number: own[id(table)] for number, table in chunk.codes.items()}
    chunk.landmarks = [
        replace(mark, block=document.findBlockByNumber(first + number))
        for mark, number in zip(chunk.landmarks, chunk.numbers, strict=True)
    ]
    chunk.last = document.findBlock(end)


def _end(block: QTextBlock) -> int:
    return block.position() + block.length() - 1


def _tables(block: QTextBlock, end: int, closed: Sequence[bool]) -> Iterator[QTextTable]:
    """Yield the tables from a block up to a position, each before those inside it.

    `closed` says of each table in this order whether it has none inside.
    """
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


def grouped(laid: Sequence[Row]) -> list[list[Row]]:
    """Return the rows in chunks; prose that follows prose begins a chunk, so that its beginning is known."""
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
    """Return the cost of laying out a row, in characters of HTML."""
    if isinstance(row, CellRow):
        return _CELL + len(row.placed.cell.code_html)
    if isinstance(row, HeadingRow):
        return _HEADING
    return sum(len(prose.html) for proses in row.sides.values() for prose in proses)


def changed(old: Sequence[Row], new: Sequence[Row]) -> tuple[int, int]:
    """Return the number of equal-looking rows at the beginning of both, and of the others at the end."""
    most = min(len(old), len(new))
    same = next((at for at in range(most) if not _alike(old[at], new[at])), most)
    rest = next((at for at in range(most - same) if not _alike(old[-1 - at], new[-1 - at])), most - same)
    return same, rest


def _alike(one: Row, other: Row) -> bool:
    """Return whether two rows look the same; most rows of a page are made of identical objects."""
    return unmoved(one, other) or key(one) == key(other)


def unmoved(one: Row, other: Row) -> bool:
    """Return whether two rows have the same content at the same source lines."""
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


def key(row: Row) -> object:
    """Return all that determines the look of a row, without its source lines."""
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
    """Yield the first source line of a row in each language."""
    if isinstance(row, CellRow):
        yield from row.lines.items()
    elif isinstance(row, HeadingRow):
        yield from ((side, section.line) for side, section in row.sides.items())
    else:
        yield from ((side, proses[0].line) for side, proses in row.sides.items())


def with_new_lines(chunk: DocumentChunk, rows: Sequence[Row], targets: LinkTargets) -> None:
    """Update the source lines of a chunk whose rows look the same."""
    chunk.rows = rows
    proses = (line for row in rows if isinstance(row, ProseRow) for _, line in lines(row))
    for number, line in zip(chunk.proses, proses, strict=True):
        targets.prose_lines[number] = line
    places = [line for row in rows for _, line in lines(row)]
    if places != [mark.line for mark in chunk.landmarks]:
        chunk.landmarks = [replace(mark, line=line) for mark, line in zip(chunk.landmarks, places, strict=True)]
    placed = (row.placed for row in rows if isinstance(row, CellRow))
    chunk.boxes = [(cell, box) for cell, (_, box) in zip(placed, chunk.boxes, strict=True)]
