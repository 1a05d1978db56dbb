"""Blocks put in as paragraphs of their own: a link to a snippet, a python block with a name that no other has."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from kb.lazy_regex import expression

_ID = expression(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^\n]*?\bid=[\"']?([\w.-]+)")


Open = Callable[[QTextBlock], bool]  # whether a fence of code goes on behind a line


def insert_paragraph(field: QPlainTextEdit, before: str, behind: str, *, is_open: Open) -> None:
    """Put a text on a line of its own, not in code but beneath it: air around it, the caret between its two halves."""
    cursor = beneath_code(field.textCursor(), is_open)
    cursor.beginEditBlock()
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock)
    above = cursor.block().previous()
    if cursor.block().text().strip():
        cursor.insertText("\n\n")
    elif above.isValid() and above.text().strip():
        cursor.insertText("\n")
    cursor.insertText(before)
    at = cursor.position()
    below = cursor.block().next()
    cursor.insertText(behind + ("\n" if below.isValid() and below.text().strip() else ""))
    cursor.setPosition(at)
    cursor.endEditBlock()
    field.setTextCursor(cursor)
    field.ensureCursorVisible()


def insert_block(field: QPlainTextEdit, text: str, *, is_open: Open) -> None:
    """Put a python block in that can be run; `text` is the note's, whose blocks have names already."""
    insert_paragraph(field, f"```python id={free_id(text)}\n", "\n```\n", is_open=is_open)


def beneath_code(place: QTextCursor, is_open: Open) -> QTextCursor:
    """Return a place, or where it lies in a fence of code, the end of that; nothing is selected."""
    block = place.block()
    while is_open(block) and block.next().isValid():
        block = block.next()
    cursor = QTextCursor(place)
    cursor.clearSelection()
    if block != place.block():
        cursor.setPosition(block.position() + block.length() - 1)
    return cursor


def free_id(text: str) -> str:
    """Return a name that no block of a text has."""
    taken = set(_ID.findall(text))
    number = 1
    while f"example{number}" in taken:
        number += 1
    return f"example{number}"
