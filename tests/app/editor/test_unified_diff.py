"""Unified diffs: their lines, their colours, and where a plain text replaces them."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.editor import unified_diff
from app.editor.unified_diff import UnifiedDiff, changed_lines
from app.style.theme import DARK, LIGHT


def test_changed_lines_have_a_sign() -> None:
    """Both versions of a changed line, with up to two unchanged lines around it and no names of files."""
    assert list(changed_lines("a\nb\nc\nd\ne", "a\nb\nC\nd\ne")) == [
        "@@ -1,5 +1,5 @@",
        " a",
        " b",
        "-c",
        "+C",
        " d",
        " e",
    ]
    assert list(changed_lines("same\n", "same\n")) == []


def test_too_many_lines_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Comparing them would block the window for seconds."""
    monkeypatch.setattr(unified_diff, "_LONGEST", 2)
    assert list(changed_lines("a\nb", "a\nc")) != []
    assert list(changed_lines("a\nb\nc", "a")) == []


def test_lines_have_the_colours_of_the_theme(qtbot: QtBot) -> None:
    """Also after the theme changed; a plain text stays one."""
    shown = UnifiedDiff(LIGHT)
    qtbot.addWidget(shown)
    shown.show_lines(changed_lines("a\nb", "a\nc"))

    def colours() -> list[str]:
        block = shown.document().findBlockByNumber
        return [block(number).begin().fragment().charFormat().foreground().color().name() for number in range(4)]

    assert colours() == [LIGHT.accent, LIGHT.dim, LIGHT.bad, LIGHT.good]
    shown.set_theme(DARK)
    assert colours() == [DARK.accent, DARK.dim, DARK.bad, DARK.good]
    shown.show_text("+ not a diff")
    assert shown.toPlainText() == "+ not a diff"
    shown.set_theme(LIGHT)
    assert shown.toPlainText() == "+ not a diff"
