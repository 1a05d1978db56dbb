"""The layout of tables: column widths, tighter cells in a narrow column, and the full width for wide tables."""

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
from app.reader.text_formats import document_of, fragments
from kb.lazy_regex import expression

MOST_CELLS = 400  # a table of more cells is not set tighter: each takes a moment
_OWN_SIZE = QTextFormat.Property.UserProperty + 6  # the original size of letters that were made smaller
_SIZE = QTextFormat.Property.FontPixelSize
_MOST_ROWS = 100  # rows that are measured; a longer table is assumed to be like its beginning
_LEAST = 24.0  # pixels: width of the narrowest column
_TOGETHER = 4  # Chinese characters that are kept together
_SLACK = 2.0  # pixels, for slanted letters that overhang
_HAN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"  # also Chinese punctuation
# Where a line can be broken: at blanks that are not no-break spaces, and at any Chinese character.
_PARTS = expression(rf"([ \t\u200b\u2028\n]+|[{_HAN}])")
_HALF = 384.0  # pixels at zoom 1: half a page in a window of usual width
_MANY, _LINES = 4, 2.2  # a table of 4 columns spans if its longest lines would fill 2.2 lines of half a page
_PADDING, _AIR = 22.0, 12.0  # pixels of a cell's padding, left and right together, and how much may be removed
_LATIN, _CHINESE, _IMAGE = 8.0, 15.0, 48.0  # pixels at zoom 1: width of a letter, a character, a formula
_MOST_WIDE_ROWS = 40  # rows whose width is estimated
_NESTING = expression(r"<(/?)(table|blockquote|div|ul|ol|dl)\b[^>]*>")
_CELL = expression(r"<t[dh]\b[^>]*>")
_TAG = expression(r"<[^>]*>")
_HAN_RUN = expression(rf"[{_HAN}]+")
_WORD_END = expression(rf"[\s{_HAN}]+")


class Density(NamedTuple):
    """The factors that a table's padding and letters are scaled by."""

    air: float = 1.0
    letters: float = 1.0

    def widths(self, widths: Sequence[float], padding: float) -> list[float]:
        """Return the scaled widths of columns with this padding at each side; the table's outer padding is kept."""
        left = [(width - 2 * padding) * self.letters + 2 * padding * self.air for width in widths]
        for edge in (0, -1):
            left[edge] += padding * (1 - self.air)
        return left


DENSITIES = (Density(), Density(air=0.4), Density(air=0.4, letters=0.87))


@dataclass
class TableColumns:
    """The columns of one table: their widths with the longest word (`least`) and the longest line (`most`), in pixels.

    `inset` is the width that quotes and callouts around the table take. A table that `spans` has two columns of text
    and the `gutter` between them.
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
        """Distribute the width of a column of text, in pixels; a table that is narrower stays so."""
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
        """Set the table only as tightly as its words need; return the least and the most widths of its columns."""
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
    """Return the width of each column in `room` pixels: words stay whole, the rest goes to columns with long lines.

    A column of short lines keeps them whole if the other columns can afford it. If not even the words fit, the widest
    columns shrink, but none below a narrower one.
    """
    if sum(most) <= room:
        return list(most)
    if sum(least) <= room:
        return _with_rest(_kept_whole(least, most, room), most, room)
    cap, left = 0.0, room
    for count, width in zip(range(len(least), 0, -1), sorted(least), strict=True):
        cap = left / count
        if width > cap:
            break
        left -= width
    return [min(low, cap) for low in least]


def _with_rest(kept: Sequence[float], most: Sequence[float], room: float) -> list[float]:
    """Distribute the rest of the room in proportion to what each column lacks."""
    wanted = [high - low for low, high in zip(kept, most, strict=True)]
    spare = room - sum(kept)
    return [low + spare * want / sum(wanted) for low, want in zip(kept, wanted, strict=True)]


def _kept_whole(least: Sequence[float], most: Sequence[float], room: float) -> list[float]:
    """Return the least widths of columns, but the full width of those that need less than an equal share."""
    widths, left, count = list(least), room - sum(least), len(most)
    for at in sorted(range(count), key=lambda column: most[column]):
        more = most[at] - least[at]
        if most[at] > room / count or more > left:
            break
        widths[at] = most[at]
        left -= more
    return widths


def apply_density(table: QTextTable, density: Density, padding: float) -> None:
    """Set a table's density; `padding` is the padding of its cells at density 1, in pixels."""
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
    """Yield each cell once, also if it spans several columns or rows."""
    for row, column in product(range(table.rows()), range(table.columns())):
        cell = table.cellAt(row, column)
        if (cell.row(), cell.column()) == (row, column):
            yield cell


def _letters(cell: QTextTableCell) -> Iterator[tuple[int, int, QTextCharFormat]]:
    """Yield start, end and format of each fragment in a cell."""
    block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
    while True:
        for fragment in fragments(block):
            yield fragment.position(), fragment.position() + fragment.length(), fragment.charFormat()
        if block == last:
            return
        block = block.next()


def measure_columns(table: QTextTable, pictures: ImageHandler, inset: float) -> TableColumns:
    """Measure a table's columns, including the padding of its cells.

    `inset` is the width that quotes and callouts around it take, in pixels.
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
    """Measures blocks of one document; the metrics of its fonts are cached."""

    def __init__(self, table: QTextTable, pictures: ImageHandler) -> None:
        self._document = document_of(table)
        self._pictures = pictures
        self._metrics: dict[int, QFontMetricsF] = {}

    def block(self, block: QTextBlock) -> tuple[float, float]:
        """Return the widths of a block's longest word and longest line, in pixels.

        Chinese has no blanks between words: a few characters are kept together.
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
        for fragment in fragments(block):
            style = fragment.charFormat()
            if style.isImageFormat():
                yield "x", self._pictures.intrinsicSize(self._document, fragment.position(), style).width()
            else:
                metrics = self._of(fragment.charFormatIndex(), style)
                yield from ((part, metrics.horizontalAdvance(part)) for part in _PARTS.split(fragment.text()) if part)

    def _of(self, index: int, style: QTextCharFormat) -> QFontMetricsF:
        if index not in self._metrics:
            self._metrics[index] = QFontMetricsF(style.font().resolve(self._document.defaultFont()))
        return self._metrics[index]


class SpanStep(NamedTuple):
    """Corresponding HTML of two languages: side by side or, if it `spans`, one below the other."""

    spans: bool
    sides: tuple[str, str]


def steps(left: str, right: str) -> Sequence[SpanStep]:
    """Return the HTML of two languages in parts, so that tables too wide for half a page are parts of their own.

    If the languages differ in their number of tables, it is unknown which correspond, and there is one part.
    """
    if "<table" not in left or "<table" not in right:
        return (SpanStep(spans=False, sides=(left, right)),)
    ours, theirs = _split_tables(left), _split_tables(right)
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


def _split_tables(markup: str) -> list[str]:
    """Return text and tables in turn; a callout, or a table inside a list or quote, is part of the text."""
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
    """Return whether half a page would break words of a table, or its lines into very many."""
    rows = (_CELL.split(row)[1:] for row in table.split("<tr", _MOST_WIDE_ROWS + 1)[1 : _MOST_WIDE_ROWS + 1])
    widths = [(column, *_estimate_cell(cell.partition("</t")[0])) for row in rows for column, cell in enumerate(row)]
    count = max((column for column, _, _ in widths), default=-1) + 1
    least, most = [0.0] * count, [0.0] * count
    for column, word, line in widths:
        least[column], most[column] = max(least[column], word + _PADDING), max(most[column], line + _PADDING)
    return sum(least) - (count - 1) * _AIR > _HALF or (count >= _MANY and sum(most) > _LINES * _HALF)


def _estimate_cell(cell: str) -> tuple[float, float]:
    """Return estimates of the widths of a cell's longest word and of all its text, in pixels at zoom 1."""
    text, pictures = cell, cell.count("<img")
    if "<" in text:
        text = _TAG.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    chinese = [len(run) for run in _HAN_RUN.findall(text)]
    letters = max(map(len, _WORD_END.split(text)))
    word = max(letters * _LATIN, min(_TOGETHER, max(chinese, default=0)) * _CHINESE, _IMAGE if pictures else 0.0)
    return word, len(text) * _LATIN + sum(chinese) * (_CHINESE - _LATIN) + pictures * _IMAGE
