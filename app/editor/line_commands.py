"""Commands on the lines and words under the caret: carried up and down, doubled, made bold, italic or code."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtGui import QTextCursor

from app.editor.edit_target import EditTarget
from app.editor.emphasis import toggled
from app.editor.line_prefix import tasked
from app.editor.list_numbers import in_order
from app.editor.minimal_edit import rewrite_blocks
from app.editor.task_toggle import sign_of
from app.editor.text_diff import units, up_to

_BEGUN, _REST = re.compile(r"\w*$"), re.compile(r"\w*")
_KEEP = QTextCursor.MoveMode.KeepAnchor


class LineCommands:
    """Works on one field; each command is one step of undo."""

    def __init__(self, field: EditTarget) -> None:
        """Work in `field`."""
        self._field = field

    def carry(self, by: int) -> None:
        """Move the lines that the selection touches one line down (1) or up (-1); list numbers stay in order."""
        cursor, document = self._field.textCursor(), self._field.document()
        first, last = self._lines(cursor)
        other = document.findBlockByNumber(last + 1 if by > 0 else first - 1)
        if not other.isValid():
            return
        anchor, position = cursor.anchor(), cursor.position()
        # Up is the line above carried down past the others: one way to do both.
        top, passed = (first, other.text()) if by > 0 else (first - 1, other.text())
        moved = by * (units(passed) + 1)
        texts = [document.findBlockByNumber(number).text() for number in range(first, last + 1)]
        turned = [passed, *texts] if by > 0 else [*texts, passed]
        cursor.beginEditBlock()
        cursor.setPosition(document.findBlockByNumber(top).position())
        end = document.findBlockByNumber(top + len(texts))
        cursor.setPosition(end.position() + end.length() - 1, _KEEP)
        cursor.insertText("\n".join(turned))
        rewrite_blocks(document, dict(enumerate(in_order(turned), top)))
        cursor.endEditBlock()
        self._select(anchor + moved, position + moved)

    def double(self) -> None:
        """Write the lines that the selection touches once more beneath them; the caret goes on in the copy."""
        cursor, document = self._field.textCursor(), self._field.document()
        first, last = self._lines(cursor)
        start = document.findBlockByNumber(first).position()
        end = document.findBlockByNumber(last)
        text = self._between(start, end.position() + end.length() - 1)
        anchor, position = cursor.anchor(), cursor.position()
        cursor.setPosition(end.position() + end.length() - 1)
        cursor.insertText("\n" + text)
        self._select(anchor + units(text) + 1, position + units(text) + 1)

    def drop(self) -> None:
        """Take the line of the caret away; the caret stays in its column, in the line that comes in its place."""
        cursor = self._field.textCursor()
        block, at = cursor.block(), cursor.positionInBlock()
        start, end = block.position(), block.position() + block.length()
        last = not block.next().isValid()
        cursor.setPosition(max(0, start - 1) if last else start)
        cursor.setPosition(end - 1 if last else end, _KEEP)
        cursor.removeSelectedText()
        here = cursor.block()
        cursor.setPosition(here.position() + min(at, here.length() - 1))
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()

    def lead(self, change: Callable[[str], str]) -> None:
        """Have every line that the selection touches begin otherwise."""
        cursor, document = self._field.textCursor(), self._field.document()
        first, last = self._lines(cursor)
        cursor.beginEditBlock()
        rewrite_blocks(
            document, {number: change(document.findBlockByNumber(number).text()) for number in range(first, last + 1)}
        )
        cursor.endEditBlock()

    def tick(self, line: int, done: bool) -> None:  # noqa: FBT001 - as who clicked it says it
        """Tick the task at a line from 1, or take the tick off; nothing where it is so, or there is no task."""
        block = self._field.document().findBlockByNumber(line - 1)
        sign = sign_of(block.text()) if block.isValid() and not self._field.isReadOnly() else None
        if sign is not None and (block.text()[sign] != " ") != done:
            rewrite_blocks(self._field.document(), {line - 1: tasked(block.text())})

    def toggle(self, mark: str) -> None:
        """Put a mark around what is selected, or the word under the caret; take it away where it is there."""
        cursor = self._field.textCursor()
        if "\u2029" in cursor.selectedText():
            return
        bare = not cursor.hasSelection()
        if bare:
            cursor = self._word(cursor, mark)
        block, line = cursor.block(), cursor.block().text()
        start, end = (
            len(up_to(line, at - block.position())) for at in (cursor.selectionStart(), cursor.selectionEnd())
        )
        marked = toggled(line, start, end, mark)
        at = block.position() + units(line[: marked.start])
        cursor.setPosition(at)
        cursor.setPosition(block.position() + units(line[: marked.end]), _KEEP)
        cursor.insertText(marked.text)
        begin, stop = (at + units(marked.text[:edge]) for edge in marked.selected)
        self._select(stop if bare else begin, stop)

    def _word(self, cursor: QTextCursor, mark: str) -> QTextCursor:
        """Return the word around the caret; of Chinese, which has no blanks, only what is marked already."""
        line = cursor.block().text()
        at = len(up_to(line, cursor.positionInBlock()))
        start = at - len(_BEGUN.search(line[:at])[0])  # type: ignore[index]  # it matches nothing at least
        end = at + len(_REST.match(line[at:])[0])  # type: ignore[index]
        marked = line[:start].endswith(mark) and line[end:].startswith(mark)
        word = QTextCursor(cursor)
        if marked or line[start:end].isascii():
            word.setPosition(cursor.block().position() + units(line[:start]))
            word.setPosition(cursor.block().position() + units(line[:end]), _KEEP)
        return word

    def _lines(self, cursor: QTextCursor) -> tuple[int, int]:
        document = self._field.document()
        first = document.findBlock(cursor.selectionStart()).blockNumber()
        last = document.findBlock(max(cursor.selectionStart(), cursor.selectionEnd() - 1)).blockNumber()
        return first, last

    def _between(self, start: int, end: int) -> str:
        cursor = QTextCursor(self._field.document())
        cursor.setPosition(start)
        cursor.setPosition(end, _KEEP)
        return cursor.selectedText().replace("\u2029", "\n")

    def _select(self, anchor: int, position: int) -> None:
        cursor, last = self._field.textCursor(), self._field.document().characterCount() - 1
        cursor.setPosition(min(anchor, last))  # a selection that ends where a line begins may now reach beyond the last
        cursor.setPosition(min(position, last), _KEEP)
        self._field.setTextCursor(cursor)
        self._field.ensureCursorVisible()
