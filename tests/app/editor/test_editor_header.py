"""The header names the note, its state and the caret's position, and hides what does not fit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.editor.editor_header import EditorHeader
from app.editor.editor_keys import EditorKeys
from app.editor.save_notifications import SaveState
from app.i18n import Translator
from app.style.theme import DARK, LIGHT
from kb.errors import SaveFailed


@pytest.fixture
def words() -> Translator:
    """Give the English language."""
    return Translator("en")


@pytest.fixture
def keys() -> EditorKeys:
    """Give the default keys."""
    return EditorKeys()


@pytest.fixture
def header(qtbot: QtBot, words: Translator, keys: EditorKeys) -> Iterator[EditorHeader]:
    """Give a header with enough room for everything."""
    made = EditorHeader(words, LIGHT, keys)
    qtbot.addWidget(made)
    made.resize(1200, 40)
    made.show()
    yield made
    made.hide()


def test_the_state_has_a_sign_words_and_a_reason(header: EditorHeader, words: Translator) -> None:
    """The reason is in the tooltip and the accessible name; a failure has another colour than a saved text."""
    header.show_state(SaveState("saved"))
    assert header.state_label.text() == "✓ Saved"
    assert header.state_label.toolTip() == ""
    saved = header.state_label.styleSheet()
    header.show_state(SaveState("failed", SaveFailed("n.md", "no space left")))
    assert header.state_label.text() == "✕ Not saved"
    assert header.state_label.toolTip() == "no space left"
    assert header.state_label.accessibleName() == "Not saved: no space left"
    assert header.state_label.styleSheet() != saved
    words.switch("zh")
    assert header.state_label.text() == "✕ 未保存"
    header.set_theme(DARK)
    assert DARK.bad in header.state_label.styleSheet()


def test_the_position_of_the_caret_is_shown(header: EditorHeader, words: Translator) -> None:
    """Line and column, and the number of carets if there are several."""
    header.show_place(3, 14)
    assert header.place_label.text() == "3 : 14"
    assert header.place_label.accessibleName() == "Line 3, column 14"
    header.show_place(3, 14, carets=2)
    assert header.place_label.text() == "3 : 14 · 2 carets"
    words.switch("zh")
    assert header.place_label.text() == "3 : 14 · 2 个光标"


def test_the_word_count_is_hidden_first(header: EditorHeader) -> None:
    """Then the position of the caret; the state and the buttons stay."""
    header.show_path("a/note.md")
    header.show_count("1,234 words", "1,234 words")
    header.show_place(3, 14)
    QApplication.processEvents()
    assert header.count_label.isVisible()
    seen = []
    for width in range(1200, 100, -20):
        header.resize(width, 40)
        seen.append((header.place_label.isVisible(), header.count_label.isVisible()))
    assert list(dict.fromkeys(seen)) == [(True, True), (True, False), (False, False)]
    assert header.state_label.isVisible()
    assert header.done_button.isVisible()


def test_tooltips_name_the_keys(header: EditorHeader, keys: EditorKeys) -> None:
    """A key that a user changes is in the tooltip at once."""
    assert header.done_button.toolTip() == "Back to reading (Ctrl+E)"
    keys.bind("close", ["F4"])
    assert header.done_button.toolTip() == "Back to reading (F4)"
