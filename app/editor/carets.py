"""Several carets in one field: what is typed, deleted or moved by a key happens at each, as one step of undo.

Qt's field has one caret. The others are cursors of the document, and a key goes to them one after the other by way of
the field's own, from the last to the first, so that every habit of the keys holds at each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QPointF, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit

MOST = 200  # carets: a key still takes less than a frame
_STANDARD = QKeySequence.StandardKey
_RUBS_OUT = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
_LEAVES = (_STANDARD.SelectAll, _STANDARD.MoveToNextPage, _STANDARD.MoveToPreviousPage)
_SHADE = 0.3  # opacity of what is selected at the other carets


class Carets(QObject):
    """The carets of a field beside its own, which is the one that was added last."""

    changed = Signal()  # there are more or fewer, or they are elsewhere

    def __init__(self, field: QPlainTextEdit) -> None:
        """Begin with the field's own alone."""
        super().__init__(field)
        self._field = field
        self._others: list[QTextCursor] = []
        self._typed: tuple[object, ...] = ()  # what was typed last and how all stood then
        self._word = ""  # taken from under the caret: only whole words are the same

    @property
    def several(self) -> bool:
        """Whether there is more than one."""
        return bool(self._others)

    def __len__(self) -> int:
        """Return how many there are, the field's own with them."""
        return len(self._others) + 1

    # more and fewer

    def leave(self) -> None:
        """Keep the field's own alone."""
        self._word = ""
        if self._others:
            self._others.clear()
            self.changed.emit()

    def turn(self, cursor: QTextCursor) -> None:
        """Add a caret, or take away the one that is there."""
        at = next((one for one in self._others if one.position() == cursor.position()), None)
        if at is not None:
            self._others.remove(at)
            self.changed.emit()
        elif cursor.position() == self._field.textCursor().position():
            if self._others:
                self._field.setTextCursor(self._others.pop())
                self.changed.emit()
        else:
            self._add(cursor)

    def below(self, by: int) -> None:
        """Add a caret in the line above the topmost (-1) or beneath the lowest (1), at the same place in the line."""
        ordered = self._ordered()
        made = QTextCursor(ordered[-1 if by > 0 else 0])
        made.clearSelection()
        way = QTextCursor.MoveOperation.Down if by > 0 else QTextCursor.MoveOperation.Up
        if made.movePosition(way):
            self._add(made)

    def next_same(self) -> bool:
        """Select the word under the caret; where something is selected, the next place of the same, with a caret."""
        cursor = self._field.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            self._word = cursor.selectedText()
            self._field.setTextCursor(cursor)
            return cursor.hasSelection()
        found = self._same_behind(cursor)
        if found is not None:
            self._add(found)
        return found is not None

    def all_same(self) -> None:
        """Select every place of what is selected, or of the word under the caret, up to as many as are served."""
        own = self._field.textCursor()
        if own.hasSelection() or self.next_same():
            own = self._field.textCursor()
            found = self._search(own, 0)
            while not found.isNull() and len(self) < MOST:
                if found.selectionStart() != own.selectionStart():
                    self._others.append(found)
                found = self._search(own, found)
            self._settle()

    def _add(self, cursor: QTextCursor) -> None:
        """Have the field's own where a new one is wanted, and another where it was."""
        if len(self) < MOST and not self._field.isReadOnly():
            self._others.append(self._field.textCursor())
            self._field.setTextCursor(cursor)
            self._field.ensureCursorVisible()
            self._settle()

    def _same_behind(self, cursor: QTextCursor) -> QTextCursor | None:
        """Return the next place of what is selected that has no caret, from the top again behind the last."""
        taken = {one.selectionStart() for one in (cursor, *self._others)}
        found, again = self._search(cursor, cursor), False
        while not (again and (found.isNull() or found.selectionStart() >= cursor.selectionStart())):
            if found.isNull():
                found, again = self._search(cursor, 0), True
            elif found.selectionStart() in taken:
                found = self._search(cursor, found)
            else:
                return found
        return None

    def _search(self, cursor: QTextCursor, behind: QTextCursor | int) -> QTextCursor:
        """Find what a cursor has selected behind another place."""
        text, looks = cursor.selectedText(), QTextDocument.FindFlag.FindCaseSensitively
        if text == self._word and text.isascii():  # Chinese has no blanks between words
            looks |= QTextDocument.FindFlag.FindWholeWords
        return self._field.document().find(text, behind, looks)

    # what happens at each

    def each(self, act: Callable[[], object], *, join: bool = False) -> None:
        """Do something at each caret, as one step of undo; with `join` it goes into the step before.

        `act` works on the field's own caret, wherever that is put.
        """
        spots, field = self._ordered(), self._field
        own = next(at for at, one in enumerate(spots) if one == field.textCursor())
        for one in spots:
            one.setKeepPositionOnInsert(True)  # what comes behind a caret that has not had its turn is not its own
        step = QTextCursor(field.document())
        step.joinPreviousEditBlock() if join else step.beginEditBlock()
        blocked = QSignalBlocker(field)
        for at in reversed(range(len(spots))):
            spots[at].setKeepPositionOnInsert(False)
            field.setTextCursor(spots[at])
            act()
            spots[at] = field.textCursor()
        field.setTextCursor(spots.pop(own))
        self._others = spots
        blocked.unblock()
        step.endEditBlock()
        self._settle()
        field.ensureCursorVisible()
        field.cursorPositionChanged.emit()
        field.selectionChanged.emit()

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key means for several carets together; False where it is to act at each, or on the field."""
        field = self._field
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.leave()
        elif event.matches(_STANDARD.Undo):
            self._in_time(field.document().undo)
        elif event.matches(_STANDARD.Redo):
            self._in_time(field.document().redo)
        elif event.matches(_STANDARD.Copy):
            QGuiApplication.clipboard().setText(self.selected())
        elif event.matches(_STANDARD.Cut):
            self.cut()
        elif event.matches(_STANDARD.Paste):
            field.paste()
        else:
            if any(event.matches(one) for one in _LEAVES):
                self.leave()
            return False
        return True

    def type(self, event: QKeyEvent, act: Callable[[], object]) -> None:
        """Have a key act at each caret; keys of one kind, one after the other, are one step of undo."""
        kind = "rubbed" if event.key() in _RUBS_OUT else "typed" if event.text().isprintable() and event.text() else ""
        self.each(act, join=bool(kind) and self._typed == (kind, *self._state()))
        self._typed = (kind, *self._state())

    def cut(self) -> None:
        """Take what is selected at each caret to the clipboard."""
        if text := self.selected():
            QGuiApplication.clipboard().setText(text)
            self.remove()

    def remove(self) -> None:
        """Take away what is selected at each caret."""
        self.each(lambda: self._field.textCursor().removeSelectedText())

    def paste(self, text: str, put: Callable[[str], object]) -> None:
        """Put a text in at each caret; one of as many lines as there are carets is dealt out, a line for each."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) != len(self):
            lines = [text] * len(self)
        self.each(lambda: put(lines.pop()))  # the last caret has its turn first

    def selected(self) -> str:
        """Return what is selected at all carets, each in a line of its own."""
        texts = (one.selectedText().replace("\u2029", "\n") for one in self._ordered())
        return "\n".join(text for text in texts if text)

    # looks

    def paint_grounds(self, painter: QPainter, colour: str) -> None:
        """Paint what is selected at the other carets in view, behind the text."""
        shade = QColor(colour)
        shade.setAlphaF(_SHADE)
        for one in self._others:
            for area in self._areas(one):
                painter.fillRect(area, shade)

    def paint(self, painter: QPainter, colour: str) -> None:
        """Paint the other carets in view, over the text."""
        for one in self._others:
            place = self._field.cursorRect(one)
            place.setWidth(self._field.cursorWidth())
            painter.fillRect(place, QColor(colour))

    def _areas(self, cursor: QTextCursor) -> Iterator[QRectF]:
        """Yield where the lines of a selection stand on the screen, as far as they are in view."""
        field, height = self._field, self._field.viewport().height()
        block = field.document().findBlock(cursor.selectionStart())
        while cursor.hasSelection() and block.isValid() and block.position() < cursor.selectionEnd():
            place = field.blockBoundingGeometry(block).translated(field.contentOffset())
            if place.top() > height:
                return
            if place.bottom() >= 0:
                yield from _lines(block, place.topLeft(), cursor)
            block = block.next()

    # order

    def _ordered(self) -> list[QTextCursor]:
        return sorted((self._field.textCursor(), *self._others), key=lambda one: one.selectionStart())

    def _state(self) -> tuple[object, ...]:
        return self._field.document().revision(), *(one.position() for one in self._ordered())

    def _in_time(self, go: Callable[[], object]) -> None:
        """Undo or redo; Qt would take the field's own caret to where that happened last."""
        own = self._field.textCursor()
        go()
        self._field.setTextCursor(own)
        self._settle()

    def _settle(self) -> None:
        """Make one of carets that have come together."""
        own, kept = self._field.textCursor(), list[QTextCursor]()
        for one in self._ordered():
            if not kept or not _meet(kept[-1], one):
                kept.append(one)
            elif one == own:
                kept[-1] = one
        self._others = [one for one in kept if one != own]
        self.changed.emit()


def _meet(one: QTextCursor, other: QTextCursor) -> bool:
    """Tell whether two carets are at one place, or what is selected overlaps."""
    apart = one.selectionEnd() <= other.selectionStart() or other.selectionEnd() <= one.selectionStart()
    return not apart or one.position() == other.position()


def _lines(block: QTextBlock, at: QPointF, cursor: QTextCursor) -> Iterator[QRectF]:
    """Yield the parts of a block's lines that are selected; `at` is where the block stands."""
    layout = block.layout()
    first, last = cursor.selectionStart() - block.position(), cursor.selectionEnd() - block.position()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        start, end = max(first, line.textStart()), min(last, line.textStart() + line.textLength())
        if start < end:
            left, right = (line.cursorToX(place)[0] for place in (start, end))  # type: ignore[index]
            yield QRectF(at.x() + left, at.y() + line.y(), right - left, line.height())
