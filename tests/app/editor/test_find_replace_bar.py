"""Find and replace in the source."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.editor.find_replace_bar import FindReplaceBar
from app.editor.source_editor import SourceEditor
from app.i18n import Translator
from app.style.theme import LIGHT


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[FindReplaceBar]:
    """Give the bar of a source field, in English."""
    window = QWidget()
    qtbot.addWidget(window)
    source = SourceEditor(LIGHT)
    made = FindReplaceBar(Translator("en"), source)
    column = QVBoxLayout(window)
    column.addWidget(source)
    column.addWidget(made)
    window.resize(900, 600)
    with qtbot.waitExposed(window):
        window.show()
    yield made
    made._recount.stop()
    source.stop()


def begin(bar: FindReplaceBar, text: str, pattern: str, *, replace: bool = False) -> SourceEditor:
    bar.source.load(text)
    bar.open(replace=replace)
    QTest.keyClicks(bar.pattern, pattern)
    return bar.source


def test_count_and_walk(bar: FindReplaceBar) -> None:
    """The count tells the current match; Enter goes on, Shift+Enter back, both wrap around."""
    source = begin(bar, "gather a\ngather b\nGather c\n", "gather")
    assert bar.count.text() == "1 of 3"
    QTest.keyClick(bar.pattern, Qt.Key.Key_Return)
    assert bar.count.text() == "2 of 3"
    assert source.line() == 2
    QTest.keyClick(bar.pattern, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(bar.pattern, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.count.text() == "3 of 3"
    bar.options.case.setChecked(True)
    assert bar.count.text() == "1 of 2"


def test_places_are_those_of_the_text_as_it_is_now(bar: FindReplaceBar, qtbot: QtBot) -> None:
    """Also right after a change, with another note, and while hidden; Qt gets no position beyond the end."""
    source = begin(bar, "gather a\n" * 50, "gather")
    for _ in range(3):
        QTest.keyClick(bar.pattern, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    source.selectAll()
    QTest.keyClicks(source, "no gather")
    bar.go(1)
    assert bar.count.text() == "1 of 1"
    source.selectAll()
    QTest.keyClick(source, Qt.Key.Key_Delete)
    bar.shut()
    source.load("a gather\n")
    bar.go(1)
    assert source.textCursor().position() == 2
    bar.open(replace=False)
    source.load("none")
    assert source.extraSelections() == []
    qtbot.waitUntil(lambda: not bar.busy, timeout=30_000)


def test_selection_is_looked_for(bar: FindReplaceBar) -> None:
    """The bar opens with the selected words; closing it selects the match and returns the focus."""
    bar.source.load("one two one")
    bar.source.moveCursor(QTextCursor.MoveOperation.EndOfWord, QTextCursor.MoveMode.KeepAnchor)
    bar.open(replace=False)
    assert bar.pattern.text() == "one"
    assert not bar.replacement.isVisible()
    assert bar.source.extraSelections()
    QTest.keyClick(bar.pattern, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert bar.source.textCursor().selectedText() == "one"
    assert bar.source.extraSelections() == []


def test_nothing_found(bar: FindReplaceBar) -> None:
    """No result, no pattern, an invalid pattern and a slow one each have their message."""
    begin(bar, "a" * 5000 + "!", "zz")
    assert bar.count.text() == "Nothing found"
    assert not bar.count.property("wrong")
    bar.go(1)
    bar.options.regular.setChecked(True)
    bar.pattern.setText("(")
    assert bar.count.text().startswith("Not a valid pattern: ")
    assert bar.count.property("wrong")
    bar.pattern.setText("(a+)+$")
    assert bar.count.text() == "The pattern takes too long; search stopped"
    bar.pattern.clear()
    assert bar.count.text() == ""


def test_replacing_is_offered_where_there_is_something_to_replace(bar: FindReplaceBar) -> None:
    """Its buttons are disabled without matches, and a button that is disabled loses the focus."""
    begin(bar, "one two one", "three", replace=True)
    buttons = bar.one_button, bar.all_button
    assert not any(button.isEnabled() for button in buttons)
    bar.pattern.setText("two")
    assert all(button.isEnabled() for button in buttons)
    bar.replacement.setText("2")
    bar.one_button.setFocus()
    QTest.keyClick(bar.one_button, Qt.Key.Key_Space)
    assert bar.source.text() == "one 2 one"
    assert not any(button.isEnabled() for button in buttons)
    assert bar.pattern.hasFocus()


def test_a_complaint_is_read_whole_in_a_narrow_bar(bar: FindReplaceBar) -> None:
    """On two lines if needed; a count needs only one."""
    bar.setFixedWidth(230)
    begin(bar, "one two one", "one", replace=True)
    QApplication.processEvents()
    line = bar.count.height()
    bar.options.regular.setChecked(True)
    bar.pattern.setText("one(")
    QApplication.processEvents()
    assert bar.count.height() >= bar.count.heightForWidth(bar.count.width()) > 1.5 * line
    bar.pattern.setText("one")
    QApplication.processEvents()
    assert bar.count.height() == line


def test_what_is_found_stays_in_sight_above_a_bar_that_grows(bar: FindReplaceBar, qtbot: QtBot) -> None:
    """Also if its buttons move below its fields: the current match stays in view."""
    source = begin(bar, "line\n" * 100 + "words\n" + "line\n" * 100, "words")
    QApplication.processEvents()
    scroll, room = source.verticalScrollBar(), source.viewport().height()
    while source.cursorRect().bottom() + source.cursorRect().height() < room:  # the lowest line that is seen
        scroll.setValue(scroll.value() - 1)
    bar.setFixedHeight(bar.height() + 150)
    qtbot.waitUntil(lambda: source.viewport().height() < room)
    qtbot.waitUntil(lambda: source.viewport().rect().contains(source.cursorRect()))


def test_composing_does_not_search(bar: FindReplaceBar) -> None:
    """Text being composed is not searched, and Enter for the input method does nothing else."""
    source = begin(bar, "显存 a 显存", "")
    QApplication.sendEvent(bar.pattern, QInputMethodEvent("xian", []))
    assert bar.count.text() == ""
    QTest.keyClick(bar.pattern, Qt.Key.Key_Escape)
    assert bar.isVisible()
    event = QInputMethodEvent()
    event.setCommitString("显存")
    QApplication.sendEvent(bar.pattern, event)
    assert bar.count.text() == "1 of 2"
    assert source.text() == "显存 a 显存"


def test_replace_one_by_one(bar: FindReplaceBar) -> None:
    """Replace changes the current match and goes to the next one."""
    source = begin(bar, "a b a b a", "a", replace=True)
    QTest.keyClicks(bar.replacement, "x")
    QTest.keyClick(bar.replacement, Qt.Key.Key_Return)
    assert source.text() == "x b a b a"
    assert bar.count.text() == "1 of 2"
    bar.one_button.click()
    assert source.text() == "x b x b a"


def test_what_a_place_becomes_is_told(bar: FindReplaceBar) -> None:
    """It includes the groups of a pattern and follows the typing; without a match or after replacing it is empty."""
    begin(bar, "gather_by 梯度_row\nx\ty\n", "")
    bar.open(replace=True)
    bar.options.regular.setChecked(True)
    QTest.keyClicks(bar.pattern, r"(\w+)_(\w+)")
    QTest.keyClicks(bar.replacement, r"\2-\1")
    assert bar.result.text() == r"gather_by → by-gather    $1 = gather    $2 = by"
    bar.go(1)
    assert bar.result.text() == r"梯度_row → row-梯度    $1 = 梯度    $2 = row"
    bar.replacement.clear()
    assert bar.result.text().startswith("梯度_row → (deleted)")
    bar.replace_one()
    assert bar.result.text().startswith("gather_by →")
    bar.replace_all()
    assert bar.result.text() == ""
    bar.pattern.setText(r"\t")
    assert bar.result.text() == "⇥ → (deleted)"
    bar.open(replace=False)
    bar.pattern.setText("(x)")
    assert bar.result.text() == r"$1 = x"
    bar.pattern.setText("nowhere")
    assert bar.result.text() == ""


def test_replace_all_is_one_step(bar: FindReplaceBar) -> None:
    """All matches are replaced, with groups; the count says how many, and one undo step reverts it."""
    source = begin(bar, "k=1\nkey=22\n😀 z=3", r"(\w+)=(\d+)", replace=True)
    bar.options.regular.setChecked(True)
    bar.replacement.setText(r"\2:$1")
    bar.all_button.click()
    assert source.text() == "1:k\n22:key\n😀 3:z"
    assert bar.count.text() == "3 replaced"
    source.undo()
    assert source.text() == "k=1\nkey=22\n😀 z=3"


def test_slow_pattern_replaces_nothing(bar: FindReplaceBar) -> None:
    """A search that is stopped half-way changes nothing."""
    text = "aaaaaaaa$ " + "a" * 5000 + "!"
    source = begin(bar, text, "(a+)+$", replace=True)
    bar.options.regular.setChecked(True)
    bar.all_button.click()
    assert source.text() == text


def test_count_follows_the_text(bar: FindReplaceBar, qtbot: QtBot) -> None:
    """Typing in the note updates the count."""
    source = begin(bar, "a b", "a")
    source.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(source, " a a")
    qtbot.waitUntil(lambda: bar.count.text().endswith("of 3"), timeout=30_000)


def test_locked_note_is_only_searched(bar: FindReplaceBar) -> None:
    """In a read-only note the replace buttons are disabled."""
    bar.source.load("a a", locked=True)
    bar.open(replace=True)
    bar.pattern.setText("a")
    assert not bar.all_button.isEnabled()
    bar.replace_all()
    bar.replace_one()
    assert bar.source.text() == "a a"


def test_every_control_has_a_name_in_both_languages(bar: FindReplaceBar) -> None:
    """Controls have accessible names, which follow the language."""
    controls = (
        bar.pattern,
        bar.replacement,
        bar.options.case,
        bar.options.whole_word,
        bar.options.regular,
        bar.next_button,
        bar.all_button,
    )
    english = [control.accessibleName() for control in controls]
    bar._words.switch("zh")
    chinese = [control.accessibleName() for control in controls]
    assert all(english)
    assert all(a != b for a, b in zip(english, chinese, strict=True))
