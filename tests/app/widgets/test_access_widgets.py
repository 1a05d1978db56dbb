"""The small parts that the keyboard, the input method and a narrow window rest on."""

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
    """As much as there is room for; tooltip and screen reader have all of it, and a short one needs no tooltip."""
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
    """Give a window with two parts, of which the one that is read first was made last."""
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
    """Bring a window into view, with the keyboard."""
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()


def names(window: QWidget) -> list[str]:
    """Return the stops of a window by their words."""
    return [one.text() for one in tab_stops(window) if isinstance(one, QPushButton)]


def test_the_way_is_by_place_not_by_birth(window: QWidget) -> None:
    """Line by line, each from the left; what is hidden or disabled is no stop; it goes round at both ends."""
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
    """The others are come to by the arrows, as everywhere."""
    group = QButtonGroup(window)
    for button in window.findChildren(QPushButton):
        button.setCheckable(True)
        group.addButton(button)
    assert len(names(window)) == 4
    chosen = window.findChildren(QPushButton)[2]
    chosen.setChecked(True)
    assert names(window) == [chosen.text()]


def test_parts_are_gone_through_and_remember_where_one_was(window: QWidget) -> None:
    """Forward and back, from nowhere to the first, and past what has no stop."""
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
    """Escape closes the window then, and not before; giving the composing up is told."""
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
    """However the composing ended."""
    field = ImeLineEdit()
    qtbot.addWidget(field)
    show(qtbot, field)
    field.setFocus()
    QApplication.sendEvent(field, QInputMethodEvent("ni", []))
    assert field.composing
    field.clearFocus()
    qtbot.waitUntil(lambda: not field.composing)
