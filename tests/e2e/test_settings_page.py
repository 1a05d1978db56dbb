"""The settings: each change holds at once and at the next start, and nothing but what was changed is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from app.pages.close_button import CloseButton
from app.state.settings import Preferences, load


@pytest.fixture
def page(run: Any) -> Any:
    """Give the page of settings over an open note."""
    run.open("tensors/gather.en.md")
    run.window.commands.run("settings")
    return run.window.settings


def stored(run: Any) -> Preferences:
    """Return what the next start reads."""
    return load(run.workspace.places.data / "settings.json", Preferences).value


def choose(box: Any, value: object) -> None:
    """Choose an item as a person does."""
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_theme_and_language_change_at_once(run: Any, page: Any) -> None:
    """The page itself is worded and coloured anew; both are there at the next start."""
    choose(page.theme, "dark")
    assert run.look.theme.dark
    choose(page.language, "zh")
    assert run.window.commands.tip("settings").startswith("设置")
    assert page.theme.itemText(0) == "跟随系统"
    assert (stored(run).theme, stored(run).language) == ("dark", "zh")


def test_what_a_command_chooses_is_seen_on_the_page(run: Any, page: Any) -> None:
    """Also a theme that looks like the one before: the page in view says what holds."""
    for theme in ("dark", "light", "system"):
        run.window.commands.run(f"theme_{theme}")
        assert page.theme.currentData() == theme
    run.window.commands.run("zh")
    assert page.language.currentData() == "zh"


def test_notes_are_set_in_the_chosen_fonts(run: Any, page: Any) -> None:
    """Prose and code of the open page, at once; the fonts of the system stay behind them for what they lack."""
    family = page.text_font.itemText(0)
    page.text_font.setCurrentFont(QFont(family))
    page.text_font.activated.emit(0)
    assert stored(run).text_font == page.text_font.currentFont().family()
    font = run.window.central.reader.view.document().defaultFont()
    assert font.families()[0] == stored(run).text_font
    assert len(font.families()) > 1


def test_the_size_of_text_is_that_of_the_page(run: Any, page: Any) -> None:
    """A number in percent; Ctrl+0 afterwards is seen on the page of settings, too."""
    page.text_size.setValue(150)
    assert run.window.central.reader.view.zoom == 1.5
    run.window.commands.run("natural")
    run.window.commands.run("settings")
    assert page.text_size.value() == 100


def test_a_command_takes_other_keys(run: Any, page: Any) -> None:
    """They work at once and at the next start; another's are refused; a way back is there."""
    field = page.keys.field("like")
    field.setKeySequence(QKeySequence("Ctrl+Alt+L"))
    field.editingFinished.emit()
    assert run.window.commands.action("like").shortcut() == QKeySequence("Ctrl+Alt+L")
    assert stored(run).keys == {"like": ("Ctrl+Alt+L",)}
    field.setKeySequence(QKeySequence("Ctrl+K"))
    field.editingFinished.emit()
    assert page.keys.told.text()
    assert run.window.commands.action("like").shortcut() == QKeySequence("Ctrl+Alt+L")
    run.window.commands.rebind({})
    assert run.window.commands.action("like").shortcut().isEmpty()


def test_the_editors_own_keys_are_others_too(run: Any, page: Any) -> None:
    """Where the editor takes them itself: the old keys are free, buttons tell the new ones, and the way back is whole.

    So it is for what the field of the search says of its key.
    """
    commands, window = run.window.commands, run.window
    given = {"save": "Ctrl+Alt+S", "replace_here": "Ctrl+Alt+H", "find": "Ctrl+Alt+F", "edit": "Ctrl+Alt+E"}
    for name, keys in {**given, "search": "Ctrl+J"}.items():
        field = page.keys.field(name)
        field.setKeySequence(QKeySequence(keys))
        field.editingFinished.emit()
    run.open("tensors/gather.en.md")
    editor = window.central.editor
    window.central.toggle_editor()
    window.activateWindow()
    run.until(editor.source.hasFocus)

    def press(keys: str) -> None:
        QTest.keySequence(editor.source, QKeySequence(keys))

    QTest.keyClicks(editor.source, "x")
    for old in ("Ctrl+S", "Ctrl+F", "Ctrl+H", "Ctrl+E"):
        press(old)
    assert (editor.state.kind, editor.find_bar.isVisible(), window.central.editing) == ("unsaved", False, True)
    press(given["save"])
    assert editor.state.kind != "unsaved"
    press(given["replace_here"])
    assert editor.find_bar.replacement.isVisible()
    editor.find_bar.shut()
    press(given["find"])
    assert editor.find_bar.isVisible()
    editor.find_bar.shut()
    assert given["find"] in editor.header.find_button.toolTip()
    assert "Ctrl+J" in window.search_controller.field.toolTip()
    press(given["edit"])
    assert not window.central.editing
    commands.rebind({})
    window.central.toggle_editor()
    run.until(editor.source.hasFocus)
    press("Ctrl+F")
    assert editor.find_bar.isVisible()
    assert "Ctrl+K" in window.search_controller.field.toolTip()
    run.until(lambda: editor.state.kind == "saved")


def test_a_command_is_found_among_the_keys(run: Any, page: Any) -> None:
    """By its words in either language or by its keys; and what is wrong with keys stands under their own field."""
    keys = page.keys
    keys.wanted.setText("rename")
    assert not keys.field("rename").isHidden()
    assert keys.field("search").isHidden()
    keys.wanted.setText("ctrl+k")
    assert not keys.field("search").isHidden()
    assert keys.field("rename").isHidden()
    keys.wanted.clear()
    assert not any(keys.field(command.name).isHidden() for command in run.window.commands)
    field = keys.field("reopen_tab")
    field.setKeySequence(QKeySequence("Ctrl+K"))
    field.editingFinished.emit()
    run.until(lambda: 0 < keys.told.y() - field.y() < 3 * field.height())


def test_isolation_and_python_are_chosen(run: Any, page: Any) -> None:
    """The switch is that of the status bar, the list is that of the bar at the top."""
    run.until(lambda: run.workspace.device_model.interpreter is not None)
    assert page.python.count() == len(run.workspace.device_model.interpreters)
    before = run.workspace.runs.isolate
    page.isolated.click()
    assert run.workspace.runs.isolate is not before
    page.python.activated.emit(0)
    assert run.workspace.device_model.interpreter == run.workspace.device_model.interpreters[0]


def test_vaults_are_known_and_forgotten(run: Any, page: Any, tmp_path: Path) -> None:
    """A folder that was opened is listed and opened again by a click; forgetting it touches nothing on the disk."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# a\n")
    run.workspace.open_vault(other)
    run.until(lambda: run.workspace.vault is not None and run.workspace.vault.root == other)
    assert stored(run).vaults == (str(other),)
    run.workspace.open_vault(None)
    run.until(lambda: run.workspace.vault.root == run.vault)
    assert stored(run).vaults == (str(other),)
    page._forget(str(other))
    assert stored(run).vaults == ()
    assert (other / "a.md").exists()


def test_the_keyboard_goes_to_the_note_of_a_vault_that_is_opened(run: Any, page: Any, tmp_path: Path) -> None:
    """From the button of the page, which goes; and all that is chosen stands in one column."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# a\n")
    run.workspace.settings_store.set_preference(vaults=(str(other),))
    boxes = (page.theme, page.text_size, page.python)
    run.until(lambda: len({box.mapTo(page, box.rect().topLeft()).x() for box in boxes}) == 1)
    found = page.findChildren
    run.until(lambda: any(one.text() == "Open" and one.isVisible() for one in found(QPushButton)))
    button = next(one for one in found(QPushButton) if one.text() == "Open")
    button.setFocus()
    button.click()
    run.until(lambda: (note := run.workspace.notes.current) and note.entry.key == "a")
    run.until(lambda: run.window.focusWidget() is run.window.central.reader.view)


def test_a_vault_is_called_as_its_folder_is(run: Any, page: Any, tmp_path: Path) -> None:
    """Whatever signs are in its name; a long path does not make the page wide."""
    other = tmp_path / "<b>A & B" / ("deep" * 30)
    run.workspace.settings_store.set_preference(vaults=(str(other.parent), str(other)))
    run.until(lambda: "<b>A & B" in {one.text() for one in page.findChildren(QLabel, "vaultName")})
    width = page.widget().minimumSizeHint().width()
    assert width < 760


def test_escape_gives_the_page_back(run: Any, page: Any) -> None:
    """So does the sign at its corner; and a note that is opened comes into view."""
    page.findChild(CloseButton).click()
    assert run.window.central.stack.currentWidget() is run.window.central.reader.view
    run.window.commands.run("settings")
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert run.window.central.stack.currentWidget() is run.window.central.reader.view
    run.window.commands.run("settings")
    run.open("tensors/expand.md")
    assert run.window.central.stack.currentWidget() is run.window.central.reader.view


def test_the_captions_take_the_room_that_they_need_in_this_language(run: Any, page: Any) -> None:
    """Switched to Chinese, and back, the page is as one that was made in that language."""
    english = page.theme.x()
    run.words.switch("zh")
    QApplication.processEvents()
    assert page.theme.x() == page.python.x() < english
    run.words.switch("en")
    QApplication.processEvents()
    assert page.theme.x() == page.python.x() == english


def test_the_page_is_opened_at_its_top(run: Any, page: Any) -> None:
    """Wherever it was left, what has the keyboard is in sight."""
    page.verticalScrollBar().setValue(page.verticalScrollBar().maximum())
    assert page.theme.visibleRegion().isEmpty()
    run.window.deferred.view_commands.leave_page()
    run.window.commands.run("settings")
    QApplication.processEvents()
    assert page.theme.hasFocus()
    assert not page.theme.visibleRegion().isEmpty()


def test_the_least_window_shows_the_whole_page(run: Any, page: Any) -> None:
    """In either language nothing of it lies beside the window, the cross that closes it neither."""
    run.window.resize(run.window.minimumSize())
    for language in ("en", "zh"):
        run.words.switch(language)
        QApplication.processEvents()
        cross = page.findChild(CloseButton)
        assert page.horizontalScrollBar().maximum() == 0
        assert not cross.visibleRegion().isEmpty()
