"""Blocks put in as paragraphs of their own: a link to a snippet, a python block with a name that no other has."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from kb.patterns import expression

_ID = expression(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^\n]*?\bid=[\"']?([\w.-]+)")


def insert_paragraph(field: QPlainTextEdit, before: str, behind: str) -> None:
    """Put a text on a line of its own, with the caret between its two halves and air around it."""
    cursor = field.textCursor()
    cursor.beginEditBlock()
    cursor.clearSelection()
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


def insert_block(field: QPlainTextEdit, text: str) -> None:
    """Put a python block in that can be run; `text` is the note's, whose blocks have names already."""
    insert_paragraph(field, f"```python id={free_id(text)}\n", "\n```\n")


def free_id(text: str) -> str:
    """Return a name that no block of a text has."""
    taken = set(_ID.findall(text))
    number = 1
    while f"example{number}" in taken:
        number += 1
    return f"example{number}"
