"""Deferred deletion that keeps the Python wrapper of a QObject alive until Qt has deleted the object.

Otherwise the garbage collector may free the wrapper while the object still waits for its deletion; the deletion then
uses the freed wrapper and crashes (PySide6 6.11.3; `tests/e2e/test_deferred_delete.py` shows it).
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget
from shiboken6 import isValid

_pending: list[QObject] = []


def delete_later(one: QObject) -> None:
    """Let Qt delete an object and its children after the current event; a widget is hidden at once."""
    _pending[:] = [each for each in _pending if isValid(each)]
    _pending.append(one)
    if isinstance(one, QWidget):
        one.hide()
        _pending.extend(one.findChildren(QWidget))
    one.deleteLater()


def clear_menu(menu: QMenu) -> None:
    """Remove everything from a menu and delete its submenus, which `QMenu.clear` would keep."""
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        menu.removeAction(inner.menuAction())
        delete_later(inner)
    menu.clear()


def popup_once(menu: QMenu, place: QPoint) -> None:
    """Show a menu that is used once, and delete it when it closes."""
    menu.aboutToHide.connect(menu.deleteLater)  # the chosen action is triggered before that
    menu.popup(place)
