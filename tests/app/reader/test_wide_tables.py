"""Tests of wide tables in two languages: each spans the whole page, so that no word is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextTable
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.backdrop import frame_rect
from app.reader.link_targets import TaskTarget
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.reader.table_layout import steps
from app.style.theme import LIGHT
from kb.rendering.render import render

SMALL = "| a | b |\n|---|---|\n| 1 | 2 |\n"
HEADS = ("dtype", "exponent", "mantissa", "largest", "smallest normal", "what it is used for", "torch.float8_e4m3fn")
WIDE = f"| {' | '.join(HEADS)} |\n{'|---' * 7}|\n| {' | '.join(reversed(HEADS))} |\n"
NOTE = f"# {{0}}\n\n{{0}} before\n\n{SMALL}\n{WIDE}\n- [ ] {{0}} task\n\n> {WIDE.replace(chr(10), chr(10) + '> ')}\n"


def shown(qtbot: QtBot, texts: tuple[str, str], width: int = 1000) -> NotebookView:
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(width, 900)
    qtbot.addWidget(view)
    view.show()
    pages = {side: render(text, path=f"note.{side}.md") for side, text in zip(("zh", "en"), texts, strict=True)}
    paths, titles = {"zh": "note.zh.md", "en": "note.en.md"}, {"zh": "一", "en": "One"}
    view.show_pages(PageSet("k", pages, "both", paths, titles))  # type: ignore[arg-type]  # sides are words
    return view


def tables(view: NotebookView) -> list[QTextTable]:
    built = view.page.built
    assert built is not None
    return [table for table, kind in built.frames if kind == "table"]


def lines(table: QTextTable, column: int) -> list[str]:
    """Return the lines of a cell of the first row as they are broken."""
    block = table.cellAt(0, column).firstCursorPosition().block()
    found, text = [block.layout().lineAt(at) for at in range(block.layout().lineCount())], block.text()
    return [text[line.textStart() : line.textStart() + line.textLength()].strip() for line in found]


def test_a_wide_table_has_the_whole_page(qtbot: QtBot) -> None:
    """The two languages are one below the other, every word whole; small tables stay side by side."""
    view = shown(qtbot, (NOTE.format("一"), NOTE.format("One")))
    small, twin, wide, other, *_ = tables(view)
    layout = view.document().documentLayout()
    assert frame_rect(layout, small).top() == frame_rect(layout, twin).top()
    assert frame_rect(layout, wide).bottom() < frame_rect(layout, other).top()
    for table in (wide, other):
        for column, head in enumerate(HEADS):
            assert " ".join(lines(table, column)) == head  # lines only end between words
        rect = frame_rect(layout, table)
        assert 600 < rect.width() <= view.viewport().width()
    narrow = frame_rect(layout, wide).width()
    view.resize(800, 900)
    qtbot.waitUntil(lambda: frame_rect(layout, wide).width() < narrow)


def test_the_text_around_it_stays_side_by_side(qtbot: QtBot) -> None:
    """Text before and after a wide table stays side by side, and a task is ticked in its own line."""
    view = shown(qtbot, (NOTE.format("一"), NOTE.format("One")))
    built = view.page.built
    assert built is not None
    text = view.toPlainText()
    order = [text.index(words) for words in ("一 before", "One before", "exponent", "一 task", "One task")]
    assert order == sorted(order)
    ticks = [target for target in built.targets._links if isinstance(target, TaskTarget)]
    assert [tick.side for tick in ticks] == ["zh", "en"]
    for tick in ticks:
        line = built.targets.prose_lines[tick.prose] + tick.below
        assert NOTE.splitlines()[line - 1].startswith("- [ ]")


def test_languages_with_other_tables_stay_as_they_are(qtbot: QtBot) -> None:
    """If the numbers of tables differ, it is unknown which correspond."""
    view = shown(qtbot, (f"# 一\n\n{WIDE}\n{SMALL}", f"# One\n\n{WIDE}"))
    layout = view.document().documentLayout()
    tops = {round(frame_rect(layout, table).top()) for table in tables(view)}
    assert len(tops) < len(tables(view))


FRAGMENTS = (
    "<p>text</p>",
    "<table><tr><td>a</td></tr></table>",
    f"<table><tr>{'<td>several words</td>' * 9}</tr></table>",
    "<blockquote><table><tr><td>in</td></tr></table></blockquote>",
    "<ul><li>a<ul><li>b</li></ul></li></ul>",
    '<table class="admonition note"><tr><td><table><tr><td>x</td></tr></table></td></tr></table>',
    "</div>",
    "<td>",
)
PIECES = st.lists(st.sampled_from(FRAGMENTS), max_size=7)


@given(PIECES, PIECES)
def test_nothing_is_lost(left: list[str], right: list[str]) -> None:
    """Whatever a note has, its parts in order are the whole text; a part that spans is one table per language."""
    found = steps("".join(left), "".join(right))
    assert "".join(part.sides[0] for part in found) == "".join(left)
    assert "".join(part.sides[1] for part in found) == "".join(right)
    for part in found:
        if part.spans:
            assert all(side.startswith("<table") and side.endswith("</table>") for side in part.sides)


@pytest.mark.parametrize(
    ("table", "wide"),
    [
        ("<td>a</td>" * 9, False),
        (f"<td>{'word ' * 30}</td>" * 4, True),
        (f"<td>{'字' * 40}</td>" * 3, False),
        ("<td><code>torch.float8_e4m3fn</code></td>" * 3, True),
        ('<td><img src="formula:1"></td>' * 9, True),
    ],
)
def test_which_are_wide(table: str, wide: bool) -> None:  # noqa: FBT001 - a table's verdict
    """A table is wide if its words do not fit half a page, or if its columns would be many lines long."""
    whole = f"<table><tr>{table}</tr></table>"
    assert any(part.spans for part in steps(whole, whole)) == wide
