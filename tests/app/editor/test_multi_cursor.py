"""Several carets: each key acts at all of them, as one undo step, also special keys and an input method."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeySequence, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.editor.multi_cursor import MOST
from app.editor.source_editor import SourceEditor
from tests.pace import slowness

ALT = Qt.KeyboardModifier.AltModifier
STANDARD = QKeySequence.StandardKey


def put(source: SourceEditor, *places: int) -> None:
    """Put a caret at each position; the last one is the field's own."""
    first, *others = (_at(source, place) for place in places)
    source.carets.leave()
    source.setTextCursor(first)
    for one in others:
        source.carets.turn(one)


def _at(source: SourceEditor, place: int) -> QTextCursor:
    cursor = QTextCursor(source.document())
    cursor.setPosition(place)
    return cursor


def compose(source: SourceEditor, preedit: str, commit: str = "") -> None:
    """Send what an input method sends."""
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(source, event)


def undo(source: SourceEditor) -> None:
    QTest.keySequence(source, QKeySequence(STANDARD.Undo))


def test_keys_act_at_every_caret_and_a_burst_is_one_step(source: SourceEditor) -> None:
    """Letters, arrows, Backspace and Delete; consecutive letters are one undo step, at all carets."""
    source.load("one\ntwo\n三\n")
    put(source, 3, 7, 9)
    QTest.keyClicks(source, "abc")
    assert source.text() == "oneabc\ntwoabc\n三abc\n"
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    QTest.keyClick(source, Qt.Key.Key_Left)
    QTest.keyClicks(source, "-")
    assert source.text() == "one-a\ntwo-a\n三-a\n"
    undo(source)
    assert source.text() == "onea\ntwoa\n三a\n"
    undo(source)
    assert source.text() == "oneabc\ntwoabc\n三abc\n"
    undo(source)
    assert source.text() == "one\ntwo\n三\n"
    QTest.keySequence(source, QKeySequence(STANDARD.Redo))
    assert source.text() == "oneabc\ntwoabc\n三abc\n"
    assert len(source.carets) == 3
    QTest.keyClicks(source, "!")
    assert source.text() == "oneabc!\ntwoabc!\n三abc!\n"


def test_the_next_ones_like_it_are_selected_and_typed_over(source: SourceEditor) -> None:
    """First the word under the caret, then equal whole words, wrapping around; a part of a word matches parts."""
    source.load("log\ncatalog log\nlog Log\n")
    put(source, 13)
    for _ in range(4):
        source.carets.next_same()
    assert len(source.carets) == 3
    QTest.keyClicks(source, "exp")
    assert source.text() == "exp\ncatalog exp\nexp Log\n"
    undo(source)
    assert source.text() == "log\ncatalog log\nlog Log\n"
    QTest.keyClick(source, Qt.Key.Key_Escape)
    assert len(source.carets) == 1
    cursor = _at(source, 8)
    cursor.setPosition(11, QTextCursor.MoveMode.KeepAnchor)
    source.setTextCursor(cursor)
    source.carets.all_same()
    assert len(source.carets) == 4


def test_chinese_is_found_within_other_words(source: SourceEditor) -> None:
    """Chinese has no spaces between words, so the selection is found anywhere."""
    source.load("张量的梯度\n求梯度时\n😀梯度")
    cursor = _at(source, 3)
    cursor.setPosition(5, QTextCursor.MoveMode.KeepAnchor)
    source.setTextCursor(cursor)
    source.carets.all_same()
    compose(source, "dao'shu")
    assert source.text() == "张量的\n求时\n😀"
    compose(source, "", "导数")
    assert source.text() == "张量的导数\n求导数时\n😀导数"
    undo(source)
    assert source.text() == "张量的\n求时\n😀"
    undo(source)
    assert source.text() == "张量的梯度\n求梯度时\n😀梯度"


def test_what_is_composed_stands_at_one_caret_and_is_committed_at_all(source: SourceEditor) -> None:
    """While text is composed, nothing changes and no key acts; a commit that starts the next word works, too."""
    source.load("a\nb\nc")
    put(source, 1, 3, 5)
    compose(source, "ni")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    QTest.keyClick(source, Qt.Key.Key_Escape)
    assert source.text() == "a\nb\nc"
    assert len(source.carets) == 3
    compose(source, "hao", "你")
    assert source.text() == "a你\nb你\nc你"
    assert source.composing()
    compose(source, "", "好")
    assert source.text() == "a你好\nb你好\nc你好"
    compose(source, "", "（")
    assert source.text() == "a你好（）\nb你好（）\nc你好（）"


def test_the_habits_hold_at_every_caret(source: SourceEditor) -> None:
    """Lists continue, pairs are closed, typed over and deleted, Tab indents, and signs enclose the selection."""
    source.load("- a\n- b")
    put(source, 3, 7)
    QTest.keyClick(source, Qt.Key.Key_Return)
    assert source.text() == "- a\n- \n- b\n- "
    QTest.keyClick(source, Qt.Key.Key_Tab)
    QTest.keyClicks(source, "f(x)")
    assert source.text() == "- a\n  - f(x)\n- b\n  - f(x)"
    QTest.keyClicks(source, "(")
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert source.text() == "- a\n  - f(x)\n- b\n  - f(x)"
    QTest.keyClick(source, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(source, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(source, "*")
    assert source.text().count("*") == 4


def test_carets_that_meet_are_one(source: SourceEditor) -> None:
    """Carets that meet act once; adjacent selections that are replaced stay separate."""
    source.load("abab")
    put(source, 1, 2)
    QTest.keyClick(source, Qt.Key.Key_Home)
    assert len(source.carets) == 1
    cursor = _at(source, 0)
    cursor.setPosition(2, QTextCursor.MoveMode.KeepAnchor)
    source.setTextCursor(cursor)
    source.carets.all_same()
    QTest.keyClicks(source, "xy")
    assert source.text() == "xyxy"
    assert len(source.carets) == 2


def test_copy_cut_and_paste(source: SourceEditor) -> None:
    """Selections are copied line by line, and pasted one per caret if the numbers agree; else each caret gets all."""
    source.load("one 1\ntwo 2\n")
    put(source, 3, 9)
    QTest.keyClick(source, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
    QTest.keySequence(source, QKeySequence(STANDARD.Cut))
    assert source.text() == " 1\n 2\n"
    assert QGuiApplication.clipboard().text() == "one\ntwo"
    QTest.keyClick(source, Qt.Key.Key_End)
    QTest.keySequence(source, QKeySequence(STANDARD.Paste))
    assert source.text() == " 1one\n 2two\n"
    QGuiApplication.clipboard().setText("é")
    QTest.keySequence(source, QKeySequence(STANDARD.Paste))
    assert source.text() == " 1oneé\n 2twoé\n"
    undo(source)
    assert source.text() == " 1one\n 2two\n"


def test_carets_by_mouse_and_by_lines(source: SourceEditor) -> None:
    """Alt+click adds or removes a caret; a plain click, another note and Select All leave one."""
    source.load("aaaa\nbbbb\ncccc\n")
    put(source, 2)
    source.carets.below(1)
    source.carets.below(1)
    assert len(source.carets) == 3
    QTest.keyClicks(source, "|")
    assert source.text() == "aa|aa\nbb|bb\ncc|cc\n"
    place = source.cursorRect(_at(source, 9)).center()
    QTest.mouseClick(source.viewport(), Qt.MouseButton.LeftButton, ALT, place)
    assert len(source.carets) == 2
    QTest.mouseClick(source.viewport(), Qt.MouseButton.LeftButton, ALT, place)
    assert len(source.carets) == 3
    QTest.mouseClick(source.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 300))
    assert len(source.carets) == 1
    put(source, 1, 6)
    QTest.keySequence(source, QKeySequence(STANDARD.SelectAll))
    assert len(source.carets) == 1
    put(source, 1, 6)
    source.load("x")
    assert len(source.carets) == 1


@pytest.mark.parametrize("preedit", ["", "xian'cun"])
def test_what_is_committed_at_several_carets_is_told_at_once(source: SourceEditor, preedit: str) -> None:
    """Else it would not be saved, and Qt would lose track of it at the next key."""
    source.load("one\ntwo\nthree\n")
    put(source, 2, 6)
    told: list[str] = []
    source.edited.connect(lambda: told.append(source.text()))
    for commit in ("显存", "𝒳", "("):
        if preedit:
            compose(source, preedit)
        compose(source, "", commit)
        assert told[-1] == source.text()
        assert commit in source.text()
    QTest.keyClicks(source, "[[")
    assert told[-1] == source.text()


def test_the_other_carets_and_selections_are_seen(source: SourceEditor) -> None:
    """Other carets and the backgrounds of their selections are visible."""
    source.load("word and word\n\nword")
    put(source, 0)
    plain = source.grab().toImage()
    source.carets.all_same()
    assert len(source.carets) == 3
    marked = source.grab().toImage()
    for place in (_at(source, 1), _at(source, 10)):
        spot = source.viewport().mapTo(source, source.cursorRect(place).topLeft())
        spot += QPoint(2, 2)
        assert plain.pixelColor(spot) != marked.pixelColor(spot)


def test_a_locked_note_has_one_caret(source: SourceEditor) -> None:
    """In a read-only text no caret is added."""
    source.load("one\ntwo", locked=True)
    put(source, 0, 4)
    assert len(source.carets) == 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(alphabet="ab 中\n", min_size=1, max_size=30),
    st.sets(st.integers(0, 30), min_size=2, max_size=5),
    st.text(alphabet="xy", min_size=1, max_size=3),
    st.integers(0, 4),
)
def test_keys_at_any_places_do_what_they_do_at_one(
    source: SourceEditor, text: str, places: set[int], typed: str, rubbed: int
) -> None:
    """Typing and deleting give the same as at each position alone; two undo steps restore the text."""
    source.load(text)
    spots = sorted({min(place, len(text)) for place in places})
    put(source, *spots)
    QTest.keyClicks(source, typed)
    pieces = [text[start:end] for start, end in itertools.pairwise([0, *spots, len(text)])]
    assert source.raw() == typed.join(pieces)
    for _ in range(rubbed):
        QTest.keyClick(source, Qt.Key.Key_Backspace)
    if rubbed <= len(typed):
        assert source.raw() == typed[: len(typed) - rubbed].join(pieces)
    # Carets that have met delete as one, which is another undo step.
    for _ in range(2 if 0 < rubbed <= len(typed) else 1 if not rubbed else 5):
        undo(source)
    assert source.raw() == text


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_X])
def test_many_carets_keep_the_pace(source: SourceEditor, key: Qt.Key) -> None:
    """With the maximum number of carets in a large note, a key takes no noticeable time."""
    source.load("a word here\n" * 20_000)
    put(source, 3)
    source.carets.all_same()
    assert len(source.carets) == MOST
    began = time.perf_counter()
    QTest.keyClick(source, key)
    assert time.perf_counter() - began < 0.1 * slowness()
    assert source.text().count("word") == 20_000 - MOST


NOTE = """# Head

- item one
  1. two
  2. three

| a | 中文 |
|---|---|
| x | 😀 y |

```python
def f(x):
    return x
```

文字 words and (more) `code` 文字。
> quote
- [ ] task
"""
KEYS = (
    *(Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Backspace, Qt.Key.Key_Delete),
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End),
)
HELD = (*[Qt.KeyboardModifier.NoModifier] * 3, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier)


def act_at_random(source: SourceEditor, chance: random.Random) -> None:
    """Do one random action with several carets."""
    carets = source.carets
    acts: tuple[Callable[[], object], ...] = (
        lambda: carets.turn(_at(source, chance.randrange(source.document().characterCount()))),
        carets.next_same,
        lambda: carets.below(chance.choice((1, -1))),
        lambda: QTest.keyClicks(source, chance.choice("ab ([{\"'`*-|)]")),
        lambda: QTest.keyClick(source, chance.choice(KEYS), chance.choice(HELD)),
        lambda: QTest.keyClick(source, chance.choice(KEYS), chance.choice(HELD)),
        lambda: QTest.keySequence(source, QKeySequence(chance.choice((STANDARD.Undo, STANDARD.Redo, STANDARD.Cut)))),
        lambda: carets.paste(chance.choice(("x", "a\nb", "一\n二\n三"))),
        lambda: compose(source, "", chance.choice(("你", "（", "你好"))),
        lambda: carets.each(lambda: carets.linework.toggle("**")),
        lambda: source.linework.carry(1),
        lambda: source.typist.tabling.add_row(1),
    )
    chance.choice(acts)()


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_done_at_several_carets_is_told_and_can_be_undone(source: SourceEditor, seed: int) -> None:
    """Each change is reported, Qt's layout matches the text, and undoing all restores every character."""
    source.load(NOTE)
    told: list[int] = []
    source.edited.connect(lambda: told.append(1))
    chance = random.Random(seed)
    for _ in range(100):
        before = source.raw()
        told.clear()
        act_at_random(source, chance)
        assert bool(told) or source.raw() == before
        block = source.document().begin()
        while block.isValid():
            lines = block.layout()
            last = lines.lineAt(lines.lineCount() - 1) if lines.lineCount() else None
            assert last is None or last.textStart() + last.textLength() == block.length() - 1
            block = block.next()
    source.carets.leave()
    while source.document().isUndoAvailable():
        source.undo()
    assert source.raw() == NOTE
