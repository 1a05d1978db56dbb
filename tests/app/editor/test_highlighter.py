"""Changed lines are highlighted at once, long texts in slices, and fences are known line by line."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication, QPlainTextDocumentLayout
from pytestqt.qtbot import QtBot

from app.editor import highlighter
from app.editor.highlighter import Highlighter, RoleFormats
from app.style.theme import DARK, LIGHT

TEXT = "# 标题\n\n```python\nx = 1\n```\n\n**bold** 😀 `code`\n"


def made(text: str, *, whole: bool = True) -> Highlighter:
    """Return a highlighter that has started, and is done if `whole`; its document lives as long as it."""
    document = QTextDocument()
    document.setDocumentLayout(QPlainTextDocumentLayout(document))  # without one it does not report changes
    document.setPlainText(text)
    found = Highlighter(document, LIGHT, size=15)
    found.document = document  # type: ignore[attr-defined]  # keeps it alive
    found.start()
    if whole:
        finish(found)
    return found


def finish(found: Highlighter) -> None:
    """Highlight what is left: on a slow machine one slice is not enough."""
    while found.busy:
        QApplication.processEvents()


def document_of(found: Highlighter) -> QTextDocument:
    document: QTextDocument = found.document  # type: ignore[attr-defined]
    return document


def formats(found: Highlighter, line: int) -> list[tuple[int, int]]:
    """Return the start and length of each format in a line, in UTF-16 units."""
    block = document_of(found).findBlockByNumber(line)
    return [(one.start, one.length) for one in block.layout().formats()]


def fenced(found: Highlighter) -> list[bool]:
    finish(found)
    document = document_of(found)
    return [found.in_fence(document.findBlockByNumber(number)) for number in range(document.blockCount())]


def test_fences_are_known_line_by_line(qapp: object) -> None:
    """The first and last line of a fence belong to it; it is open until its last line."""
    found = made(TEXT)
    assert fenced(found) == [False, False, True, True, True, False, False, False]
    document = document_of(found)
    opened = [found.is_open(document.findBlockByNumber(number)) for number in range(6)]
    assert opened == [False, False, True, True, False, False]


def test_a_new_fence_changes_the_lines_below(qapp: object) -> None:
    """Removing the end of a fence makes the rest of the note code, and undo makes it prose again."""
    found = made(TEXT)
    document = document_of(found)
    cursor = QTextCursor(document.findBlockByNumber(4))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
    assert fenced(found) == [False, False, True, True, True, True, True, True]
    document.undo()
    assert fenced(found) == [False, False, True, True, True, False, False, False]


def test_formats_count_as_qt_does(qapp: object) -> None:
    """An emoji is two units, so that formats after it are in place."""
    found = made(TEXT)
    line = document_of(found).findBlockByNumber(6).text()
    start = len(line[: line.index("`")].encode("utf-16-le")) // 2
    assert (start, len("`code`")) in formats(found, 6)


def test_a_long_text_is_highlighted_in_slices(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Starting does not wait for it, and stopping leaves the rest without formats."""
    monkeypatch.setattr(highlighter, "_SLICE", 0.0)
    found = made("**bold**\n" * 50, whole=False)
    assert found.busy
    assert formats(found, 0)
    assert not formats(found, 40)
    qtbot.waitUntil(lambda: not found.busy, timeout=30_000)
    assert formats(found, 40)
    found.start()
    found.stop()
    assert not found.busy
    assert not found.on


def test_a_command_learns_what_a_queued_line_is(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line and all above it are highlighted first; painting does not wait for them."""
    monkeypatch.setattr(highlighter, "_SLICE", 0.0)
    found = made("```\n" + "code\n" * 50 + "```\n" + "prose\n" * 50, whole=False)
    block = document_of(found).findBlockByNumber
    assert found.shown_state(block(40)).kind != "fence"
    assert found.is_open(block(40))
    assert found.busy
    assert not formats(found, 60)
    assert not found.in_fence(block(60))


def test_a_text_that_is_too_long_has_no_formats(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that becomes too long while it is edited."""
    monkeypatch.setattr(highlighter, "LARGEST", 10)
    assert not made("**bold** and more\n").on
    found = made("**b**")
    assert found.on
    QTextCursor(document_of(found)).insertText("much more text")
    assert not found.on


def test_roles_look_different(qapp: object) -> None:
    """Headings are larger and bold, formats are created once, and colours follow the theme."""
    light, dark = RoleFormats(LIGHT, 15), RoleFormats(DARK, 15)
    assert light["heading1",] is light["heading1",]
    assert light["heading1",].fontWeight() == QFont.Weight.Bold
    assert light["emphasis",].fontItalic()
    assert light["strike",].fontStrikeOut()
    assert light["link",].foreground() != dark["link",].foreground()
    assert light["strong", "link"].foreground() == light["link",].foreground()
    assert light["strong", "link"].fontWeight() == QFont.Weight.Bold
