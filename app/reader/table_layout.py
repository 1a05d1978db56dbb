"""How tightly a table is set that has too little room: less air beside its words, and then smaller letters."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from PySide6.QtGui import (
    QFontMetricsF,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextLength,
    QTextTable,
    QTextTableCell,
)

from app.reader.image_object import ImageHandler
from app.reader.text_formats import document_of
from kb.lazy_regex import expression

MOST_CELLS = 400  # of a table that is set otherwise: each takes a moment
_OWN_SIZE = QTextFormat.Property.UserProperty + 6  # the size of letters that were made smaller
_SIZE = QTextFormat.Property.FontPixelSize
_MOST_ROWS = 100  # that are measured: a table of thousands is like its beginning
_LEAST = 24.0  # pixels for any column
_TOGETHER = 4  # letters of Chinese that are kept together
_SLACK = 2.0  # pixels, for letters that lean out
# What a line can end at: blanks, but none of those that hold words together, and any letter of Chinese.
_PARTS = expression(r"([ \t\u200b\u2028\n]+|[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef])")
_HALF = 384.0  # pixels at zoom 1 of half a page in a window of the usual width
_MANY, _LINES = 4, 2.2  # columns from which a table is to have the room of so many lines of half a page
_PADDING, _AIR = 22.0, 12.0  # pixels of a cell, left and right together, and what of it may be taken
_LATIN, _CHINESE, _IMAGE = 8.0, 15.0, 48.0  # pixels of a letter, and of a formula
_MOST_WIDE_ROWS = 40  # that are looked at
_NESTING = expression(r"<(/?)(table|blockquote|div|ul|ol|dl)\b[^>]*>")
_CELL = expression(r"<t[dh]\b[^>]*>")
_TAG = expression(r"<[^>]*>")
_HAN = expression(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+")
_BETWEEN = expression(r"[\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+")  # words


class Density(NamedTuple):
    """The share that is left of the air beside words, and of the size of letters."""

    air: float = 1.0
    letters: float = 1.0

    def widths(self, widths: Sequence[float], padding: float) -> list[float]:
        """Return what is left of the columns' widths, of which so much is air at each side; the edges keep theirs."""
        left = [(width - 2 * padding) * self.letters + 2 * padding * self.air for width in widths]
        for edge in (0, -1):
            left[edge] += padding * (1 - self.air)
        return left


DENSITIES = (Density(), Density(air=0.4), Density(air=0.4, letters=0.87))


@dataclass
class TableColumns:
    """The columns of one table: how wide each is with its longest word, and with its longest line, in pixels.

    `inset` is what stands around it takes of the room; one that `spans` has twice the room of a column of text, and the
    `gutter` between the two.
    """

    table: QTextTable
    least: Sequence[float]
    most: Sequence[float]
    inset: float = 0.0
    spans: bool = False
    gutter: float = 0.0
    padding: float = 0.0
    _density: Density = DENSITIES[0]
    _given: tuple[int, ...] = field(default=())

    def fit(self, room: float) -> None:
        """Share the `room` of a column of text out, in pixels; a table that is narrower by itself stays so."""
        room = max(1.0, (2 * room + self.gutter if self.spans else room) - self.inset)
        least, most = self._set_for(room)
        given = tuple(map(int, shares(least, most, room))) if sum(most) > room else ()
        if given != self._given:
            self._given = given
            shape = self.table.format().toTableFormat()
            fixed = [QTextLength(QTextLength.Type.FixedLength, width) for width in given]
            shape.setColumnWidthConstraints(fixed or [QTextLength() for _ in self.most])
            self.table.setFormat(shape)

    def _set_for(self, room: float) -> tuple[Sequence[float], Sequence[float]]:
        """Set the table no more tightly than its words need, and return the widths of its columns then."""
        if sum(self.least) <= room and self._density == DENSITIES[0]:
            return self.least, self.most
        few = self.table.rows() * self.table.columns() <= MOST_CELLS
        for density in DENSITIES if few else DENSITIES[:1]:
            least, most = (density.widths(widths, self.padding) for widths in (self.least, self.most))
            if sum(least) <= room:
                break
        if density != self._density:
            self._density = density
            apply_density(self.table, density, self.padding)
        return least, most


def shares(least: Sequence[float], most: Sequence[float], room: float) -> list[float]:
    """Return the width of each column in `room`: every longest word whole, and what is left to the long lines.

    A column of short lines has them whole where the others can bear it. Where not even the words fit, the widest
    columns yield, and no column to a narrower one.
    """
    if sum(most) <= room:
        return list(most)
    if sum(least) <= room:
        return _stretched(_kept_whole(least, most, room), most, room)
    cap, left = 0.0, room
    for count, width in zip(range(len(least), 0, -1), sorted(least), strict=True):
        cap = left / count
        if width > cap:
            break
        left -= width
    return [min(low, cap) for low in least]


def _stretched(kept: Sequence[float], most: Sequence[float], room: float) -> list[float]:
    """Share out what is left of the room by how much each column wants."""
    wanted = [high - low for low, high in zip(kept, most, strict=True)]
    spare = room - sum(kept)
    return [low + spare * want / sum(wanted) for low, want in zip(kept, wanted, strict=True)]


def _kept_whole(least: Sequence[float], most: Sequence[float], room: float) -> list[float]:
    """Return the columns' least widths, but the whole width of those whose share would be more than they need."""
    widths, left, count = list(least), room - sum(least), len(most)
    for at in sorted(range(count), key=lambda column: most[column]):
        more = most[at] - least[at]
        if most[at] > room / count or more > left:
            break
        widths[at] = most[at]
        left -= more
    return widths


def apply_density(table: QTextTable, density: Density, padding: float) -> None:
    """Set a table so; `padding` is what its cells have at each side by themselves, in pixels."""
    cursor = table.firstCursorPosition()
    document = cursor.document()
    usual = document.defaultFont().pixelSize()
    cursor.beginEditBlock()
    for cell in _cells(table):
        shape = cell.format().toTableCellFormat()
        last = table.columns() == cell.column() + cell.columnSpan()
        shape.setLeftPadding(padding * (density.air if cell.column() else 1))
        shape.setRightPadding(padding * (1 if last else density.air))
        cell.setFormat(shape)
        for start, end, style in list(_letters(cell)):
            own = style.property(_OWN_SIZE) or style.property(_SIZE) or usual
            size = round(own * density.letters)
            if size != (style.property(_SIZE) or usual):
                changed = QTextCharFormat()
                changed.setProperty(_OWN_SIZE, own)
                changed.setProperty(_SIZE, size)
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(changed)
    cursor.endEditBlock()


def _cells(table: QTextTable) -> Iterator[QTextTableCell]:
    """Yield each cell once, however far it spans."""
    for row, column in product(range(table.rows()), range(table.columns())):
        cell = table.cellAt(row, column)
        if (cell.row(), cell.column()) == (row, column):
            yield cell


def _letters(cell: QTextTableCell) -> Iterator[tuple[int, int, QTextCharFormat]]:
    """Yield the stretches of one format in a cell: from where, to where, and their format."""
    block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
    while True:
        place = block.begin()
        while not place.atEnd():
            fragment = place.fragment()
            yield fragment.position(), fragment.position() + fragment.length(), fragment.charFormat()
            place += 1
        if block == last:
            return
        block = block.next()


def measured(table: QTextTable, pictures: ImageHandler, inset: float) -> TableColumns:
    """Measure what stands in a table's columns, with the padding of its cells.

    `inset` is what the quotes and callouts around it take of the room, in pixels.
    """
    measure, columns = _Measure(table, pictures), table.columns()
    least, most = [_LEAST] * columns, [_LEAST] * columns
    for row in range(min(table.rows(), _MOST_ROWS)):
        for column in range(columns):
            cell = table.cellAt(row, column)
            if cell.columnSpan() > 1:
                continue
            shape = cell.format().toTableCellFormat()
            padding = shape.leftPadding() + shape.rightPadding() + _SLACK
            block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
            while True:
                word, line = measure.block(block)
                least[column] = max(least[column], word + padding)
                most[column] = max(most[column], line + padding)
                if block == last:
                    break
                block = block.next()
    padding = table.cellAt(0, 0).format().toTableCellFormat().leftPadding()
    return TableColumns(table, least, most, inset, padding=padding)


class _Measure:
    """Measures blocks of one document; each of its fonts is asked for once."""

    def __init__(self, table: QTextTable, pictures: ImageHandler) -> None:
        self._document = document_of(table)
        self._pictures = pictures
        self._metrics: dict[int, QFontMetricsF] = {}

    def block(self, block: QTextBlock) -> tuple[float, float]:
        """Return how wide a block's longest word is, and its longest line, in pixels.

        Chinese has no blanks between its words: a few letters of it are kept together.
        """
        word = longest_word = line = longest_line = chinese = 0.0
        for part, width in self._parts(block):
            line = 0.0 if "\u2028" in part else line + width
            if not _PARTS.fullmatch(part):
                word, chinese = word + width, 0.0
            elif part.strip():
                word, chinese = 0.0, min(chinese + width, _TOGETHER * width)
            else:
                word = chinese = 0.0
            longest_word = max(longest_word, word, chinese)
            longest_line = max(longest_line, line)
        return longest_word, longest_line

    def _parts(self, block: QTextBlock) -> Iterator[tuple[str, float]]:
        place = block.begin()
        while not place.atEnd():
            fragment = place.fragment()
            style = fragment.charFormat()
            if style.isImageFormat():
                yield "x", self._pictures.intrinsicSize(self._document, fragment.position(), style).width()
            else:
                metrics = self._of(fragment.charFormatIndex(), style)
                yield from ((part, metrics.horizontalAdvance(part)) for part in _PARTS.split(fragment.text()) if part)
            place += 1

    def _of(self, index: int, style: QTextCharFormat) -> QFontMetricsF:
        if index not in self._metrics:
            self._metrics[index] = QFontMetricsF(style.font().resolve(self._document.defaultFont()))
        return self._metrics[index]


class SpanStep(NamedTuple):
    """A part of what two languages say: side by side or, where it `spans`, one under the other."""

    spans: bool
    sides: tuple[str, str]


def steps(left: str, right: str) -> Sequence[SpanStep]:
    """Return the HTML of two languages in parts, so that tables too wide for half a page stand by themselves.

    Where the languages have not as many tables, nobody can tell which belong together, and they stay as they are.
    """
    if "<table" not in left or "<table" not in right:
        return (SpanStep(spans=False, sides=(left, right)),)
    ours, theirs = _apart(left), _apart(right)
    if len(ours) != len(theirs):
        return (SpanStep(spans=False, sides=(left, right)),)
    found: list[SpanStep] = []
    for number, sides in enumerate(zip(ours, theirs, strict=True)):
        spans = number % 2 == 1 and any(map(_is_wide, sides))
        if found and not spans and not found[-1].spans:
            before = found.pop().sides
            found.append(SpanStep(spans=False, sides=(before[0] + sides[0], before[1] + sides[1])))
        elif spans or any(side.strip() for side in sides):
            found.append(SpanStep(spans, sides))
    return found


def _apart(markup: str) -> list[str]:
    """Return text and tables in turn; a callout, and a table within a list or a quotation, is part of the text."""
    parts, depth, begun, begins = list[str](), 0, 0, -1
    for tag in _NESTING.finditer(markup):
        depth += -1 if tag[1] else 1
        if depth == 1 and not tag[1] and tag[2] == "table" and "admonition" not in tag[0]:
            begins = tag.start()
        elif depth == 0 and begins >= 0:
            parts += [markup[begun:begins], markup[begins : tag.end()]]
            begun, begins = tag.end(), -1
    return [*parts, markup[begun:]]


def _is_wide(table: str) -> bool:
    """Tell whether words of a table would have to be broken in half a page, or its lines into very many."""
    rows = (_CELL.split(row)[1:] for row in table.split("<tr", _MOST_WIDE_ROWS + 1)[1 : _MOST_WIDE_ROWS + 1])
    widths = [(column, *_measured(cell.partition("</t")[0])) for row in rows for column, cell in enumerate(row)]
    count = max((column for column, _, _ in widths), default=-1) + 1
    least, most = [0.0] * count, [0.0] * count
    for column, word, line in widths:
        least[column], most[column] = max(least[column], word + _PADDING), max(most[column], line + _PADDING)
    return sum(least) - (count - 1) * _AIR > _HALF or (count >= _MANY and sum(most) > _LINES * _HALF)


def _measured(cell: str) -> tuple[float, float]:
    """Return about how wide a cell's longest word is, and all of it in one line, in pixels at zoom 1."""
    text, pictures = cell, cell.count("<img")
    if "<" in text:
        text = _TAG.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    chinese = [len(run) for run in _HAN.findall(text)]
    letters = max(map(len, _BETWEEN.split(text)))
    word = max(letters * _LATIN, min(_TOGETHER, max(chinese, default=0)) * _CHINESE, _IMAGE if pictures else 0.0)
    return word, len(text) * _LATIN + sum(chinese) * (_CHINESE - _LATIN) + pictures * _IMAGE
