"""Special keys in the source: Enter, Tab, Backspace, Home, bracket pairs, and keys in tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextBlock, QTextCursor

from app.editor.auto_close import AutoClose
from app.editor.auto_format import (
    KeyEdit,
    indent_of,
    indented,
    is_item,
    on_backspace,
    on_enter,
    on_enter_at_fence,
    on_enter_in_code,
    outdented,
    spaces_to_stop,
)
from app.editor.edit_target import EditTarget
from app.editor.highlighter import Highlighter
from app.editor.line_commands import next_numbers
from app.editor.table_commands import TableCommands
from app.editor.text_diff import rewrite_blocks, selected_lines, text_below, up_to

_HELD = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class KeyHandler:
    """Handles the keys of one field."""

    def __init__(self, field: EditTarget, highlighter: Highlighter) -> None:
        """Edit `field`; `highlighter` tells which lines are code."""
        self._field, self._highlighter = field, highlighter
        self._auto_close = AutoClose(field, highlighter)
        self.tabling = TableCommands(field, highlighter)

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; return False to leave it to the field."""
        held, key = event.modifiers() & _HELD, event.key()
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if held:
            return False
        if key in _ENTER:
            if shift or self._field.textCursor().hasSelection() or not self.tabling.enter():
                self._enter(plain=bool(shift))
        elif key == Qt.Key.Key_Backtab or (key == Qt.Key.Key_Tab and shift):
            if not self.tabling.step(-1):
                self.shift(outdented)
        elif key == Qt.Key.Key_Tab:
            self._tab()
        elif key == Qt.Key.Key_Backspace:
            return self._auto_close.delete_pair() or self._delete_marker()
        elif key == Qt.Key.Key_Home:
            return self._go_home(keep=bool(shift))
        else:
            return self._auto_close.press(event.text())
        return True

    def committed(self, text: str) -> None:
        """React to text that an input method has inserted before the caret."""
        self._auto_close.committed(text)

    def forget(self) -> None:
        """Forget the pairs, because the text was replaced."""
        self._auto_close.forget()

    def at_several(self, *, on: bool) -> None:
        """Say whether keys are typed at several carets in turn."""
        self._auto_close.all_lines = on

    def shift(self, change: Callable[[str], str]) -> None:
        """Indent or outdent all selected lines as one undo step."""
        cursor = self._field.textCursor()
        document = self._field.document()
        cursor.beginEditBlock()
        for number in selected_lines(cursor):
            _rewrite_indent(QTextCursor(document.findBlockByNumber(number)), change)
        cursor.endEditBlock()

    def _delete_marker(self) -> bool:
        """Delete the whole marker of a list item before the caret; return whether there is one."""
        cursor = self._field.textCursor()
        before = up_to(cursor.block().text(), cursor.positionInBlock())
        typed = (
            KeyEdit() if cursor.hasSelection() or self._highlighter.in_fence(cursor.block()) else on_backspace(before)
        )
        if typed.remove:
            cursor.beginEditBlock()
            self._type(cursor, typed)
            cursor.endEditBlock()
            self._field.setTextCursor(cursor)
        return bool(typed.remove)

    def _go_home(self, *, keep: bool) -> bool:
        """Go to the first character of an indented line, or from there to its start; False leaves it to the field.

        In the later rows of a wrapped line, Home goes to the start of the row.
        """
        cursor = self._field.textCursor()
        block, at = cursor.block(), cursor.positionInBlock()
        indent, shown = indent_of(block.text()), block.layout().lineForTextPosition(at)
        if not indent or (shown.isValid() and shown.lineNumber() > 0):
            return False
        mode = QTextCursor.MoveMode.KeepAnchor if keep else QTextCursor.MoveMode.MoveAnchor
        cursor.setPosition(block.position() + (0 if at == indent else indent), mode)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
        return True

    def _enter(self, *, plain: bool) -> None:
        cursor = self._field.textCursor()
        block = cursor.block()
        line, at = block.text(), cursor.positionInBlock()
        typed = KeyEdit(insert="\n")
        if not plain and not cursor.hasSelection():
            typed = self._on_enter(block, up_to(line, at), line[len(up_to(line, at)) :])
        cursor.beginEditBlock()
        self._type(cursor, typed)
        self._renumber(cursor)
        cursor.endEditBlock()
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()

    def _on_enter(self, block: QTextBlock, before: str, after: str) -> KeyEdit:
        opened = self._highlighter.state_of(block)
        if opened.kind != "fence":
            return on_enter(before, after)
        if self._highlighter.state_of(block.previous()).kind == "fence":
            return on_enter_in_code(before, python=opened.lang.startswith("py"))
        if after.strip():
            return KeyEdit(insert="\n")
        return on_enter_at_fence(before, text_below(block))

    def _type(self, cursor: QTextCursor, typed: KeyEdit) -> None:
        cursor.removeSelectedText()
        if typed.remove:
            cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, typed.remove)
        cursor.insertText(typed.insert)
        if typed.behind:
            at = cursor.position()
            cursor.insertText(typed.behind)
            cursor.setPosition(at)

    def _renumber(self, cursor: QTextCursor) -> None:
        """Renumber the items below a new one."""
        block = cursor.block()
        if self._highlighter.in_fence(block):
            return
        first = block.blockNumber() + 1
        changed = next_numbers(block.text(), _texts(block.next()))
        rewrite_blocks(self._field.document(), {first + at: text for at, text in changed})

    def _tab(self) -> None:
        cursor = self._field.textCursor()
        line = cursor.block().text()
        selected = cursor.selectedText()
        in_code = self._highlighter.in_fence(cursor.block())
        if "\u2029" in selected or (not selected and not in_code and is_item(line)):
            self.shift(indented)
        elif not self.tabling.step(1):
            cursor.insertText(spaces_to_stop(up_to(line, cursor.positionInBlock())))


def _texts(block: QTextBlock) -> Iterator[str]:
    while block.isValid():
        yield block.text()
        block = block.next()


def _rewrite_indent(cursor: QTextCursor, change: Callable[[str], str]) -> None:
    """Change only the indent of a line, so that the caret and marks after it stay in place."""
    old = cursor.block().text()
    new = change(old)
    if len(new) > len(old):
        cursor.insertText(new[: len(new) - len(old)])
    else:
        cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, len(old) - len(new))
        cursor.removeSelectedText()
