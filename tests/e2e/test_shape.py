"""The window in little room, on other screens, and in the system's colours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStyleHints
from PySide6.QtWidgets import QApplication

from app.widgets.notification import Notification, NotificationAction


def test_a_narrow_window_gives_its_room_to_the_page(run: Any) -> None:
    """The outline goes where it would leave the page too little, and comes back with it, unless it is unwanted."""
    window = run.window
    window.resize(1200, 700)
    run.until(window.outline.isVisible)
    window.resize(760, 500)
    run.until(lambda: not window.outline.isVisible())
    assert run.workspace.state.outline_shown
    window.resize(1200, 700)
    run.until(window.outline.isVisible)
    window.toggle_outline()
    window.resize(760, 500)
    window.resize(1200, 700)
    run.qtbot.wait(20)
    assert not window.outline.isVisible()


def test_the_systems_light_and_dark_are_followed_at_once(
    run: Any, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that is the choice; a theme of one's own stays."""

    def system_turns(scheme: Qt.ColorScheme) -> None:
        monkeypatch.setattr(QStyleHints, "colorScheme", lambda _: scheme)
        qapp.styleHints().colorSchemeChanged.emit(scheme)  # the screen that is not there has no such setting

    run.window.deferred.view_commands.choose_theme("system")
    for scheme, dark in ((Qt.ColorScheme.Dark, True), (Qt.ColorScheme.Light, False), (Qt.ColorScheme.Dark, True)):
        system_turns(scheme)
        assert run.look.theme.dark == dark
        assert qapp.palette().text().color().name() == run.look.theme.ink
        assert run.look.theme.page in qapp.styleSheet()
    run.window.deferred.view_commands.choose_theme("light")
    system_turns(Qt.ColorScheme.Dark)
    assert not run.look.theme.dark


def test_an_empty_folder_says_how_to_begin(opened: Any, tmp_path: Path) -> None:
    """Neither a note to choose nor a heading over nothing is spoken of; with the first note the words change."""
    (tmp_path / "empty").mkdir()
    run = opened(tmp_path / "empty")
    run.until(lambda: "No notes yet" in run.window.central.empty.sentence.text())
    assert not run.window.outline._headings_part.isVisible()
    (tmp_path / "empty" / "first.md").write_text("# First\n", "utf-8")
    run.workspace.rescan()
    run.until(lambda: "choose a note" in run.window.central.empty.sentence.text())


def test_notices_are_whole_in_a_small_window_without_a_note(run: Any, tmp_path: Path) -> None:
    """Nothing beneath them, out of sight or not, takes their room: each is as high as its sentence and buttons need."""
    run.open("tensors/gather.en.md")
    run.window.central.toggle_editor()
    run.window.central.toggle_editor()
    run.window.resize(run.window.minimumSize())
    for number in range(3):
        choices = (
            NotificationAction("打开", "Open it", lambda: None),
            NotificationAction("打开文件夹", "Show the folder", lambda: None),
        )
        run.workspace.noticed.emit(
            Notification(f"{number}", f"Exported to /somewhere/{number}.html.", "failed", choices)
        )
    (tmp_path / "empty").mkdir()
    run.workspace.open_vault(tmp_path / "empty")
    run.until(lambda: "No notes yet" in run.window.central.empty.sentence.text())
    cards = run.window.central.notification_bar.cards
    run.until(lambda: all(card.height() >= card.heightForWidth(card.width()) for card in cards), seconds=5)
