"""A note as a PDF."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from app.pdf import as_pdf
from kb.render import render
from kb.vault import Vault


def test_a_long_note_becomes_a_pdf_of_several_pages(tmp_path: Path, qtbot: QtBot) -> None:
    """Headings, formulas, code and recorded output included."""
    part = "## 标题 heading\n\n文字 $x^2$ text.\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n"
    (tmp_path / "a.md").write_text("# a\n\n" + part * 20, "utf-8")
    vault = Vault.open(tmp_path)
    note = vault.read("a.md")
    data = as_pdf(vault, note, render(note.text, path=note.path))
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") > 1
