"""Tests of the focused link: found in the text, and focused again after the text has changed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.reader.link_focus import link_at, links
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.style.theme import DARK
from snippets.results.outcome import Outcome

TEXT = "# T\n\n[one](a.md) and [two](b.md)\n\n```python id=a\n1\n```\n\n[three](c.md)\n"


def test_links_of_a_document(qtbot: QtBot) -> None:
    """A link of several formats is one; only a whole selected link counts as selected."""
    document = QTextDocument()
    document.setHtml('<p><a href="a">x<b>y</b></a> <a href="b">z</a></p><p>w</p>')
    assert list(links(document.begin())) == [(0, 2), (3, 4)]
    cursor = QTextCursor(document)
    assert link_at(cursor) is None
    cursor.setPosition(2, QTextCursor.MoveMode.KeepAnchor)
    found = link_at(cursor)
    assert found is not None
    assert found.anchorHref() == "a"


def focus(view: NotebookView, words: str) -> None:
    """Go to a link by Tab."""
    view.setFocus()
    for _ in range(12):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        if words in view.textCursor().selectedText():
            return
    raise AssertionError(words)


def test_a_link_stays_focused_when_the_page_is_rebuilt(
    view: NotebookView, note: Callable[..., PageSet], qtbot: QtBot
) -> None:
    """In another theme the same link is selected in the new document."""
    view.show_pages(note(TEXT))
    qtbot.waitExposed(view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    focus(view, "two")
    view.set_theme(DARK)
    assert view.textCursor().selectedText() == "two"


def test_a_button_stays_focused_when_its_cell_is_written(
    view: NotebookView, note: Callable[..., PageSet], outcome: Callable[..., Outcome], qtbot: QtBot
) -> None:
    """The Run button becomes Stop and Run again, and keeps the focus."""
    view.show_pages(note(TEXT))
    qtbot.waitExposed(view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    focus(view, "Run")
    view.cell_started("fence:a", "cpu")
    qtbot.waitUntil(lambda: "Stop" in view.textCursor().selectedText())
    view.cell_finished("fence:a", outcome())
    qtbot.waitUntil(lambda: "Run" in view.textCursor().selectedText())
