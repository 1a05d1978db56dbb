"""What is pasted or dropped: pictures, HTML as Markdown, an address over words, or plain text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QImage

from app.editor.auto_format import linked
from app.editor.html_to_markdown import as_markdown

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
