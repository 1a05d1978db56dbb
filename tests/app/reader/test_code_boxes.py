"""Tests of code that cannot be run: its label, its copy button, and their positions."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QGuiApplication, QTextBlock, QTextTable
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.backdrop import frame_rect
from app.reader.link_targets import CopyTarget
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.style.theme import LIGHT
from kb.rendering.render import render

NOTE = (
    "# Code\n\n```\nplain one\nplain two\n```\n\n```toml\nkey = 1\n```\n\n    indented\n\n```text {2}\na\nb\n```\n\n"
    f'``` {{hl_lines="2"}}\nfirst\nsecond\n```\n\n```\n{"a long line of words " * 12}\n```\n'
)


def shown(qtbot: QtBot) -> tuple[NotebookView, list[QTextTable]]:
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(700, 900)
    qtbot.addWidget(view)
    view.show()
    view.show_pages(PageSet("k", {"en": render(NOTE, path="n.en.md")}, "en", {"en": "n.en.md"}, {"en": "Code"}))
    built = view.page.built
    assert built is not None
    return view, list(built.codes.values())


def block_of(view: NotebookView, words: str) -> QTextBlock:
    block = view.document().begin()
    while words not in block.text():
        block = block.next()
    return block


def room(view: NotebookView, words: str) -> QRectF:
    """Return the rectangle of the first line with these words."""
    block = block_of(view, words)
    line = block.layout().lineAt(0)
    return line.naturalTextRect().translated(view.document().documentLayout().blockBoundingRect(block).topLeft())


def test_code_without_a_label_begins_at_its_top(qtbot: QtBot) -> None:
    """There is no empty line above it: the copy button is right of the first line, and lines end before it."""
    view, tables = shown(qtbot)
    layout = view.document().documentLayout()
    plain, labelled = tables[0], tables[1]
    assert plain.rows() == 1
    assert labelled.rows() == 2
    assert room(view, "plain one").top() - frame_rect(layout, plain).top() < 16
    assert room(view, "key = 1").top() - frame_rect(layout, labelled).top() > 20
    assert room(view, "indented").top() - frame_rect(layout, tables[2]).top() < 16
    long = tables[-1]
    button = long.cellAt(0, 1).firstCursorPosition().block()
    left = layout.blockBoundingRect(button).left() + button.layout().lineAt(0).naturalTextRect().left()
    code = block_of(view, "a long line")
    lines = [code.layout().lineAt(at).naturalTextRect() for at in range(code.layout().lineCount())]
    assert len(lines) > 1
    assert max(line.right() for line in lines) + layout.blockBoundingRect(code).left() <= left
    assert frame_rect(layout, long).width() == frame_rect(layout, labelled).width()


def test_the_copy_button_is_level_with_the_code(qtbot: QtBot) -> None:
    """With the first line of code without a label, else with the label."""
    view, tables = shown(qtbot)
    layout = view.document().documentLayout()
    for table, words in ((tables[0], "plain one"), (tables[1], "toml")):
        button = table.cellAt(0, 1).firstCursorPosition().block()
        lines = [(block, block.layout().lineAt(0)) for block in (button, block_of(view, words))]
        levels = [layout.blockBoundingRect(block).top() + line.y() + line.ascent() for block, line in lines]
        assert abs(levels[0] - levels[1]) <= 1.5


def test_it_is_copied_by_its_button_and_by_hand(qtbot: QtBot) -> None:
    """The button copies the code whole; a selection over all of it does not copy the button's word."""
    view, _ = shown(qtbot)
    view.links.follow(CopyTarget(0))
    assert QGuiApplication.clipboard().text() == "plain one\nplain two"
    view.selectAll()
    view.copy()
    QApplication.processEvents()
    text = QGuiApplication.clipboard().text()
    assert "plain one\nplain two\n" in text
    assert "copy" not in text.lower()
    assert "copied" not in text


def test_the_rest_of_a_long_line_is_indented(qtbot: QtBot) -> None:
    """In code that can be run and in other code; short lines and lines that begin with a tab are unchanged."""
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(520, 700)
    qtbot.addWidget(view)
    view.show()
    long = f"    total = {' + '.join(f'part_{number}' for number in range(12))}"
    note = f"# T\n\n```python\ndef f():\n{long}\n```\n\n```text\n{long.strip()}\n\t{long}\nshort\n```\n"
    view.show_pages(PageSet("k", {"en": render(note, path="n.en.md")}, "en", {"en": "n.en.md"}, {"en": "T"}))
    built = view.page.built
    assert built is not None
    first, block = [], view.document().begin()
    while block.isValid():
        if "part_0" in block.text():
            lines = [block.layout().lineAt(at) for at in range(block.layout().lineCount())]
            assert len(lines) > 1
            first.append([line.x() for line in lines])
        block = block.next()
    within, outside, tab = first
    assert within == [0, *[8 * built.formats.letter] * (len(within) - 1)]
    assert outside == [0, *[4 * built.formats.letter] * (len(outside) - 1)]
    assert set(tab) == {0}
