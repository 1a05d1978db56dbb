"""A key of the editor stands for one command, and a user can change it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from pytestqt.qtbot import QtBot

from app.editor.editor_keys import EditorKeys

NONE, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
KEYPAD = Qt.KeyboardModifier.KeypadModifier


def pressed(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, modifiers)


@pytest.mark.parametrize(
    ("key", "modifiers", "command"),
    [
        (Qt.Key.Key_S, CONTROL, "save"),
        (Qt.Key.Key_S, NONE, None),
        (Qt.Key.Key_S, CONTROL | SHIFT, None),
        (Qt.Key.Key_F3, NONE, "find_next"),
        (Qt.Key.Key_F3, SHIFT, "find_previous"),
        (Qt.Key.Key_Escape, NONE, "escape"),
        (Qt.Key.Key_Return, CONTROL, "run"),
        (Qt.Key.Key_Enter, CONTROL | KEYPAD, "run"),
    ],
)
def test_a_key_stands_for_a_command(key: Qt.Key, modifiers: Qt.KeyboardModifier, command: str | None) -> None:
    """Modifiers must match exactly, except that Enter of the keypad counts as Return."""
    assert EditorKeys().command_of(pressed(key, modifiers)) == command


def test_other_keys_replace_the_default(qtbot: QtBot) -> None:
    """The old key loses its command, several new ones get it, and listeners are told."""
    keys = EditorKeys()
    with qtbot.waitSignal(keys.changed):
        keys.bind("save", ["Ctrl+K", "F5"])
    assert keys.command_of(pressed(Qt.Key.Key_S, CONTROL)) is None
    assert keys.command_of(pressed(Qt.Key.Key_K, CONTROL)) == "save"
    assert keys.command_of(pressed(Qt.Key.Key_F5)) == "save"
    keys.bind("save", [""])
    assert keys.command_of(pressed(Qt.Key.Key_F5)) is None


def test_tooltips_name_the_first_key_of_each_command() -> None:
    """Commands without a key are left out, and without any there are no brackets."""
    keys = EditorKeys()
    assert keys.shortcut_hint("find", "replace") == " (Ctrl+F, Ctrl+H)"
    keys.bind("find", [])
    assert keys.shortcut_hint("find", "replace") == " (Ctrl+H)"
    assert keys.shortcut_hint("find") == ""
