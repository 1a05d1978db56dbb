"""Tests of filling in a long page: its beginning is shown at once, the rest soon, and the window stays responsive."""

from __future__ import annotations

import gc
import time

import pytest
from PySide6.QtCore import QEvent, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import getAllValidWrappers

from app.i18n import Translator
from app.reader.link_targets import CopyTarget
from app.reader.notebook_view import NotebookView
from app.reader.page_set import PageSet
from app.reader.reader_document import ReaderDocument
from app.style.theme import DARK, LIGHT
from kb.rendering.render import render
from tests.pace import slowness, thinking_within

PARTS = 220
TEXT = "# Long\n\n" + "".join(
    f"## Part {n}\n\nSome **words** of part {n}, and `code`.\n\n- one\n- two\n\n```python id=p{n}\nprint({n})\n```\n\n"
    for n in range(PARTS)
)
PAGE = render(TEXT, path="a.md")


@pytest.fixture
def view(qtbot: QtBot) -> NotebookView:
    """Give a view in which the long note has just been opened."""
    made = NotebookView(Translator("en"), LIGHT)
    made.resize(800, 700)
    qtbot.addWidget(made)
    made.show()
    made.show_pages(PageSet("k", {"": PAGE}, "en", {"": "a.md"}))
    return made


def test_the_beginning_comes_first_and_the_rest_soon(view: NotebookView, qtbot: QtBot) -> None:
    """More than one screen is shown before anything else happens; in the end all of it, with every cell."""
    assert view.page.filling.waiting
    assert view.verticalScrollBar().maximum() > view.viewport().height()
    assert view.cell(f"fence:p{PARTS - 1}") is not None
    qtbot.waitUntil(lambda: not view.busy, timeout=round(20_000 * slowness()))
    assert len(view.page.cells.boxes) == PARTS
    assert f"part {PARTS - 1}," in view.document().toPlainText()


def test_the_window_answers_while_a_page_is_filled(view: NotebookView) -> None:
    """No turn of the event loop takes noticeably long."""
    longest = 0.0
    while view.busy:
        began = time.thread_time()
        QApplication.processEvents()
        longest = max(longest, time.thread_time() - began)
    assert longest < 0.1 * slowness(time.thread_time)


def test_filling_pauses_while_typing_and_while_hidden(
    view: NotebookView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is filled in after a key or while hidden, except up to a requested place; later the rest is."""
    filling, there = view.page.filling, len(view.page.filling.waiting)
    monkeypatch.setattr("app.reader.fill_scheduler.AFTER_KEY", 60_000)
    view.wait()
    qtbot.wait(100)
    assert len(filling.waiting) == there
    monkeypatch.setattr("app.reader.fill_scheduler.AFTER_KEY", 50)
    view.wait()
    qtbot.waitUntil(lambda: len(filling.waiting) < there, timeout=round(5_000 * slowness()))
    view.hide()
    view.show_pages(PageSet("k2", {"": PAGE}, "en", {"": "a.md"}))
    there = len(filling.waiting)
    qtbot.wait(100)
    assert len(filling.waiting) == there
    assert view.go_to("part-30")
    assert len(filling.waiting) < there
    view.show()
    qtbot.waitUntil(lambda: not filling.waiting, timeout=round(20_000 * slowness()))


def test_what_is_in_view_does_not_move_while_a_page_is_filled(view: NotebookView) -> None:
    """The rest is added below."""
    view.verticalScrollBar().setValue(200)
    seen = view.viewport().grab().toImage()
    view.page.filling.finish()
    assert view.verticalScrollBar().value() == 200
    assert view.viewport().grab().toImage() == seen


@pytest.mark.parametrize("wanted", [f"part-{PARTS - 3}", f"Part {PARTS - 3}", "part-30"])
def test_a_place_that_is_not_filled_in_yet_is_reached(view: NotebookView, qtbot: QtBot, wanted: str) -> None:
    """By anchor or by words, near or far: the page is filled up to it, and scrolls to it."""
    assert view.go_to(wanted)
    anchor = wanted.lower().replace(" ", "-")
    qtbot.waitUntil(lambda: view.section == anchor, timeout=round(20_000 * slowness()))
    found = view.page.anchors.find(anchor)  # type: ignore[union-attr]
    assert found is not None
    view.page.filling.finish()
    assert 0 < view.page.top_of(found[0]) - view.verticalScrollBar().value() < 60
    assert not view.go_to("nowhere")


def test_a_place_is_reached_as_soon_as_it_is_filled_in_though_the_page_has_grown(
    view: NotebookView, qtbot: QtBot
) -> None:
    """A place in the beginning of a note does not wait for the rest, which was added meanwhile."""
    beginning = render(TEXT[: TEXT.index("## Part 130\n")], path="a.md")
    view.show_pages(PageSet("b", {"": beginning}, "en", {"": "a.md"}))
    assert view.go_to("part-110")
    assert view.section != "part-110"
    view.show_pages(PageSet("b", {"": PAGE}, "en", {"": "a.md"}))
    qtbot.waitUntil(lambda: view.section == "part-110", timeout=round(20_000 * slowness()))
    assert len(view.page.filling.waiting) > 30


def test_a_requested_place_is_reached_though_the_note_became_short(view: NotebookView, qtbot: QtBot) -> None:
    """Though nothing is left to fill in, because the text before it was removed."""
    assert view.go_to_line(TEXT[: TEXT.index("## Part 150\n")].count("\n") + 1)
    assert view.verticalScrollBar().value() == 0
    few = render(TEXT[: TEXT.index("## Part 4\n")], path="a.md")
    view.show_pages(PageSet("k", {"": few}, "en", {"": "a.md"}))
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() > 0, timeout=round(20_000 * slowness()))
    assert not view.busy


def test_a_place_that_is_not_a_heading_is_reached(view: NotebookView, qtbot: QtBot) -> None:
    """The page is filled up to it, and not at all for an unknown one."""
    spot = TEXT.replace("of part 100,", 'of <a name="spot"></a> part 100,')
    view.show_pages(PageSet("s", {"": render(spot, path="a.md")}, "en", {"": "a.md"}))
    there = len(view.page.filling.waiting)
    assert not view.go_to("nowhere")
    assert len(view.page.filling.waiting) == there
    assert view.go_to("spot")
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() > 0, timeout=round(20_000 * slowness()))
    assert len(view.page.filling.waiting) > 30
    assert "of part 99," in view.document().toPlainText()


def test_a_line_is_reached_and_a_place_restored(view: NotebookView, qtbot: QtBot) -> None:
    """In another theme the page is at the same place, to the pixel."""
    line = TEXT[: TEXT.index("## Part 150\n")].count("\n") + 1
    assert view.go_to_line(line)
    qtbot.waitUntil(lambda: view.shows_line(line), timeout=round(20_000 * slowness()))
    before = view.place()
    view.set_theme(DARK)
    qtbot.waitUntil(lambda: view.shows_line(line), timeout=round(20_000 * slowness()))
    after = view.place()
    assert before is not None
    assert after is not None
    assert (after.line, round(after.offset)) == (before.line, round(before.offset))


def test_a_line_is_reached_though_the_note_is_edited_there_meanwhile(view: NotebookView, qtbot: QtBot) -> None:
    """A page that has changed is still filled up to the requested line, and scrolls there."""
    line = TEXT[: TEXT.index("## Part 150\n")].count("\n") + 1
    assert view.go_to_line(line)
    assert not view.shows_line(line)
    built, more = view.page.built, render(TEXT.replace("of part 150", "of this part, 150"), path="a.md")
    view.show_pages(PageSet("k", {"": more}, "en", {"": "a.md"}))
    assert view.page.built is built
    qtbot.waitUntil(lambda: view.shows_line(line), timeout=round(20_000 * slowness()))
    assert "of this part, 150" in view.document().toPlainText()


def test_text_is_found_in_the_whole_page(view: NotebookView) -> None:
    """Also in rows that are not filled in yet, and the count is of all matches."""
    assert view.find_text("Some words") == (1, PARTS)
    view.mark(["words"])
    assert len(view.extraSelections()) > PARTS


def test_words_are_marked_in_what_comes_later(view: NotebookView) -> None:
    """They are marked in the rows that are filled in, and in the rest later."""
    view.mark(["words"])
    few = len(view.extraSelections())
    view.page.filling.finish()
    assert few < len(view.extraSelections())
    assert len(view.extraSelections()) >= PARTS


def test_a_slow_layout_waits_until_the_size_settles(view: NotebookView, qtbot: QtBot) -> None:
    """Steps of resizing are quick in the middle of a long page; afterwards the page has the new width."""
    view.page.filling.finish()
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    place = view.place()
    view.resize(790, 700)
    for width in range(780, 600, -20):
        with thinking_within(0.033):
            view.resize(width, 700)
    qtbot.waitUntil(lambda: not view.busy, timeout=round(5_000 * slowness()))
    assert view.document().textWidth() == view.viewport().width()
    after = view.place()
    assert place is not None
    assert after is not None
    assert after.line == place.line


def test_a_note_that_goes_while_it_is_filled_is_dropped(view: NotebookView) -> None:
    """The next note is filled in, without anything of the first."""
    view.show_pages(PageSet("other", {"": render("# Short\n\nquokka\n", path="b.md")}, "en", {"": "b.md"}))
    QTimer.singleShot(0, lambda: None)
    for _ in range(20):
        QApplication.processEvents()
    assert "part 3," not in view.document().toPlainText()
    assert "quokka" in view.document().toPlainText()


def test_documents_are_freed(qtbot: QtBot) -> None:
    """With tables, code, cells, long lines and copied code: of one document after another none stays."""
    view = NotebookView(Translator("en"), LIGHT)
    qtbot.addWidget(view)
    view.resize(500, 700)
    view.show()
    row = "| " + " | ".join(["a word"] * 7) + " |\n"
    for number in range(4):
        code = f"```text\n{'long ' * 30}\n```\n\n```python id=x\nprint({number})\n```\n\n"
        parts = f"{row}{'|--' * 7}|\n{row * 3}\n{code}" * 40
        view.show_pages(PageSet(str(number), {"": render(parts, path="a.md")}, "en", {"": "a.md"}))
        view.cell_output("fence:x", "stdout", "said\n")
        qtbot.waitUntil(lambda: not view.busy, timeout=round(20_000 * slowness()))
        view.links.follow(CopyTarget(0))
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert sum(isinstance(one, ReaderDocument) for one in getAllValidWrappers()) <= 2
