"""A cell in the document: its bar, fitted to the width, and its output are written in place, changes only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextFormat,
    QTextImageFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
)

from app.reader.ansi import PLAIN, StyledRun
from app.reader.cell_text import NAME, Entry, InputLine, OutputFigure, Remark, TonedText, TracebackLine
from app.reader.terminal import TerminalLine
from app.reader.text_formats import ACTION, BUTTON, STOP, Formats, document_of

_GAP = "\u2003"  # between two pieces
_PADDING = 14 + 6  # pixels at zoom 1 outside and inside either end, as in the style sheet
_SLACK = 4  # pixels, for rounding
_LEAST_NAME = 40  # pixels at zoom 1: a narrower name is left out
BAR, CODE, BODY = 0, 1, 2  # rows
_TYPING_ROOM = "\u00a0"
_NO_TEXT = (StyledRun("", PLAIN),)


@dataclass(frozen=True)
class Bar:
    """The pieces of both ends of a bar, and the width of the left end in pixels."""

    left: tuple[TonedText, ...]
    right: tuple[TonedText, ...]
    split: int


def kind_of(piece: TonedText) -> str:
    """Return how a piece with an action is drawn: as a button, a stop button or plain action."""
    return {"button": BUTTON, "stop": STOP}.get(piece.tone, ACTION)


def unbroken(piece: TonedText) -> str:
    """Return a piece's text without line breaks; a button has space inside its background."""
    room = "\u2002" if piece.action and kind_of(piece) != ACTION else ""
    return f"{room}{piece.text}{room}".replace(" ", "\u00a0")


def fitted(left: tuple[TonedText, ...], right: tuple[TonedText, ...], box: float, formats: Formats) -> Bar:
    """Return the bar for a cell `box` pixels wide; pieces yield by their rank until the bar fits one line."""
    room = box - 2 * formats.px(_PADDING) - _SLACK
    bar = _bar(left, right, formats)
    for rank in range(1, NAME):
        if _width(bar.left, formats) + _width(bar.right, formats) <= room:
            return bar
        bar = _bar(_yielded(left, rank), _yielded(right, rank), formats)
    left_room = room - _width(bar.left, formats)
    return replace(bar, right=tuple(_shortened(bar.right, left_room, formats)))


def _bar(left: tuple[TonedText, ...], right: tuple[TonedText, ...], formats: Formats) -> Bar:
    return Bar(left, right, round(_width(left, formats)) + formats.px(_PADDING) + _SLACK // 2)


def _yielded(pieces: tuple[TonedText, ...], rank: int) -> tuple[TonedText, ...]:
    kept = (replace(piece, text=piece.brief) if 0 < piece.yields <= rank else piece for piece in pieces)
    return tuple(piece for piece in kept if piece.text)


def _shortened(pieces: tuple[TonedText, ...], room: float, formats: Formats) -> Iterable[TonedText]:
    """Elide the name so that all pieces fit, or leave it out."""
    others = _width(tuple(piece for piece in pieces if piece.yields != NAME), formats)
    gap = formats.advance(_GAP, "dim") if others else 0.0
    for piece in pieces:
        if piece.yields != NAME or _width((piece,), formats) <= room - others - gap:
            yield piece
        elif room - others - gap >= formats.px(_LEAST_NAME):
            metrics = formats.metrics(piece.tone)
            yield replace(piece, text=metrics.elidedText(piece.text, Qt.TextElideMode.ElideRight, room - others - gap))


def _width(pieces: tuple[TonedText, ...], formats: Formats) -> float:
    gaps = max(0, len(pieces) - 1) * formats.advance(_GAP, "dim")
    return gaps + sum(formats.advance(unbroken(piece), piece.tone) for piece in pieces)


class CellView:
    """One table of the document: bar, code and, if there is output, a body with one block per entry."""

    def __init__(
        self,
        table: QTextTable,
        formats: Formats,
        *,
        address: Callable[[str], str],
        picture: Callable[[OutputFigure], str],
        number: int = 0,
    ) -> None:
        """Write into `table`; `address` returns the link of an action, `picture` the name of a figure.

        `number` is unique in the document.
        """
        self.table, self.number = table, number
        self._formats = formats
        self._address = address
        self._picture = picture
        self._entries: list[Entry] = []
        self._bars: dict[int, tuple[TonedText, ...]] = {}
        self._split = 0

    @property
    def has_body(self) -> bool:
        """Whether there is output below the code."""
        return self.table.rows() > BODY

    def code_block(self, line: int) -> QTextBlock | None:
        """Return the block of a line of the code, counted from 1; None if there is no such line."""
        cell = self.table.cellAt(CODE, 0)
        first, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
        number = first.blockNumber() + line - 1
        if line < 1 or number > last.blockNumber():
            return None
        return document_of(self.table).findBlockByNumber(number)

    def write_bar(self, left: tuple[TonedText, ...], right: tuple[TonedText, ...], *, width: float) -> None:
        """Write as much of the bar as fits one line of a cell `width` pixels wide."""
        bar = fitted(left, right, width, self._formats)
        self._split_at(bar.split)
        for column, kind, pieces in ((0, "bar", bar.left), (1, "bar-end", bar.right)):
            if self._bars.get(column) == pieces:
                continue
            self._bars[column] = pieces
            cursor = self.table.cellAt(BAR, column).firstCursorPosition()
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            cursor.setBlockFormat(self._formats.line(kind))
            self._write_pieces(cursor, pieces, short=True)

    def leave_bar_out(self) -> None:
        """Collapse the bar, for paper."""
        flat, close = QTextBlockFormat(), QTextTableCellFormat()
        flat.setLineHeight(1.0, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        for column in (0, 1):
            cell = self.table.cellAt(BAR, column)
            cell.setFormat(close)
            cell.firstCursorPosition().setBlockFormat(flat)

    def _split_at(self, left: int) -> None:
        """Set the width of the bar's left end; the right end takes the rest."""
        if left != self._split:
            self._split = left
            shape = self.table.format().toTableFormat()
            fixed = QTextLength(QTextLength.Type.FixedLength, left)
            shape.setColumnWidthConstraints([fixed, QTextLength(QTextLength.Type.VariableLength, 0)])
            self.table.setFormat(shape)

    def write_body(self, entries: Sequence[Entry]) -> None:
        """Show these entries; those that are already shown stay untouched."""
        new = list(entries)
        if not new:
            if self.has_body:
                self.table.removeRows(BODY, 1)
            self._entries = []
            return
        if not self.has_body:
            self._add_row()
        for start, stop, put in _changes(self._entries, new):
            self._replace(start, stop, put)
        self._entries = new

    def _add_row(self) -> None:
        self.table.appendRows(1)
        self.table.mergeCells(BODY, 0, 1, 2)
        padding = QTextTableCellFormat()
        padding.setTopPadding(self._formats.px(10))
        padding.setBottomPadding(self._formats.px(11))
        padding.setLeftPadding(self._formats.px(14))
        padding.setRightPadding(self._formats.px(14))
        self.table.cellAt(BODY, 0).setFormat(padding)
        self._entries = []

    def _replace(self, start: int, stop: int, put: Sequence[Entry]) -> None:
        """Replace the entries from `start` up to `stop`."""
        first = self.table.cellAt(BODY, 0).firstCursorPosition()
        if not self._entries:  # the row's one empty block
            self._write_over(first, put)
            return
        base = first.blockNumber()
        document = document_of(self.table)
        if start == stop == 0:
            kept = first.blockFormat()
            first.insertBlock(kept)
            self._write_over(self.table.cellAt(BODY, 0).firstCursorPosition(), put)
            return
        at = QTextCursor(document.findBlockByNumber(base + max(stop, 1) - 1))
        at.movePosition(QTextCursor.MoveOperation.EndOfBlock)
        self._append(at, put)
        if stop > start:
            self._remove(base, start, stop)

    def _remove(self, base: int, start: int, stop: int) -> None:
        document = document_of(self.table)
        if start == 0:
            begin, end = document.findBlockByNumber(base).position(), document.findBlockByNumber(base + stop)
            kept, until = end.blockFormat(), end.position()
        else:
            before, last = document.findBlockByNumber(base + start - 1), document.findBlockByNumber(base + stop - 1)
            kept, begin, until = (
                before.blockFormat(),
                before.position() + before.length() - 1,
                last.position() + last.length() - 1,
            )
        cursor = QTextCursor(document)
        cursor.setPosition(begin)
        cursor.setPosition(until, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        cursor.setBlockFormat(kept)

    def _write_over(self, cursor: QTextCursor, put: Sequence[Entry]) -> None:
        cursor.setBlockFormat(self._formats.line(_kind(put[0])))
        cursor.block().setUserState(-1)  # its backgrounds are looked up again
        self._write(cursor, put[0])
        self._append(cursor, put[1:])

    def _append(self, cursor: QTextCursor, put: Sequence[Entry]) -> None:
        """Write entries after the cursor's block; plain lines of one stream are inserted together."""
        for (kind, plain), group in groupby(put, key=lambda entry: (_kind(entry), _is_plain(entry))):
            block = self._formats.line(kind)
            if not plain:
                for entry in group:
                    cursor.insertBlock(block)
                    self._write(cursor, entry)
                continue
            texts = ["".join(run.text for run in line.runs) for line in group if isinstance(line, TerminalLine)]
            cursor.insertBlock(block)
            cursor.insertText("\n".join(texts), self._formats.styled(PLAIN, kind))

    def _write(self, cursor: QTextCursor, entry: Entry) -> None:
        if isinstance(entry, TerminalLine):
            for run in entry.runs or _NO_TEXT:
                cursor.insertText(run.text, self._formats.styled(run.style, entry.stream))
        elif isinstance(entry, TracebackLine):
            self._write_linked(cursor, entry)
        elif isinstance(entry, InputLine):
            cursor.insertText(_TYPING_ROOM, self._formats.toned("dim"))
        elif isinstance(entry, OutputFigure):
            picture = QTextImageFormat()
            picture.setName(self._picture(entry))
            picture.setProperty(QTextFormat.Property.ImageAltText, entry.path.name)
            picture.setAnchor(True)
            picture.setAnchorHref(self._address(f"enlarge:{entry.path}"))
            cursor.insertImage(picture)
        else:
            self._write_pieces(cursor, entry.pieces, short=False)

    def _write_linked(self, cursor: QTextCursor, entry: TracebackLine) -> None:
        style, (before, place, after) = self._formats.styled(PLAIN, entry.stream), entry.parts
        cursor.insertText(before, style)
        cursor.insertText(place, self._formats.leading(self._address(entry.action)))
        cursor.insertText(after, style)

    def typing_block(self) -> QTextBlock | None:
        """Return the block below the input field, if the run waits for a line."""
        place = next((index for index, entry in enumerate(self._entries) if isinstance(entry, InputLine)), None)
        if place is None:
            return None
        first = self.table.cellAt(BODY, 0).firstCursorPosition().block().blockNumber()
        return document_of(self.table).findBlockByNumber(first + place)

    def _write_pieces(self, cursor: QTextCursor, pieces: Sequence[TonedText], *, short: bool) -> None:
        for index, piece in enumerate(pieces):
            if index:
                cursor.insertText(_GAP, self._formats.toned("dim"))
            if piece.action:
                link = self._formats.toned(piece.tone, self._address(piece.action), kind_of(piece))
                cursor.insertText(unbroken(piece), link)
            else:
                text = unbroken(piece) if short else piece.text
                cursor.insertText(text, self._formats.toned(piece.tone))


def _kind(entry: Entry) -> str:
    if isinstance(entry, TerminalLine | TracebackLine):
        return entry.stream
    if isinstance(entry, InputLine):
        return "typing"
    if isinstance(entry, Remark):
        return "ruled" if entry.ruled else "words"
    return "ruled-picture" if entry.ruled else "picture"


def _is_plain(entry: Entry) -> bool:
    return isinstance(entry, TerminalLine) and len(entry.runs) == 1 and entry.runs[0].style == PLAIN


def _changes(old: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[int, int, Sequence[Entry]]]:
    """Return the replacements, last first, that turn `old` into `new`: start, stop, new entries.

    Output grows at its end and is cut after its head, so besides a common beginning and end one common run in the
    middle is looked for.
    """
    head = _common(old, new)
    tail = min(_common(old[::-1], new[::-1]), len(old) - head, len(new) - head)
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    places = {id(entry): index for index, entry in enumerate(left)}
    for skipped, entry in enumerate(right[:3]):
        place = places.get(id(entry))
        if place is not None:
            same = _common(left[place:], right[skipped:])
            after = (head + place + same, len(old) - tail, right[skipped + same :])
            before = (head, head + place, right[:skipped])
            return [change for change in (after, before) if change[0] < change[1] or change[2]]
    return [(head, len(old) - tail, right)] if left or right else []


def _common(one: Sequence[Entry], other: Sequence[Entry]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a is not b and a != b:
            break
        count += 1
    return count
