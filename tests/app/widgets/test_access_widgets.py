"""Shared widgets with the keyboard, an input method, and in a narrow window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.widgets.accessibility import closes_by_escape, neighbour_stop, next_section_stop, tab_stops
from app.widgets.elided_label import ElidedLabel
from app.widgets.ime_fields import ImeLineEdit, ImeTextEdit


def test_a_long_text_is_cut_in_its_middle_and_told_whole(qtbot: QtBot) -> None:
    """It is elided to fit; tooltip and screen reader get all of it, and a short text has no tooltip."""
    label = ElidedLabel()
    qtbot.addWidget(label)
    path = "distributed/launching/by-hand-and-by-torchrun.en.md"
    label.setText(path)
    label.resize(120, 24)
    label.show()
    assert "…" in label.text()
    assert label.text()[0] == path[0]
    assert label.text()[-1] == path[-1]
    assert label.toolTip() == label.accessibleName() == path
    assert label.fontMetrics().horizontalAdvance(label.text()) <= 120
    label.resize(label.sizeHint())
    assert label.text() == path
    assert label.toolTip() == ""


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    """Return a window with two parts; the one that was created last comes first in reading order."""
    made = QWidget()
    qtbot.addWidget(made)
    column = QVBoxLayout(made)
    below, above = QWidget(made), QWidget(made)
    for name, part in (("below", below), ("above", above)):
        part.setObjectName(name)
        row = QHBoxLayout(part)
        row.addWidget(QPushButton(f"{name} 2"))
        row.insertWidget(0, QPushButton(f"{name} 1"))
        row.addWidget(QLabel("no stop"))
    column.addWidget(above)
    column.addWidget(below)
    show(qtbot, made)
    return made


def show(qtbot: QtBot, window: QWidget) -> None:
    """Show and activate a window."""
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()


def names(window: QWidget) -> list[str]:
    """Return the texts of the tab stops of a window."""
    return [one.text() for one in tab_stops(window) if isinstance(one, QPushButton)]


def test_the_way_is_by_place_not_by_birth(window: QWidget) -> None:
    """The order is line by line from the left, without hidden or disabled widgets, and wraps at both ends."""
    assert names(window) == ["above 1", "above 2", "below 1", "below 2"]
    first, second, third, last = tab_stops(window)
    first.setFocus()
    assert neighbour_stop(window, back=True) is last
    last.setFocus()
    assert neighbour_stop(window, back=False) is first
    second.setEnabled(False)
    third.hide()
    assert names(window) == ["above 1", "below 2"]
    first.setEnabled(False)
    last.hide()
    assert neighbour_stop(window, back=False) is None


def test_of_buttons_of_which_one_is_chosen_that_one_is_a_stop(window: QWidget) -> None:
    """Arrow keys reach the others, as in every group of buttons."""
    group = QButtonGroup(window)
    for button in window.findChildren(QPushButton):
        button.setCheckable(True)
        group.addButton(button)
    assert len(names(window)) == 4
    chosen = window.findChildren(QPushButton)[2]
    chosen.setChecked(True)
    assert names(window) == [chosen.text()]


def test_parts_are_gone_through_and_remember_where_one_was(window: QWidget) -> None:
    """It goes forward and back, starts at the first part, and skips parts without a tab stop."""
    above, below = (window.findChild(QWidget, name) for name in ("above", "below"))
    assert above is not None
    assert below is not None
    empty = QWidget(window)
    empty.show()
    parts = (above, empty, below)
    first, second, third, last = tab_stops(window)
    third.setFocus()
    second.setFocus()
    assert next_section_stop(parts, second, back=False) is third
    last.setFocus()
    assert next_section_stop(parts, last, back=False) is second
    assert next_section_stop(parts, None, back=False) in {first, second}
    third.setFocus()
    assert next_section_stop(parts, second, back=True) is third
    assert next_section_stop((empty,), second, back=False) is None


@pytest.mark.parametrize("kind", [ImeLineEdit, ImeTextEdit])
def test_keys_are_the_input_methods_while_it_composes(qtbot: QtBot, kind: type[ImeLineEdit | ImeTextEdit]) -> None:
    """Escape closes the window only after the composition; a cancelled composition emits `composed`."""
    window = QWidget()
    qtbot.addWidget(window)
    field, other = kind(), QLineEdit()
    column = QVBoxLayout(window)
    column.addWidget(field)
    column.addWidget(other)
    closes_by_escape(window)
    show(qtbot, window)
    field.setFocus()
    QApplication.sendEvent(field, QInputMethodEvent("ni", []))
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Return, Qt.Key.Key_A):
        QTest.keyClick(field, key)
    assert window.isVisible()
    assert window.focusWidget() is field
    assert field.composing
    QApplication.sendEvent(field, QInputMethodEvent("", []))
    assert not field.composing
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_a_field_that_is_left_holds_nothing(qtbot: QtBot) -> None:
    """This holds for a confirmed and for a cancelled composition."""
    field = ImeLineEdit()
    qtbot.addWidget(field)
    show(qtbot, field)
    field.setFocus()
    QApplication.sendEvent(field, QInputMethodEvent("ni", []))
    assert field.composing
    field.clearFocus()
    qtbot.waitUntil(lambda: not field.composing)
