"""Blocks put in as paragraphs of their own: a link to a snippet, a python block with a name that no other has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage, QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from app.editor.auto_format import linked
from app.editor.html_to_markdown import as_markdown
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


Picture: TypeAlias = QImage | Path
LINE = "application/x-torchleaf-line"  # a whole line, which is put in above the one with the caret
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif")


@dataclass(frozen=True)
class Pasted:
    """A text to be put in, or pictures that are first to be kept beside the note."""

    text: str = ""
    pictures: tuple[Picture, ...] = ()


def whole_line(text: str) -> QMimeData:
    """Return a line as it is copied where nothing is selected."""
    data = QMimeData()
    data.setText(f"{text}\n")
    data.setData(LINE, b"1")
    return data


def is_pasted(data: QMimeData) -> bool:
    """Tell whether there is anything that can be put in a text; files that are no pictures are the window's to open."""
    return bool(_files(data)) or (not _local(data) and (data.hasText() or data.hasHtml() or data.hasImage()))


def pasted(data: QMimeData, selected: str, *, code: bool, plain: bool = False) -> Pasted:
    """Return what pasting means over some selected words; in code, and where it is wished, text is plain text."""
    if files := _files(data):
        return Pasted(pictures=files)
    text = data.text().replace("\r\n", "\n").replace("\r", "\n")
    if data.hasImage() and not text.strip():
        image = data.imageData()
        if isinstance(image, QImage) and not image.isNull():
            return Pasted(pictures=(image,))
    if code or plain:
        return Pasted(text)
    if made := linked(selected, text):
        return Pasted(made)
    return Pasted((as_markdown(data.html()) if data.hasHtml() else None) or text)


def _local(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def _files(data: QMimeData) -> tuple[Path, ...]:
    """Return the pictures, if nothing else is among the files."""
    found = _local(data)
    return tuple(found) if found and all(file.suffix.lower() in _PICTURES for file in found) else ()
