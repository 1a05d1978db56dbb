"""The registry of commands: actions, keys and tooltips; and the palette."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.commands.command_palette import CommandPalette, fits
from app.commands.registry import Command, Commands, DynamicCommands
from app.i18n import Translator
from app.style.appearance import Appearance


def test_a_command_is_done_by_its_key_and_by_name(qtbot: QtBot) -> None:
    """It runs once each time."""
    window, done = QWidget(), []
    qtbot.addWidget(window)
    commands = Commands(window, Translator("en"))
    commands.add(Command("go", "group", "走", "Go", lambda: done.append(1), ("Ctrl+G",)))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    commands.run("go")
    assert done == [1, 1]


def test_the_words_follow_the_language(qtbot: QtBot) -> None:
    """Menu, palette and tooltip show the same name, with the key."""
    window, words = QWidget(), Translator("en")
    qtbot.addWidget(window)
    commands = Commands(window, words)
    commands.add(Command("go", "group", "走", "Go", lambda: None, ("Ctrl+G",)))
    assert commands.tip("go") == "Go  (Ctrl+G)"
    words.switch("zh")
    assert commands.action("go").text() == "走"
    assert commands.tip("go") == "走  (Ctrl+G)"


def test_a_key_of_a_part_works_only_there(qtbot: QtBot) -> None:
    """Ctrl+Enter runs code in the reader and opens a tab in the search field."""
    window, done = QWidget(), []
    column = QVBoxLayout(window)
    inside, outside = QLineEdit(), QLineEdit()
    column.addWidget(inside)
    column.addWidget(outside)
    qtbot.addWidget(window)
    commands = Commands(window, Translator("en"))
    commands.add(Command("run", "group", "跑", "Run", lambda: done.append(1), ("Ctrl+Return",), where=inside))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for field in (outside, inside):
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert done == [1]


def test_the_palette_looks_in_both_languages() -> None:
    """Every typed word must occur, in any order."""
    command = Command("theme_dark", "look", "外观：深色", "Theme: dark", lambda: None)
    assert fits(command, "dark theme")
    assert fits(command, "深色")
    assert fits(command, "")
    assert not fits(command, "dark light")


@pytest.mark.parametrize("typed", ["waiguan", "wai guan", "waig", "wgss", "ss", "shense", "waiguan dark", "theme ss"])
def test_the_palette_hears_pinyin(typed: str) -> None:
    """Pinyin matches whole, by its beginning, by initials, in several words, and next to English."""
    assert fits(Command("theme_dark", "look", "外观：深色", "Theme: dark", lambda: None), typed)


@pytest.mark.parametrize("typed", ["qianse", "waiguan light", "w", "sg"])
def test_the_palette_hears_nothing_else(typed: str) -> None:
    """Other sounds do not match, and neither does a single letter."""
    assert not fits(Command("a", "look", "外观：深色", "A", lambda: None), typed)


def test_what_stands_there_comes_before_what_sounds_so(qtbot: QtBot, look: Appearance) -> None:
    """Commands keep their order, and those that match by pinyin only come last."""
    window = QWidget()
    qtbot.addWidget(window)
    commands = Commands(window, Translator("en"))
    commands.add(
        Command("one", "g", "深色", "First", lambda: None), Command("two", "g", "另一个", "Lesson", lambda: None)
    )
    palette = CommandPalette(commands, Translator("en"), look, window)
    palette.field.setText("ss")
    model = palette.list.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["Lesson", "First"]


def test_expected_commands_are_made_when_one_is_asked_for(qtbot: QtBot) -> None:
    """They are registered once, with the keys that were set meanwhile."""
    window, made = QWidget(), []
    qtbot.addWidget(window)
    commands = Commands(window, Translator("en"))

    def more() -> list[Command]:
        made.append(1)
        return [Command("go", "group", "走", "Go", lambda: None, ("Ctrl+G",))]

    commands.expect(more)
    commands.rebind({"go": ("Ctrl+J",)})
    assert commands.expecting
    assert made == []
    assert [command.keys for command in commands] == [("Ctrl+J",)]
    assert commands.natural("go") == ("Ctrl+G",)
    assert commands.tip("go") == "Go  (Ctrl+J)"
    commands.complete()
    assert not commands.expecting
    assert made == [1]


def test_what_there_is_more_of_is_listed_where_it_is_looked_for(qtbot: QtBot, look: Appearance) -> None:
    """Dynamic commands follow their command, with its name as a prefix, and are read again each time."""
    window, done = QWidget(), []
    qtbot.addWidget(window)
    window.resize(800, 600)
    words = Translator("en")
    commands = Commands(window, words)
    known: list[str] = []

    def others() -> list[Command]:
        return [Command(f"vault {one}", "", one, one, lambda one=one: done.append(one)) for one in known]  # type: ignore[misc]

    commands.add(
        Command(
            "open", "notes", "打开…", "Open…", lambda: None, more=DynamicCommands("打开笔记库", "Open vault", others)
        ),
        Command("quit", "window", "退出", "Quit", lambda: done.append("quit")),
    )
    palette = CommandPalette(commands, words, look, window)
    palette.ask()
    model = palette.list.model()

    def listed() -> list[str]:
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    assert listed() == ["Open…", "Quit"]
    known.append("papers")
    palette.ask()
    assert listed() == ["Open…", "Open vault: papers", "Quit"]
    QTest.keyClicks(palette.field, "vault pap")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert done == ["papers"]
    palette.ask()
    assert listed()[0] == "Open vault: papers"  # what was done lately comes first
    palette.hide()
