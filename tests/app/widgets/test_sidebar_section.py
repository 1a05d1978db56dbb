"""Clickable lines of the side panel: the part of their text that is drawn."""

from __future__ import annotations

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.widgets.sidebar_section import LineButton


def drawn(qtbot: QtBot, line: LineButton, width: int) -> QImage:
    qtbot.addWidget(line)
    line.resize(width, 26)
    return line.grab().toImage()


def test_a_line_without_room_says_what_is_shorter(qtbot: QtBot) -> None:
    """One whole language is better than two elided ones; tooltip and screen reader get all of it."""
    both = "Views & copies  \u89c6\u56fe\u4e0e\u526f\u672c"
    for width, wanted in ((400, both), (140, "Views & copies")):
        line = LineButton(both, 1, shorter="Views & copies")
        assert drawn(qtbot, line, width) == drawn(qtbot, LineButton(wanted, 1), width)
        assert line.toolTip() == line.accessibleName() == both
    narrow = LineButton(both, 1, shorter="Views & copies")
    assert drawn(qtbot, narrow, 70) == drawn(qtbot, LineButton("Views & copies", 1), 70)
