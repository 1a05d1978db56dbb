"""Every character of a note comes back from Qt's document, and the buffered lines are those of the document."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.editor import document_text
from app.editor.document_text import LineBuffer, TextCodec

ODD = "\0\u2028\u2029\ufdd0\ufdd1\u00a0\ufeff\u0085\x0b\x0c\ufffc\ufffe\uffff\U0001f600"


def shown_in_qt(letters: TextCodec) -> QTextDocument:
    document = QTextDocument()
    document.setPlainText(letters.shown())
    return document


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a\n",
        "a\r\nb\r\n",
        "a\rb",
        "a\r\nb\nc\r\n",
        f"x{ODD}y\n",
        f"a\r\n{ODD}\nb",
        "\r\r\n\n",
        "a\u2028\r\nb\n",
    ],
)
def test_untouched_text_comes_back(text: str, qapp: object) -> None:
    """A text that was only shown stays the same to the character, whatever its line ends."""
    letters = TextCodec(text)
    assert letters.written(shown_in_qt(letters).toRawText()) == text


@given(st.text(st.sampled_from("ab \n\r\u2028\u2029\ufdd0\0\ue000\uf8ff\U0001f600中"), max_size=40))
def test_any_text_comes_back(text: str) -> None:
    """Converting to Qt's document and back loses nothing."""
    letters = TextCodec(text)
    assert letters.written(shown_in_qt(letters).toRawText()) == text


@given(
    st.text(st.sampled_from("ab\n\u2028\u2029\ufdd1\0"), max_size=30),
    st.integers(0, 30),
    st.text(st.sampled_from("xy\n中"), max_size=5),
)
def test_typing_changes_only_what_is_typed(text: str, at: int, typed: str) -> None:
    """In a note with line feeds, special characters stay in place while text is typed next to them."""
    letters = TextCodec(text)
    document = shown_in_qt(letters)
    cursor = QTextCursor(document)
    cursor.setPosition(min(at, len(text)))
    cursor.insertText(typed)
    at = min(at, len(text))
    assert letters.written(document.toRawText()) == text[:at] + typed + text[at:]


def test_line_ends_stay(qapp: object) -> None:
    """A new line in a CRLF note ends with CRLF; in a mixed note the other lines keep their ends."""
    for before, after in (("a\r\nb\r\n", "a\r\nX\r\nb\r\n"), ("a\nb\r\nc\r\n", "a\nX\r\nb\r\nc\r\n")):
        letters = TextCodec(before)
        document = shown_in_qt(letters)
        cursor = QTextCursor(document.findBlockByNumber(1))
        cursor.insertText("X\n")
        assert letters.written(document.toRawText()) == after


def test_separator_stays_in_a_crlf_note(qapp: object) -> None:
    """A line separator inside a CRLF line is not a line end, and no edit changes it."""
    letters = TextCodec("a\u2028b\r\nc\r\n")
    document = shown_in_qt(letters)
    QTextCursor(document.findBlockByNumber(1)).insertText("X")
    assert letters.written(document.toRawText()) == "a\u2028b\r\nXc\r\n"


def test_faces_keep_their_meaning_after_a_save(qapp: object) -> None:
    """A character that was deleted, saved and restored by undo is the same as before."""
    letters = TextCodec("a\u2029b")
    document = shown_in_qt(letters)
    raw = document.toRawText()
    after = letters.after("ab")
    assert after.written(raw) == "a\u2029b"
    assert after.after("a\ufdd0").shown() != letters.shown()


words = st.text("ab\n\u4e2d\U0001f600\u2028 ", max_size=8)
steps = st.lists(
    st.tuples(
        st.sampled_from(("put", "undo", "redo", "all", "two", "case")), st.floats(0, 1), st.integers(0, 9), words
    ),
    max_size=12,
)


def put(field: QPlainTextEdit, place: float, gone: int, text: str) -> None:
    """Replace `gone` characters at a relative place (0 to 1) by a text."""
    cursor, count = field.textCursor(), field.document().characterCount() - 1
    cursor.setPosition(round(place * count))
    cursor.setPosition(min(count, cursor.position() + gone), QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(text)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words, steps)
def test_lines_are_those_of_the_document(qtbot: QtBot, text: str, done: list[tuple[str, float, int, str]]) -> None:
    """After typing, several changes in one step, undo and redo, and a new text; emoji count twice in Qt."""
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
    """The lines of a long insertion are read only when they are needed."""
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
