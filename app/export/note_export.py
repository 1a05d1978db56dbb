"""Exports a note to HTML, Jupyter, Python or PDF, with the code and recorded outputs of its snippets.

Only PDF needs Qt.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from app.history import Location
from app.notebook import vault_snippets
from app.notebook.note_loader import open_note
from kb.errors import KbError, RenderFailed
from kb.files.atomic import replace_file
from kb.notes.note import Note
from kb.notes.notebook_export import to_notebook, to_script
from kb.rendering.html_export import page_html
from kb.rendering.rendered_page import Page
from kb.rendering.renderer import Renderer
from kb.vault.vault import Vault
from snippets.results.output_comparison import choose


def refusal(out: Path, *, force: bool) -> str | None:
    """Return why a file cannot be written at this path, None if it can; `force` allows replacing one."""
    try:
        there = out.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        there = 0
    except OSError as error:  # the name is too long, which `is_dir` no longer raises since Python 3.14
        return f"{out} cannot be written: {error.strerror}."
    if stat.S_ISDIR(there):
        return f"{out} is a folder; name a file in it."
    if not out.parent.is_dir():
        return f"The folder {out.parent} is not there; make it, or write elsewhere."
    if os.path.lexists(out) and not force:
        return f"{out} is there already; --force replaces it."
    return None


def page_of(vault: Vault, note: Note) -> Page:
    """Render a note with the code of library snippets. Raises KbError."""
    with contextlib.closing(Renderer()) as renderer:
        opened = open_note(vault, Location(note.path), renderer)
    return next(opened.pages[language] for language, one in opened.notes.items() if one.path == note.path)


def as_html(vault: Vault, note: Note) -> bytes:
    """Return the note as an HTML file with embedded pictures. Raises KbError."""

    def picture(source: str) -> bytes | None:
        try:
            return vault.attachment(note.path, source).read_bytes()
        except (KbError, OSError):
            return None

    made = page_html(page_of(vault, note), standalone=True, title=note.title, lang=note.lang, picture=picture)
    return made.encode("utf-8")


def as_notebook(vault: Vault, note: Note) -> bytes:
    """Return the note as a Jupyter notebook."""
    known = vault_snippets.library(vault).snippets
    codes = {name: snippet.code for name, snippet in known.items()}
    outputs = {name: choose(snippet.recorded, "cpu") or "" for name, snippet in known.items()}
    return to_notebook(note, snippets=codes, outputs=outputs).encode("utf-8")


def as_script(vault: Vault, note: Note) -> bytes:
    """Return the note as a Python file with its text in comments."""
    codes = {name: snippet.code for name, snippet in vault_snippets.library(vault).snippets.items()}
    return to_script(note, snippets=codes).encode("utf-8")


def export_note(vault: Vault, note: Note, *, to: str, out: Path) -> None:
    """Write the note to a file atomically; `to` is pdf, html, ipynb or py. Raises KbError."""
    given = {"pdf": _as_pdf, "html": as_html, "ipynb": as_notebook, "py": as_script}[to]
    replace_file(out, given(vault, note))


def _as_pdf(vault: Vault, note: Note) -> bytes:
    try:
        from app.export.pdf_export import as_pdf  # noqa: PLC0415 - the only format that needs Qt
    except ImportError as error:
        raise RenderFailed(
            f"A PDF needs PySide6, which cannot be loaded here ({error}); export html instead, or install it.",
            f"导出 PDF 需要 PySide6，但此处无法加载（{error}）；可以改为导出 html，或先安装它。",
        ) from error
    return as_pdf(vault, note, page_of(vault, note))
