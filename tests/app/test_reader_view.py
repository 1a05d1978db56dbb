"""Tests of the reader: a note and its live cells as one document."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.reader.pages import Mode, PageSet, Side
from app.reader.view import ReaderView
from app.theme import DARK, LIGHT
from app.words import Words
from kb.page import Page
from kb.render import render
from snippets.outcome import Outcome

DATA = Path(__file__).parent.parent / "data" / "reader"
GATHER, BAD, TRAIN = "fence:gather_by_row", "fence:out_of_range", "fence:train"
SIDES: tuple[Side, ...] = ("zh", "en")


def page(side: Side) -> Page:
    name = f"everything.{side}.md"
    return render((DATA / name).read_text(encoding="utf-8"), path=name)


@pytest.fixture(scope="module")
def rendered() -> dict[Side, Page]:
    return {side: page(side) for side in SIDES}


@pytest.fixture
def pages(rendered: dict[Side, Page]) -> PageSet:
    names = {side: f"everything.{side}.md" for side in SIDES}
    return PageSet(
        "everything", rendered, "both", names, {"zh": "取值", "en": "Picking"}, DATA, {"zh": "张量"}, ("T11",)
    )


@pytest.fixture
def view(qtbot: QtBot, qtlog: object) -> Iterator[ReaderView]:
    made = ReaderView(Words("en"), LIGHT)
    qtbot.addWidget(made)
    made.resize(910, 800)
    made.show()
    yield made
    assert [str(record) for record in qtlog.records] == []  # type: ignore[attr-defined]  # pytest-qt's fixture is untyped


def outcome(status: str = "passed", **more: object) -> Outcome:
    usual = Outcome(
        status="passed",
        exit_code=0,
        reason_en=None,
        reason_zh=None,
        seconds=0.038,
        first_output_seconds=0.014,
        device="cpu",
        torch="2.13.0",
        output="",
        artifacts=(),
        run_id="1",
        peak_rss_mb=211.0,
        cut_bytes=0,
    )
    return replace(usual, status=status, **more)  # type: ignore[arg-type]  # fields by name


def note(text: str, *, key: str = "note", mode: Mode = "en") -> PageSet:
    return PageSet(key, {"": render(text, path="note.md")}, mode)


def text(view: ReaderView) -> str:
    return view.document().toPlainText()


def point_of(view: ReaderView, words: str, *, nth: int = 0) -> QPoint:
    """Return the middle of some words on the viewport, scrolled into view."""
    cursor = QTextCursor(view.document())
    for _ in range(nth + 1):
        cursor = view.document().find(words, cursor)
    assert not cursor.isNull(), words
    view.setTextCursor(cursor)
    view.ensureCursorVisible()
    cursor.setPosition((cursor.selectionStart() + cursor.selectionEnd()) // 2)
    return view.cursorRect(cursor).center()


def click(qtbot: QtBot, view: ReaderView, words: str, *, nth: int = 0) -> None:
    at = point_of(view, words, nth=nth)
    cursor = view.textCursor()
    cursor.clearSelection()
    view.setTextCursor(cursor)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def settled(qtbot: QtBot, view: ReaderView, words: str) -> None:
    qtbot.waitUntil(lambda: words in text(view).replace("\u00a0", " "), timeout=2000)


def test_both_languages_stand_side_by_side_and_cells_once(view: ReaderView, pages: PageSet) -> None:
    """Both languages are in the document, each snippet once, with its recorded output said to be recorded."""
    view.show_pages(pages)
    shown = text(view)
    assert "形状规则" in shown
    assert "Shapes" in shown
    assert shown.count("picked = scores.gather(1, labels)") == 1
    assert shown.index("recorded") < shown.index("tensor([0.7000, 0.5000])")


@pytest.mark.parametrize(("mode", "there", "not_there"), [("zh", "形状规则", "Shapes"), ("en", "Shapes", "形状规则")])
def test_one_language_alone(view: ReaderView, pages: PageSet, mode: Mode, there: str, not_there: str) -> None:
    """One language is shown alone when it is asked for."""
    view.show_pages(replace(pages, mode=mode))
    assert there in text(view)
    assert not_there not in text(view)


def test_the_note_that_has_one_language_is_shown_whatever_is_asked(view: ReaderView, pages: PageSet) -> None:
    """A note that lacks the language asked for is shown in the one it has."""
    view.show_pages(replace(pages, pages={"zh": pages.pages["zh"]}, mode="en"))
    assert "形状规则" in text(view)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("mode", ["zh", "en", "both"])
def test_paints_without_a_warning(view: ReaderView, pages: PageSet, mode: Mode, theme: object) -> None:
    """Every part of the sample note is painted at every place, in both themes, without a word from Qt."""
    view.set_theme(DARK if theme is DARK else LIGHT)
    view.show_pages(replace(pages, mode=mode))
    bar = view.verticalScrollBar()
    for y in range(0, bar.maximum() + 400, 400):
        bar.setValue(y)
        assert not view.grab().isNull()


def test_run_is_asked_for_by_a_click(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """A click on Run asks for the run of that cell on the chosen device, and starts nothing by itself."""
    view.show_pages(pages)
    view.set_device("cuda:0")
    settled(qtbot, view, "cuda:0")
    with qtbot.waitSignal(view.run_requested) as asked:
        click(qtbot, view, "Run", nth=1)
    assert asked.args == [BAD, "cuda:0"]


def test_buttons(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """Copy, edit and the device chooser say which cell they mean."""
    view.show_pages(pages)
    with qtbot.waitSignal(view.copy_requested) as asked:
        click(qtbot, view, "copy")
    assert asked.args == [GATHER]
    assert QGuiApplication.clipboard().text().startswith("import torch\n")
    with qtbot.waitSignal(view.edit_requested) as asked:
        click(qtbot, view, "edit")
    placed = view.cell(GATHER)
    assert placed is not None
    assert asked.args == [placed.cell.line, "zh"]
    with qtbot.waitSignal(view.device_menu_requested) as asked:
        click(qtbot, view, "cpu")
    assert asked.args is not None
    assert asked.args[0] == GATHER


def test_everything_by_keyboard(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """Tab goes to the links and buttons and Enter presses them; Ctrl+Enter runs the cell of the cursor."""
    view.show_pages(replace(pages, mode="en"))
    view.setFocus()
    seen: list[str] = []
    view.run_requested.connect(lambda key, _: seen.append(key))
    view.link_activated.connect(seen.append)
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Tab)
        QTest.keyClick(view, Qt.Key.Key_Return)
    assert seen == ["https://pytorch.org/docs", "wiki:expand", GATHER]
    cursor = view.document().find("for epoch in")
    view.setTextCursor(cursor)
    QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert seen[-1] == TRAIN


def test_ctrl_enter_takes_the_nearest_cell_and_stops_a_running_one(
    qtbot: QtBot, view: ReaderView, pages: PageSet
) -> None:
    """Without the cursor in a cell, the one nearest the middle of the view is meant; a running one is stopped."""
    view.show_pages(replace(pages, mode="en"))
    with qtbot.waitSignal(view.run_requested) as asked:
        view.run_current()
    assert asked.args == [GATHER, "cpu"]
    view.cell_started(GATHER, "cpu")
    with qtbot.waitSignal(view.stop_requested) as stop:
        view.run_current()
    assert stop.args == [GATHER]


def test_output_streams_into_its_box(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """Output takes the place of the recorded one, in its own box, and the end is said in words."""
    view.show_pages(pages)
    view.cell_started(GATHER, "cpu")
    view.cell_output(GATHER, "stdout", "first\nsec")
    settled(qtbot, view, "first\nsec")
    assert "tensor([0.7000, 0.5000])" not in text(view)
    view.cell_output(GATHER, "stdout", "ond\n")
    view.cell_finished(GATHER, outcome(), as_recorded=True)
    settled(qtbot, view, "✓ as recorded")
    shown = text(view)
    assert shown.index("picked = ") < shown.index("first\nsecond") < shown.index("Shapes")
    assert "211 MB" in shown.replace("\u00a0", " ")


def test_failure_is_said_and_its_line_marked(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """After a failure the sentence stands under the output and the failing line is marked in the code."""
    view.show_pages(pages)
    view.cell_started(BAD, "cpu")
    view.cell_output(BAD, "stderr", "RuntimeError: no\n")
    view.cell_finished(
        BAD, outcome("failed", exit_code=1, reason_en="RuntimeError: no", reason_zh="出错"), failed_line=6
    )
    settled(qtbot, view, "Failed after 0.04 s. RuntimeError: no")
    point_of(view, "x.gather(1, bad)")
    image = view.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(300, 304) for y in range(800)}
    assert LIGHT.bad_soft in colours


@pytest.mark.parametrize("status", ["timeout", "stopped", "killed", "unavailable", "interrupted"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_end_has_its_words(qtbot: QtBot, pages: PageSet, view: ReaderView, status: str, language: str) -> None:
    """Each way in which a run can end stands in the box as the outcome words it."""
    view._words.switch("zh" if language == "zh" else "en")
    ended = outcome(status, reason_en="Because.", reason_zh="因为。")
    view.show_pages(pages)
    view.cell_started(GATHER, "cpu")
    view.cell_finished(GATHER, ended)
    settled(qtbot, view, ended.sentence(language))


def test_theme_zoom_and_language_keep_output_and_place(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """Another theme, size or language of the interface builds the document anew with all that stood in it."""
    view.show_pages(pages)
    view.cell_started(GATHER, "cpu")
    view.cell_output(GATHER, "stdout", "kept\n")
    settled(qtbot, view, "kept")
    view.go_to_line(30)
    before = view.place()
    view.set_theme(DARK)
    assert "kept" in text(view)
    after = view.place()
    assert before is not None
    assert after is not None
    assert (after.line, after.side) == (before.line, before.side)
    assert after.offset == pytest.approx(before.offset, abs=2)
    view.set_zoom(1.5)
    qtbot.waitUntil(lambda: view.document().defaultFont().pixelSize() > 20, timeout=2000)
    assert "kept" in text(view)
    view._words.switch("zh")
    settled(qtbot, view, "停止")


def test_same_note_again_keeps_outputs_of_unchanged_code(qtbot: QtBot, view: ReaderView) -> None:
    """After an edit, cells whose code is the same keep their output; a changed one begins anew."""
    one, two = "```python id=a\nprint(1)\n```\n", "```python id=b\nprint(2)\n```\n"
    view.show_pages(note(f"# T\n\n{one}\n{two}"))
    for key in ("fence:a", "fence:b"):
        view.cell_started(key, "cpu")
        view.cell_output(key, "stdout", f"output of {key}\n")
    settled(qtbot, view, "output of fence:b")
    view.show_pages(note(f"# T\n\nmore\n\n{one}\n{two.replace('2', '3')}"))
    assert "output of fence:a" in text(view)
    assert "output of fence:b" not in text(view)
    view.show_pages(note(f"# T\n\n{one}", key="other"))
    assert "output of fence:a" not in text(view)


def test_pictures_and_files_of_a_run(qtbot: QtBot, view: ReaderView, pages: PageSet, tmp_path: Path) -> None:
    """A picture stands in the box, another file is listed with its size and can be asked for."""
    view.show_pages(pages)
    view.cell_started(GATHER, "cpu")
    view.cell_image(GATHER, DATA / "figures" / "grid.png")
    view.cell_image(GATHER, DATA / "figures" / "grid.png")
    view.cell_file(GATHER, tmp_path / "weights.pt", size=123_456)
    view.cell_finished(GATHER, outcome())
    settled(qtbot, view, "121 KB")
    assert view.document().find("\ufffc").isNull() is False
    with qtbot.waitSignal(view.file_requested) as asked:
        click(qtbot, view, "weights.pt")
    assert asked.args == [str(tmp_path / "weights.pt")]


def test_long_output_folds_and_unfolds(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """A long output shows its ends with a link to the rest; what was cut is only in the log."""
    view.show_pages(pages)
    view.cell_started(TRAIN, "cpu")
    view.cell_output(TRAIN, "stdout", "".join(f"row {number}.\n" for number in range(5000)))
    view.cell_finished(TRAIN, outcome())
    settled(qtbot, view, "4,968 lines hidden")
    assert "row 100." not in text(view)
    with qtbot.waitSignal(view.log_requested) as asked:
        click(qtbot, view, "open")
    assert asked.args == [TRAIN]
    click(qtbot, view, "kept")
    assert "row 100." in text(view)
    assert "3,000 lines hidden" in text(view)
    click(qtbot, view, "fold")
    assert "row 100." not in text(view)


def test_standing_of_cells(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """How a cell stands by the ledger is said in words with a sign; unknown words are not shown."""
    view.show_pages(pages)
    view.cell_status(GATHER, "stale", detail="3 days ago")
    view.cell_status(BAD, "never")
    view.cell_status("fence:nowhere", "failed")
    settled(qtbot, view, "◔ stale")
    assert "3 days ago" in text(view).replace("\u00a0", " ")
    assert "never\n" not in text(view)


def test_places(view: ReaderView, pages: PageSet) -> None:
    """One can go to a heading, to a line and back to a place."""
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


def test_find_in_page(view: ReaderView, pages: PageSet) -> None:
    """All places are marked and counted, one after the other is gone to, around the end, in both directions."""
    view.show_pages(replace(pages, mode="en"))
    number, count = view.find_text("GATHER")
    assert count == text(view).lower().count("gather")
    assert number == 1
    assert view.find_text("GATHER", backward=True) == (count, count)
    assert view.find_text("GATHER") == (1, count)
    assert len(view.extraSelections()) == count
    assert view.find_text("nowhere") == (0, 0)
    assert view.find_text("") == (0, 0)


def test_found_words_are_marked(view: ReaderView, pages: PageSet) -> None:
    """The words of a search are marked and the first one below is brought into view."""
    view.show_pages(replace(pages, mode="en"))
    view.mark(("training loop",))
    assert len(view.extraSelections()) == 1
    assert view.verticalScrollBar().value() > 0
    view.mark(())
    assert view.extraSelections() == []


def test_found_places_beyond_the_first_plane(view: ReaderView) -> None:
    """Characters that Qt counts twice do not shift what is marked."""
    view.show_pages(note("# T\n\n🙂🙂 needle and 🙂 needle\n"))
    view.mark(("needle",))
    selected = [mark.cursor.selectedText() for mark in view.extraSelections()]
    assert selected == ["needle", "needle"]


def test_copying_gives_clean_text(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
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


def test_selecting_one_column_copies_one_language(view: ReaderView, pages: PageSet) -> None:
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


def test_links_tell_their_true_target(qtbot: QtBot, view: ReaderView) -> None:
    """Hovering and clicking give the target as it was written; the reader itself goes nowhere."""
    view.show_pages(
        note("# T\n\nSee [the page](other%20note.md#越界), [here](#end).\n\n" + "text\n\n" * 80 + "## End\n")
    )
    at = point_of(view, "the page")
    with qtbot.waitSignal(view.link_hovered) as hovered:
        QTest.mouseMove(view.viewport(), at)
    assert hovered.args == ["other%20note.md#越界"]
    with qtbot.waitSignal(view.link_activated) as asked:
        click(qtbot, view, "the page")
    assert asked.args == ["other%20note.md#越界"]
    click(qtbot, view, "here")
    assert view.verticalScrollBar().value() > 300


def test_a_note_cannot_forge_a_button(qtbot: QtBot, view: ReaderView) -> None:
    """A link that looks like a command of the reader is a link like any other."""
    view.show_pages(note("# T\n\n[Start](~0:run) [x](x:0)\n\n```python\nprint(1)\n```\n"))
    asked: list[str] = []
    view.run_requested.connect(lambda key, _: asked.append(key))
    followed: list[str] = []
    view.link_activated.connect(followed.append)
    click(qtbot, view, "Start")
    assert asked == []


def test_hostile_output_is_text(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """HTML, escapes, direction marks and Qt's own frame characters in output change nothing but the output."""
    view.show_pages(pages)
    view.cell_started(GATHER, "cpu")
    view.cell_output(
        GATHER, "stdout", "<img src='file:///dev/zero'><b>x\u202e\ufdd0\ufdd1\ufffc\u2029\x00\x1b]0;t\x07end\n"
    )
    settled(qtbot, view, "<b>x‹U+202E›")
    assert "形状规则" in text(view)
    view.cell_output("fence:unknown", "stdout", "nothing\n")


def test_zoom_by_keys_and_wheel(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """Ctrl with plus, minus and 0 sizes the page, within bounds."""
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


def test_context_menu(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """The menu of a link copies its true target."""
    view.show_pages(replace(pages, mode="en"))
    menu = view.context_menu(point_of(view, "documentation"))
    labels = [action.text() for action in menu.actions()]
    assert labels == ["Copy", "Copy link address", "Select all"]
    menu.actions()[1].trigger()
    assert QGuiApplication.clipboard().text() == "https://pytorch.org/docs"
    menu.deleteLater()


def test_growing_output_above_does_not_move_what_is_read(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """Output that grows above the visible part leaves the visible part where it is."""
    view.show_pages(replace(pages, mode="en"))
    view.cell_started(GATHER, "cpu")
    settled(qtbot, view, "waiting for output")
    view.go_to(next(section.anchor for section in pages.pages["en"].sections if section.heading == "Out of range"))
    heading = view.document().find("Out of range", 0, QTextDocument.FindFlag.FindCaseSensitively)
    before = view.cursorRect(heading).top()
    view.cell_output(GATHER, "stdout", "line\n" * 20)
    settled(qtbot, view, "line\nline")
    assert view.cursorRect(heading).top() == pytest.approx(before, abs=2)


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def test_a_large_note_is_there_at_once(view: ReaderView) -> None:
    """A note of 54 KB is set and shown in a quarter of a second (twice that here, for a busy machine)."""
    prose = "Along `dim`, every entry says **which** element of [its line](x.md) to take; dimensions never mix.\n\n" * 8
    body = "".join(f"## Section {n}\n\n{prose}" + "```python\nprint(1)\n```\n\n" * (n % 2) for n in range(70))
    shown = note("# T\n\n" + body)
    assert len(body) > 54_000

    def show() -> None:
        view.show_pages(shown)
        view.grab()

    assert min(timed(show) for _ in range(3)) < 0.5


def test_a_flood_leaves_the_window_alive(qtbot: QtBot, view: ReaderView, pages: PageSet) -> None:
    """While output comes as fast as it can be handed over, no writing takes long and the count stays exact."""
    view.show_pages(pages)
    view.cell_started(TRAIN, "cpu")
    chunk = ("x" * 80 + "\n") * 3000

    def step() -> None:
        view.cell_output(TRAIN, "stdout", chunk)
        QGuiApplication.processEvents()

    lags = [timed(step) for _ in range(100)]
    view.cell_finished(TRAIN, outcome())
    settled(qtbot, view, f"{300_000 - 32:,} lines hidden")
    assert sorted(lags)[-3] < 0.2
