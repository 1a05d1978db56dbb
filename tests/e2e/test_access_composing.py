"""Every field to type in leaves its keys to the input method while it composes, and shows it where one types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QInputMethodEvent, QTextCharFormat
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from snippets.running.run_progress import RunProgress
from tests.e2e.surfaces import SURFACES

KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Down, Qt.Key.Key_Up)
SHORTCUTS = (
    (Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier),
    (Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier),
    (Qt.Key.Key_F6, Qt.KeyboardModifier.NoModifier),
    (Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier),
)
LETTERS, CHOSEN = "ni hao", "你好"
Fields = Iterator[tuple[str, QWidget]]


def fields(run: Any) -> Fields:
    """Yield every field of the program that takes text, in view and with the keyboard."""
    run.window.activateWindow()
    SURFACES["reading"](run)
    yield "search", run.window.search_controller.field
    run.window.central.reader.view.setFocus()
    SURFACES["finding"](run)
    yield "find in page", run.window.central.find_bar.field
    run.window.central.find_bar.leave()
    view, cell = run.window.central.reader.view, run.window.central.reader.view.page.cells.boxes[0][0].key
    view.cell_started(cell, "cpu")
    view.cell_midway(cell, RunProgress(waits=True))
    run.until(lambda: view.inputs.fields and all(field.isVisible() for field in view.inputs.fields.values()))
    yield "line for a run", view.inputs.fields[cell]
    SURFACES["replace"](run)
    yield "replace: what", run.window.central.replace_page.pattern
    yield "replace: by", run.window.central.replace_page.replacement
    run.window.central.leave_page()
    SURFACES["settings"](run)
    yield "filter of the keys", run.window.settings.keys.wanted
    run.window.central.leave_page()
    SURFACES["editing"](run)
    yield "source", run.window.central.editor.source
    yield "source: what", run.window.central.editor.find_bar.pattern
    yield "source: by", run.window.central.editor.find_bar.replacement
    run.window.central.toggle_editor()
    SURFACES["palette"](run)
    yield "palette", run.window.deferred.command_palette.field
    run.window.deferred.command_palette.hide()
    SURFACES["new"](run)
    yield "prompt", run.window.deferred.note_commands.prompt.field
    run.window.deferred.note_commands.prompt.hide()
    SURFACES["options"](run)
    form: Any = QApplication.activeWindow()
    for name in ("arguments", "timeout", "variables"):
        yield f"options: {name}", getattr(form, name)
    form.close()


def test_composing_in_every_field(run: Any) -> None:
    """No key but the input method's does anything; what is composed is seen, near the caret; what is chosen arrives."""
    SURFACES["reading"](run)
    happened: list[str] = []
    listen(run, happened)
    for name, field in fields(run):
        field.setFocus()
        window = field.window()
        assert window.focusWidget() is field, name
        empty(field)
        run.until(lambda: not run.window.search_controller.field._pause.isActive())
        happened.clear()
        before, caret = picture(field), place(field)
        compose(field)
        assert picture(field) != before, f"{name}: what is composed is not seen"
        assert text(field) == "", name
        assert near(field, place(field)), f"{name}: {place(field)}"
        assert place(field).left() > caret.left(), f"{name}: the caret stands before what is composed"
        for key in KEYS:
            QTest.keyClick(field, key)
        for key, modifier in SHORTCUTS:
            QTest.keyClick(field, key, modifier)
        QTest.qWait(30)
        assert window.isVisible(), name
        assert window.focusWidget() is field, f"{name}: {window.focusWidget()}"
        assert field.isVisible(), name
        assert happened == [], name
        commit(field)
        assert text(field) == CHOSEN, name
        assert near(field, place(field)), name
        QApplication.processEvents()  # by then the input method is done
        empty(field)


def listen(run: Any, happened: list[str]) -> None:
    """Write down whatever composing must not bring about."""
    view, central = run.window.central.reader.view, run.window.central
    run.workspace.notes.opening.connect(lambda *_: happened.append("a note was opened"))
    run.window.search_controller.field.asked.connect(lambda asked: happened.append(f"searched for {asked}"))
    view.typed.connect(lambda *_: happened.append("a line was sent"))
    view.run_requested.connect(lambda *_: happened.append("code was run"))
    central.edited.connect(lambda on: happened.append(f"editing: {on}"))
    central.replace_page.closed.connect(lambda: happened.append("the page was left"))


def empty(field: Any) -> None:
    """Take out what is in a field."""
    field.clear()


def text(field: Any) -> str:
    """Return what is in a field, without what is composed."""
    return field.text() if isinstance(field, QLineEdit) else field.toPlainText()


def compose(field: QWidget) -> None:
    """Have an input method hold letters, underlined, with its caret behind them."""
    line = QTextCharFormat()
    line.setFontUnderline(True)
    line.setForeground(QColor("#1c2024"))
    kind = QInputMethodEvent.AttributeType
    attributes = [
        QInputMethodEvent.Attribute(kind.TextFormat, 0, len(LETTERS), line),
        QInputMethodEvent.Attribute(kind.Cursor, len(LETTERS), 1),
    ]
    QApplication.sendEvent(field, QInputMethodEvent(LETTERS, attributes))


def commit(field: QWidget) -> None:
    """Have the input method give what was chosen."""
    event = QInputMethodEvent("", [])
    event.setCommitString(CHOSEN)
    QApplication.sendEvent(field, event)


def place(field: QWidget) -> QRect:
    """Return where an input method is told that the caret is."""
    rect = field.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
    return rect if isinstance(rect, QRect) else rect.toRect()


def near(field: QWidget, caret: QRect) -> bool:
    """Tell whether that is within the field, and as high as a line."""
    return caret.height() >= 8 and field.rect().adjusted(-2, -2, 2, 2).contains(caret)


def picture(field: QWidget) -> QImage:
    """Return how a field looks."""
    QApplication.processEvents()
    return field.grab().toImage()
