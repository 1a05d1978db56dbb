"""Letting go of what Qt deletes later: its Python side has to be there until then.

PySide gives a wrapper up, by the garbage collector, while what it wraps still waits for its deletion; the deletion then
reaches for the wrapper and ends the program (PySide6 6.11.3; `tests/e2e/test_deferred_delete.py` shows it).
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

_parting: list[QObject] = []


def delete_later(one: QObject) -> None:
    """Have Qt delete an object, and with it what it holds, once the event in hand is over; a widget hides at once."""
    _parting[:] = [each for each in _parting if isValid(each)]
    _parting.append(one)
    if isinstance(one, QWidget):
        one.hide()
        _parting.extend(one.findChildren(QWidget))
    one.deleteLater()


def clear_menu(menu: QMenu) -> None:
    """Take everything out of a menu, menus within it too, which Qt would keep as long as the menu itself."""
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        menu.removeAction(inner.menuAction())
        delete_later(inner)
    menu.clear()


def popup_once(menu: QMenu, place: QPoint) -> None:
    """Show a menu that is made for this one time: it goes when it is put away, which its parent would not see to."""
    menu.aboutToHide.connect(menu.deleteLater)  # what was chosen in it is told before
    menu.popup(place)
