"""Tests of the fields in which input for a run is typed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.input_field import InputField
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.style.theme import DARK, LIGHT
from snippets.results.outcome import Outcome
from snippets.running.run_progress import RunProgress

KEY = "fence:a"


@pytest.fixture
def field(view: NotebookView) -> InputField:
    """Give a field without a cell."""
    return InputField(Translator("en"), LIGHT, view)


def test_enter_sends_a_line(field: InputField) -> None:
    """The line has its end, also an empty one, and the field is empty afterwards."""
    sent: list[str] = []
    field.typed.connect(sent.append)
    QTest.keyClicks(field, "3 4")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert sent == ["3 4\n", "\n"]
    assert not field.text()


def test_ctrl_d_ends_the_input_of_an_empty_field(field: InputField) -> None:
    """As in a terminal: not while there is text."""
    sent: list[str] = []
    field.typed.connect(sent.append)
    QTest.keyClicks(field, "x")
    QTest.keyClick(field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert sent == []
    field.clear()
    QTest.keyClick(field, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert sent == [""]


def test_a_password_field_says_so(field: InputField) -> None:
    """Dots replace the text, and the name for screen readers changes with it, both ways."""
    field.hide_text(hidden=True)
    assert field.echoMode() == QLineEdit.EchoMode.Password
    assert "password" in field.accessibleName()
    field.hide_text(hidden=False)
    assert field.echoMode() == QLineEdit.EchoMode.Normal
    assert "password" not in field.accessibleName()


@pytest.fixture
def waiting(view: NotebookView, note: Callable[..., PageSet], qtbot: QtBot) -> NotebookView:
    """Give a view with a cell that waits for a line."""
    view.show_pages(note("# T\n\n```python id=a\ninput()\n```\n\n```python id=b\n1\n```\n"))
    view.cell_started(KEY, "cpu")
    view.cell_midway(KEY, RunProgress(waits=True))
    qtbot.waitUntil(lambda: [key for key, field in view.inputs.fields.items() if field.isVisible()] == [KEY])
    return view


def test_a_cell_that_waits_has_a_field(waiting: NotebookView) -> None:
    """It reports what is typed with the cell's key, and is visible within the page."""
    typed: list[tuple[str, str]] = []
    waiting.typed.connect(lambda key, text: typed.append((key, text)))
    field = waiting.inputs.fields[KEY]
    assert field.isVisible()
    assert waiting.viewport().rect().contains(field.geometry())
    QTest.keyClicks(field, "7")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert typed == [(KEY, "7\n")]


def test_the_field_keeps_its_text_in_another_theme(waiting: NotebookView) -> None:
    """The page is rebuilt, but the field with what was typed stays."""
    field = waiting.inputs.fields[KEY]
    QTest.keyClicks(field, "half")
    before = field.styleSheet()
    waiting.set_theme(DARK)
    assert waiting.inputs.fields[KEY] is field
    assert field.text() == "half"
    assert field.styleSheet() != before


def test_the_field_goes_with_the_run(waiting: NotebookView, outcome: Callable[..., Outcome], qtbot: QtBot) -> None:
    """After the end of the run no field is left, and the page has the focus that the field had."""
    field = waiting.inputs.fields[KEY]
    waiting.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    waiting.cell_finished(KEY, outcome())
    qtbot.waitUntil(lambda: not waiting.inputs.fields)
    assert waiting.hasFocus()
