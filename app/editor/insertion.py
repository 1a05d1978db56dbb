"""Text inserted into the source: paragraphs and code blocks from commands, and what is pasted from the clipboard."""

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

LINE = "application/x-torchleaf-line"  # marks a whole line, which is inserted above the caret's line
_ID = expression(r"(?m)^[ \t>]*(?:`{3,}|~{3,})[^\n]*?\bid=[\"']?([\w.-]+)")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif")

Open: TypeAlias = Callable[[QTextBlock], bool]  # whether a code fence continues after a line
Picture: TypeAlias = QImage | Path


def insert_paragraph(field: QPlainTextEdit, before: str, behind: str, *, is_open: Open) -> None:
    """Insert a paragraph, below the code fence if the caret is in one; the caret goes between `before` and `behind`."""
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
    """Insert an empty runnable Python block with an id that the note's `text` does not use."""
    insert_paragraph(field, f"```python id={free_id(text)}\n", "\n```\n", is_open=is_open)


def beneath_code(place: QTextCursor, is_open: Open) -> QTextCursor:
    """Return the cursor without selection, moved to the end of the code fence if it is in one."""
    block = place.block()
    while is_open(block) and block.next().isValid():
        block = block.next()
    cursor = QTextCursor(place)
    cursor.clearSelection()
    if block != place.block():
        cursor.setPosition(block.position() + block.length() - 1)
    return cursor


def free_id(text: str) -> str:
    """Return an id that no block of a text has."""
    taken = set(_ID.findall(text))
    number = 1
    while f"example{number}" in taken:
        number += 1
    return f"example{number}"


@dataclass(frozen=True)
class Pasted:
    """A text to insert, or pictures to store next to the note first."""

    text: str = ""
    pictures: tuple[Picture, ...] = ()


def whole_line(text: str) -> QMimeData:
    """Return the clipboard data of a line that is copied without a selection."""
    data = QMimeData()
    data.setText(f"{text}\n")
    data.setData(LINE, b"1")
    return data


def is_pasted(data: QMimeData) -> bool:
    """Return whether the data can be inserted; files other than pictures are opened by the window."""
    return bool(_files(data)) or (not _local(data) and (data.hasText() or data.hasHtml() or data.hasImage()))


def pasted(data: QMimeData, selected: str, *, code: bool, plain: bool = False) -> Pasted:
    """Return what pasting over the `selected` text inserts; in code or with `plain`, the plain text."""
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
    """Return the files, if all of them are pictures."""
    found = _local(data)
    return tuple(found) if found and all(file.suffix.lower() in _PICTURES for file in found) else ()
