"""Several carets in one field: what is typed, deleted or moved by a key happens at each, as one step of undo.

Qt's field has one caret. The others are cursors of the document, and a key goes to one after the other on a stand,
from the last to the first, so that every habit of the keys holds at each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit

from app.editor.auto_format import linked
from app.editor.edit_target import CursorTarget
from app.editor.highlighter import Highlighter
from app.editor.key_handler import KeyHandler
from app.editor.line_commands import LineCommands

MOST = 200  # carets: a key still takes less than a frame
_STANDARD = QKeySequence.StandardKey
_RUBS_OUT = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
_SHIFTS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
_WAYS = {
    "NextChar": QTextCursor.MoveOperation.Right,
    "PreviousChar": QTextCursor.MoveOperation.Left,
    "NextWord": QTextCursor.MoveOperation.WordRight,
    "PreviousWord": QTextCursor.MoveOperation.WordLeft,
    "NextLine": QTextCursor.MoveOperation.Down,
    "PreviousLine": QTextCursor.MoveOperation.Up,
    "StartOfLine": QTextCursor.MoveOperation.StartOfLine,
    "EndOfLine": QTextCursor.MoveOperation.EndOfLine,
    "StartOfBlock": QTextCursor.MoveOperation.StartOfBlock,
    "EndOfBlock": QTextCursor.MoveOperation.EndOfBlock,
    "StartOfDocument": QTextCursor.MoveOperation.Start,
    "EndOfDocument": QTextCursor.MoveOperation.End,
}
_MOVES = {
    getattr(_STANDARD, prefix + name): (way, mode)
    for name, way in _WAYS.items()
    for prefix, mode in (("MoveTo", QTextCursor.MoveMode.MoveAnchor), ("Select", QTextCursor.MoveMode.KeepAnchor))
}
_ENDS = {QTextCursor.MoveOperation.Left: True, QTextCursor.MoveOperation.Right: False}  # of a selection
_DELETES = {
    _STANDARD.Delete: QTextCursor.MoveOperation.NextCharacter,
    _STANDARD.DeleteStartOfWord: QTextCursor.MoveOperation.PreviousWord,
    _STANDARD.DeleteEndOfWord: QTextCursor.MoveOperation.NextWord,
    _STANDARD.DeleteEndOfLine: QTextCursor.MoveOperation.EndOfBlock,
}
_LEAVES = (_STANDARD.SelectAll, _STANDARD.MoveToNextPage, _STANDARD.MoveToPreviousPage)
_SHADE = 0.3  # opacity of what is selected at the other carets


class MultiCursor(QObject):
    """The carets of a field beside its own, which is the one that was added last."""

    changed = Signal()  # there are more or fewer, or they are elsewhere

    def __init__(self, field: QPlainTextEdit, highlighter: Highlighter) -> None:
        """Begin with the field's own alone; `highlighter` knows what is code."""
        super().__init__(field)
        self._field = field
        self._stand = CursorTarget(field.document())
        self._typist = KeyHandler(self._stand, highlighter)
        self._typist.at_several(on=True)
        self.linework = LineCommands(self._stand)  # to be used by `each`
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

        `act` works on the stand, as what the carets have of their own does.
        """
        spots, own = self._in_order()
        for one in spots:
            one.setKeepPositionOnInsert(True)  # what comes behind a caret that has not had its turn is not its own
        step = QTextCursor(self._field.document())
        step.joinPreviousEditBlock() if join else step.beginEditBlock()
        for at in reversed(range(len(spots))):
            spots[at].setKeepPositionOnInsert(False)
            self._stand.setTextCursor(spots[at])
            act()
            spots[at] = self._stand.textCursor()
        step.endEditBlock()
        self._take(spots, own)

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

    def type(self, event: QKeyEvent) -> None:
        """Have a key act at each caret; keys of one kind, one after the other, are one step of undo."""
        move = next((way for key, way in _MOVES.items() if event.matches(key)), None)
        if move is not None:
            self._move(*move)
        elif not self._field.isReadOnly():
            kind = "rubbed" if event.key() in _RUBS_OUT else "typed" if _printed(event) else ""
            self.each(lambda: self._type(event), join=bool(kind) and self._typed == (kind, *self._state()))
            self._typed = (kind, *self._state())

    def _type(self, event: QKeyEvent) -> None:
        """Do at the stand what the typist does, or what Qt's field does with a key."""
        if self._typist.press(event):
            return
        cursor = self._stand.textCursor()
        way = next((way for key, way in _DELETES.items() if event.matches(key)), None)
        if event.key() == Qt.Key.Key_Backspace and not event.modifiers() & ~_SHIFTS:
            way = QTextCursor.MoveOperation.PreviousCharacter
        if way is not None:
            if not cursor.hasSelection():
                cursor.movePosition(way, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        elif text := _printed(event):
            cursor.insertText(text)
        self._stand.setTextCursor(cursor)

    def _move(self, way: QTextCursor.MoveOperation, mode: QTextCursor.MoveMode) -> None:
        spots, own = self._in_order()
        for one in spots:
            if mode == QTextCursor.MoveMode.MoveAnchor and one.hasSelection() and way in _ENDS:
                one.setPosition(one.selectionStart() if _ENDS[way] else one.selectionEnd())
            else:
                one.movePosition(way, mode)
        self._take(spots, own)

    def commit(self, event: QInputMethodEvent) -> None:
        """Put at each caret what an input method commits."""

        def put() -> None:
            cursor = self._stand.textCursor()
            if event.replacementLength():
                cursor.setPosition(max(0, cursor.position() + event.replacementStart()))
                way = QTextCursor.MoveOperation.NextCharacter
                cursor.movePosition(way, QTextCursor.MoveMode.KeepAnchor, event.replacementLength())
            cursor.insertText(event.commitString())
            self._stand.setTextCursor(cursor)
            self._typist.committed(event.commitString())

        self.each(put)

    def cut(self) -> None:
        """Take what is selected at each caret to the clipboard."""
        if text := self.selected():
            QGuiApplication.clipboard().setText(text)
            self.remove()

    def remove(self) -> None:
        """Take away what is selected at each caret."""
        self.each(lambda: self._stand.textCursor().removeSelectedText())

    def paste(self, text: str) -> None:
        """Put a text in at each caret; one of as many lines as there are carets is dealt out, a line for each."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) != len(self):
            lines = [text] * len(self)

        def put() -> None:
            cursor, line = self._stand.textCursor(), lines.pop()  # the last caret has its turn first
            cursor.insertText(linked(cursor.selectedText(), line) or line)
            self._stand.setTextCursor(cursor)

        self.each(put)

    def selected(self) -> str:
        """Return what is selected at all carets, each in a line of its own."""
        texts = (one.selectedText().replace("\u2029", "\n") for one in self._ordered())
        return "\n".join(text for text in texts if text)

    # looks

    def paint_backgrounds(self, painter: QPainter, colour: str) -> None:
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

    def _in_order(self) -> tuple[list[QTextCursor], int]:
        """Return the carets in order, and which of them is the field's own."""
        self._settle()  # what was done elsewhere may have brought some together
        spots, own = self._ordered(), self._field.textCursor()
        return spots, next(at for at, one in enumerate(spots) if one == own)

    def _take(self, spots: list[QTextCursor], own: int) -> None:
        """Have the carets at these places from now on."""
        self._field.setTextCursor(spots.pop(own))
        self._others = spots
        self._settle()
        self._field.ensureCursorVisible()

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


def _printed(event: QKeyEvent) -> str:
    """Return what a key prints; nothing where it is held with Control alone."""
    text, held = event.text(), event.modifiers() & ~_SHIFTS
    return text if text.isprintable() and held != Qt.KeyboardModifier.ControlModifier else ""


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
