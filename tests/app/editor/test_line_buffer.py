"""The lines that are kept are those of the document, whatever is done to it."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.editor import document_text
from app.editor.document_text import LineBuffer

words = st.text("ab\n\u4e2d\U0001f600\u2028 ", max_size=8)
steps = st.lists(
    st.tuples(
        st.sampled_from(("put", "undo", "redo", "all", "two", "case")), st.floats(0, 1), st.integers(0, 9), words
    ),
    max_size=12,
)


def put(field: QPlainTextEdit, place: float, gone: int, text: str) -> None:
    """Put a text in the place of some of what is there."""
    cursor, count = field.textCursor(), field.document().characterCount() - 1
    cursor.setPosition(round(place * count))
    cursor.setPosition(min(count, cursor.position() + gone), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words, steps)
def test_lines_are_those_of_the_document(qtbot: QtBot, text: str, done: list[tuple[str, float, int, str]]) -> None:
    """After typing, several changes in one step, what is undone, and another text; emoji count twice in Qt."""
    field = QPlainTextEdit(text)
    qtbot.addWidget(field)
    kept = LineBuffer(field.document())
    assert kept.text() == field.document().toRawText().replace("\u2029", "\n")
    for what, place, gone, said in done:
        match what:
            case "put":
                put(field, place, gone, said)
            case "undo":
                field.undo()
            case "redo":
                field.redo()
            case "all":
                field.setPlainText(said)
            case "case":
                field.selectAll()
                field.cut()
            case "two":
                cursor = field.textCursor()
                cursor.beginEditBlock()
                put(field, place, gone, said)
                put(field, 1 - place, 1, said)
                cursor.endEditBlock()
        assert kept._lines is None or len(kept._lines) == field.blockCount()
        assert kept.text() == field.document().toRawText().replace("\u2029", "\n")


def test_much_at_one_go_is_asked_for_when_it_is_wanted(qtbot: QtBot) -> None:
    """And each line of a long text need not be asked for."""
    field = QPlainTextEdit()
    qtbot.addWidget(field)
    kept = LineBuffer(field.document())
    assert kept.text() == ""
    field.setPlainText("a line\n" * document_text._MUCH)
    assert kept._lines is None
    assert kept.text() == "a line\n" * document_text._MUCH
    put(field, 0.5, 3, "x\ny")
    assert kept._lines is not None
    assert kept.text() == field.toPlainText()
