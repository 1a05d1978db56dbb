"""A note as a PDF."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSizeF
from pytestqt.qtbot import QtBot

from app.export.pdf_export import _document, _heads, _keep_heads, _page_of, as_pdf
from app.i18n import Translator
from app.reader.backdrop import frame_rect
from app.widgets.deferred_delete import delete_later
from kb.rendering.render import render
from kb.vault.vault import Vault


def test_a_long_note_becomes_a_pdf_of_several_pages(tmp_path: Path, qtbot: QtBot) -> None:
    """Headings, formulas, code and recorded output included."""
    part = "## 标题 heading\n\n文字 $x^2$ text.\n\n```python\nprint(1)\n```\n\n```output\n1\n```\n\n"
    (tmp_path / "a.md").write_text("# a\n\n" + part * 20, "utf-8")
    vault = Vault.open(tmp_path)
    note = vault.read("a.md")
    data = as_pdf(vault, note, render(note.text, path=note.path))
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") > 1


def test_a_box_has_no_bar_where_nothing_is_to_be_said(tmp_path: Path, qtbot: QtBot) -> None:
    """Its name stands in one; on paper there is nothing to press, and so no empty one."""
    (tmp_path / "a.md").write_text("# a\n\n```python\nplain = 1\n```\n\n```python id=named\nnamed = 1\n```\n", "utf-8")
    vault, holder = Vault.open(tmp_path), QObject()
    note = vault.read("a.md")
    built = _document(vault, note, render(note.text, path=note.path), words=Translator("en"), width=700, holder=holder)
    built.document.setPageSize(QSizeF(700, 1000))
    built.document.setLayoutEnabled(True)
    layout, above = built.document.documentLayout(), []
    for _, box in built.boxes:
        code = box.code_block(1)
        assert code is not None
        above.append(layout.blockBoundingRect(code).top() - frame_rect(layout, box.table).top())
    assert above[0] < 14
    assert above[1] > 30
    assert "named" in built.document.toPlainText()
    delete_later(built.document)


def test_no_head_stands_alone_at_the_foot_of_a_page(tmp_path: Path, qtbot: QtBot) -> None:
    """A heading, the bar of a box and the title of a callout are on the page of what they head."""
    ends = (
        "## Head\n\nText.",
        "```python id=a\nx = 1\n```",
        "> [!NOTE]\n> Text.",
        "## Head\n\n```python id=a\nx = 1\n```",
    )
    vault, holder = Vault.open(tmp_path), QObject()
    (tmp_path / "a.md").write_text("# a\n", "utf-8")
    note, alone = vault.read("a.md"), 0
    for end in ends:
        for count in range(9, 17):
            page = render("# a\n\n" + "Text.\n\n" * count + f"{end}\n\nEnd.\n", path="a.md")
            built = _document(vault, note, page, words=Translator("en"), width=700, holder=holder)
            built.document.setPageSize(QSizeF(700, 500))
            built.document.setLayoutEnabled(True)
            alone += any(_page_of(head, 500) < _page_of(below, 500) for head, below, _ in _heads(built))
            _keep_heads(built, 500)
            assert all(_page_of(head, 500) == _page_of(below, 500) for head, below, _ in _heads(built))
            delete_later(built.document)
    assert alone > len(ends)


def test_what_is_drawn_of_areas_has_no_lines_around_them(tmp_path: Path, qtbot: QtBot) -> None:
    """In a PDF Qt draws one where an SVG has none, and letters come out bold: a formula's are transparent there."""
    (tmp_path / "a.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="9" height="9"/></svg>', "utf-8"
    )
    vault = Vault.open(tmp_path)
    made = {}
    for name, text in {"plain": "x", "formula": "$x^2$", "drawing": "![](a.svg)"}.items():
        (tmp_path / f"{name}.md").write_text(f"# a\n\n{text}\n", "utf-8")
        note = vault.read(f"{name}.md")
        made[name] = as_pdf(vault, note, render(note.text, path=note.path))
    assert [name for name, data in made.items() if b"/CA 0 " in data] == ["formula"]
    assert [name for name, data in made.items() if b"/Subtype /Image" in data] == ["drawing"]
