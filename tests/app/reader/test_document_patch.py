"""Tests of patching: a changed page looks like a rebuilt one, and what is in view does not move."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextBlock
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.i18n import Translator
from app.reader.document_writer import MOST, cost, grouped
from app.reader.language_alignment import ProseRow, rows
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet, Side
from app.style.theme import LIGHT
from kb.rendering.render import render

FORMS = (
    "## Part {n}\n\ntext {n} " + "words " * 40,
    "```python id=p{n}\nprint({n})\n```",
    "| a | b |\n|---|---|\n| {n} | 2 |",
    "- a{n}\n- b\n  - [ ] c",
    "> [!NOTE]\n> x{n}",
    "```bash\nls {n}\n```",
    "para{n} " * 30,
    "---\n\n1. x{n}\n2. y",
)


def pages_of(parts: list[str], *sides: Side) -> PageSet:
    """Render a note in small pieces, so that there are many rows to compare."""
    text = "# T\n\n" + "\n\n".join(parts) + "\n"
    pages = {side: render(text.replace("words", f"words{side}"), path=f"a.{side}.md", size=400) for side in sides}
    return PageSet("k", pages, "both" if len(sides) > 1 else sides[0])  # type: ignore[arg-type]


def looks(view: NotebookView) -> list[tuple[object, ...]]:
    """Return text, level and rectangle of every block that is not empty."""
    found: list[tuple[object, ...]] = []
    block, layout = view.document().begin(), view.document().documentLayout()
    while block.isValid():
        rect = layout.blockBoundingRect(block)
        if block.text():
            level = block.blockFormat().headingLevel()
            found.append((block.text(), level, round(rect.top()), round(rect.left()), round(rect.height())))
        block = block.next()
    return found


def knows(view: NotebookView) -> tuple[object, ...]:
    """Return the landmarks, cells and frames of the document, and check that they belong to it."""
    built = view.page.built
    assert built is not None
    assert all(table.document() is view.document() for table, _ in built.frames)
    assert all(view.document().findBlock(mark.block.position()) == mark.block for mark in built.landmarks)
    frames = [kind for _, kind in built.frames if kind != "pair"]
    boxes = [(placed.key, placed.cell.line) for placed, _ in built.boxes]
    return [(mark.side, mark.line, mark.anchor) for mark in built.landmarks], boxes, frames, len(built.codes)


@pytest.fixture
def views(qtbot: QtBot) -> tuple[NotebookView, NotebookView]:
    """Give a view for all changes, and one for rebuilt pages."""
    made = NotebookView(Translator("en"), LIGHT), NotebookView(Translator("en"), LIGHT)
    for view in made:
        view.resize(900, 700)
        qtbot.addWidget(view)
        view.show()
    return made


@pytest.mark.parametrize("sides", [("zh",), ("zh", "en")])
def test_a_patched_page_looks_like_a_rebuilt_one(
    views: tuple[NotebookView, NotebookView], sides: tuple[Side, ...]
) -> None:
    """Whatever is inserted, removed or changed, at any place, while the page is filled or after."""
    view, fresh = views
    chance, number, kept = random.Random(len(sides)), 1000, 0
    parts = [chance.choice(FORMS).format(n=n) for n in range(60)]
    for turn in range(14):
        pages, before = pages_of(parts, *sides), view.page.built
        view.show_pages(pages)
        kept += view.page.built is before
        if chance.random() < 0.7:
            view.page.filling.finish()
            fresh.show_pages(replace(pages, key=f"{turn}"))
            fresh.page.filling.finish()
            assert looks(view) == looks(fresh)
            assert knows(view) == knows(fresh)
        QApplication.processEvents()
        view.verticalScrollBar().setValue(chance.randrange(1 + view.verticalScrollBar().maximum()))
        at, number = chance.randrange(len(parts)), number + 1
        change = chance.randrange(4)
        parts[at : at + (change > 0) + (change == 3)] = [chance.choice(FORMS).format(n=number)] * (change < 3)
    assert kept > 5  # most of the changes were made in place


def in_view(view: NotebookView) -> tuple[str, float]:
    """Return the block at the top of the view, and its distance from the edge."""
    block = view.cursorForPosition(QPoint(300, 40)).block()
    return block.text(), view.page.top_of(block) - view.verticalScrollBar().value()


def test_what_is_in_view_does_not_move(views: tuple[NotebookView, NotebookView]) -> None:
    """Lines above are added and removed, and the text in view moves by less than a pixel."""
    view, _ = views
    parts = [FORMS[n % len(FORMS)].format(n=n) for n in range(120)]
    view.show_pages(pages_of(parts, "zh"))
    view.page.filling.finish()
    view.go_to("part-64")
    seen = in_view(view)
    for at, words in ((3, "many more lines\n\n" * 9), (40, "another"), (1, "")):
        parts[at] = words
        built = view.page.built
        view.show_pages(pages_of(parts, "zh"))
        assert view.page.built is built
        view.page.filling.finish()
        now = in_view(view)
        assert now[0] == seen[0]
        assert now[1] == pytest.approx(seen[1], abs=1)


def test_a_part_that_slides_over_a_note_is_changed_at_its_ends(views: tuple[NotebookView, NotebookView]) -> None:
    """Text added and removed above and below does not move the view, and the page looks like a rebuilt one."""
    view, fresh = views
    parts = [FORMS[n % len(FORMS)].format(n=n) for n in range(160)]
    first, last = 40, 80

    def part() -> PageSet:
        return PageSet("k", {"zh": render("\n\n".join(parts[first:last]), path="a.zh.md", size=400)}, "zh")

    view.show_pages(part())
    view.page.filling.finish()
    view.go_to("part-64")
    seen, built = in_view(view), view.page.built
    for begins, ends in ((-3, 0), (-1, 0), (0, 3), (2, 0), (0, -4), (-6, 0), (9, 0), (0, -1), (5, 0)):
        first, last = first + begins, last + ends
        view.show_pages(part())
        view.page.filling.finish()
        assert view.page.built is built
        now = in_view(view)
        assert now[0] == seen[0]
        assert now[1] == pytest.approx(seen[1], abs=1)
        fresh.show_pages(replace(part(), key=f"{first} {last}"))
        fresh.page.filling.finish()
        assert looks(view) == looks(fresh)
        assert knows(view) == knows(fresh)


@pytest.mark.parametrize("at", [3, 28, 29, 30, 31, 32, 33, 50])
def test_equal_lines_are_not_confused(views: tuple[NotebookView, NotebookView], at: int) -> None:
    """Lines that look the same all over the page do not move, whether the change is above or below them."""
    view, _ = views
    parts = ["## Same \U0001d465\n\nIt has words \U0001f525."] * 60
    view.show_pages(pages_of(parts, "zh"))
    view.page.filling.finish()
    heads = [block for block in _blocks(view) if block.text().startswith("Same")]
    view.page.scroll_to(view.page.top_of(heads[30]) - 4)
    height, above, built = view.document().size().height(), view.verticalScrollBar().value(), view.page.built
    parts[at] += "\n\nA new one.\n\nAnd another."
    view.show_pages(pages_of(parts, "zh"))
    assert view.page.built is built
    view.page.filling.finish()
    grown = round(view.document().size().height() - height)
    new = next(block for block in _blocks(view) if block.text() == "A new one.")
    higher = view.page.top_of(new) < above
    assert view.verticalScrollBar().value() - above == pytest.approx(grown if higher else 0, abs=1)


def _blocks(view: NotebookView) -> Iterator[QTextBlock]:
    block = view.document().begin()
    while block.isValid():
        yield block
        block = block.next()


def test_cells_keep_what_they_printed_while_the_note_around_them_changes(
    views: tuple[NotebookView, NotebookView],
) -> None:
    """A cell that moved to another line keeps its output, and knows its line."""
    view, _ = views
    parts = [FORMS[n % len(FORMS)].format(n=n) for n in range(60)]
    view.show_pages(pages_of(parts, "zh"))
    view.page.filling.finish()
    view.cell_started("fence:p9", "cpu")
    view.cell_output("fence:p9", "stdout", "quokka\n")
    view.page.cells.flush()
    parts[2] += "\n\nmore\n\nlines"
    parts[8] += " changed beside it"
    view.show_pages(pages_of(parts, "zh"))
    assert view.document().toPlainText().count("quokka") == 1
    placed = view.cell("fence:p9")
    text = "# T\n\n" + "\n\n".join(parts)
    assert placed is not None
    assert text.split("\n")[placed.cell.line - 1].startswith("```python id=p9")


def test_chunks_are_short_and_prose_begins_its_own() -> None:
    """Each chunk is a few milliseconds of work, and no row is lost."""
    laid = rows(pages_of([FORMS[n % len(FORMS)].format(n=n) for n in range(200)], "zh"))
    groups = grouped(laid)
    assert [row for group in groups for row in group] == laid
    assert all(sum(map(cost, group)) <= MOST or len(group) == 1 for group in groups)
    for group in groups:
        prose = [isinstance(row, ProseRow) for row in group]
        assert (True, True) not in list(pairwise(prose))
