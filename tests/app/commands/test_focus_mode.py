"""Focus mode: the page alone, and everything as it was before."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.commands.focus_mode import FocusMode
from app.commands.registry import Command
from app.style.appearance import named


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """Return a window with a bar, a panel that is hidden, and a page."""
    made = QWidget()
    qtbot.addWidget(made)
    column = QVBoxLayout(made)
    for name in ("bar", "panel", "page"):
        part = named(QWidget(), name)
        column.addWidget(part)
    part_of(made, "panel").hide()
    made.show()
    return made


def part_of(window: QWidget, name: str) -> QWidget:
    """Return a part of the window."""
    found = window.findChild(QWidget, name)
    assert found is not None
    return found


def focus(window: QWidget) -> FocusMode:
    """Return the focus mode of the window, which hides bar and panel."""
    mode = FocusMode(window)
    mode.set_surroundings((part_of(window, "bar"), part_of(window, "panel")))
    return mode


def test_parts_that_were_hidden_stay_hidden_afterwards(window: QWidget) -> None:
    """Leaving shows the bar again, but not the panel; the window is no longer full screen."""
    mode = focus(window)
    mode.toggle()
    assert mode.on
    assert part_of(window, "bar").isHidden()
    assert not part_of(window, "page").isHidden()
    assert window.isFullScreen()
    mode.toggle()
    assert not mode.on
    assert not part_of(window, "bar").isHidden()
    assert part_of(window, "panel").isHidden()
    assert not window.isFullScreen()


def test_escape_leaves(window: QWidget) -> None:
    """Without focus mode the key is left to the window."""
    mode = focus(window)
    mode.enter()
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not mode.on


def test_a_full_screen_window_stays_so(window: QWidget) -> None:
    """It was the user's choice before."""
    window.setWindowState(Qt.WindowState.WindowFullScreen)
    mode = focus(window)
    mode.enter()
    mode.leave()
    assert window.isFullScreen()


@pytest.mark.parametrize(("name", "stays"), [("search", False), ("back", True)])
def test_commands_that_need_the_bars_leave_first(window: QWidget, name: str, stays: bool) -> None:  # noqa: FBT001
    """The search field is in the bar; going back needs no bar."""
    mode, done = focus(window), list[bool]()
    mode.enter()
    mode.leaving_focus_mode(Command(name, "notes", "", "", lambda: done.append(mode.on))).act()
    assert done == [stays]
