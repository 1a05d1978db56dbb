"""Tests of a table's columns: no word is broken unless it must be, whatever the other columns contain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextFormat, QTextTable
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.backdrop import frame_rect
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.reader.table_layout import shares
from app.style.stylesheets import TEXT_PX
from app.style.theme import LIGHT
from kb.rendering.render import render

WIDE = """# Title

| operation | reads or writes | equal indices | what happens on a GPU | deterministic | since | remark |
|---|---|---|---|---|---|---|
| `torch.scatter_add_` | writes | add up | atomics, in no certain order at all | no | 0.2 | $\\sum_j x_j$ of it |
| `gather` | reads | do no harm | nothing special at all | 是的，结果一致 | 0.1 | a remark that makes the table wide |

> | a | b |
> |---|---|
> | a quoted table with a long line that cannot stand in one line | and a second that is just as long as the first |

| a | b |
|---|---|
| 1 | 2 |

<table><tr><th colspan="2">both</th></tr><tr><td>one</td><td>two</td></tr></table>
"""
widths = st.lists(st.tuples(st.floats(24, 400), st.floats(0, 800)), min_size=1, max_size=8)


@given(widths, st.floats(40, 2000))
def test_shares(columns: list[tuple[float, float]], room: float) -> None:
    """Scarce width is distributed to the pixel; words are only broken if not all of them fit."""
    least, most = [low for low, _ in columns], [low + more for low, more in columns]
    given_widths = shares(least, most, room)
    assert sum(given_widths) == pytest.approx(min(room, sum(most)))
    if sum(least) <= room:
        assert all(low <= width + 1e-6 for low, width in zip(least, given_widths, strict=True))
        assert all(width <= high + 1e-6 for width, high in zip(given_widths, most, strict=True))
    else:
        widest = max(given_widths)
        assert all(
            width == pytest.approx(min(low, widest), abs=1e-6) for low, width in zip(least, given_widths, strict=True)
        )


def shown(qtbot: QtBot, width: int) -> tuple[NotebookView, list[QTextTable]]:
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(width, 700)
    qtbot.addWidget(view)
    view.show()
    page = render(WIDE, path="note.en.md")
    view.show_pages(PageSet("k", {"en": page}, "en", {"en": "note.en.md"}, {"en": "Title"}))
    fitted(qtbot, view)
    built = view.page.built
    assert built is not None
    return view, [table for table, kind in built.frames if kind == "table"]


def fitted(qtbot: QtBot, view: NotebookView) -> None:
    """Wait until the page has the width of the view: a slow layout waits until the size settles."""
    qtbot.waitUntil(lambda: not view.busy, timeout=30_000)


def lines(table: QTextTable, row: int, column: int) -> list[str]:
    """Return the lines of a cell as they are broken."""
    block = table.cellAt(row, column).firstCursorPosition().block()
    found, text = [block.layout().lineAt(at) for at in range(block.layout().lineCount())], block.text()
    return [text[line.textStart() : line.textStart() + line.textLength()].strip() for line in found]


def test_words_stay_whole(qtbot: QtBot) -> None:
    """At a usual width no word of a wide table is broken, and a table in a quote stays inside it."""
    view, (wide, quoted, small, _) = shown(qtbot, 800)
    assert lines(wide, 0, 4) == ["deterministic"]
    assert lines(wide, 1, 0) == ["torch.scatter_add_"]
    assert len(lines(wide, 2, 6)) > 1
    layout = view.document().documentLayout()
    for table in (wide, quoted):
        assert frame_rect(layout, table).right() <= view.viewport().width() - 40 + 1
    assert frame_rect(layout, small).width() < 120  # a small table is not widened


def test_another_width(qtbot: QtBot) -> None:
    """A table follows the width of the window, wider and narrower."""
    view, (wide, *_) = shown(qtbot, 460)
    narrow = frame_rect(view.document().documentLayout(), wide).width()
    view.resize(820, 700)
    fitted(qtbot, view)
    assert frame_rect(view.document().documentLayout(), wide).width() > narrow + 200
    assert lines(wide, 0, 4) == ["deterministic"]


def test_spans(qtbot: QtBot) -> None:
    """A table cell of a note's own HTML can span two columns."""
    _, (*_, spanned) = shown(qtbot, 800)
    assert spanned.cellAt(0, 0).columnSpan() == 2


def test_tables_far_down_are_fitted_too(qtbot: QtBot) -> None:
    """Rows that are filled in after the page is shown have columns as wide as their words, too."""
    text = "# Title\n\n" + "".join(f"## Part {part}\n\n{'Some words. ' * 300}\n\n" for part in range(12))
    view = NotebookView(Translator("en"), LIGHT)
    view.resize(800, 700)
    qtbot.addWidget(view)
    view.show()
    page = render(text + WIDE.partition("\n\n")[2], path="note.en.md")
    view.show_pages(PageSet("k", {"en": page}, "en", {"en": "note.en.md"}, {"en": "Title"}))

    def wide() -> QTextTable | None:
        built = view.page.built
        assert built is not None
        return next((table for table, kind in built.frames if kind == "table"), None)

    qtbot.waitUntil(lambda: wide() is not None)
    table = wide()
    assert table is not None
    view.document().documentLayout().documentSize()
    assert lines(table, 0, 4) == ["deterministic"]
    assert lines(table, 1, 0) == ["torch.scatter_add_"]


def test_short_columns_stay_whole(qtbot: QtBot) -> None:
    """A term of two Chinese characters is not broken because of a long neighbour."""
    assert shares([40, 40, 60], [90, 120, 900], 400) == [90, 120, 190]
    text = "# T\n\n| 中文 | 英文 | 其他叫法 |\n|---|---|---|\n| 张量 | tensor | 多维数组 |\n"
    text += "| 标量 | scalar | " + "zero-dimensional tensor " * 6 + "|\n"
    view = NotebookView(Translator("zh"), LIGHT)
    view.resize(460, 700)
    qtbot.addWidget(view)
    view.show()
    view.show_pages(PageSet("k", {"zh": render(text, path="a.zh.md")}, "zh", {"zh": "a.zh.md"}, {"zh": "T"}))
    table = view.page.built.columns[0].table  # type: ignore[union-attr]
    view.document().documentLayout().documentSize()
    assert [lines(table, row, 0) for row in (0, 1, 2)] == [["中文"], ["张量"], ["标量"]]


def sizes(table: QTextTable) -> list[tuple[float, int]]:
    """Return the left padding of each cell, and the size of its first letters."""
    found = []
    for row in range(table.rows()):
        for column in range(table.columns()):
            cell = table.cellAt(row, column)
            style = cell.firstCursorPosition().block().begin().fragment().charFormat()
            size = style.property(QTextFormat.Property.FontPixelSize) or TEXT_PX
            found.append((cell.format().toTableCellFormat().leftPadding(), int(size)))
    return found


def test_a_table_without_space_is_set_tighter(qtbot: QtBot) -> None:
    """First with less padding, then with smaller letters, also in code; with enough space it is as before."""
    view, (wide, _, small, _) = shown(qtbot, 900)
    usual, others = sizes(wide), sizes(small)
    steps: list[list[tuple[float, int]]] = []
    for width in range(880, 500, -20):
        view.resize(width, 700)
        qtbot.waitUntil(lambda: frame_rect(view.document().documentLayout(), wide).right() <= view.viewport().width())
        if (now := sizes(wide)) != (steps or [usual])[-1]:
            steps.append(now)
    assert len(steps) == 2
    tighter, smaller = steps
    for at, ((air, _), (before, _)) in enumerate(zip(tighter, usual, strict=True)):
        assert air < before or at % wide.columns() == 0  # the table's outer padding is kept
    assert [letters for _, letters in tighter] == [letters for _, letters in usual]
    assert [letters for _, letters in smaller] == [round(letters * 0.87) for _, letters in usual]
    assert sizes(small) == others
    view.resize(900, 700)
    qtbot.waitUntil(lambda: sizes(wide) == usual)
