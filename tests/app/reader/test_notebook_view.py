"""Tests of the reader's widget: languages, themes, keys, copying, zoom and the context menu."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.reader.backdrop import _fragment_rects, frame_rect
from app.reader.notebook_view import NotebookView
from app.reader.page_set import Mode, PageSet
from app.reader.selection_text import plain_text
from app.style.theme import DARK, LIGHT

GATHER, TRAIN = "fence:gather_by_row", "fence:train"


def test_both_languages_are_side_by_side_and_cells_once(view: NotebookView, pages: PageSet, person: Any) -> None:
    """Both languages are in the document, each cell once, with its recorded output labelled as recorded."""
    view.show_pages(pages)
    shown = person.sees()
    assert "形状规则" in shown
    assert "Shapes" in shown
    assert shown.count("picked = scores.gather(1, labels)") == 1
    assert shown.index("recorded") < shown.index("tensor([0.7000, 0.5000])")


@pytest.mark.parametrize(("mode", "there", "not_there"), [("zh", "形状规则", "Shapes"), ("en", "Shapes", "形状规则")])
def test_one_language_alone(pages: PageSet, mode: Mode, there: str, not_there: str, person: Any) -> None:
    """One language is shown alone if the mode says so."""
    person.view.show_pages(replace(pages, mode=mode))
    assert there in person.sees()
    assert not_there not in person.sees()


def test_the_note_that_has_one_language_is_shown_whatever_is_asked(
    view: NotebookView, pages: PageSet, person: Any
) -> None:
    """A note that lacks the language of the mode is shown in the one it has."""
    view.show_pages(replace(pages, pages={"zh": pages.pages["zh"]}, mode="en"))
    assert "形状规则" in person.sees()


def test_the_day_of_the_proof_is_below_the_title(pages: PageSet, person: Any) -> None:
    """In the words of each language, if it has a day."""
    day = dt.date(2026, 11, 21)
    person.view.show_pages(pages)
    assert "2026-11-21" not in person.sees()
    person.view.show_pages(replace(pages, proven={"zh": day}))
    assert "中文   2026-11-21 验证通过" in person.sees().replace("\u2060", "").replace("\u00a0", " ")
    assert "proven" not in person.sees()
    person.view.show_pages(replace(pages, proven={"zh": day, "en": day}))
    assert "proven 2026-11-21" in person.sees()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("mode", ["zh", "en", "both"])
def test_paints_without_a_warning(view: NotebookView, pages: PageSet, mode: Mode, theme: object) -> None:
    """Every part of the sample note is painted at every place, in both themes, without a message from Qt."""
    view.set_theme(DARK if theme is DARK else LIGHT)
    view.show_pages(replace(pages, mode=mode))
    bar = view.verticalScrollBar()
    for y in range(0, bar.maximum() + 400, 400):
        bar.setValue(y)
        assert not view.grab().isNull()


def test_everything_by_keyboard(view: NotebookView, pages: PageSet) -> None:
    """Tab goes to the links and buttons and Enter presses them; Ctrl+Enter runs the cell of the cursor."""
    view.show_pages(replace(pages, mode="en"))
    view.setFocus()
    seen: list[str] = []
    view.run_requested.connect(lambda key, _: seen.append(key))
    view.link_activated.connect(seen.append)
    view.links.tag_chosen.connect(seen.append)
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert seen == ["T11", "https://pytorch.org/docs", "wiki:expand", GATHER]
    cursor = view.document().find("for epoch in")
    view.setTextCursor(cursor)
    QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert seen[-1] == TRAIN


def test_copying_gives_clean_text(view: NotebookView, pages: PageSet) -> None:
    """Copied text has no buttons and no spaces of the layout; a formula is its source."""
    view.show_pages(replace(pages, mode="en"))
    view.selectAll()
    view.copy()
    copied = QGuiApplication.clipboard().text()
    assert "shape of index. Along dim, every" in copied
    assert "Run" not in copied
    assert "y_{ij} = x_{i,\\,k_{ij}}" in copied
    assert "print(picked.squeeze(1), picked.shape)\ntensor([0.7000, 0.5000])" in copied
    assert not set(copied) & set("\ufffc\u2028\u00a0\ufdd0\ufdd1")
    cursor = view.document().find("every entry")
    view.setTextCursor(cursor)
    view.copy()
    assert QGuiApplication.clipboard().text() == "every entry"


def test_selecting_one_column_copies_one_language(view: NotebookView, pages: PageSet) -> None:
    """With both languages side by side, a selection down one column is in one language."""
    view.show_pages(pages)
    table = view.document().find("Out of range", 0, QTextDocument.FindFlag.FindCaseSensitively).currentTable()
    assert table is not None
    cursor = table.cellAt(0, 1).firstCursorPosition()
    cursor.setPosition(
        table.cellAt(table.rows() - 1, 1).lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor
    )
    view.setTextCursor(cursor)
    view.copy()
    copied = QGuiApplication.clipboard().text()
    assert "Out of range" in copied
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in copied)


def test_zoom_by_keys_and_wheel(qtbot: QtBot, view: NotebookView, pages: PageSet) -> None:
    """Ctrl with plus, minus, 0 or the wheel zooms the page, within bounds."""
    view.show_pages(pages)
    control = Qt.KeyboardModifier.ControlModifier
    with qtbot.waitSignal(view.zoom_changed):
        QTest.keyClick(view, Qt.Key.Key_Equal, control)
    assert view.zoom == pytest.approx(1.1)
    QTest.keyClick(view, Qt.Key.Key_Minus, control)
    assert view.zoom == pytest.approx(1.0)
    view.set_zoom(99)
    assert view.zoom == 3.0
    QTest.keyClick(view, Qt.Key.Key_0, control)
    assert view.zoom == 1.0


def test_context_menu(view: NotebookView, pages: PageSet, person: Any) -> None:
    """The menu of a link copies its true target."""
    view.show_pages(replace(pages, mode="en"))
    menu = view.context_menu(person.finds("documentation"))
    labels = [action.text() for action in menu.actions()]
    assert labels == ["Copy", "Copy link address", "Select all"]
    menu.actions()[1].trigger()
    assert QGuiApplication.clipboard().text() == "https://pytorch.org/docs"
    menu.deleteLater()


def frames(view: NotebookView, *kinds: str) -> list[QRectF]:
    """Return the rectangles of the frames of these kinds."""
    built = view.page.built
    assert built is not None
    layout = built.document.documentLayout()
    return [frame_rect(layout, table) for table, kind in built.frames if kind in kinds]


@pytest.mark.parametrize("width", [360, 910])
def test_boxes_do_not_touch(view: NotebookView, note: Callable[..., PageSet], width: int) -> None:
    """Between two callouts, quotes or blocks of code the page is visible."""
    view.resize(width, 800)
    view.show_pages(
        note("# T\n\n> [!NOTE]\n> a\n\n> [!TIP]\n> b\n\n> c\n\n```bash\nls\n```\n```bash\nls\n```\n\n!!! tip\n    d\n")
    )
    rects = frames(view, "note", "tip", "quote", "code")
    assert len(rects) == 6
    for above, below in pairwise(rects):
        assert below.top() - above.bottom() >= 10


@pytest.mark.parametrize("width", [360, 910])
def test_long_lines_of_code_break_within_their_box(
    view: NotebookView, note: Callable[..., PageSet], width: int
) -> None:
    """A line without a space is broken; it does not leave its box or widen it."""
    line = "x" * 300
    view.resize(width, 800)
    view.show_pages(note(f"# T\n\n```bash\n{line}\n```\n\n```python\n{line}\n```\n\n```output\n{line}\n```\n"))
    built = view.page.built
    assert built is not None
    for rect in frames(view, "code", "cell"):
        assert rect.width() <= built.column + 1
    block = view.document().begin()
    while block.isValid():
        lines = [block.layout().lineAt(index) for index in range(block.layout().lineCount())]
        assert all(line.naturalTextWidth() <= built.column for line in lines)
        block = block.next()


def test_the_menu_of_a_box_offers_what_a_narrow_bar_lacks(
    qtbot: QtBot, view: NotebookView, pages: PageSet, person: Any
) -> None:
    """Without space for copy and edit in the bar, both are in the context menu of the cell."""
    view.resize(360, 800)
    view.show_pages(replace(pages, mode="en"))
    menu = view.context_menu(person.finds("picked = scores"))
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy the code"].trigger()
    assert QGuiApplication.clipboard().text().startswith("import torch\n")
    with qtbot.waitSignal(view.edit_requested):
        actions["Open in the editor"].trigger()
    menu.deleteLater()


def test_keys_have_their_own_background(view: NotebookView, note: Callable[..., PageSet], person: Any) -> None:
    """The brush of what was painted before a key, such as a bullet, does not fill it."""
    view.show_pages(note("# T\n\n- one\n\nPress <kbd>Ctrl</kbd> now.\n"))
    person.finds("Ctrl")
    key = view.textCursor()
    key.setPosition(key.selectionStart())
    view.setTextCursor(key)
    view.clearFocus()
    beside = view.cursorRect(key).center() - QPoint(2, 0)
    assert view.grab().toImage().pixelColor(beside).name() == LIGHT.pill


def test_the_background_of_code_ends_with_its_last_letter(view: NotebookView, note: Callable[..., PageSet]) -> None:
    """If inline code is broken over two lines, its background does not include the space at the break."""
    view.resize(360, 800)
    view.show_pages(note("# T\n\n`" + "word " * 30 + "end`\n"))
    block = view.document().find("word").block()
    fragment = block.begin().fragment()
    rects = list(_fragment_rects(view.document().documentLayout(), block, fragment))
    letter = rects[-1].width() / len(fragment.text()[block.layout().lineAt(len(rects) - 1).textStart() :])
    assert len(rects) > 2
    for number, rect in enumerate(rects[:-1]):
        text = block.text()[block.layout().lineAt(number).textStart() :][: block.layout().lineAt(number).textLength()]
        assert rect.width() == pytest.approx(len(text.rstrip()) * letter, abs=1)


def test_a_list_of_code_in_chinese_breaks_between_its_words(view: NotebookView, note: Callable[..., PageSet]) -> None:
    """No word of code is broken if a line can end before it, and copied text is what was written."""
    words = ["transpose", "permute", "squeeze", "unsqueeze", "expand", "contiguous", "reshape", "flatten"]
    view.resize(360, 800)
    view.show_pages(note("# T\n\n" + "、".join(f"`{word}`" for word in words) + "\n"))
    block = view.document().find("transpose").block()
    lines = [block.layout().lineAt(index) for index in range(block.layout().lineCount())]
    assert len(lines) > 2
    shown = "\n".join(block.text()[line.textStart() :][: line.textLength()] for line in lines)
    assert [word for word in words if word not in shown] == []
    view.selectAll()
    assert "、".join(words) in plain_text(view.textCursor())
