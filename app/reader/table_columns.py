"""How the columns of a table share the room there is, so that no word is broken that need not be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtGui import QFontMetricsF, QTextBlock, QTextCharFormat, QTextLength, QTextTable

from app.reader.frames import document_of
from app.reader.image_object import ImageHandler
from app.reader.table_density import DENSITIES, MOST_CELLS, Density, apply_density
from kb.lazy_regex import expression

_MOST_ROWS = 100  # that are measured: a table of thousands is like its beginning
_LEAST = 24.0  # pixels for any column
_TOGETHER = 4  # letters of Chinese
_SLACK = 2.0  # pixels, for letters that lean out
# What a line can end at: blanks, but none of those that hold words together, and any letter of Chinese.
_PARTS = expression(r"([ \t\u200b\u2028\n]+|[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef])")


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
