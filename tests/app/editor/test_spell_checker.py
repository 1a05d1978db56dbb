"""Unknown words in view are marked and mended by the menu; if marking is off, nothing is loaded."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.editor.dictionary import (
    available,
)
from app.editor.source_editor import SourceEditor
from app.editor.source_menu import SourceMenu
from app.editor.spell_checker import SpellChecker
from app.executor import GuiExecutor
from app.i18n import Translator
from app.style.theme import LIGHT
from tests.pace import slowness

spelled = pytest.mark.skipif(not available(), reason="needs spylls")


class Lore:
    """A vault with some names."""

    def __init__(self) -> None:
        self.on = True
        self.known: tuple[str, ...] = ("allreduce", "Fully Sharded")

    def wanted(self) -> bool:
        return self.on

    def names(self) -> Callable[[], Iterable[str]]:
        return lambda: self.known


@pytest.fixture
def context() -> Lore:
    return Lore()


@pytest.fixture
def spelling(source: SourceEditor, context: Lore, tmp_path: Path) -> Iterator[SpellChecker]:
    """Give the spell checker of a field, with real threads."""
    executor = GuiExecutor(threads=2)
    made = SpellChecker(source, run=executor.run, context=context, own=tmp_path / "data" / "words.txt", theme=LIGHT)
    yield made
    made.stop()
    executor.close()


def marked(spelling: SpellChecker) -> list[str]:
    return [word.selectedText() for word in spelling.marked]


@spelled
def test_words_in_view_are_marked_and_follow_the_typing(
    source: SourceEditor, spelling: SpellChecker, qtbot: QtBot
) -> None:
    """The word being typed is not marked; a corrected one loses its mark at once."""
    source.load("A gradeint 😀 and allreduce.\n")
    qtbot.waitUntil(lambda: marked(spelling) == ["gradeint"], timeout=30_000)
    source.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(source, "a recieve")
    qtbot.waitUntil(lambda: marked(spelling) == ["gradeint", "recieve"], timeout=30_000)
    assert len(list(spelling._wave_areas())) == 1
    QTest.keyClick(source, Qt.Key.Key_Space)
    assert len(list(spelling._wave_areas())) == 2
    source.go_to_line(1)
    QTest.keyClicks(source, "x ")
    assert marked(spelling) == ["gradeint", "recieve"]
    cursor = source.textCursor()
    cursor.setPosition(10)
    source.setTextCursor(cursor)
    QTest.keyClick(source, Qt.Key.Key_Backspace)
    assert marked(spelling) == ["recieve"]


@spelled
def test_what_is_composed_is_not_marked(source: SourceEditor, spelling: SpellChecker, qtbot: QtBot) -> None:
    """Letters being composed are not words; committed text is."""
    source.load("a\n")
    qtbot.waitUntil(lambda: spelling.ready, timeout=30_000)
    source.moveCursor(QTextCursor.MoveOperation.End)
    QApplication.sendEvent(source, QInputMethodEvent("tidu", []))
    QTest.qWait(400)
    assert marked(spelling) == []
    event = QInputMethodEvent()
    event.setCommitString("梯度gradeint ")
    QApplication.sendEvent(source, event)
    qtbot.waitUntil(lambda: marked(spelling) == ["gradeint"], timeout=30_000)


@spelled
def test_the_menu_mends_and_learns(source: SourceEditor, spelling: SpellChecker, qtbot: QtBot, tmp_path: Path) -> None:
    """A suggestion replaces the word as one undo step; an added word is no longer marked."""
    source.load("to recieve torchvision\n")
    menu = SourceMenu(source, spelling, Translator("en"), table=lambda _: None)
    qtbot.waitUntil(lambda: len(marked(spelling)) == 2, timeout=30_000)

    def said() -> list[str]:
        return [one.text() for one in menu.menu.actions() if one.isVisible()]

    menu._on_requested(source.cursorRect(spelling.marked[0]).center())
    assert said()[0].startswith("Looking for")
    qtbot.waitUntil(lambda: "receive" in said(), timeout=30_000)
    assert "Cut\tCtrl+X" in said()
    next(one for one in menu.menu.actions() if one.text() == "receive").trigger()
    assert source.raw() == "to receive torchvision\n"
    source.undo()
    assert source.raw() == "to recieve torchvision\n"
    menu.menu.close()
    found: list[Any] = []
    source.go_to_line(1)
    spelling.next_one(found.append)
    qtbot.waitUntil(lambda: bool(found), timeout=30_000)
    assert found[0].selectedText() == "recieve"
    source.setTextCursor(found[0])
    spelling.next_one(found.append)
    qtbot.waitUntil(lambda: len(found) == 2, timeout=30_000)
    menu.open_at(found[1], source.mapToGlobal(source.rect().center()), word=found[1])
    next(one for one in menu.menu.actions() if "torchvision" in one.text()).trigger()
    qtbot.waitUntil(lambda: marked(spelling) == ["recieve"], timeout=30_000)
    assert (tmp_path / "data" / "words.txt").read_text("utf-8") == "torchvision\n"
    menu.menu.close()


def test_where_it_is_off_nothing_is_loaded(
    source: SourceEditor, spelling: SpellChecker, context: Lore, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No dictionary is read, and no word is looked up."""
    monkeypatch.setattr("app.editor.spell_checker.english", lambda: pytest.fail("it was read"))
    context.on = False
    source.load("recieve\n")
    QTest.keyClicks(source, "wrods ")
    QTest.qWait(350)
    assert not spelling.on
    assert not spelling.ready
    assert "spylls.hunspell" not in sys.modules or available()


@spelled
def test_typing_waits_for_no_dictionary(source: SourceEditor, spelling: SpellChecker, qtbot: QtBot) -> None:
    """Keys in a megabyte of misspelt words take less than a frame of the GUI thread."""
    source.load("some gradeint wrods that recieve no mercy, `code` and 中文\n" * 20_000)
    qtbot.waitUntil(lambda: not source.loading and len(marked(spelling)) > 20, timeout=60_000)
    took = []
    for key in "gradeint wrods " * 2:
        began = time.thread_time()
        QTest.keyClicks(source, key)
        QApplication.processEvents()
        took.append(time.thread_time() - began)
    assert sorted(took)[-3] < 0.03 * slowness(time.thread_time)
