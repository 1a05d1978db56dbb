"""Notes in other formats, one row of `ExportFormat` each, with the code and recorded outputs of their snippets.

Only PDF needs Qt. Each format loads its libraries when it is used, so that the command line can list them quickly.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Self

from app.history import Location
from app.notebook import vault_snippets
from kb.errors import KbError, RenderFailed
from kb.notes.note import Note
from kb.rendering.rendered_page import Page
from kb.vault.vault import Vault


def refusal(out: Path, *, force: bool) -> str | None:
    """Return why a file cannot be written there, None if it can."""
    try:
        there = out.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        there = 0
    except OSError as error:  # a name that is too long; from Python 3.14 on `is_dir` does not raise it
        return f"{out} cannot be written: {error.strerror}."
    if stat.S_ISDIR(there):
        return f"{out} is a folder; name a file in it."
    if not out.parent.is_dir():
        return f"The folder {out.parent} is not there; make it, or write elsewhere."
    if os.path.lexists(out) and not force:
        return f"{out} is there already; --force replaces it."
    return None


def page_of(vault: Vault, note: Note) -> Page:
    """Render a note as the reader shows it, with the library's code in its cells. Raises KbError."""
    from app.notebook.note_loader import open_note
    from kb.rendering.renderer import Renderer

    with contextlib.closing(Renderer()) as renderer:
        opened = open_note(vault, Location(note.path), renderer)
    return next(opened.pages[language] for language, one in opened.notes.items() if one.path == note.path)


def _as_html(vault: Vault, note: Note) -> bytes:
    """Return the note as one HTML file, pictures included. Raises KbError."""
    from kb.files.tree import read_regular
    from kb.rendering.html_export import page_html
    from kb.vault.attachments import LARGEST

    def picture(source: str) -> bytes | None:
        try:
            return read_regular(vault.attachment(note.path, source), source, most=LARGEST)
        except (KbError, OSError):
            return None

    made = page_html(page_of(vault, note), standalone=True, title=note.title, lang=note.lang, picture=picture)
    return made.encode("utf-8")


def _as_notebook(vault: Vault, note: Note) -> bytes:
    from kb.notes.notebook_export import to_notebook
    from snippets.results.output_comparison import choose

    known = vault_snippets.library(vault).snippets
    codes = {name: snippet.code for name, snippet in known.items()}
    outputs = {name: choose(snippet.recorded, "cpu") or "" for name, snippet in known.items()}
    return to_notebook(note, snippets=codes, outputs=outputs).encode("utf-8")


def _as_script(vault: Vault, note: Note) -> bytes:
    from kb.notes.notebook_export import to_script

    codes = {name: snippet.code for name, snippet in vault_snippets.library(vault).snippets.items()}
    return to_script(note, snippets=codes).encode("utf-8")


def _as_pdf(vault: Vault, note: Note) -> bytes:
    try:
        from app.export.pdf_export import as_pdf
    except ImportError as error:
        raise RenderFailed(
            f"A PDF needs PySide6, which cannot be loaded here ({error}); export html instead, or install it.",
            f"导出 PDF 需要 PySide6，但此处无法加载（{error}）；可以改为导出 html，或先安装它。",
        ) from error
    return as_pdf(vault, note, page_of(vault, note))


class ExportFormat(StrEnum):
    """An export format: its suffix, also its name on the command line, its label in both languages, its function.

    `convert` returns the bytes of the file for a note of a vault. Raises KbError.
    """

    zh: str
    en: str
    convert: Callable[[Vault, Note], bytes]

    def __new__(cls, suffix: str, zh: str, en: str, convert: Callable[[Vault, Note], bytes]) -> Self:
        """Make a row."""
        row = str.__new__(cls, suffix)
        row._value_, row.zh, row.en, row.convert = suffix, zh, en, convert
        return row

    HTML = "html", "网页，单个文件", "Web page, one file", _as_html
    PDF = "pdf", "PDF", "PDF", _as_pdf
    IPYNB = "ipynb", "Jupyter 笔记本", "Jupyter notebook", _as_notebook
    PY = "py", "Python 文件", "Python file", _as_script


def export_note(vault: Vault, note: Note, *, to: str, out: Path) -> None:
    """Write the note to a file in one step; `to` is the suffix of its format. Raises KbError."""
    from kb.files.atomic import replace_file

    replace_file(out, ExportFormat[to.upper()].convert(vault, note))
