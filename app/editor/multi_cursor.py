"""Several carets in one field: a key types, deletes or moves at each of them, as one undo step.

Qt's field has one caret. The others are cursors of the document. A key is applied to all carets in turn, from the last
to the first, on a `CursorTarget`, so that all special keys work at each of them.
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
from app.editor.text_diff import selected_text

MOST = 200  # carets, so that a key takes less than a frame
_STANDARD = QKeySequence.StandardKey
_DELETE_KEYS = (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
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
_ENDS = {QTextCursor.MoveOperation.Left: True, QTextCursor.MoveOperation.Right: False}  # start of a selection?
_DELETES = {
    _STANDARD.Delete: QTextCursor.MoveOperation.NextCharacter,
    _STANDARD.DeleteStartOfWord: QTextCursor.MoveOperation.PreviousWord,
    _STANDARD.DeleteEndOfWord: QTextCursor.MoveOperation.NextWord,
    _STANDARD.DeleteEndOfLine: QTextCursor.MoveOperation.EndOfBlock,
}
_LEAVES = (_STANDARD.SelectAll, _STANDARD.MoveToNextPage, _STANDARD.MoveToPreviousPage)
_SHADE = 0.3  # opacity of the other carets' selections


class MultiCursor(QObject):
    """The carets of a field; its own caret is the one added last."""

    changed = Signal()  # carets were added, removed or moved

    def __init__(self, field: QPlainTextEdit, highlighter: Highlighter) -> None:
        """Start with one caret; `highlighter` tells which lines are code."""
        super().__init__(field)
        self._field = field
        self._target = CursorTarget(field.document())
        self._key_handler = KeyHandler(self._target, highlighter)
        self._key_handler.at_several(on=True)
        self.linework = LineCommands(self._target)  # for use inside `each`
        self._others: list[QTextCursor] = []
        self._typed: tuple[object, ...] = ()  # the kind of the last key and the state after it
        self._word = ""  # the word taken from under the caret, which matches whole words only

    @property
    def several(self) -> bool:
        """Whether there is more than one caret."""
        return bool(self._others)

    def __len__(self) -> int:
        """Return the number of carets, including the field's own."""
        return len(self._others) + 1

    # adding and removing

    def leave(self) -> None:
        """Keep only the field's own caret."""
        self._word = ""
        if self._others:
            self._others.clear()
            self.changed.emit()

    def turn(self, cursor: QTextCursor) -> None:
        """Add a caret, or remove the one at this position."""
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
        """Add a caret in the line above the first (-1) or below the last (1), in the same column."""
        ordered = self._ordered()
        made = QTextCursor(ordered[-1 if by > 0 else 0])
        made.clearSelection()
        way = QTextCursor.MoveOperation.Down if by > 0 else QTextCursor.MoveOperation.Up
        if made.movePosition(way):
            self._add(made)

    def next_same(self) -> bool:
        """Select the word under the caret, or add a caret at the next occurrence of the selection; return success."""
        cursor = self._field.textCursor()
        if not cursor.hasSelection():
            cursor.select(QTextCursor.SelectionType.WordUnderCursor)
            self._word = cursor.selectedText()
            self._field.setTextCursor(cursor)
            return cursor.hasSelection()
        found = self._next_occurrence(cursor)
        if found is not None:
            self._add(found)
        return found is not None

    def all_same(self) -> None:
        """Select all occurrences of the selection or of the word under the caret, at most `MOST`."""
        own = self._field.textCursor()
        if own.hasSelection() or self.next_same():
            own = self._field.textCursor()
            found = self._search(own, 0)
            while not found.isNull() and len(self) < MOST:
                if found.selectionStart() != own.selectionStart():
                    self._others.append(found)
                found = self._search(own, found)
            self._merge()

    def _add(self, cursor: QTextCursor) -> None:
        """Move the field's own caret to a new position, and put another one where it was."""
        if len(self) < MOST and not self._field.isReadOnly():
            self._others.append(self._field.textCursor())
            self._field.setTextCursor(cursor)
            self._field.ensureCursorVisible()
            self._merge()

    def _next_occurrence(self, cursor: QTextCursor) -> QTextCursor | None:
        """Return the next occurrence of the selection without a caret, continuing from the top after the last."""
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
        """Return the next occurrence of a cursor's selection after a position."""
        text, flags = cursor.selectedText(), QTextDocument.FindFlag.FindCaseSensitively
        if text == self._word and text.isascii():  # Chinese has no spaces between words
            flags |= QTextDocument.FindFlag.FindWholeWords
        return self._field.document().find(text, behind, flags)

    # actions at every caret

    def each(self, act: Callable[[], object], *, join: bool = False) -> None:
        """Call `act` for each caret, as one undo step; with `join` it extends the previous step.

        `act` works on the caret's target, as `linework` does.
        """
        spots, own = self._in_order()
        for one in spots:
            one.setKeepPositionOnInsert(True)  # text inserted after a caret before its turn is not its own
        step = QTextCursor(self._field.document())
        step.joinPreviousEditBlock() if join else step.beginEditBlock()
        for at in reversed(range(len(spots))):
            spots[at].setKeepPositionOnInsert(False)
            self._target.setTextCursor(spots[at])
            act()
            spots[at] = self._target.textCursor()
        step.endEditBlock()
        self._take(spots, own)

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key that concerns all carets together; return False to apply it to each caret, or to the field."""
        field = self._field
        if event.key() == Qt.Key.Key_Escape and not event.modifiers():
            self.leave()
        elif event.matches(_STANDARD.Undo):
            self._undo_or_redo(field.document().undo)
        elif event.matches(_STANDARD.Redo):
            self._undo_or_redo(field.document().redo)
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
        """Apply a key at each caret; consecutive keys of one kind are one undo step."""
        move = next((way for key, way in _MOVES.items() if event.matches(key)), None)
        if move is not None:
            self._move(*move)
        elif not self._field.isReadOnly():
            kind = "deleted" if event.key() in _DELETE_KEYS else "typed" if _printed(event) else ""
            self.each(lambda: self._type(event), join=bool(kind) and self._typed == (kind, *self._state()))
            self._typed = (kind, *self._state())

    def _type(self, event: QKeyEvent) -> None:
        """Apply a key to the target as the key handler does, or else as Qt's field does."""
        if self._key_handler.press(event):
            return
        cursor = self._target.textCursor()
        way = next((way for key, way in _DELETES.items() if event.matches(key)), None)
        if event.key() == Qt.Key.Key_Backspace and not event.modifiers() & ~_SHIFTS:
            way = QTextCursor.MoveOperation.PreviousCharacter
        if way is not None:
            if not cursor.hasSelection():
                cursor.movePosition(way, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        elif text := _printed(event):
            cursor.insertText(text)
        self._target.setTextCursor(cursor)

    def _move(self, way: QTextCursor.MoveOperation, mode: QTextCursor.MoveMode) -> None:
        spots, own = self._in_order()
        for one in spots:
            if mode == QTextCursor.MoveMode.MoveAnchor and one.hasSelection() and way in _ENDS:
                one.setPosition(one.selectionStart() if _ENDS[way] else one.selectionEnd())
            else:
                one.movePosition(way, mode)
        self._take(spots, own)

    def commit(self, event: QInputMethodEvent) -> None:
        """Insert what an input method commits at each caret."""

        def put() -> None:
            cursor = self._target.textCursor()
            if event.replacementLength():
                cursor.setPosition(max(0, cursor.position() + event.replacementStart()))
                way = QTextCursor.MoveOperation.NextCharacter
                cursor.movePosition(way, QTextCursor.MoveMode.KeepAnchor, event.replacementLength())
            cursor.insertText(event.commitString())
            self._target.setTextCursor(cursor)
            self._key_handler.committed(event.commitString())

        self.each(put)

    def cut(self) -> None:
        """Move the selections of all carets to the clipboard."""
        if text := self.selected():
            QGuiApplication.clipboard().setText(text)
            self.remove()

    def remove(self) -> None:
        """Delete the selections of all carets."""
        self.each(lambda: self._target.textCursor().removeSelectedText())

    def paste(self, text: str) -> None:
        """Insert a text at each caret; if it has as many lines as there are carets, one line at each."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) != len(self):
            lines = [text] * len(self)

        def put() -> None:
            cursor, line = self._target.textCursor(), lines.pop()  # the last caret comes first
            cursor.insertText(linked(cursor.selectedText(), line) or line)
            self._target.setTextCursor(cursor)

        self.each(put)

    def selected(self) -> str:
        """Return the selections of all carets, joined by line feeds."""
        return "\n".join(filter(None, map(selected_text, self._ordered())))

    # painting

    def paint_backgrounds(self, painter: QPainter, colour: str) -> None:
        """Paint the selections of the other carets in view, behind the text."""
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
        """Yield the areas of a selection's lines in the viewport, as far as they are in view."""
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
        """Return the carets in order, and the index of the field's own."""
        self._merge()  # other edits may have brought carets together
        spots, own = self._ordered(), self._field.textCursor()
        return spots, next(at for at, one in enumerate(spots) if one == own)

    def _take(self, spots: list[QTextCursor], own: int) -> None:
        """Replace the carets; `own` is the index of the field's own."""
        self._field.setTextCursor(spots.pop(own))
        self._others = spots
        self._merge()
        self._field.ensureCursorVisible()

    def _state(self) -> tuple[object, ...]:
        return self._field.document().revision(), *(one.position() for one in self._ordered())

    def _undo_or_redo(self, go: Callable[[], object]) -> None:
        """Undo or redo; restore the field's own caret, which Qt would move to the changed text."""
        own = self._field.textCursor()
        go()
        self._field.setTextCursor(own)
        self._merge()

    def _merge(self) -> None:
        """Merge carets that meet."""
        own, kept = self._field.textCursor(), list[QTextCursor]()
        for one in self._ordered():
            if not kept or not _meet(kept[-1], one):
                kept.append(one)
            elif one == own:
                kept[-1] = one
        self._others = [one for one in kept if one != own]
        self.changed.emit()


def _printed(event: QKeyEvent) -> str:
    """Return the text of a key, or "" if it is not printable or pressed with Control alone."""
    text, held = event.text(), event.modifiers() & ~_SHIFTS
    return text if text.isprintable() and held != Qt.KeyboardModifier.ControlModifier else ""


def _meet(one: QTextCursor, other: QTextCursor) -> bool:
    """Return whether two carets are at one position, or their selections overlap."""
    apart = one.selectionEnd() <= other.selectionStart() or other.selectionEnd() <= one.selectionStart()
    return not apart or one.position() == other.position()


def _lines(block: QTextBlock, at: QPointF, cursor: QTextCursor) -> Iterator[QRectF]:
    """Yield the areas of the selected parts of a block's lines; `at` is the block's top left corner."""
    layout = block.layout()
    first, last = cursor.selectionStart() - block.position(), cursor.selectionEnd() - block.position()
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        start, end = max(first, line.textStart()), min(last, line.textStart() + line.textLength())
        if start < end:
            left, right = (line.cursorToX(place)[0] for place in (start, end))  # type: ignore[index]
            yield QRectF(at.x() + left, at.y() + line.y(), right - left, line.height())
