"""Tests of copied text."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument
from pytestqt.qtbot import QtBot

from app.reader.selection_text import plain_text
from app.reader.text_formats import CHROME, LABEL
from app.reader.text_spacing import ROOM


def selected(document: QTextDocument, start: int = 0, end: int | None = None) -> QTextCursor:
    """Return a cursor that has selected from one position to another, by default everything."""
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(document.characterCount() - 1 if end is None else end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


@pytest.mark.parametrize(
    ("html", "copied"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        (f"<p>a {ROOM}code{ROOM} b</p>", "a code b"),
        ("<p>a\u00a0b\u2060c<br>d</p>", "a bc\nd"),
        ('<p>x <img src="f" alt="\\frac12"> y</p>', "x \\frac12 y"),
        (f'<p><span title="{LABEL}">python</span></p><p>code</p>', "code"),
    ],
)
def test_copied_text_is_what_was_written(qtbot: QtBot, html: str, copied: str) -> None:
    """Without the characters of the layout and without labels; pictures by their alternative text."""
    document = QTextDocument()
    document.setHtml(html)
    assert plain_text(selected(document)) == copied


def test_own_words_of_a_cell_are_not_copied(qtbot: QtBot) -> None:
    """Blocks that are marked as chrome are left out."""
    document = QTextDocument("one\nbar\ntwo")
    chrome = QTextBlockFormat()
    chrome.setProperty(CHROME, True)
    QTextCursor(document.findBlockByNumber(1)).mergeBlockFormat(chrome)
    assert plain_text(selected(document)) == "one\ntwo"


def test_a_part_of_a_line_with_wide_characters(qtbot: QtBot) -> None:
    """Characters that Qt counts twice do not shift what is copied."""
    document = QTextDocument("🙂a🙂b")
    assert plain_text(selected(document, 2, 5)) == "a🙂"
