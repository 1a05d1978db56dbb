"""Pairs, tables, lines and marks by keys, in a visible field."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QInputMethodEvent, QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.editor.source_editor import SourceEditor
from app.editor.text_diff import units, up_to

TABLE = "| a | 中文 |\n|---|---|\n| one | x |\n"


def select(source: SourceEditor, words: str) -> None:
    """Select some words of the text, or put the caret where they have a |."""
    bare = words.replace("|", "", 1) if words.count("|") == 1 else words
    start = units(source.raw()[: source.raw().index(bare)])
    cursor = source.textCursor()
    cursor.setPosition(start + (units(words[: words.index("|")]) if bare != words else 0))
    if bare == words:
        cursor.setPosition(start + units(words), QTextCursor.MoveMode.KeepAnchor)
    source.setTextCursor(cursor)


def commit(source: SourceEditor, text: str) -> None:
    """Type a text through an input method."""
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(source, event)


def shown(source: SourceEditor) -> str:
    """Return the text with a | at the caret."""
    before = up_to(source.raw(), source.textCursor().position())
    return f"{before}|{source.raw()[len(before) :]}"


def test_a_bracket_is_closed_typed_over_and_taken_away(source: SourceEditor) -> None:
    """Only an added sign is typed over; an empty pair is deleted at once, and undo removes both."""
    source.load("")
    QTest.keyClicks(source, "see (")
    assert shown(source) == "see (|)"
    QTest.keyClicks(source, "[x]")
    assert shown(source) == "see ([x]|)"
    QTest.keyClicks(source, ")")
    assert shown(source) == "see ([x])|"
    QTest.keyClicks(source, ")")
    assert shown(source) == "see ([x]))|"
    QTest.keyClicks(source, "{")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert shown(source) == "see ([x]))|"
    QTest.keyClicks(source, "{")
    source.undo()
    assert source.raw() == "see ([x]))"


def test_half_a_pair_takes_nothing_of_the_next_line_along(source: SourceEditor) -> None:
    """After its closing sign was deleted, Backspace deletes one character, and so it does in another text."""
    source.load("\nnext")
    QTest.keyClicks(source, "(")
    QTest.keyClick(source, Qt.Key.Key_Delete)
    QTest.keyClicks(source, "abc")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert shown(source) == "(ab|\nnext"
    source.load("")
    QTest.keyClicks(source, "(")
    source.load("")
    QTest.keyClicks(source, ")")
    assert source.raw() == ")"


def test_the_sign_of_an_item_goes_whole(source: SourceEditor) -> None:
    """The box of a task is deleted first; not in code, and not if words are selected."""
    source.load("1. one\n  - [ ] task\n\n```\n- \n```\n")
    select(source, "- [ ] |task")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert shown(source).split("\n")[1] == "  - |task"
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert shown(source).split("\n")[1] == "  |task"
    source.undo()
    assert source.raw().split("\n")[1] == "  - task"
    select(source, "1. |one")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert shown(source).startswith("|one")
    select(source, "```\n- |\n")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert "```\n-\n" in source.raw()


def test_home_goes_to_what_is_written_first(source: SourceEditor) -> None:
    """Then to the start of the line, and back; with Shift it selects; without indent Qt handles the key."""
    source.load("    code here\nplain")
    select(source, "code |here")
    places = []
    for _ in range(3):
        QTest.keyClick(source, Qt.Key.Key_Home)
        places.append(source.textCursor().positionInBlock())
    assert places == [4, 0, 4]
    select(source, "code |here")
    QTest.keyClick(source, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
    assert source.textCursor().selectedText() == "code "
    select(source, "pla|in")
    QTest.keyClick(source, Qt.Key.Key_Home)
    assert shown(source).endswith("|plain")


def test_without_a_selection_it_is_the_line_that_is_copied_or_cut(source: SourceEditor) -> None:
    """It is pasted above the caret's line, and the caret stays; elsewhere it is a line of text."""
    source.load("one\ntwo\nthree")
    select(source, "tw|o")
    QTest.keyClick(source, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "two\n"
    QTest.keyClick(source, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert shown(source) == "one\ntwo\ntw|o\nthree"
    QTest.keyClick(source, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier)
    assert shown(source) == "one\ntwo\nth|ree"
    QTest.keyClick(source, Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier)
    assert shown(source) == "one\ntw|o"
    source.undo()
    assert source.raw() == "one\ntwo\nthree"
    select(source, "one")
    QTest.keyClick(source, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert source.raw() == "three\n\ntwo\nthree"


def test_a_bracket_that_was_there_is_not_typed_over(source: SourceEditor) -> None:
    """A missing closing sign can be typed."""
    source.load("f(g(x)")
    select(source, "f(g(x|)")
    QTest.keyClicks(source, ")")
    assert shown(source) == "f(g(x)|)"
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert shown(source) == "f(g(x|)"


def test_backticks_make_code_and_fences(source: SourceEditor) -> None:
    """One backtick makes a pair, three start a fence, and inside the fence there are no pairs."""
    source.load("")
    QTest.keyClicks(source, "`x` ```")
    assert source.raw() == "`x` ```"
    source.load("")
    QTest.keyClicks(source, "```python")
    QTest.keyClick(source, Qt.Key.Key_Return)
    QTest.keyClicks(source, 'print("a", {1}')
    assert source.raw() == '```python\nprint("a", {1})\n```'


def test_what_an_input_method_commits_is_paired(source: SourceEditor) -> None:
    """Chinese brackets and quotes are paired; a closing one from the input method is typed over; words are not."""
    source.load("")
    commit(source, "梯度")
    commit(source, "（")
    assert shown(source) == "梯度（|）"
    commit(source, "累积")
    commit(source, "）")
    assert shown(source) == "梯度（累积）|"
    commit(source, "“")
    commit(source, "”")
    assert shown(source) == "梯度（累积）“”|"


@pytest.mark.parametrize(
    ("key", "made"), [("(", "a (word) b"), ("*", "a *word* b"), ("`", "a `word` b"), ("x", "a x b")]
)
def test_a_sign_over_a_selection_goes_around_it(source: SourceEditor, key: str, made: str) -> None:
    """The words stay selected, so that a second key can follow; a letter replaces them."""
    source.load("a word b")
    select(source, "word")
    QTest.keyClicks(source, key)
    assert source.raw() == made
    assert source.textCursor().selectedText() == ("word" if key != "x" else "")


def test_an_item_between_others_has_those_below_count_on(source: SourceEditor) -> None:
    """As one step: undo reverts the item and the numbers."""
    source.load("1. a\n2. b\n3. c\n")
    select(source, "a|\n")
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.raw() == "1. a\n2. \n3. b\n4. c\n"
    source.undo()
    assert source.raw() == "1. a\n2. b\n3. c\n"


def test_tab_walks_through_a_table(source: SourceEditor) -> None:
    """Each cell is selected, the columns are aligned, and after the last cell a row is added."""
    source.load(TABLE)
    select(source, "|one")
    QTest.keyClick(source, Qt.Key.Key_Tab)
    assert source.textCursor().selectedText() == "x"
    assert source.raw() == "| a   | 中文 |\n|-----|------|\n| one | x    |\n"
    QTest.keyClick(source, Qt.Key.Key_Tab)
    QTest.keyClicks(source, "new")
    assert source.raw().split("\n")[3] == "| new    |      |"
    QTest.keyClick(source, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
    assert source.textCursor().selectedText() == "x"
    assert source.raw().split("\n")[3] == "| new |      |"


def test_a_table_is_brought_into_line_with_the_caret_in_its_cell(source: SourceEditor) -> None:
    """Also after an emoji, which is two units in Qt; outside of tables nothing happens."""
    source.load(TABLE.replace("one", "😀 long"))
    select(source, "lo|ng")
    assert source.typist.tabling.arrange()
    assert shown(source).split("\n")[2] == "| 😀 lo|ng | x    |"
    source.load("a | b\n")
    assert not source.typist.tabling.arrange()
    assert source.raw() == "a | b\n"


def test_a_selection_up_to_the_next_line_is_carried_past_the_last(source: SourceEditor) -> None:
    """A selection that ended at the start of the next line ends with the text after moving down."""
    source.load("a\nb")
    cursor = source.textCursor()
    cursor.setPosition(0)
    cursor.setPosition(2, QTextCursor.MoveMode.KeepAnchor)
    source.setTextCursor(cursor)
    source.linework.carry(1)
    assert source.text() == "b\na"
    assert source.textCursor().selectedText() == "a"


def test_lines_are_carried_with_the_selection(source: SourceEditor) -> None:
    """Up and down, nothing at the ends, numbers in order, and one undo step for each move."""
    source.load("1. a\n2. b\n3. c😀")
    select(source, "b\n3. c😀")
    source.linework.carry(-1)
    assert source.raw() == "1. b\n2. c😀\n3. a"
    assert source.textCursor().selectedText() == "b\u20292. c😀"
    source.linework.carry(-1)
    assert source.raw() == "1. b\n2. c😀\n3. a"
    source.undo()
    assert source.raw() == "1. a\n2. b\n3. c😀"
    select(source, "|1. a")
    source.linework.carry(1)
    assert shown(source) == "1. b\n|2. a\n3. c😀"
    source.linework.carry(1)
    source.linework.carry(1)
    assert shown(source) == "1. b\n2. c😀\n|3. a"


def test_lines_are_doubled(source: SourceEditor) -> None:
    """The caret moves to the copy."""
    source.load("a\nb c\n")
    select(source, "b |c")
    source.linework.double()
    assert shown(source) == "a\nb c\nb |c\n"


def test_marks_are_toggled(source: SourceEditor) -> None:
    """On the selection, on the word under the caret, or for the text typed next."""
    source.load("😀 one two")
    select(source, "one")
    source.linework.toggle("**")
    assert source.raw() == "😀 **one** two"
    source.linework.toggle("**")
    assert source.raw() == "😀 one two"
    select(source, "tw|o")
    source.linework.toggle("`")
    assert source.raw() == "😀 one `two`"
    source.linework.toggle("`")
    assert source.raw() == "😀 one two"
    source.load("用**梯度**算")
    select(source, "梯|度")
    source.linework.toggle("**")
    assert source.raw() == "用梯度算"
    source.load("")
    source.linework.toggle("*")
    QTest.keyClicks(source, "x")
    assert source.raw() == "*x*"


def test_the_fields_own_actions_go_first(source: SourceEditor) -> None:
    """The field's action goes before the window's while the field has the focus, except while text is composed."""
    done: list[str] = []
    for parent, name in ((source, "field"), (source.window(), "window")):
        action = QAction(name, parent)
        action.setShortcut(QKeySequence("Ctrl+B"))
        action.triggered.connect(lambda _=False, name=name: done.append(name))
        parent.addAction(action)
        if name == "field":
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    QTest.keyClick(source, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert done == ["field"]
    QApplication.sendEvent(source, QInputMethodEvent("ni", []))
    QTest.keyClick(source, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert done == ["field"]
