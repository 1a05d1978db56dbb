"""The tabs of open notes: short names stay whole next to long ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from app.style.appearance import Appearance
from app.widgets.note_tabs import LEAST, NoteTabs, widest

LONG = "A title that is so long that no tab could ever hold it in one line"


@given(st.lists(st.integers(1, 400), max_size=12), st.integers(50, 2000))
def test_widest(widths: list[int], room: int) -> None:
    """All limited widths fit, no space is wasted, and no width is limited without need."""
    most = widest(widths, room)
    cut = [min(width, most) for width in widths]
    assert sum(cut) <= max(room, 0) or not widths
    if sum(widths) <= room:
        assert cut == widths
    elif widths:
        assert sum(cut) > room - len(widths)


def test_the_longest_names_yield_first(look: Appearance, qtbot: QtBot) -> None:
    """In a narrow window a short name next to long ones stays whole; the bar is never wider than the window."""
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


def test_many_names_are_scrolled_rather_than_cut_to_a_letter(look: Appearance, qtbot: QtBot) -> None:
    """If not all fit, a word of each visible name can still be read, and arrows scroll to the others."""
    tabs = NoteTabs()
    tabs.setObjectName("tabs")
    qtbot.addWidget(tabs)
    tabs.setElideMode(Qt.TextElideMode.ElideRight)
    for _ in range(12):
        index = tabs.addTab(LONG)
        tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, QLabel("x"))
    tabs.resize(600, 36)
    tabs.show()
    QApplication.processEvents()
    assert {tabs.tabRect(index).width() for index in range(12)} == {LEAST}
    arrows = [button for button in tabs.findChildren(QToolButton) if button.isVisible()]
    assert len(arrows) == 2
    for arrow in arrows:
        picture = arrow.grab().toImage()
        colours = {picture.pixel(x, y) for x in range(6, picture.width() - 6) for y in range(8, picture.height() - 8)}
        assert len(colours) > 1  # the arrow is drawn: the button's padding leaves space for it
