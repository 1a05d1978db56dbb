"""Inserting paragraphs and blocks, and pasting text, HTML, addresses and pictures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QTextCursor
from pytestqt.qtbot import QtBot

from app.editor.insertion import LINE, free_id, insert_block, insert_paragraph, is_pasted, pasted, whole_line
from app.editor.source_editor import SourceEditor


def paste(source: SourceEditor, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    source.paste()


def test_paste_is_plain_text(source: SourceEditor, qtbot: QtBot) -> None:
    """HTML that has only styles is pasted as its text, with line feeds; no-break spaces are copied unchanged."""
    source.load("")
    data = QMimeData()
    data.setHtml("<div style='color: red'>bold</div>")
    data.setText("bold\r\nline\u00a0x")
    source.insertFromMimeData(data)
    assert source.text() == "bold\nline\u00a0x"
    source.selectAll()
    source.copy()
    assert QGuiApplication.clipboard().text() == "bold\nline\u00a0x"
    assert not source.canInsertFromMimeData(QMimeData())


def test_html_is_pasted_as_markdown(source: SourceEditor, qtbot: QtBot) -> None:
    """In prose, as one undo step; in code, or with paste as plain text, only the text."""
    data = QMimeData()
    data.setHtml("<p>a <b>bold</b> <a href='https://x.org'>link</a></p><script>x()</script>")
    data.setText("a bold link")
    source.load("")
    source.insertFromMimeData(data)
    assert source.text() == "a **bold** [link](https://x.org)"
    source.undo()
    assert source.text() == ""
    source.load("```\nx\n```")
    source.go_to_line(2)
    source.insertFromMimeData(data)
    assert source.text() == "```\na bold linkx\n```"
    source.load("")
    QGuiApplication.clipboard().setMimeData(data)
    source.paste_plain()
    assert source.text() == "a bold link"


def test_pictures_are_told_of(source: SourceEditor, qtbot: QtBot, tmp_path: Path) -> None:
    """Images on the clipboard and picture files are reported; other files are left to the window."""
    source.load("")
    image = QMimeData()
    image.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    assert source.canInsertFromMimeData(image)
    with qtbot.waitSignal(source.pictures_pasted) as told:
        source.insertFromMimeData(image)
    assert told.args[0][0].width() == 4
    files = QMimeData()
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.PNG"))])
    with qtbot.waitSignal(source.pictures_pasted) as told:
        source.insertFromMimeData(files)
    assert told.args[0] == (tmp_path / "a.PNG",)
    files.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.md"))])
    assert not source.canInsertFromMimeData(files)
    assert source.text() == ""


def test_address_over_words_is_a_link(source: SourceEditor, qtbot: QtBot) -> None:
    """In prose an address pasted over selected words makes them a link; in code it replaces them."""
    source.load("docs")
    source.selectAll()
    paste(source, "https://pytorch.org")
    assert source.text() == "[docs](https://pytorch.org)"
    source.load("```\ndocs\n```")
    source.go_to_line(2)
    source.moveCursor(QTextCursor.MoveOperation.EndOfLine, QTextCursor.MoveMode.KeepAnchor)
    paste(source, "https://pytorch.org")
    assert source.text() == "```\nhttps://pytorch.org\n```"


def insert(source: SourceEditor, text: str, line: int, before: str = "[", behind: str = "]") -> str:
    """Insert a paragraph at a line of a text; return the new text with "|" at the caret."""
    source.load(text, line=line)
    insert_paragraph(source, before, behind, is_open=source.highlighter.is_open)
    at = source.textCursor().position()
    return f"{source.raw()[:at]}|{source.raw()[at:]}"


def test_a_paragraph_has_empty_lines_around_it(source: SourceEditor) -> None:
    """Those that are there already are used; the caret is between the two parts; undo is one step."""
    assert insert(source, "", 1) == "[|]"
    assert insert(source, "above\nbelow", 1) == "above\n\n[|]\n\nbelow"
    assert insert(source, "above\n\n\nbelow", 2) == "above\n\n[|]\n\nbelow"
    source.undo()
    assert source.raw() == "above\n\n\nbelow"


def test_a_paragraph_goes_below_the_fence_of_the_caret(source: SourceEditor) -> None:
    """Code is not a place for a link; an open fence ends with the note."""
    assert insert(source, "```\ncode\n```\n", 2) == "```\ncode\n```\n\n[|]\n"
    assert insert(source, "```\ncode", 1) == "```\ncode\n\n[|]"


def test_a_block_has_an_id_of_its_own(source: SourceEditor) -> None:
    """Ids of other blocks are not used again; an id in prose does not count."""
    text = "```python id=example1\n```\n~~~python id='example2'\n~~~\nid=example3\n"
    assert free_id(text) == "example3"
    assert free_id("") == "example1"
    source.load(text, line=5)
    insert_block(source, source.raw(), is_open=source.highlighter.is_open)
    assert "id=example3\n\n```python id=example3\n\n```\n" in source.raw()


def test_a_copied_line_is_marked_as_one() -> None:
    """So that pasting inserts it above the caret's line; other programs see its text."""
    data = whole_line("words")
    assert data.hasFormat(LINE)
    assert data.text() == "words\n"
    assert is_pasted(data)
    assert pasted(data, "", code=False).text == "words\n"
