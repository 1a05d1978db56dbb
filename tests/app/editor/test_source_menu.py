"""A link followed in the source leads to the same target as on the page."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.editor.source_editor import SourceEditor
from app.editor.source_menu import LinkAtCursor, link_at

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("见 [[张量/gather|取^值]]", "wiki:%E5%BC%A0%E9%87%8F/gather"),
        ("see [[a b#Shapes ^and so]] for", "wiki:a%20b#Shapes and so"),
        ("[[#He^re]]", "#Here"),
        ("- [wor^ds](../other.md)", "../other.md"),
        ("**bold [wor^ds](<a b.md>) text**", "a b.md"),
        ("[words](https://pytorch.org/do^cs)", "https://pytorch.org/docs"),
        ("at https://pytorch.org/do^cs now", "https://pytorch.org/docs"),
        ("<https://pytorch.or^g>", "https://pytorch.org"),
        ("[gather](snippet:gather_by^_row)", "snippet:gather_by_row"),
        ("words^ [a](b.md)", ""),
        ("`[a](b^.md)`", ""),
    ],
)
def test_what_a_link_leads_to(line: str, link: str) -> None:
    """Wikilinks, links with a label, inside emphasis, bare addresses and snippets; code has no links."""
    at = line.index("^")
    assert link_at(line.replace("^", ""), at) == link


def test_control_and_a_click_follow(source: SourceEditor, qtbot: QtBot) -> None:
    """A Control click follows the link under the mouse, the command the one at the caret; code has none."""
    source.load("😀 [[one]] and [two](two.md)\n\n```\n[[code]]\n```\n")
    qtbot.waitUntil(lambda: not source.highlighter.busy)  # fences are known by then
    links, followed = LinkAtCursor(source), list[str]()
    links.followed.connect(followed.append)
    for words in ("one", "two", "code"):
        cursor = source.document().find(words)
        cursor.setPosition(cursor.selectionStart() + 1)
        spot = source.cursorRect(cursor).center()
        QTest.mouseClick(source.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, spot)
        QTest.mouseClick(source.viewport(), Qt.MouseButton.LeftButton, CONTROL, spot)
    assert followed == ["wiki:one", "two.md"]
    source.go_to_line(1)
    links.follow()
    assert followed == ["wiki:one", "two.md"]
    source.setTextCursor(source.document().find("one"))
    links.follow()
    assert followed[-1] == "wiki:one"
