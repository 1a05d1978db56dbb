"""Every surface of the window, brought into view as a person would, and what can be read on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFontComboBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QWidget,
)

from app.widgets.notification import Notification, NotificationAction

NOTE = "tensors/gather.en.md"
_TAG = re.compile(r"<[^>]*>")
Show = Callable[[Any], object]


def reading(run: Any) -> None:
    """The note, with its tree and its outline."""
    run.open(NOTE)
    run.until(lambda: run.workspace.device_model.interpreter is not None and run.workspace.notes.shown)


def editing(run: Any) -> None:
    """The editor beside the live page, with its bar to find and replace, which has something to complain of."""
    reading(run)
    central = run.window.central
    central.edit(NOTE, 8)
    run.until(lambda: "pick by index" in central.preview.view.toPlainText())
    central.editor.find_bar.open(replace=True)
    central.editor.find_bar.options.regular.setChecked(True)
    central.editor.find_bar.pattern.setText("(")


def searching(run: Any) -> None:
    """Results for a query with a filter."""
    reading(run)
    run.window.search_controller.enter()
    QTest.keyClicks(run.window.search_controller.field, "index lang:en")
    run.until(
        lambda: (
            run.window.search_controller.popup.isVisible() and run.window.search_controller.popup.current() is not None
        )
    )


def finding(run: Any) -> None:
    """The bar to find in the page, which has not found what it looks for."""
    reading(run)
    run.window.central.find_bar.enter()
    run.window.central.find_bar.field.setText("zzzz")


def told(run: Any) -> None:
    """Notices of each kind, and a line of questions."""
    reading(run)
    choices = (NotificationAction("做", "Do", lambda: None),)
    for notice in (
        Notification("一句话。", "A sentence.", "told", choices, topic="1"),
        Notification("一个问题？", "A question?", "asked", choices, topic="2"),
        Notification("出错了。", "A failure.", "failed", choices, topic="3"),
    ):
        run.workspace.noticed.emit(notice)


def _command(name: str) -> Show:
    def show(run: Any) -> None:
        reading(run)
        run.window.commands.run(name)
        QApplication.processEvents()

    return show


def machine(run: Any) -> None:
    """The page that says what this machine lacks."""
    _command("doctor")(run)
    run.until(lambda: run.window.deferred.help_commands._machine._findings is not None)


def tree_menu(run: Any) -> None:
    """What can be done with a note."""
    reading(run)
    entry = next(one for one in run.workspace.notes.entries if one.key == "tensors/gather")
    run.window.deferred.note_commands.menu(entry, "tensors").popup(QPoint(10, 10))


def main_menu(run: Any) -> None:
    """The menu of all commands, open without waiting for an answer."""
    reading(run)
    run.window.bar.menu_button.menu().popup(QPoint(10, 10))


SURFACES: dict[str, Show] = {
    "reading": reading,
    "editing": editing,
    "searching": searching,
    "finding": finding,
    "told": told,
    "doctor": machine,
    "tree_menu": tree_menu,
    "main_menu": main_menu,
    **{
        name: _command(name)
        for name in ("query_help", "palette", "new", "settings", "replace", "log", "about", "past", "options")
    },
    **{name: _command(name) for name in ("differs", "note_versions", "deleted_notes")},
}


def shown() -> Iterator[QWidget]:
    """Yield every widget in view."""
    for window in QApplication.topLevelWidgets():
        if window.isVisible():
            yield window
            yield from (widget for widget in window.findChildren(QWidget) if widget.isVisibleTo(window))


def texts(widget: QWidget) -> Iterator[tuple[str, str]]:
    """Yield what can be read on a widget or is said of it, each with where it stands."""
    yield "tip", widget.toolTip()
    yield "name", widget.accessibleName()
    yield "description", widget.accessibleDescription()
    if isinstance(widget, (QLabel, QAbstractButton)):
        yield "text", _TAG.sub(" ", widget.text())
    elif isinstance(widget, QGroupBox):
        yield "title", widget.title()
    elif isinstance(widget, QLineEdit):
        yield "placeholder", widget.placeholderText()
    elif isinstance(widget, QComboBox) and not isinstance(widget, QFontComboBox):
        yield from (("item", widget.itemText(index)) for index in range(widget.count()))
    elif isinstance(widget, QMenu):
        for action in widget.actions():
            yield "action", action.text()
            if isinstance(inner := action.menu(), QMenu):
                yield from texts(inner)


def said(root: QWidget) -> Iterator[tuple[QAccessibleInterface, str]]:
    """Yield what a screen reader finds below a widget, each with the way to it."""
    top = QAccessible.queryAccessibleInterface(root)
    waiting = [(top, type(root).__name__)] if top is not None else []
    while waiting:
        one, way = waiting.pop()
        yield one, way
        for index in range(min(one.childCount(), 60)):  # a list of a thousand rows is named by its first ones
            child = one.child(index)
            if child is not None and child.isValid():
                name = child.object().objectName() if child.object() is not None else ""
                kind = type(child.object()).__name__ if child.object() is not None else "row"
                waiting.append((child, f"{way} > {kind} {name}".rstrip()))
