"""The tabs of open notes: short names stay whole, whatever the others are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTabBar
from pytestqt.qtbot import QtBot

from app.parts.notetabs import LEAST, NoteTabs, widest
from app.style.look import Look

LONG = "A title that is so long that no tab could ever hold it in one line"


@given(st.lists(st.integers(1, 400), max_size=12), st.integers(50, 2000))
def test_widest(widths: list[int], room: int) -> None:
    """All together fit, no room is left that one of them could use, and none is cut that need not be."""
    most = widest(widths, room)
    cut = [min(width, most) for width in widths]
    assert sum(cut) <= max(room, 0) or not widths
    if sum(widths) <= room:
        assert cut == widths
    elif widths:
        assert sum(cut) > room - len(widths)


def test_the_longest_names_yield_first(look: Look, qtbot: QtBot) -> None:
    """In a narrow window a short one beside long ones is still whole; the bar is never wider than the window."""
    tabs = NoteTabs()
    qtbot.addWidget(tabs)
    tabs.setElideMode(Qt.TextElideMode.ElideRight)
    for name in ("plain", LONG, "Hostile", LONG, "gather"):
        index = tabs.addTab(name)
        tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, QLabel("x"))
    tabs.resize(1600, 36)
    tabs.show()
    roomy = [tabs.tabRect(index).width() for index in range(5)]
    tabs.resize(500, 36)
    QApplication.processEvents()
    narrow = [tabs.tabRect(index).width() for index in range(5)]
    assert narrow[0] == roomy[0]
    assert narrow[2] == roomy[2]
    assert narrow[4] == roomy[4]
    assert LEAST <= narrow[1] == narrow[3] < roomy[1]
    assert sum(narrow) <= 500
