"""Tests of navigation in a note: places, found words, links, sections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.reader.notebook_view import NotebookView
from app.reader.page_set import Mode, PageSet, Side
from kb.rendering.render import render
from kb.rendering.rendered_page import Page

GATHER = "fence:gather_by_row"


def test_places(view: NotebookView, pages: PageSet) -> None:
    """The view goes to a heading, to a line and back to a place."""
    view.show_pages(replace(pages, mode="en"))
    reached: list[str] = []
    view.section_reached.connect(reached.append)
    anchor = next(section.anchor for section in pages.pages["en"].sections if section.heading == "Out of range")
    assert view.go_to(anchor)
    assert reached[-1] == anchor
    top = view.verticalScrollBar().value()
    assert top > 300
    assert not view.go_to("no such place")
    place = view.place()
    view.verticalScrollBar().setValue(0)
    assert place is not None
    view.restore(place)
    assert view.verticalScrollBar().value() == pytest.approx(top, abs=2)
    assert view.go_to(20)
    assert not view.go_to_line(-1)


def test_find_in_page(view: NotebookView, pages: PageSet, person: Any) -> None:
    """All matches are highlighted and counted; the view goes from one to the next, around the end, both ways."""
    view.show_pages(replace(pages, mode="en"))
    number, count = view.find_text("GATHER")
    assert count == person.sees().lower().count("gather")
    assert number == 1
    assert view.find_text("GATHER", backward=True) == (count, count)
    assert view.find_text("GATHER") == (1, count)
    assert len(view.extraSelections()) == count
    assert view.find_text("nowhere") == (0, 0)
    assert view.find_text("") == (0, 0)


def test_found_words_are_marked(view: NotebookView, pages: PageSet) -> None:
    """The words of a search are marked and the first one below is brought into view."""
    view.show_pages(replace(pages, mode="en"))
    view.mark(("training loop",))
    assert len(view.extraSelections()) == 1
    assert view.verticalScrollBar().value() > 0
    view.mark(())
    assert view.extraSelections() == []


def test_found_places_beyond_the_first_plane(view: NotebookView, note: Callable[..., PageSet]) -> None:
    """Characters that Qt counts twice do not shift the highlights."""
    view.show_pages(note("# T\n\n🙂🙂 needle and 🙂 needle\n"))
    view.mark(("needle",))
    selected = [mark.cursor.selectedText() for mark in view.extraSelections()]
    assert selected == ["needle", "needle"]


def test_links_report_their_true_target(
    qtbot: QtBot, view: NotebookView, person: Any, note: Callable[..., PageSet]
) -> None:
    """A click reports the target as written, hovering the readable one; the reader itself goes nowhere."""
    links = "See [the page](other%20note.md#越界), [here](#end), [[笔记 one#节]], [out](https://e.org/a%20b).\n\n"
    view.show_pages(note("# T\n\n" + links + "text\n\n" * 80 + "## End\n"))
    for words, told in (
        ("the page", "other note.md#越界"),
        ("笔记", "[[笔记 one#节]]"),
        ("out", "https://e.org/a%20b"),
    ):
        with qtbot.waitSignal(view.link_hovered) as hovered:
            QTest.mouseMove(view.viewport(), person.finds(words))
        assert hovered.args == [told]
    with qtbot.waitSignal(view.link_activated) as asked:
        person.clicks("the page")
    assert asked.args == ["other%20note.md#越界"]
    person.clicks("here")
    assert view.verticalScrollBar().value() > 300


def test_a_note_cannot_forge_a_button(view: NotebookView, person: Any, note: Callable[..., PageSet]) -> None:
    """A link that looks like a command of the reader is a link like any other."""
    view.show_pages(note("# T\n\n[Start](~0:run) [x](x:0)\n\n```python\nprint(1)\n```\n"))
    asked: list[str] = []
    view.run_requested.connect(lambda key, _: asked.append(key))
    followed: list[str] = []
    view.link_activated.connect(followed.append)
    person.clicks("Start")
    assert asked == []


@pytest.mark.parametrize("mode", ["en", "both"])
def test_a_heading_has_space_above_it_after_a_jump(view: NotebookView, pages: PageSet, mode: Mode) -> None:
    """By its anchor or its line, a heading is 12 pixels below the edge, and stays there when the width changes."""
    view.resize(910, 300)
    view.show_pages(replace(pages, mode=mode))
    section = next(section for section in pages.pages["en"].sections if section.heading == "Out of range")
    heading = view.document().find("Out of range", 0, QTextDocument.FindFlag.FindCaseSensitively)
    assert view.go_to(section.anchor)
    assert view.cursorRect(heading).top() == pytest.approx(12, abs=1)
    view.verticalScrollBar().setValue(0)
    assert view.go_to_line(section.line, side="en")
    assert view.cursorRect(heading).top() == pytest.approx(12, abs=1)
    view.resize(600, 300)
    assert view.cursorRect(heading).top() == pytest.approx(12, abs=1)


def test_footnotes_of_each_language_are_its_own(view: NotebookView, person: Any) -> None:
    """Side by side, a footnote's number goes to the note of its own language, and back."""
    text = "# T\n\n{0} first[^1]\n\n{1}\n\n[^1]: {0} footnote\n"
    long, short = text.format("zh", "text\n\n" * 60), text.format("en", "text\n\n" * 30)
    pages: dict[Side, Page] = {"zh": render(long, path="n.zh.md"), "en": render(short, path="n.en.md")}
    view.resize(910, 300)
    view.show_pages(PageSet("n", pages, "both"))
    for side in ("zh", "en"):
        view.verticalScrollBar().setValue(0)
        number = view.document().find(f"{side} first1")
        at = view.cursorRect(number).center() - QPoint(3, 0)  # the cursor is after the number
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        footnote = view.document().find(f"{side} footnote")
        assert 0 <= view.cursorRect(footnote).top() < 200  # the end of the page may come first
        person.clicks("↩", nth=1 if side == "zh" else 0)
        assert view.verticalScrollBar().value() < 100
    assert view.go_to("fn:1")


def test_only_the_words_given_are_marked(view: NotebookView, note: Callable[..., PageSet]) -> None:
    """A word is marked in any case of letters, but not as a part of another word."""
    view.show_pages(note("# T\n\nscatter, scatter_, Scatter_ and scatter_add_.\n"))
    view.mark(("SCATTER_",))
    assert [mark.cursor.selectedText() for mark in view.extraSelections()] == ["scatter_", "Scatter_", "scatter_"]


def test_the_same_note_again_reports_its_section_again(
    qtbot: QtBot, view: NotebookView, note: Callable[..., PageSet]
) -> None:
    """Opening the open note again reports the section in view, as for any other note."""
    view.show_pages(note("# T\n\ntext\n"))
    with qtbot.waitSignal(view.section_reached) as told:
        view.show_pages(note("# T\n\ntext\n"))
    assert told.args == ["t"]


def test_every_section_is_reached_by_scrolling(view: NotebookView) -> None:
    """Also those that cannot scroll to the top of the view, one after the other; at the top it is the first."""
    names = [f"s{number}" for number in range(8)]
    text = "# T\n\n" + "long\n\n" * 30 + "".join(f"## {name}\n\nshort\n\n" for name in names)
    page = render(text, path="note.en.md")
    view.show_pages(PageSet("k", {"en": page}, "en", {"en": "note.en.md"}, {"en": "T"}))
    reached: list[str] = [view.section]
    view.section_reached.connect(reached.append)
    bar = view.verticalScrollBar()
    for value in range(0, bar.maximum() + 4, 4):
        bar.setValue(value)
    assert reached == ["t", *names]
    bar.setValue(0)
    assert view.section == "t"


def test_a_page_begins_below_its_title(view: NotebookView) -> None:
    """However close the next heading is; a little further down that one is reached."""
    page = render("# T\n\n### Close\n\n" + "long\n\n" * 60, path="note.en.md")
    view.show_pages(PageSet("k", {"en": page}, "en", {"en": "note.en.md"}, {"en": "T"}))
    assert view.section == "t"
    view.verticalScrollBar().setValue(40)
    assert view.section == "close"
