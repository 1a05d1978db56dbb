"""Typing in the source: keys, input methods, undo, highlighting, size and scrolling."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.editor.highlighter import LARGEST
from app.editor.source_editor import SourceEditor
from app.editor.text_search import TextMatch
from app.style.stylesheets import with_fonts
from app.style.theme import DARK, LIGHT
from tests.pace import slowness, thinking_within


def at_end(source: SourceEditor) -> None:
    source.moveCursor(QTextCursor.MoveOperation.End)


def compose(source: SourceEditor, preedit: str, commit: str = "") -> None:
    """Send what an input method sends."""
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(source, event)


def paste(source: SourceEditor, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    source.paste()


def colour_at(source: SourceEditor, block: int, column: int) -> str:
    """Return the colour of a character on screen."""
    for made in source.document().findBlockByNumber(block).layout().formats():
        if made.start <= column < made.start + made.length:
            return made.format.foreground().color().name()
    return ""


def test_loading_is_no_edit(source: SourceEditor, qtbot: QtBot) -> None:
    """A loaded note counts as unedited, and there is nothing to undo."""
    edits: list[int] = []
    source.edited.connect(lambda: edits.append(1))
    source.load("# a\n\nb\n", line=3)
    assert source.text() == "# a\n\nb\n"
    assert source.line() == 3
    assert edits == []
    assert not source.document().isUndoAvailable()


def test_typing_is_told_and_undone(source: SourceEditor, qtbot: QtBot) -> None:
    """Keys change the text, emit a signal, and can be undone by keys."""
    source.load("one\n")
    at_end(source)
    with qtbot.waitSignal(source.edited):
        QTest.keyClicks(source, "two")
    assert source.text() == "one\ntwo"
    QTest.keySequence(source, QKeySequence(QKeySequence.StandardKey.Undo))
    assert source.text() == "one\n"
    QTest.keySequence(source, QKeySequence(QKeySequence.StandardKey.Redo))
    assert source.text() == "one\ntwo"


def test_composing_is_no_edit(source: SourceEditor, qtbot: QtBot) -> None:
    """Text being composed is not in the note, emits no signal, and blocks all keys; the committed text arrives."""
    source.load("# a\n\nb")
    at_end(source)
    edits: list[int] = []
    commands: list[str] = []
    source.edited.connect(lambda: edits.append(1))
    source.commanded.connect(commands.append)
    compose(source, "ni")
    compose(source, "nihao")
    assert source.composing()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        QTest.keyClick(source, key)
    for letter in (Qt.Key.Key_S, Qt.Key.Key_E, Qt.Key.Key_F, Qt.Key.Key_Return):
        QTest.keyClick(source, letter, Qt.KeyboardModifier.ControlModifier)
    assert (edits, commands, source.text()) == ([], [], "# a\n\nb")
    compose(source, "", "你好")
    assert not source.composing()
    assert edits
    assert source.text() == "# a\n\nb你好"
    QTest.keyClick(source, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert commands == ["save"]


def test_composing_over_a_selection_is_an_edit(source: SourceEditor, qtbot: QtBot) -> None:
    """Composing over selected words removes them and emits a signal."""
    source.load("one two")
    source.selectAll()
    with qtbot.waitSignal(source.edited):
        compose(source, "ni")
    compose(source, "")
    assert source.text() == ""


def test_colours_come_back_after_composing(source: SourceEditor, qtbot: QtBot) -> None:
    """After a cancelled composition the line is highlighted as before."""
    source.load("a `code` b\n")
    before = colour_at(source, 0, 4)
    compose(source, "ni")
    compose(source, "")
    assert before
    assert colour_at(source, 0, 4) == before


def test_list_goes_on(source: SourceEditor, qtbot: QtBot) -> None:
    """Enter continues a list; Enter on an empty item ends it; each is one undo step."""
    source.load("- one")
    at_end(source)
    QTest.keyClick(source, Qt.Key.Key_Return)
    QTest.keyClicks(source, "two")
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.text() == "- one\n- two\n- "
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.text() == "- one\n- two\n"
    source.undo()
    assert source.text() == "- one\n- two\n- "


def test_shift_enter_is_a_plain_line(source: SourceEditor, qtbot: QtBot) -> None:
    """Shift+Enter inserts a line without a marker, and not U+2028 as Qt would."""
    source.load("- one")
    at_end(source)
    QTest.keyClick(source, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert source.text() == "- one\n"


def test_enter_replaces_a_selection(source: SourceEditor, qtbot: QtBot) -> None:
    """Enter over a selection removes it."""
    source.load("- one")
    source.selectAll()
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.text() == "\n"


def test_fence_is_closed_and_indented(source: SourceEditor, qtbot: QtBot) -> None:
    """A fence is closed automatically, and Python in it is indented while typing."""
    source.load("")
    for line in ("```python", "def f():", "return 1"):
        QTest.keyClicks(source, line)
        QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.text() == "```python\ndef f():\n    return 1\n    \n```"
    source.load("```python x\nb\n```\n")
    source.go_to_line(1)
    source.moveCursor(QTextCursor.MoveOperation.EndOfWord)
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.text().startswith("```\npython x") or source.text().startswith("```python\n x")


def test_tab_moves_items_and_columns(source: SourceEditor, qtbot: QtBot) -> None:
    """Tab indents an item or a selection, Shift+Tab reverts that; elsewhere Tab goes to the next tab stop."""
    source.load("- a\n- b\n")
    QTest.keyClick(source, Qt.Key.Key_Tab)
    assert source.text() == "  - a\n- b\n"
    source.selectAll()
    QTest.keyClick(source, Qt.Key.Key_Tab)
    assert source.text() == "    - a\n  - b\n"
    source.undo()
    assert source.text() == "  - a\n- b\n"
    source.go_to_line(1)
    QTest.keyClick(source, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert source.text() == "- a\n- b\n"
    source.load("ab")
    at_end(source)
    QTest.keyClick(source, Qt.Key.Key_Tab)
    assert source.text() == "ab  "


def test_ten_megabytes_and_a_thousand_undos(source: SourceEditor, qtbot: QtBot) -> None:
    """Pasting ten megabytes and undoing a thousand steps restores the text."""
    source.load("start\n")
    at_end(source)
    paste(source, "0123456789 中文 line\n" * 450_000)
    steps = 999
    for number in range(steps):
        cursor = source.textCursor()
        cursor.beginEditBlock()
        cursor.setPosition(number)
        cursor.insertText("x")
        cursor.endEditBlock()
    for _ in range(steps + 1):
        source.undo()
    assert source.text() == "start\n"


def test_become_keeps_caret_and_is_one_step(source: SourceEditor, qtbot: QtBot) -> None:
    """Changing to another version keeps the caret at its words, and one undo step reverts it."""
    source.load("a\nb\nc 😀 d\n", line=3)
    source.become("new\na\nb\nc 😀 d\nend\n")
    assert source.text() == "new\na\nb\nc 😀 d\nend\n"
    assert source.line() == 4
    source.undo()
    assert source.raw() == "a\nb\nc 😀 d\n"


def test_become_keeps_line_ends(source: SourceEditor, qtbot: QtBot) -> None:
    """The text is saved with the line ends of the version taken."""
    source.load("a\n")
    source.become("a\r\nb\r\n")
    assert source.text() == "a\r\nb\r\n"
    at_end(source)
    QTest.keyClicks(source, "c")
    assert source.text() == "a\r\nb\r\nc"


def test_locked_source_takes_no_key(source: SourceEditor, qtbot: QtBot) -> None:
    """A locked note can be read and copied but not changed; the editor's keys work."""
    source.load("- a", locked=True)
    commands: list[str] = []
    source.commanded.connect(commands.append)
    QTest.keyClicks(source, "x")
    QTest.keyClick(source, Qt.Key.Key_Return)
    QTest.keyClick(source, Qt.Key.Key_Escape)
    assert source.text() == "- a"
    assert commands == ["escape"]
    source.lock(locked=False)
    QTest.keyClicks(source, "x")
    assert source.text() == "x- a"


def test_large_note_is_loaded_in_pieces(source: SourceEditor, qtbot: QtBot) -> None:
    """Five megabytes are loaded completely, without highlighting, while the window responds."""
    text = "some words 中文\n" * 380_000
    with qtbot.waitSignal(source.loaded, timeout=30_000):
        source.load(text, line=9)
        assert source.loading
        assert source.isReadOnly()
    assert source.text() == text
    assert len(text) > LARGEST
    assert not source.highlighter.on
    assert source.line() == 9
    assert not source.isReadOnly()
    assert not source.document().isUndoAvailable()


def test_loading_another_note_ends_the_first(source: SourceEditor, qtbot: QtBot) -> None:
    """A note opened while a large one is loading replaces it completely."""
    source.load("x\n" * 2_000_000)
    source.load("small")
    QApplication.processEvents()
    assert source.text() == "small"


def test_typing_is_never_delayed(source: SourceEditor, qtbot: QtBot) -> None:
    """A key at the end of a 50 KB note is handled within a frame, including highlighting."""
    part = "# heading\n\nsome *text* with `code` and 中文 words\n\n```python\nprint('x')  # why\n```\n\n"
    source.load(part * 620)
    at_end(source)
    qtbot.waitUntil(lambda: not source.highlighter.busy, timeout=30_000)
    took = []
    for letter in "the quick brown fox" * 3:
        began = time.thread_time()
        QTest.keyClicks(source, letter)
        QApplication.processEvents()
        took.append(time.thread_time() - began)
    assert sorted(took)[len(took) // 2] < 0.016 * slowness(time.thread_time)


def test_fence_typed_at_the_top_does_not_stop_the_window(source: SourceEditor, qtbot: QtBot) -> None:
    """A character that changes the highlighting of every line below is handled in slices."""
    source.load("plain text with *words* and `code`\n" * 20_000)
    qtbot.waitUntil(lambda: not (source.loading or source.highlighter.busy), timeout=30_000)
    source.go_to_line(1)
    with thinking_within(0.5):
        QTest.keyClicks(source, "```")
        QTest.keyClick(source, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: not source.highlighter.busy, timeout=30_000)
    last = source.document().findBlockByNumber(19_000)
    assert source.highlighter.in_fence(last)


def test_keys_while_lines_wait(source: SourceEditor, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys pressed while highlighting continues down the note do not stop it half-way."""
    source.load("plain\n" * 50)
    qtbot.waitUntil(lambda: not source.highlighter.busy, timeout=30_000)
    monkeypatch.setattr("app.editor.highlighter._AT_ONCE", 0.0)
    monkeypatch.setattr("app.editor.highlighter._SLICE", 0.0)
    QTest.keyClicks(source, "```")
    qtbot.waitUntil(lambda: (source.highlighter._from or 0) > 4, timeout=30_000)
    QTest.keyClicks(source, "x")
    qtbot.waitUntil(lambda: not source.highlighter.busy, timeout=30_000)
    blocks = (source.document().findBlockByNumber(number) for number in range(50))
    assert all(source.highlighter.in_fence(block) for block in blocks)


def test_colours_follow_the_state(source: SourceEditor, qtbot: QtBot) -> None:
    """A string opened in one line highlights the next one; deleting it reverts that."""

    def coloured(block: int, column: int) -> str:
        qtbot.waitUntil(lambda: not source.highlighter.busy, timeout=30_000)
        return colour_at(source, block, column)

    source.load('```python\nx = 1\ny = "z"\n```\n# Head\n')
    assert coloured(2, 5) == LIGHT.string
    assert coloured(4, 0) == LIGHT.dim
    source.go_to_line(2)
    QTest.keyClicks(source, '"""')
    assert coloured(2, 0) == LIGHT.string
    source.undo()
    assert coloured(2, 0) != LIGHT.string


def test_theme_changes_the_colours(source: SourceEditor, qtbot: QtBot) -> None:
    """Another theme is applied at once."""
    source.load("# Head `code`\n")
    source.set_theme(DARK)
    assert colour_at(source, 0, 8) == DARK.keyword


def test_code_is_set_in_the_chosen_font(source: SourceEditor, qtbot: QtBot) -> None:
    """Except in tables, whose columns are aligned only if a Chinese character is two columns wide."""
    source.load("`code`\n\n| a | 表 |\n|---|---|\n")

    def first(line: int) -> str:
        formats = source.document().findBlockByNumber(line).layout().formats()
        return next(str(one.format.fontFamilies()[0]) for one in formats if one.format.fontFamilies())

    natural = first(0)
    source.set_theme(with_fonts(LIGHT, "", "Some Mono"))
    assert (first(0), first(2)) == ("Some Mono", natural)


def test_colours_behind_an_emoji(source: SourceEditor, qtbot: QtBot) -> None:
    """An emoji, which is two units in Qt, does not shift the formats."""
    source.load("😀😀 `code` x\n")
    assert [colour_at(source, 0, column) for column in (4, 6, 11)] == ["", LIGHT.keyword, ""]


def test_zoom_changes_the_column(source: SourceEditor, qtbot: QtBot) -> None:
    """Lines have the same number of words at any size, and are centred."""
    source.resize(1600, 600)
    narrow = source.viewportMargins().left()
    source.set_zoom(1.5)
    assert source.viewportMargins().left() < narrow
    assert source.viewportMargins().left() == source.viewportMargins().right()


def test_marks_follow_the_scroll(source: SourceEditor, qtbot: QtBot) -> None:
    """Only matches in view are highlighted, however many there are."""
    source.load("word\n" * 3000)
    matches = [TextMatch(5 * line, 4) for line in range(3000)]
    source.marks.show(matches, matches[0])
    assert 0 < len(source.extraSelections()) < 100
    source.go_to_line(2000)
    QApplication.processEvents()
    starts = [mark.cursor.selectionStart() for mark in source.extraSelections()]
    assert min(starts) > 5 * 1900
    source.marks.show((), None)
    assert source.extraSelections() == []


def test_another_width_keeps_the_first_line_in_view(source: SourceEditor, qtbot: QtBot) -> None:
    """A line near the end that was scrolled to stays in view when the field is resized or shown."""
    source.hide()
    source.resize(300, 700)
    source.load("\n".join(f"{number} " + "words that wrap " * 12 for number in range(60)), line=55)
    source.resize(1200, 700)
    with qtbot.waitExposed(source):
        source.show()
    for width in (1200, 400, 900):
        source.resize(width, 700)
        QApplication.processEvents()
        assert 48 <= source.firstVisibleBlock().blockNumber() <= 54
