"""The window by its keys alone: every journey, with the focus in sight and a name on all that takes it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from shiboken6 import isValid

from app.panels.top_bar import ModeSwitch

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LONG = """# Patience

```python id=sleeps timeout=60
import time
print("begun", flush=True)
time.sleep(50)
```
"""


@pytest.fixture
def keys(run: Any) -> Any:
    """Give a window that has the keyboard, with its first note open."""
    run.window.activateWindow()
    run.until(lambda: run.workspace.device_model.interpreter is not None and run.workspace.notes.current is not None)
    return run


def press(run: Any, key: Qt.Key | str, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key, or type a text, where the keyboard is."""
    target = QApplication.activePopupWidget() or run.window
    target = target.focusWidget() or target
    if isinstance(key, str):
        QTest.keyClicks(target, key)
    else:
        QTest.keyClick(target, key, modifiers)


def test_the_whole_journey_by_keys(keys: Any) -> None:
    """Search, open, run, stop, edit, back, palette, language, theme, close."""
    window, workspace = keys.window, keys.workspace
    (keys.vault / "patience.md").write_text(LONG, "utf-8")
    keys.until(lambda: any(entry.key == "patience" for entry in workspace.notes.entries))
    press(keys, Qt.Key.Key_K, CONTROL)
    press(keys, "patience")
    keys.until(lambda: (row := window.search_controller.popup.current()) is not None and row.path == "patience.md")
    with keys.qtbot.waitSignal(workspace.notes.opened, timeout=30_000):
        press(keys, Qt.Key.Key_Return)
    assert window.focusWidget() is window.central.reader.view
    press(keys, Qt.Key.Key_Return, CONTROL)
    keys.until(lambda: workspace.runs.active)
    assert [key.snippet.rpartition("#")[2] for key in workspace.runs.active] == ["sleeps"]
    keys.until(lambda: "begun" in keys.page().split("\n"))
    press(keys, Qt.Key.Key_Period, CONTROL)
    keys.until(lambda: not workspace.runs.active, seconds=10)
    press(keys, Qt.Key.Key_E, CONTROL)
    assert window.central.editing
    assert window.focusWidget() is window.central.editor.source
    press(keys, Qt.Key.Key_E, CONTROL)
    assert not window.central.editing
    assert window.focusWidget() is window.central.reader.view
    for typed, holds in (
        ("Interface in Chinese", lambda: keys.words.language == "zh"),
        ("dark", lambda: keys.look.theme.dark),
        ("light", lambda: not keys.look.theme.dark),
    ):
        press(keys, Qt.Key.Key_P, CONTROL | SHIFT)
        assert QApplication.activePopupWidget() is window.deferred.command_palette
        press(keys, typed)
        press(keys, Qt.Key.Key_Return)
        assert holds()
    press(keys, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    press(keys, Qt.Key.Key_Q, CONTROL)
    keys.until(lambda: not window.isVisible(), seconds=8)


def takers(run: Any) -> list[QWidget]:
    """Return every widget in view that takes the focus by keys."""
    return [
        widget
        for widget in run.window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if widget.isVisible() and widget.isEnabled() and widget.focusProxy() is None
    ]


def named(widget: QWidget) -> str:
    """Return what a screen reader would say."""
    text = getattr(widget, "text", None)
    return widget.accessibleName() or (str(text()) if callable(text) and not isinstance(widget, QLabel) else "")


@pytest.mark.parametrize("where", ["reading", "editing", "finding", "replacing", "asking"])
def test_all_that_takes_the_focus_has_a_name(keys: Any, where: str) -> None:
    """In every state of the window, and in both languages."""
    show(keys, where)
    for language in ("zh", "en"):
        keys.window.deferred.view_commands.choose_language(language)
        nameless = [describe(keys, widget) for widget in takers(keys) if not named(widget)]
        assert nameless == []


@pytest.mark.parametrize("where", ["reading", "editing", "replacing", "asking"])
def test_the_focus_is_in_sight(keys: Any, where: str) -> None:
    """Each control looks different with the focus, by at least a line around it."""
    show(keys, where)
    for theme in ("light", "dark"):
        keys.window.deferred.view_commands.choose_theme(theme)
        QApplication.processEvents()
        keys.until(lambda: not keys.workspace.vault_scanner.busy and keys.workspace.search_service.progress is None)
        unseen = [describe(keys, widget) for widget in takers(keys) if isValid(widget) and not differs(keys, widget)]
        assert unseen == [], unseen


def show(run: Any, where: str) -> None:
    """Bring a state of the window about."""
    run.open("tensors/gather.en.md")
    central = run.window.central
    if where in {"editing", "replacing"}:
        central.edit("tensors/gather.en.md", 8)
        run.until(lambda: "pick by index" in central.preview.view.toPlainText())
    if where == "replacing":
        central.editor.find_bar.open(replace=True)
    elif where == "finding":
        central.find_bar.enter()
    elif where == "asking":
        central.reader.view.link_activated.emit("vbscript:run")
        run.until(lambda: central.notification_bar.cards)


def describe(run: Any, widget: QWidget) -> str:
    """Say which widget it is."""
    return f"{type(widget).__name__} {widget.objectName()} {named(widget)!r} at {widget.mapTo(run.window, QPoint())}"


def differs(run: Any, widget: QWidget) -> bool:
    """Tell whether a widget is painted otherwise with the focus than without."""
    elsewhere = run.window.search_controller.field
    other = elsewhere if widget is not elsewhere else run.window.bar.menu_button
    other.setFocus(Qt.FocusReason.TabFocusReason)
    before = picture(widget)
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    assert run.window.focusWidget() is widget, describe(run, widget)
    return picture(widget) != before


def picture(widget: QWidget) -> QImage:
    """Return how a widget looks now, with its frame and a little around it."""
    QApplication.processEvents()
    window = widget.window()
    return window.grab(widget.rect().translated(widget.mapTo(window, QPoint())).adjusted(-2, -2, 2, 2)).toImage()


def test_the_language_switch_hugs_its_buttons(keys: Any) -> None:
    """Its frame has air above and below within the bar, and is hardly taller than what it holds."""
    switch = keys.window.findChild(ModeSwitch)
    inner = switch.childrenRect()
    assert switch.height() - inner.height() <= 4
    assert switch.y() >= 6
    assert switch.geometry().bottom() <= keys.window.bar.height() - 6


def test_other_keys_are_told_wherever_keys_are(keys: Any) -> None:
    """In tooltips, in the search field and on empty pages, in both languages; a command without keys has none told."""
    window, empty = keys.window, keys.window.central.empty
    other = {"search": ("Ctrl+J",), "new": ("Ctrl+M",), "close_tab": ("Ctrl+F4",), "menu": ("F8",), "mode_en": ("F9",)}
    keys.open("tensors/gather.en.md")
    for language in ("zh", "en"):
        keys.words.switch(language)
        for bound in (other, dict.fromkeys(other, ())):
            window.commands.rebind(bound)
            first = {name: keys[0] if keys else "" for name, keys in bound.items()}
            told = [empty.sentence.text(), window.search_controller.field.toolTip()]
            empty.show_hint(there_are=False)
            told += [empty.sentence.text(), window.bar.menu_button.toolTip()]
            told += [window.bar.findChild(ModeSwitch).findChildren(QAbstractButton)[1].toolTip()]
            told += [
                window.central._close_button("tensors/expand.md").toolTip(),
                window.search_controller.field._hint.text(),
            ]
            wanted = [first[name] for name in ("search", "search", "new", "menu", "mode_en", "close_tab", "search")]
            for said, key in zip(told, wanted, strict=True):
                assert said.count(key.replace("+", " ") if said == told[-1] else key) or not key
                assert not any(word in said for word in ("Ctrl+K", "Ctrl K", "Ctrl+N", "Ctrl+W", "F10", "Alt+", "()"))
                assert bool(key) or "Ctrl" not in said
