"""Spell-marking in the window: in English notes unless it is told otherwise, and mended from the keyboard."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from app.editor.dictionary import available

pytestmark = pytest.mark.skipif(not available(), reason="needs spylls")
ENGLISH, CHINESE = "tensors/gather.en.md", "tensors/gather.zh.md"


def marked(run: Any) -> list[str]:
    """Return the words that have a mark."""
    return [word.selectedText() for word in run.window.deferred.editor_commands.checking.spelling.marked]


def edit(run: Any, path: str, words: str) -> Any:
    """Open a note in the editor and write some words at its end."""
    run.open(path)
    run.window.activateWindow()
    run.window.central.edit(path, 1)
    source = run.window.central.editor.source
    source.moveCursor(QTextCursor.MoveOperation.End)
    source.setFocus()
    source.insertPlainText(words)
    return source


def said(run: Any) -> list[str]:
    """Return what the menu of the source offers."""
    menu = run.window.deferred.editor_commands.checking.menu.menu
    return [one.text() for one in menu.actions() if one.isVisible()] if menu.isVisible() else []


def test_an_english_note_is_marked_and_mended_by_keys(run: Any) -> None:
    """F7 goes to the word and offers others; Enter takes the first; the terms of the glossary are known."""
    source = edit(run, ENGLISH, "\nA backpropagation that recieve it.\n\n")
    run.until(lambda: marked(run) == ["recieve"])
    for _ in range(3):
        source.moveCursor(QTextCursor.MoveOperation.Up)
    QTest.keyClick(source, Qt.Key.Key_F7)
    run.until(lambda: "receive" in said(run))
    menu = run.window.deferred.editor_commands.checking.menu.menu
    QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert "that receive it" in source.raw()
    run.until(lambda: marked(run) == [])
    QTest.keyClick(source, Qt.Key.Key_F7)
    run.until(lambda: any("No marked word" in card.notice.en for card in run.window.central.notification_bar.cards))


def test_a_chinese_note_is_marked_where_that_is_wished(run: Any) -> None:
    """Off by itself; the command switches it on there, and off everywhere; the settings say the same."""
    source = edit(run, CHINESE, "\n这里的 recieve 写错了。\n")
    spelling, commands = run.window.deferred.editor_commands.checking.spelling, run.window.commands
    assert not spelling.on
    commands.run("spelling")
    run.until(lambda: marked(run) == ["recieve"])
    commands.run("settings")
    page = run.window.settings
    assert page.spelling.currentData() == "all"
    page.spelling.setCurrentIndex(page.spelling.findData("english"))
    page.spelling.activated.emit(page.spelling.currentIndex())
    run.window.central.edit(CHINESE, 1)
    assert not spelling.on
    assert marked(run) == []
    commands.run("spelling")
    run.until(lambda: spelling.on)
    commands.run("spelling")
    assert not spelling.on
    assert run.workspace.settings_store.preferences.spelling == "off"
    assert source.raw().endswith("写错了。\n")


def test_a_row_is_added_from_the_menu_of_a_table(run: Any) -> None:
    """In both languages, and only where there is a table."""
    source = edit(run, ENGLISH, "\n\n| a | b |\n|---|---|\n| c | d |")
    menu, words = run.window.deferred.editor_commands.checking.menu, run.window.words
    for language, told in (("zh", "下方加一行"), ("en", "Add a row below")):
        words.switch(language)
        menu.open_at(source.textCursor(), source.mapToGlobal(source.cursorRect().center()))
        within = next(one.menu() for one in menu.menu.actions() if one.menu() is not None)
        row = next(one for one in within.actions() if one.text().startswith(told))
        row.trigger()
        menu.menu.close()
    assert source.raw().endswith("| c   | d   |\n|     |     |\n|     |     |")
    source.go_to_line(1)
    menu.open_at(source.textCursor(), source.mapToGlobal(source.cursorRect().center()))
    assert not any("Table" in one.text() for one in menu.menu.actions())
    menu.menu.close()
